/* Colors and marks.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/plot.h"
#include "ui/plot/style.h"

#include <cairo.h>

/* The target that a context draws on. */
typedef struct {
    cairo_surface_type_t type;
    bool vector;    /* PDF or SVG, without pixels */
    double density; /* pixels per unit of the context */
} NsTarget;

NsTarget ns_target_of(cairo_t *cr);

NsColor ns_with_alpha(NsColor color, double alpha);

/* The share of the background in the color of a raw curve behind its smoothed one, and of an
 * earlier run of a lane: every second one has a stronger tone. */
#define NS_MUTED 0.62
#define NS_LESS_MUTED 0.4
double ns_series_muted(const NsSeries *series);

/* The look of a series in a style: present ones of the first styles are solid. */
NsSeriesStyle ns_series_style(const NsStyle *style, const NsSeries *series);

/* Whether a curve has marks, by which it can also be distinguished in gray: if the plot has present
 * curves of several styles.  These are sparse marks on it, unless those of another series along it
 * (the losses of validation) are there already. */
bool ns_series_has_marks(const NsPlot *plot, const NsSeries *series);
bool ns_series_has_sparse_marks(const NsPlot *plot, const NsSeries *series);
NsColor ns_series_color(const NsStyle *style, const NsSeries *series);

/* The color of run 1, 2, ..., or `usual` for 0. */
NsColor ns_run_color(const NsStyle *style, unsigned run, NsColor usual);

/* The color of a marker: that of its series, that of an alarm, or else `usual`. */
NsColor ns_marker_color(const NsStyle *style, const NsMarker *marker, NsColor usual);

void ns_set_color(cairo_t *cr, NsColor color);

/* Where in its pattern a line of this length begins that has a dash, not a gap, under the mark at
 * its middle; 0 for a length of 0. */
double ns_dash_phase(const NsSeriesStyle *look, double line_width, double length);

/* Sets the dash pattern for a line width and, of the sample in a legend, a length. */
void ns_set_dash(cairo_t *cr, const NsSeriesStyle *look, double line_width, double length);

/* The dash pattern of a level: neighboring ones differ. */
void ns_set_level_dash(cairo_t *cr, const NsStyle *style, size_t level);

/* Fill the path, draw its outline, or both. */
void ns_fill(cairo_t *cr, NsColor color);
void ns_stroke(cairo_t *cr, NsColor color, double width);
void ns_fill_and_stroke(cairo_t *cr, NsColor inside, NsColor edge, double width);

/* Adds a box with round corners to the path. */
void ns_rounded_box(cairo_t *cr, const NsBox *box, double radius);

/* Draws a mark centered at x, y in the current color. */
void ns_draw_mark(cairo_t *cr, NsMark mark, double x, double y, double size);
