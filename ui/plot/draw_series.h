/* Draws series: curves, marks, bands, bars.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/layout.h"

/* What covers an area lies behind, then what is over, then what is computed: 0 is drawn first. */
#define NS_SERIES_RANKS 5
int ns_series_rank(const NsSeries *series);

/* How opaque an area of it is: others must show through bars that touch, and through the past. */
double ns_series_opacity(const NsSeries *series);

/* Draws all series that are shown, those behind first. */
void ns_draw_series(const NsPlotLayout *layout, cairo_t *cr);

/* Draws one curve over the others with `stronger` times its width. */
void ns_draw_curve(const NsPlotLayout *layout, size_t which, double stronger, cairo_t *cr);

/* Draws the sample of a series that precedes its name in the legend. */
void ns_draw_sample(const NsPlotLayout *layout, const NsSeries *series, const NsBox *box,
                    cairo_t *cr);

/* Returns the left and right edge of bar j of series i, in units of x. */
void ns_bar_ends(const NsPlotLayout *layout, size_t i, size_t j, double *from, double *to);
