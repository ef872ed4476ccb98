/* A picture as small textures, of which only those that changed are made anew.
 * SPDX-License-Identifier: MIT
 *
 * A texture cannot change, and making one copies its pixels; and a renderer draws again only where
 * textures differ from those of the frame before. */
#pragma once

#include <gtk/gtk.h>

typedef struct NsMosaic NsMosaic;

NsMosaic *ns_mosaic_new(void);
void ns_mosaic_free(NsMosaic *mosaic);

/* Takes over the pixels of an ARGB32 image that differ since the last call: all of them where the
 * size does, else those within the boxes (cairo_rectangle_int_t). */
void ns_mosaic_update(NsMosaic *mosaic, cairo_surface_t *image, const GArray *dirty);

/* Shows the picture at the origin, `scale` pixels a unit. */
void ns_mosaic_snapshot(NsMosaic *mosaic, GtkSnapshot *snapshot, int scale);

/* All pixels of an ARGB32 image as one texture.  Free with g_object_unref. */
GdkTexture *ns_texture_of(cairo_surface_t *image);
