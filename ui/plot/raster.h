/* Strokes and areas written straight into the pixels of an image.  SPDX-License-Identifier: MIT
 *
 * A curve over ascending x, however thick, meets every vertical line in one interval.  So its ink
 * is kept as intervals at a few places across every pixel: coverage is exact along y and sampled
 * along x, a vertical of any length costs as much as a dot, and what falls on a pixel does not
 * depend on the clip.  cairo, which takes any path, needs twenty times as long for a noisy curve.
 */
#pragma once

#include "ui/plot/path.h"
#include "ui/plot/style.h"

#include <cairo.h>

/* The pixels that drawing in a context reaches. */
typedef struct {
    cairo_surface_t *target;
    double scale, tx, ty;         /* from the context to pixels */
    int left, top, right, bottom; /* the clip, as a rectangle of whole pixels */
} NsPixels;

/* FALSE where the target is no image of 32 bits a pixel, or the context turns or distorts. */
bool ns_pixels_of(NsPixels *pixels, cairo_t *cr);

typedef struct NsRaster NsRaster;

typedef struct {
    double width;
    const double *dash; /* lengths in line widths, on and off in turn; NULL or n_dash 0: solid */
    int n_dash;
    bool across; /* the curve goes up and down everywhere: its dashes are counted along x, from 0 of
                  * the page */
} NsPen;

/* For drawing within the clip of a context, in its coordinates.  NULL where that cannot be done and
 * cairo must draw: ns_pixels_of fails, or the image is less than 16 pixels wide.  Nothing else may
 * clip or transform the context while the raster is in use. */
NsRaster *ns_raster_new(cairo_t *cr);
void ns_raster_free(NsRaster *raster);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsRaster, ns_raster_free)

/* Strokes one unbroken curve, x ascending or descending, with butt ends and beveled joins.  Fewer
 * than two different points leave nothing. */
void ns_raster_stroke(NsRaster *raster, const NsPoint *points, size_t n, const NsPen *pen,
                      NsColor color);

/* Fills a polygon that every vertical line meets in one interval at most: a convex one, or what
 * lies between two curves. */
void ns_raster_fill(NsRaster *raster, const NsPoint *corners, size_t n, NsColor color);
