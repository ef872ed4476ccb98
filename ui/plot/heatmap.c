/* The heatmap: one image, and its color bar.  SPDX-License-Identifier: MIT */
#include "ui/plot/heatmap.h"

#include "ui/plot/colormap.h"
#include "ui/plot/layout-private.h"
#include "ui/plot/painter.h"
#include "ui/plot/panels.h"
#include "ui/plot/raster.h"

#include <math.h>
#include <string.h>

/* Pixels a point that a printer can show; vector files keep no more. */
#define VECTOR_DENSITY 4.0

/* In text sizes: between lines of hatching. */
#define HATCH 0.62

void ns_heatmap_set_levels(NsPlotLayout *layout)
{
    const NsHeatmap *map = layout->plot->heatmap;
    const NsScale *z = &layout->z;
    double scale = (NS_LEVEL_HIGH - NS_LEVEL_LOW) / (z->to - z->from);
    layout->levels = g_malloc(MAX(map->rows * map->columns, 1));
    for (size_t row = 0; row < map->rows; row++)
        ns_cells_levels(layout->levels + row * map->columns, ns_heatmap_row(map, row), map->columns,
                        map->log, z->from, scale);
}

/* Where cells lie along one side of the image, in its pixels. */
typedef struct {
    double start, cell; /* the outer edge of the first, and how long each is; < 0: backwards */
    size_t cells;
    bool fine; /* more than one cell a pixel */
} Side;

static Side side_of(const NsScale *scale, double from, double to, size_t cells, double pixels,
                    double offset)
{
    double a = ns_scale_to_pixel(scale, from) * pixels + offset;
    double b = ns_scale_to_pixel(scale, to) * pixels + offset;
    double cell = (b - a) / (double)cells;
    return (Side){a, cell, cells, fabs(cell) < 1};
}

/* The pixels from first to end - 1 that show a cell: those of which it covers the middle, or any
 * part where cells are finer. */
static void clip_side(const Side *side, int *first, int *end)
{
    double a = side->start, b = side->start + side->cell * (double)side->cells;
    double low = MIN(a, b), high = MAX(a, b);
    *first = (int)MAX(*first, side->fine ? floor(low) : ceil(low - 0.5));
    *end = (int)MIN(*end, side->fine ? ceil(high) : ceil(high - 0.5));
}

static uint32_t cell_at(const Side *side, double pixel)
{
    return (uint32_t)CLAMP(floor((pixel - side->start) / side->cell), 0, (double)side->cells - 1);
}

/* The cells that pixels first..end - 1 show: from the middle of each or, where cells are finer, all
 * that begin in it. */
static void cells_of(const Side *side, int first, int end, uint32_t *from, uint32_t *to)
{
    for (int i = first; i < end; i++, from++, to++) {
        if (!side->fine) {
            *from = cell_at(side, i + 0.5);
            *to = *from + 1;
            continue;
        }
        double a = (i - side->start) / side->cell, b = (i + 1 - side->start) / side->cell;
        double low = ceil(MIN(a, b)), high = ceil(MAX(a, b));
        *from = (uint32_t)CLAMP(low, 0, (double)side->cells - 1);
        *to = (uint32_t)CLAMP(high, *from + 1.0, (double)side->cells);
    }
}

