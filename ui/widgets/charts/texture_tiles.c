/* A picture in small pieces.  SPDX-License-Identifier: MIT */
#include "ui/widgets/charts/texture_tiles.h"

/* Pixels of a side: what one more point changes is a few of these. */
#define SIDE 128

typedef struct {
    GskRenderNode *node;
    cairo_surface_t *image; /* that the node of cairo's renderer shows; NULL for the others */
} Piece;

struct NsTextureTiles {
    int width, height, scale; /* of the picture */
    bool by_cairo;
    int columns, rows;
    GArray *pieces; /* Piece, by row */
};

static void clear_piece(void *data)
{
    Piece *piece = data;
    g_clear_pointer(&piece->node, gsk_render_node_unref);
    g_clear_pointer(&piece->image, cairo_surface_destroy);
}

NsTextureTiles *ns_texture_tiles_new(void)
{
    NsTextureTiles *tiles = g_new0(NsTextureTiles, 1);
    tiles->pieces = g_array_new(FALSE, TRUE, sizeof(Piece));
    g_array_set_clear_func(tiles->pieces, clear_piece);
    return tiles;
}

void ns_texture_tiles_free(NsTextureTiles *tiles)
{
    if (!tiles) return;
    g_array_unref(tiles->pieces);
    g_free(tiles);
}

static void copy_pixels(guchar *to, gsize to_stride, cairo_surface_t *image,
                        const cairo_rectangle_int_t *box)
{
    gsize from_stride = (gsize)cairo_image_surface_get_stride(image);
    const guchar *from =
        cairo_image_surface_get_data(image) + (gsize)box->y * from_stride + 4 * (gsize)box->x;
    for (gsize y = 0; y < (gsize)box->height; y++)
        memcpy(to + y * to_stride, from + y * from_stride, 4 * (gsize)box->width);
}

static GdkTexture *cut_texture(cairo_surface_t *image, const cairo_rectangle_int_t *box)
{
    gsize stride = 4 * (gsize)box->width, size = stride * (gsize)box->height;
    guchar *copy = g_malloc(size);
    copy_pixels(copy, stride, image, box);
    g_autoptr(GBytes) bytes = g_bytes_new_take(copy, size);
    return gdk_memory_texture_new(box->width, box->height, GDK_MEMORY_DEFAULT, bytes, stride);
}

static cairo_surface_t *cut_image(cairo_surface_t *image, const cairo_rectangle_int_t *box)
{
    cairo_surface_t *copy = cairo_image_surface_create(CAIRO_FORMAT_RGB24, box->width, box->height);
    guchar *pixels = cairo_image_surface_get_data(copy);
    if (pixels) copy_pixels(pixels, (gsize)cairo_image_surface_get_stride(copy), image, box);
    cairo_surface_mark_dirty(copy);
    return copy;
}

static cairo_rectangle_int_t piece_box(const NsTextureTiles *tiles, int column, int row)
{
    int x = column * SIDE, y = row * SIDE;
    return (cairo_rectangle_int_t){x, y, MIN(SIDE, tiles->width - x), MIN(SIDE, tiles->height - y)};
}

static void make_piece(const NsTextureTiles *tiles, Piece *piece, cairo_surface_t *image,
                       const cairo_rectangle_int_t *box)
{
    float unit = 1.0f / (float)tiles->scale;
    graphene_rect_t bounds =
        GRAPHENE_RECT_INIT((float)box->x * unit, (float)box->y * unit, (float)box->width * unit,
                           (float)box->height * unit);
    clear_piece(piece);
    if (!tiles->by_cairo) {
        g_autoptr(GdkTexture) texture = cut_texture(image, box);
        piece->node = gsk_texture_node_new(texture, &bounds);
        return;
    }
    piece->node = gsk_cairo_node_new(&bounds);
    piece->image = cut_image(image, box);
    cairo_t *cr = gsk_cairo_node_get_draw_context(piece->node);
    cairo_scale(cr, (double)unit, (double)unit);
    cairo_set_source_surface(cr, piece->image, box->x, box->y);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_paint(cr);
    cairo_destroy(cr);
}

static void update_box(NsTextureTiles *tiles, cairo_surface_t *image,
                       const cairo_rectangle_int_t *box)
{
    for (int row = box->y / SIDE; row <= (box->y + box->height - 1) / SIDE; row++)
        for (int column = box->x / SIDE; column <= (box->x + box->width - 1) / SIDE; column++) {
            cairo_rectangle_int_t part = piece_box(tiles, column, row);
            guint place = (guint)(row * tiles->columns + column);
            make_piece(tiles, &g_array_index(tiles->pieces, Piece, place), image, &part);
        }
}

void ns_texture_tiles_update(NsTextureTiles *tiles, cairo_surface_t *image, int scale,
                             GskRenderer *renderer, const GArray *dirty)
{
    int width = cairo_image_surface_get_width(image);
    int height = cairo_image_surface_get_height(image);
    bool by_cairo = GSK_IS_CAIRO_RENDERER(renderer);
    if (width < 1 || height < 1 || !cairo_image_surface_get_data(image)) return;
    if (width != tiles->width || height != tiles->height || scale != tiles->scale ||
        by_cairo != tiles->by_cairo) {
        tiles->width = width;
        tiles->height = height;
        tiles->scale = scale;
        tiles->by_cairo = by_cairo;
        tiles->columns = (width + SIDE - 1) / SIDE;
        tiles->rows = (height + SIDE - 1) / SIDE;
        g_array_set_size(tiles->pieces, 0);
        g_array_set_size(tiles->pieces, (guint)(tiles->columns * tiles->rows));
        update_box(tiles, image, &(cairo_rectangle_int_t){0, 0, width, height});
        return;
    }
    for (guint i = 0; i < dirty->len; i++)
        update_box(tiles, image, &g_array_index(dirty, cairo_rectangle_int_t, i));
}

void ns_texture_tiles_snapshot(NsTextureTiles *tiles, GtkSnapshot *snapshot)
{
    for (guint i = 0; i < tiles->pieces->len; i++)
        gtk_snapshot_append_node(snapshot, g_array_index(tiles->pieces, Piece, i).node);
}

GdkTexture *ns_texture_of(cairo_surface_t *image)
{
    return cut_texture(image, &(cairo_rectangle_int_t){0, 0, cairo_image_surface_get_width(image),
                                                       cairo_image_surface_get_height(image)});
}
