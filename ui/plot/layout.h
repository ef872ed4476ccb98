/* From a plot to boxes, ticks and decimated paths, and to the drawing of these.
 * SPDX-License-Identifier: MIT
 *
 * ns_plot_layout is a pure function of plot, size, style and text scale.  The same layout draws the
 * window, PNG, SVG and PDF. */
#pragma once

#include "ui/plot/plot.h"
#include "ui/plot/style.h"

#include <cairo.h>
#include <glib.h>

typedef struct NsPlotLayout NsPlotLayout;

/* plot and style are borrowed until the layout is freed.  Never fails.  What does not fit is
 * omitted in this order: subtitle, label of the color bar, legend, axis labels, and last the note,
 * which is shortened first. */
NsPlotLayout *ns_plot_layout(const NsPlot *plot, double width, double height, const NsStyle *style);
void ns_plot_layout_free(NsPlotLayout *layout);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsPlotLayout, ns_plot_layout_free)

/* The additional height that a page of this width needs for the complete subtitle and note beyond
 * one line each, and for the names of many runs. */
double ns_plot_more_lines(const NsPlot *plot, double width, const NsStyle *style);

/* Distances from the edges of the page to the plot area. */
typedef struct {
    double top, right, bottom, left;
} NsMargins;

NsMargins ns_layout_margins(const NsPlotLayout *layout);

/* Like ns_plot_layout, with minimum margins, for plots whose areas are aligned. */
NsPlotLayout *ns_plot_layout_within(const NsPlot *plot, double width, double height,
                                    const NsStyle *style, const NsMargins *least);

/* Draws in the box from the origin to (width, height), without a color bar that plots below
 * share. */
void ns_plot_draw(const NsPlotLayout *layout, cairo_t *cr);

/* Draws the shared color bar over the plots below. */
void ns_plot_draw_key(const NsPlotLayout *layout, cairo_t *cr);

/* Where the data is drawn. */
NsBox ns_plot_area(const NsPlotLayout *layout);

/* Conversion from data to drawing coordinates and back. */
double ns_plot_x_to_pixel(const NsPlotLayout *layout, double x);
double ns_plot_pixel_to_x(const NsPlotLayout *layout, double px);
double ns_plot_y_to_pixel(const NsPlotLayout *layout, double y);

/* The y coordinate of a value on the left axis of a heatmap; with panels, in the first that
 * contains it. */
double ns_plot_row_to_pixel(const NsPlotLayout *layout, double value);

/* The series whose legend entry is at a point, even if it is hidden, or -1. */
int ns_plot_legend_at(const NsPlotLayout *layout, double x, double y);

/* The marker with a grip near a point, or the number of markers plus the index of a level with such
 * a grip; -1 if there is none. */
int ns_plot_handle_at(const NsPlotLayout *layout, double x, double y);

/* The data under the pointer. */
typedef struct {
    double x;      /* the x of the nearest point, or the first step of a heatmap column */
    double row;    /* row of a heatmap from 0; otherwise NaN */
    double px, py; /* drawing coordinates */
    int series;    /* index of the nearest curve in the plot's series, or -1 */
    char *text; /* lines of a tooltip: "step 120\nloss: 2.306 nats", with markup for _ and ^ as in
                 * NsPlot */
} NsReading;

/* The reading nearest to a point in the plot area; false outside of it or without data. */
bool ns_plot_pick(const NsPlotLayout *layout, double px, double py, NsReading *reading);
void ns_reading_clear(NsReading *reading);

/* Draws the crosshair of a reading over a drawn plot and emphasizes the nearest curve. */
void ns_plot_draw_reading(const NsPlotLayout *layout, const NsReading *reading, cairo_t *cr);

/* Draws the tooltip in a box inside the chart where it covers little of the curves, or nothing if
 * it would cover most of a small chart. */
void ns_plot_draw_tip(const NsPlotLayout *layout, const NsReading *reading, cairo_t *cr);

/* Returns whether a legend has the names of all curves, so that it can show the values of a
 * reading. */
bool ns_plot_has_legend(const NsPlotLayout *layout);

/* Returns whether a part of a clipped earlier run is above or below the left axis. */
bool ns_plot_is_off_scale(const NsPlot *plot);

/* A sentence that describes the plot for a screen reader.  Free with g_free. */
char *ns_plot_describe(const NsPlot *plot);

/* Returns whether the plot shows anything but the text `empty`. */
bool ns_plot_has_data(const NsPlot *plot);

/* Jump to the first or last reading. */
#define NS_NEXT_FIRST INT64_MIN
#define NS_NEXT_LAST INT64_MAX

/* Returns the x that is `by` points (or columns of a heatmap) after `from`, or before if `by` is
 * negative, limited to the first and last.  If `from` is NaN, returns the newest x, or with
 * NS_NEXT_FIRST the first.  Considers all series that are not hidden, and previous runs only if
 * there are no others.  NaN without data. */
double ns_plot_next_x(const NsPlot *plot, double from, int64_t by);

/* Returns the middle of the row that is `by` rows above `from` on the left axis of a heatmap.  If
 * `from` is NaN, starts from the middle row.  NaN without a heatmap. */
double ns_plot_next_row(const NsPlot *plot, double from, int64_t by);
