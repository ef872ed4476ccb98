/* Draws series: curves, marks, bands, bars.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/layout.h"

/* The drawing order of a series, 0 first: areas, previous runs, raw values, theory, curves. */
#define NS_SERIES_RANKS 5
int ns_series_rank(const NsSeries *series);

/* The opacity of its areas: adjoining bars and previous series are transparent. */
double ns_series_opacity(const NsSeries *series);

/* Draws all visible series from back to front. */
void ns_draw_series(const NsPlotLayout *layout, cairo_t *cr);

/* Draws one curve over the others with `stronger` times its width. */
void ns_draw_curve(const NsPlotLayout *layout, size_t which, double stronger, cairo_t *cr);

/* Draws the sample of a series that precedes its name in the legend. */
void ns_draw_sample(const NsPlotLayout *layout, const NsSeries *series, const NsBox *box,
                    cairo_t *cr);

/* Returns the left and right edge of bar j of series i, in units of x. */
void ns_bar_ends(const NsPlotLayout *layout, size_t i, size_t j, double *from, double *to);
