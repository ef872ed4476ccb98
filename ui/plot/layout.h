/* From a plot to boxes, ticks and decimated paths; from these to ink.  SPDX-License-Identifier: MIT
 *
 * ns_plot_layout is a pure function of plot, size, style and text scale.  The same layout draws the
 * window, PNG, SVG and PDF. */
#pragma once

#include "ui/plot/plot.h"
#include "ui/plot/style.h"

#include <cairo.h>
#include <glib.h>

typedef struct NsPlotLayout NsPlotLayout;

/* plot and style are borrowed until the layout is freed.  Never fails; what does not fit is left
 * out in this order: subtitle, right axis label, legend, axis labels, and at last the note, which
 * is shortened before. */
NsPlotLayout *ns_plot_layout(const NsPlot *plot, double width, double height, const NsStyle *style);
void ns_plot_layout_free(NsPlotLayout *layout);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsPlotLayout, ns_plot_layout_free)

/* How much higher a page of that width must be for subtitle and note than for a line of each, and
 * for the names of many runs. */
double ns_plot_more_lines(const NsPlot *plot, double width, const NsStyle *style);

/* Whether the note is there as a whole and the horizontal axis has its name, where there are any.
 */
bool ns_plot_is_explained(const NsPlotLayout *layout);

/* From the edges of the page to the plot area. */
typedef struct {
    double top, right, bottom, left;
} NsMargins;

NsMargins ns_layout_margins(const NsPlotLayout *layout);

/* ns_plot_layout with margins at least so wide, for plots that stand in line. */
NsPlotLayout *ns_plot_layout_within(const NsPlot *plot, double width, double height,
                                    const NsStyle *style, const NsMargins *least);

/* Draws at the origin of the context, width by height; without the key of a heatmap that is also
 * that of plots below. */
void ns_plot_draw(const NsPlotLayout *layout, cairo_t *cr);

/* That key, over the plots below. */
void ns_plot_draw_key(const NsPlotLayout *layout, cairo_t *cr);

/* Where the data is drawn. */
NsBox ns_plot_area(const NsPlotLayout *layout);

/* Data to drawing coordinates and back. */
double ns_plot_x_to_pixel(const NsPlotLayout *layout, double x);
double ns_plot_pixel_to_x(const NsPlotLayout *layout, double px);
double ns_plot_y_to_pixel(const NsPlotLayout *layout, NsAxisSide side, double y);

/* Where a value on the left axis of a heatmap is drawn; with panels, in the first that has it. */
double ns_plot_row_to_pixel(const NsPlotLayout *layout, double value);

/* The series whose legend entry is at a point, hidden ones included; -1 for none. */
int ns_plot_legend_at(const NsPlotLayout *layout, double x, double y);

/* The marker with a grip that is near a point, or behind all markers the level whose grip is there;
 * -1 for none. */
int ns_plot_handle_at(const NsPlotLayout *layout, double x, double y);

/* What the pointer touches. */
typedef struct {
    double x;   /* data: the abscissa of the nearest point, or the first step of a heatmap column */
    double row; /* heatmap: the row of the map, from 0; NaN elsewhere */
    double px, py; /* where it is drawn */
    int series;    /* the nearest curve, as an index of the plot's series; -1 for none */
    char *
        text; /* lines for a tip: "step 120\nloss: 2.306 nats", with markup for _ and ^ as in NsPlot
               */
} NsReading;

/* The reading nearest to a point in the plot area; FALSE outside it or without data. */
bool ns_plot_pick(const NsPlotLayout *layout, double px, double py, NsReading *reading);
void ns_reading_clear(NsReading *reading);

/* Draws the crosshair of a reading over a drawn plot.  The nearest curve is drawn stronger, and
 * where the plot asks for `readings` the legend tells values. */
void ns_plot_draw_reading(const NsPlotLayout *layout, const NsReading *reading, cairo_t *cr);

/* Draws its words in a box beside it, inside the chart, where they cover little of the curves; none
 * where it would cover most of a small chart. */
void ns_plot_draw_tip(const NsPlotLayout *layout, const NsReading *reading, cairo_t *cr);

/* Whether a legend has all names, and so tells the values of a reading if the plot asks for it. */
bool ns_plot_has_legend(const NsPlotLayout *layout);

/* One sentence that says in words what the plot shows now, for a screen reader.  Free with g_free.
 */
char *ns_plot_describe(const NsPlot *plot);

/* Whether it shows anything but the sentence that says why there is nothing to see. */
bool ns_plot_has_data(const NsPlot *plot);
