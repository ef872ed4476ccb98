/* A picture in small pieces, of which only those that changed are made anew.
 * SPDX-License-Identifier: MIT
 *
 * What a renderer is given cannot change, so it gets copies, and it draws again only where pieces
 * differ from those of the frame before.  A renderer on a graphics card gets textures.  cairo's
 * gets images, which it copies to the window as they are: textures it would convert, pixel by
 * pixel, in every frame (GTK 4.8). */
#pragma once

#include <gtk/gtk.h>

typedef struct NsTextureTiles NsTextureTiles;

NsTextureTiles *ns_texture_tiles_new(void);
void ns_texture_tiles_free(NsTextureTiles *tiles);

/* Takes over the pixels of an opaque ARGB32 image, `scale` pixels a unit, that differ since the
 * last call: all of them where size, scale or renderer do, else those within the boxes
 * (cairo_rectangle_int_t). */
void ns_texture_tiles_update(NsTextureTiles *tiles, cairo_surface_t *image, int scale,
                             GskRenderer *renderer, const GArray *dirty);

/* Shows the picture at the origin. */
void ns_texture_tiles_snapshot(NsTextureTiles *tiles, GtkSnapshot *snapshot);

/* All pixels of an ARGB32 image as one texture.  Free with g_object_unref. */
GdkTexture *ns_texture_of(cairo_surface_t *image);
