/* A picture as small textures.  SPDX-License-Identifier: MIT */
#include "ui/widgets/mosaic.h"

/* Pixels of a side: what one more point changes is a few of these. */
#define SIDE 128

struct NsMosaic {
    int width, height; /* of the picture */
    int columns, rows;
    GPtrArray *tiles; /* GdkTexture, by row */
};

NsMosaic *ns_mosaic_new(void)
{
    NsMosaic *mosaic = g_new0(NsMosaic, 1);
    mosaic->tiles = g_ptr_array_new_with_free_func(g_object_unref);
    return mosaic;
}

void ns_mosaic_free(NsMosaic *mosaic)
{
    if (!mosaic) return;
    g_ptr_array_unref(mosaic->tiles);
    g_free(mosaic);
}

static GdkTexture *cut(cairo_surface_t *image, const cairo_rectangle_int_t *box)
{
    gsize from = (gsize)cairo_image_surface_get_stride(image), to = 4 * (gsize)box->width;
    const guchar *pixels = cairo_image_surface_get_data(image);
    guchar *copy = g_malloc(to * (gsize)box->height);
    for (gsize y = 0; y < (gsize)box->height; y++)
        memcpy(copy + y * to, pixels + ((gsize)box->y + y) * from + 4 * (gsize)box->x, to);
    g_autoptr(GBytes) bytes = g_bytes_new_take(copy, to * (gsize)box->height);
    return gdk_memory_texture_new(box->width, box->height, GDK_MEMORY_DEFAULT, bytes, to);
}

static cairo_rectangle_int_t tile_box(const NsMosaic *mosaic, int column, int row)
{
    int x = column * SIDE, y = row * SIDE;
    return (cairo_rectangle_int_t){x, y, MIN(SIDE, mosaic->width - x),
                                   MIN(SIDE, mosaic->height - y)};
}

static void update_box(NsMosaic *mosaic, cairo_surface_t *image, const cairo_rectangle_int_t *box)
{
    for (int row = box->y / SIDE; row <= (box->y + box->height - 1) / SIDE; row++)
        for (int column = box->x / SIDE; column <= (box->x + box->width - 1) / SIDE; column++) {
            cairo_rectangle_int_t part = tile_box(mosaic, column, row);
            gpointer *tile = &mosaic->tiles->pdata[row * mosaic->columns + column];
            g_clear_object(tile);
            *tile = cut(image, &part);
        }
}

void ns_mosaic_update(NsMosaic *mosaic, cairo_surface_t *image, const GArray *dirty)
{
    int width = cairo_image_surface_get_width(image);
    int height = cairo_image_surface_get_height(image);
    if (width < 1 || height < 1 || !cairo_image_surface_get_data(image)) return;
    if (width != mosaic->width || height != mosaic->height) {
        mosaic->width = width;
        mosaic->height = height;
        mosaic->columns = (width + SIDE - 1) / SIDE;
        mosaic->rows = (height + SIDE - 1) / SIDE;
        g_ptr_array_set_size(mosaic->tiles, 0);
        g_ptr_array_set_size(mosaic->tiles, mosaic->columns * mosaic->rows);
        update_box(mosaic, image, &(cairo_rectangle_int_t){0, 0, width, height});
        return;
    }
    for (guint i = 0; i < dirty->len; i++)
        update_box(mosaic, image, &g_array_index(dirty, cairo_rectangle_int_t, i));
}

void ns_mosaic_snapshot(NsMosaic *mosaic, GtkSnapshot *snapshot, int scale)
{
    float unit = 1.0f / (float)scale;
    for (int row = 0; row < mosaic->rows; row++)
        for (int column = 0; column < mosaic->columns; column++) {
            GdkTexture *tile = mosaic->tiles->pdata[row * mosaic->columns + column];
            cairo_rectangle_int_t box = tile_box(mosaic, column, row);
            gtk_snapshot_append_texture(
                snapshot, tile,
                &GRAPHENE_RECT_INIT((float)box.x * unit, (float)box.y * unit,
                                    (float)box.width * unit, (float)box.height * unit));
        }
}

GdkTexture *ns_texture_of(cairo_surface_t *image)
{
    return cut(image, &(cairo_rectangle_int_t){0, 0, cairo_image_surface_get_width(image),
                                               cairo_image_surface_get_height(image)});
}
