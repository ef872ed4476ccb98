/* Colors and marks.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/plot.h"
#include "ui/plot/style.h"

#include <cairo.h>

/* What a context draws on. */
typedef struct {
    cairo_surface_type_t type;
    bool vector;    /* PDF or SVG: no pixels */
    double density; /* pixels a unit of the context */
} NsTarget;

NsTarget ns_target_of(cairo_t *cr);

NsColor ns_with_alpha(NsColor color, double alpha);

/* How a series looks in a style. */
const NsSeriesStyle *ns_series_style(const NsStyle *style, const NsSeries *series);
NsColor ns_series_color(const NsStyle *style, const NsSeries *series);

/* The color of what is of run 1 ...; `usual` of what is of none: 0. */
NsColor ns_run_color(const NsStyle *style, unsigned run, NsColor usual);

/* The color of a marker; `usual` where it neither belongs to a series nor is an alarm. */
NsColor ns_marker_color(const NsStyle *style, const NsMarker *marker, NsColor usual);

/* Sets the source of a context, and its dash for lines of that width. */
void ns_set_color(cairo_t *cr, NsColor color);
void ns_set_dash(cairo_t *cr, const NsSeriesStyle *look, double line_width);

/* The path of a box with round corners. */
void ns_rounded_box(cairo_t *cr, const NsBox *box, double radius);

/* Draws a mark around x, y in the present source. */
void ns_draw_mark(cairo_t *cr, NsMark mark, double x, double y, double size);