/* Writes the cells of a panel within the clip straight into the pixels. */
static void paint_pixels(const NsPlotLayout *layout, const NsPanel *panel, const NsPixels *on)
{
    const NsHeatmap *map = layout->plot->heatmap;
    const uint8_t *levels = layout->levels + panel->row * map->columns;
    Side across = side_of(&layout->x, map->x0, map->x1, map->columns, on->scale, on->tx);
    Side down =
        side_of(&layout->y[NS_AXIS_LEFT], panel->lo, panel->hi, panel->rows, on->scale, on->ty);
    int left = on->left, right = on->right, top = on->top, bottom = on->bottom;
    clip_side(&across, &left, &right);
    clip_side(&down, &top, &bottom);
    if (left >= right || top >= bottom) return;
    size_t width = (size_t)(right - left), height = (size_t)(bottom - top);
    g_autofree uint32_t *columns = g_new(uint32_t, 2 * width), *rows = g_new(uint32_t, 2 * height);
    uint32_t *columns_end = columns + width, *rows_end = rows + height;
    cells_of(&across, left, right, columns, columns_end);
    cells_of(&down, top, bottom, rows, rows_end);
    /* The visible cells, from which the others are counted. */
    uint32_t first = MIN(columns[0], columns[width - 1]);
    uint32_t n = MAX(columns_end[0], columns_end[width - 1]) - first;
    for (size_t i = 0; i < 2 * width; i++) columns[i] -= first;

    uint32_t palette[256];
    ns_level_palette(palette, layout->style, map->colors);
    for (size_t i = 0; i < G_N_ELEMENTS(palette); i++) palette[i] |= 0xff000000; /* opaque */
    g_autofree uint8_t *joined = g_malloc(n);
    g_autofree uint32_t *colors = g_new(uint32_t, n);
    cairo_surface_flush(on->target);
    size_t stride = (size_t)cairo_image_surface_get_stride(on->target);
    unsigned char *pixels = cairo_image_surface_get_data(on->target);
    uint32_t *before = NULL;
    for (size_t y = 0; y < height; y++) {
        uint32_t *out = (uint32_t *)(void *)(pixels + ((size_t)top + y) * stride) + left;
        bool same = before && rows[y] == rows[y - 1] && rows_end[y] == rows_end[y - 1];
        const uint8_t *level = levels + rows[y] * map->columns + first;
        if (same) {
            memcpy(out, before, width * sizeof *out);
        } else {
            if (rows_end[y] > rows[y] + 1) {
                memcpy(joined, level, n);
                for (uint32_t row = rows[y] + 1; row < rows_end[y]; row++)
                    ns_cells_join(joined, levels + row * map->columns + first, n);
                level = joined;
            }
            if (across.fine) {
                ns_cells_paint(out, width, level, columns, columns_end, palette);
            } else {
                ns_cells_color(colors, level, n, palette);
                ns_cells_spread(out, width, colors, columns);
            }
        }
        before = out;
    }
    cairo_surface_mark_dirty(on->target);
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

/* An image with a pixel for every cell of a panel, or for every pixel of the target where cells are
 * finer. */
static cairo_surface_t *heat_image(const NsPlotLayout *layout, const NsPanel *panel, Target target)
{
    const NsHeatmap *map = layout->plot->heatmap;
    const uint8_t *levels = layout->levels + panel->row * map->columns;
    size_t width = image_side(&target, map->columns, layout->area.width);
    size_t height = image_side(&target, panel->rows, layout->area.height / (double)ns_panels(map));
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    if (cairo_surface_status(image) != CAIRO_STATUS_SUCCESS) return image;
    uint32_t palette[256];
    ns_level_palette(palette, layout->style, layout->plot->heatmap->colors);
    g_autofree uint8_t *row = g_malloc(width);
    unsigned char *pixels = cairo_image_surface_get_data(image);
    size_t stride = (size_t)cairo_image_surface_get_stride(image);
    for (size_t y = 0; y < height; y++) {
        size_t first = y * panel->rows / height;
        size_t last = MAX((y + 1) * panel->rows / height, first + 1);
        memset(row, 0, width);
        for (size_t r = first; r < last; r++)
            reduce_row(row, width, levels + r * map->columns, map->columns);
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

/* The path of all cells that are not finite; FALSE where there are none. */
static bool trace_bad_cells(const NsPlotLayout *layout, cairo_t *cr)
{
    const NsHeatmap *map = layout->plot->heatmap;
    const NsScale *x = &layout->x, *y = &layout->y[NS_AXIS_LEFT];
    double dx = (map->x1 - map->x0) / (double)map->columns;
    double dy = (map->y1 - map->y0) / (double)map->rows;
    bool any = false;
    for (size_t row = 0; row < map->rows; row++)
        for (size_t column = 0; column < map->columns; column++) {
            float z = ns_heatmap_row(map, row)[column];
            if (isfinite(z) || ns_cell_is_blank(z)) continue;
            double left = ns_scale_to_pixel(x, map->x0 + (double)column * dx);
            double right = ns_scale_to_pixel(x, map->x0 + (double)(column + 1) * dx);
            double bottom = ns_scale_to_pixel(y, map->y0 + (double)row * dy);
            double top = ns_scale_to_pixel(y, map->y0 + (double)(row + 1) * dy);
            if (isnan(left + right + bottom + top)) continue;
            cairo_rectangle(cr, MIN(left, right), MIN(top, bottom), fabs(right - left),
                            fabs(top - bottom));
            any = true;
        }
    return any;
}

/* Bare ground under lines that rise to the right, from one end of the area to the other. */
static void hatch_bad_cells(const NsPlotLayout *layout, cairo_t *cr)
{
    const NsStyle *style = layout->style;
    const NsBox *area = &layout->area;
    cairo_save(cr);
    cairo_rectangle(cr, area->x, area->y, area->width, area->height);
    cairo_clip(cr);
    if (trace_bad_cells(layout, cr)) {
        cairo_clip_preserve(cr);
        ns_set_color(cr, style->panel);
        cairo_fill(cr);
        double step = HATCH * style->text_size, end = area->x + area->width + area->height;
        for (double at = area->x; at < end; at += step) {
            cairo_move_to(cr, at, area->y);
            cairo_line_to(cr, at - area->height, area->y + area->height);
        }
        ns_set_color(cr, style->alarm);
        cairo_set_line_width(cr, 1.2 * style->axis_width);
        cairo_stroke(cr);
    }
    cairo_restore(cr);
}

static void draw_panel(const NsPlotLayout *layout, const NsPanel *panel, cairo_t *cr)
{
    const NsHeatmap *map = layout->plot->heatmap;
    /* The cells may reach beyond fixed limits of the axes: the area clips them. */
    double left = ns_scale_to_pixel(&layout->x, map->x0);
    double right = ns_scale_to_pixel(&layout->x, map->x1);
    double top = ns_scale_to_pixel(&layout->y[NS_AXIS_LEFT], panel->hi);
    double bottom = ns_scale_to_pixel(&layout->y[NS_AXIS_LEFT], panel->lo);
    NsBox box = {left, top, right - left, bottom - top};
    /* On a reversed axis a side is negative, and the image is turned with it. */
    if (!panel->rows || box.width == 0 || box.height == 0 || isnan(box.width + box.height)) return;
    const NsBox *area = &layout->area;
    double end = ns_scale_to_pixel(&layout->x, ns_heatmap_end(map));
    NsPixels on;
    cairo_save(cr);
    cairo_rectangle(cr, area->x, area->y, area->width, area->height);
    cairo_clip(cr);
    cairo_rectangle(cr, MIN(left, end), area->y, fabs(end - left), area->height);
    cairo_clip(cr);
    if (ns_pixels_of(&on, cr)) {
        paint_pixels(layout, panel, &on);
    } else {
        cairo_surface_t *image = heat_image(layout, panel, target_of(cr));
        if (cairo_surface_status(image) == CAIRO_STATUS_SUCCESS) paint_image(cr, image, &box);
        cairo_surface_destroy(image);
    }
    cairo_restore(cr);
}

/* Bare ground between panels. */
static void draw_seams(const NsPlotLayout *layout, cairo_t *cr)
{
    const NsHeatmap *map = layout->plot->heatmap;
    const NsBox *area = &layout->area;
    double height = NS_SEAM * layout->style->text_size;
    if (layout->style->raster) height = 2 * ceil(height / 2);
    for (size_t i = 0; i + 1 < map->n_panels; i++) {
        double y = ns_scale_to_pixel(&layout->y[NS_AXIS_LEFT], ns_panel(map, i).lo);
        if (layout->style->raster) y = round(y);
        if (!(y > area->y && y < area->y + area->height)) continue;
        cairo_rectangle(cr, area->x, y - height / 2, area->width, height);
    }
    ns_set_color(cr, layout->style->background);
    cairo_fill(cr);
}

void ns_heatmap_draw(const NsPlotLayout *layout, cairo_t *cr)
{
    const NsHeatmap *map = layout->plot->heatmap;
    if (!map->rows || !map->columns) return;
    for (size_t i = 0; i < ns_panels(map); i++) {
        NsPanel panel = ns_panel(map, i);
        draw_panel(layout, &panel, cr);
    }
    draw_seams(layout, cr);
    if (map->hatch) hatch_bad_cells(layout, cr);
    if (layout->bar.width > 0 && !layout->z.blank) draw_bar(layout, cr);
}
