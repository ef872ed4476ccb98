/* Colors, strokes, areas and marks.  SPDX-License-Identifier: MIT
 *
 * A painter draws the data of a chart.  On an image it writes straight into the pixels (raster.h),
 * and what it draws of a part of the page does not depend on the clip; on anything else cairo draws
 * the same shapes. */
#pragma once

#include "ui/plot/raster.h"

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

/* Draws a mark around x, y in the present source, which must be a color. */
void ns_draw_mark(cairo_t *cr, NsMark mark, double x, double y, double size);

typedef struct {
    cairo_t *cr;
    NsRaster *raster; /* NULL where cairo draws */
    NsColor color;
} NsPainter;

/* Between the two the context keeps its clip and its matrix. */
NsPainter ns_painter_new(cairo_t *cr, NsColor color);
void ns_painter_clear(NsPainter *painter);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsPainter, ns_painter_clear)

/* Draws an unbroken curve, x ascending or descending.  Where `pen->across`, it is noise: at most
 * one path point of each kind in a column of that width. */
void ns_painter_stroke(NsPainter *painter, const NsPoint *points, size_t n, const NsPen *pen,
                       double column);

/* Fills a polygon that every vertical line meets in one interval at most. */
void ns_painter_fill(NsPainter *painter, const NsPoint *corners, size_t n);

/* Fills a band of columns, with gaps where x is NaN. */
void ns_painter_band(NsPainter *painter, const NsBandColumn *band, size_t n);

void ns_painter_mark(NsPainter *painter, NsMark mark, double x, double y, double size);

/* Draws the outline of a triangle with these corners. */
void ns_painter_triangle(NsPainter *painter, const NsPoint corners[3], double width);
