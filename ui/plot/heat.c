/* The heatmap: one image, and its colour bar.  SPDX-License-Identifier: MIT */
#include "ui/plot/colormap.h"
#include "ui/plot/layout-private.h"

#include <math.h>
#include <string.h>

/* Pixels a point that a printer can show; vector files keep no more. */
#define VECTOR_DENSITY 4.0

void ns_heat_levels(NsPlotLayout *layout)
{
    const NsHeatmap *map = layout->plot->heatmap;
    const NsScale *z = &layout->z;
    double steps = NS_LEVEL_HIGH - NS_LEVEL_LOW, scale = steps / (z->to - z->from);
    layout->levels = g_malloc(MAX(map->rows * map->columns, 1));
    uint8_t *out = layout->levels;
    for (size_t row = 0; row < map->rows; row++)
        for (size_t column = 0; column < map->columns; column++, out++) {
            float value = ns_heatmap_row(map, row)[column];
            if (ns_cell_is_blank(value)) {
                *out = NS_LEVEL_BLANK;
            } else if (!isfinite(value)) {
                *out = NS_LEVEL_BAD;
            } else if (map->log && value <= 0) {
                *out = NS_LEVEL_NONE;
            } else {
                double position = map->log ? (double)log10f(value) : (double)value;
                double level = NS_LEVEL_LOW + (position - z->from) * scale + 0.5;
                *out = (uint8_t)CLAMP(level, NS_LEVEL_LOW, NS_LEVEL_HIGH);
            }
        }
}

typedef struct {
    double density; /* pixels of the target a unit of the context */
    bool repeat;    /* show a cell as many pixels, for targets that would blur a single one */
} Target;

static Target target_of(cairo_t *cr)
{
    cairo_surface_t *surface = cairo_get_group_target(cr);
    cairo_surface_type_t type = cairo_surface_get_type(surface);
    if (type == CAIRO_SURFACE_TYPE_PDF) return (Target){VECTOR_DENSITY, false};
    if (type == CAIRO_SURFACE_TYPE_SVG) return (Target){VECTOR_DENSITY, true};
    double sx, sy, dx = 1, dy = 0;
    cairo_surface_get_device_scale(surface, &sx, &sy);
    cairo_user_to_device_distance(cr, &dx, &dy);
    return (Target){MAX(hypot(dx, dy) * sx, 0.1), false};
}

/* Pixels for so many cells over a length. */
static size_t image_side(const Target *target, size_t cells, double length)
{
    size_t most = (size_t)MAX(1, lround(length * target->density));
    if (cells >= most) return most;
    return target->repeat ? cells * ((most + cells - 1) / cells) : cells;
}

/* A row of `from` cells as `to` pixels: the largest level under each. */
static void reduce_row(uint8_t *out, size_t to, const uint8_t *in, size_t from)
{
    for (size_t i = 0; i < to; i++) {
        size_t first = i * from / to, last = MAX((i + 1) * from / to, first + 1);
        uint8_t level = in[first];
        for (size_t k = first + 1; k < last; k++) level = MAX(level, in[k]);
        out[i] = MAX(out[i], level);
    }
}

/* An image with a pixel for every cell, or for every pixel of the target where cells are finer. */
static cairo_surface_t *heat_image(const NsPlotLayout *layout, Target target)
{
    const NsHeatmap *map = layout->plot->heatmap;
    size_t width = image_side(&target, map->columns, layout->area.width);
    size_t height = image_side(&target, map->rows, layout->area.height);
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    if (cairo_surface_status(image) != CAIRO_STATUS_SUCCESS) return image;
    uint32_t palette[256];
    ns_level_palette(palette, layout->style, layout->plot->heatmap->colors);
    g_autofree uint8_t *row = g_malloc(width);
    unsigned char *pixels = cairo_image_surface_get_data(image);
    size_t stride = (size_t)cairo_image_surface_get_stride(image);
    for (size_t y = 0; y < height; y++) {
        size_t first = y * map->rows / height;
        size_t last = MAX((y + 1) * map->rows / height, first + 1);
        memset(row, 0, width);
        for (size_t r = first; r < last; r++)
            reduce_row(row, width, layout->levels + r * map->columns, map->columns);
        /* Row 0 is drawn at the bottom. */
        uint32_t *out = (uint32_t *)(void *)(pixels + (height - 1 - y) * stride);
        for (size_t x = 0; x < width; x++) out[x] = palette[row[x]];
    }
    cairo_surface_mark_dirty(image);
    return image;
}

static void paint_image(cairo_t *cr, cairo_surface_t *image, const NsBox *box)
{
    double width = cairo_image_surface_get_width(image);
    double height = cairo_image_surface_get_height(image);
    cairo_save(cr);
    cairo_rectangle(cr, box->x, box->y, box->width, box->height);
    cairo_clip(cr);
    cairo_translate(cr, box->x, box->y);
    cairo_scale(cr, box->width / width, box->height / height);
    cairo_set_source_surface(cr, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_paint(cr);
    cairo_restore(cr);
}

static void draw_bar(const NsPlotLayout *layout, cairo_t *cr)
{
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 256);
    if (cairo_surface_status(image) == CAIRO_STATUS_SUCCESS) {
        uint32_t palette[256];
        ns_level_palette(palette, layout->style, layout->plot->heatmap->colors);
        unsigned char *pixels = cairo_image_surface_get_data(image);
        size_t stride = (size_t)cairo_image_surface_get_stride(image);
        int levels = NS_LEVEL_HIGH - NS_LEVEL_LOW;
        for (int y = 0; y < 256; y++)
            *(uint32_t *)(void *)(pixels + (size_t)y * stride) =
                palette[NS_LEVEL_HIGH - levels * y / 255];
        cairo_surface_mark_dirty(image);
        paint_image(cr, image, &layout->bar);
    }
    cairo_surface_destroy(image);
}

void ns_heat_draw(const NsPlotLayout *layout, cairo_t *cr)
{
    const NsHeatmap *map = layout->plot->heatmap;
    if (!map->rows || !map->columns) return;
    /* The cells may reach beyond fixed limits of the axes: the area clips them. */
    double left = ns_scale_to_pixel(&layout->x, map->x0);
    double right = ns_scale_to_pixel(&layout->x, map->x1);
    double top = ns_scale_to_pixel(&layout->y[NS_AXIS_LEFT], map->y1);
    double bottom = ns_scale_to_pixel(&layout->y[NS_AXIS_LEFT], map->y0);
    NsBox box = {left, top, right - left, bottom - top};
    /* On a reversed axis a side is negative, and the image is turned with it. */
    if (box.width == 0 || box.height == 0 || isnan(box.width + box.height)) return;
    cairo_surface_t *image = heat_image(layout, target_of(cr));
    if (cairo_surface_status(image) == CAIRO_STATUS_SUCCESS) paint_image(cr, image, &box);
    cairo_surface_destroy(image);
    if (layout->bar.width > 0 && !layout->z.blank) draw_bar(layout, cr);
}
