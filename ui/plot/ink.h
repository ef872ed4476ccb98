/* What the data of a chart is drawn with.  SPDX-License-Identifier: MIT
 *
 * On an image the ink goes straight into the pixels (raster.h), and what is inked of a part of the
 * page does not depend on the clip; on anything else cairo draws the same shapes. */
#pragma once

#include "ui/plot/raster.h"

typedef struct {
    cairo_t *cr;
    NsRaster *raster; /* NULL where cairo draws */
    NsColor color;
} NsInk;

/* Between the two the context keeps its clip and its matrix. */
NsInk ns_ink_new(cairo_t *cr, NsColor color);
void ns_ink_clear(NsInk *ink);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsInk, ns_ink_clear)

/* An unbroken curve, x ascending or descending.  Where `pen->across`, it is noise: at most one path
 * point of each kind in a column of that width. */
void ns_ink_stroke(NsInk *ink, const NsPoint *points, size_t n, const NsPen *pen, double column);

/* A polygon that every vertical line meets in one interval at most. */
void ns_ink_fill(NsInk *ink, const NsPoint *corners, size_t n);

/* A band of columns, with gaps where x is NaN. */
void ns_ink_band(NsInk *ink, const NsBandColumn *band, size_t n);

void ns_ink_mark(NsInk *ink, NsMark mark, double x, double y, double size);

/* The line of a triangle with these corners. */
void ns_ink_triangle(NsInk *ink, const NsPoint corners[3], double width);
