/* The picture of a live chart, kept from frame to frame.  SPDX-License-Identifier: MIT
 *
 * While nothing but new data came, only what is new is laid out and drawn, pixel for pixel what
 * drawing all of it would give: a frame costs the same however long a run has been going.  Axes
 * without limits are live ones: they widen at once and shrink slowly (live.h), and steps that grow
 * have room ahead.  Files are made by ns_plot_layout, whose axes end where the data do. */
#pragma once

#include "ui/plot/layout.h"

typedef struct NsPicture NsPicture;

NsPicture *ns_picture_new(void);
void ns_picture_free(NsPicture *picture);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsPicture, ns_picture_free)

/* The plot, or anything that it borrows, is about to change: layouts that were handed out are gone.
 */
void ns_picture_forget(NsPicture *picture);

/* What a picture is made of.  style is borrowed until the next call. */
typedef struct {
    const NsPlot *plot; /* borrowed until ns_picture_forget; its version tells whether it changed */
    double width, height;
    const NsStyle *style;
    double seconds; /* since the last call, for axes that shrink */
} NsPictureView;

/* The layout of a view; the same one as long as neither the view changes nor ns_picture_forget is
 * called.  Borrowed. */
const NsPlotLayout *ns_picture_layout(NsPicture *picture, const NsPictureView *view);

/* Brings the pixels up to date with the last layout, `scale` pixels a unit.  `dirty` (of
 * cairo_rectangle_int_t) gets the boxes of pixels that may differ from those of the call before.
 * Borrowed, and written again by the next call; its status tells whether there was memory. */
cairo_surface_t *ns_picture_draw(NsPicture *picture, int scale, GArray *dirty);
