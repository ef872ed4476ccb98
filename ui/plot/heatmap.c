/* The cells of a heatmap as an image, and its color bar.  SPDX-License-Identifier: MIT */
#include "ui/plot/heatmap.h"

#include "ui/plot/colormap.h"
#include "ui/plot/painter.h"
#include "ui/plot/plot-private.h"

#include <glib.h>
#include <math.h>

/* Pixels per point that a printer can resolve; images in vector files have no more. */
#define VECTOR_DENSITY 4.0

/* The gap between panels, as a fraction of the height of all. */
#define SEAM 0.012

/* In text sizes: the distance of hatching lines. */
#define HATCH 0.62

/* The number of pixels for cells along a side of this length.  SVG repeats pixels, because some
 * viewers blur an image that they enlarge. */
static size_t image_side(const NsTarget *target, size_t cells, double length)
{
    double density = target->vector ? VECTOR_DENSITY : target->density;
    size_t most = (size_t)MAX(1, floor(fabs(length) * density + 1e-6));
    if (cells >= most) return most;
    return target->type == CAIRO_SURFACE_TYPE_SVG ? cells * ((most + cells - 1) / cells) : cells;
}

/* Renders a panel with one pixel for each cell.  If cells are smaller than the pixels of the
 * target, each pixel shows the largest level of its cells. */
static cairo_surface_t *heat_image(const NsPlotLayout *layout, const NsPanel *panel,
                                   const NsBox *box, const NsTarget *target)
{
    const NsHeatmap *map = layout->plot->heatmap;
    const NsScale *z = &layout->z;
    double scale = (NS_LEVEL_HIGH - NS_LEVEL_LOW) / (z->to - z->from);
    size_t width = image_side(target, map->columns, box->width);
    size_t height = image_side(target, panel->rows, box->height);
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    if (cairo_surface_status(image) != CAIRO_STATUS_SUCCESS) return image;
    uint32_t palette[256];
    ns_level_palette(palette, layout->style, map->colors);
    g_autofree size_t *column = g_new(size_t, width + 1); /* the first column of each pixel */
    for (size_t x = 0; x <= width; x++) column[x] = x * map->columns / width;
    g_autofree uint8_t *joined = g_malloc(map->columns), *levels = g_malloc(map->columns);
    unsigned char *pixels = cairo_image_surface_get_data(image);
    size_t stride = (size_t)cairo_image_surface_get_stride(image);
    for (size_t y = 0; y < height; y++) {
        size_t first = y * panel->rows / height, end = (y + 1) * panel->rows / height;
        for (size_t row = first; row < MAX(end, first + 1); row++) {
            ns_cells_levels(row == first ? joined : levels, ns_heatmap_row(map, panel->row + row),
                            map->columns, map->log, z->from, scale);
            const bool *gray = map->undefined;
            for (size_t c = 0; gray && c < map->columns; c++)
                if (gray[(panel->row + row) * map->columns + c])
                    (row == first ? joined : levels)[c] = NS_LEVEL_NONE;
            if (row > first) ns_cells_join(joined, levels, map->columns);
        }
        /* Row 0 is drawn at the bottom. */
        uint32_t *out = (uint32_t *)(void *)(pixels + (height - 1 - y) * stride);
        ns_cells_paint(out, width, joined, column, palette);
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

void ns_heatmap_draw_bar(const NsPlotLayout *layout, cairo_t *cr)
{
    if (!(layout->bar.width > 0) || layout->z.blank) return;
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

/* Adds the cells that are blank, or those that are not finite.  False if there are none. */
static bool trace_cells(const NsPlotLayout *layout, cairo_t *cr, bool blank)
{
    const NsHeatmap *map = layout->plot->heatmap;
    const NsScale *x = &layout->x, *y = &layout->y;
    double dx = (map->x1 - map->x0) / (double)map->columns;
    double dy = (map->y1 - map->y0) / (double)map->rows;
    bool any = false;
    for (size_t row = 0; row < map->rows; row++)
        for (size_t column = 0; column < map->columns; column++) {
            float z = ns_heatmap_row(map, row)[column];
            if (isfinite(z) || ns_cell_is_blank(z) != blank) continue;
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

/* Outlines the cells that are still blank, and fills those that are not finite with the background
 * and diagonal lines. */
static void draw_special_cells(const NsPlotLayout *layout, cairo_t *cr)
{
    const NsStyle *style = layout->style;
    const NsBox *area = &layout->area;
    cairo_save(cr);
    cairo_rectangle(cr, area->x, area->y, area->width, area->height);
    cairo_clip(cr);
    cairo_set_line_width(cr, 1.2 * style->axis_width);
    trace_cells(layout, cr, true);
    ns_set_color(cr, style->previous);
    cairo_stroke(cr);
    if (trace_cells(layout, cr, false)) {
        cairo_clip_preserve(cr);
        ns_fill(cr, style->panel);
        double step = HATCH * style->text_size, end = area->x + area->width + area->height;
        for (double at = area->x; at < end; at += step) {
            cairo_move_to(cr, at, area->y);
            cairo_line_to(cr, at - area->height, area->y + area->height);
        }
        ns_set_color(cr, style->alarm);
        cairo_stroke(cr);
    }
    cairo_restore(cr);
}

void ns_heatmap_draw(const NsPlotLayout *layout, cairo_t *cr)
{
    const NsHeatmap *map = layout->plot->heatmap;
    if (!map->rows || !map->columns) return;
    const NsBox *area = &layout->area;
    double left = ns_scale_to_pixel(&layout->x, map->x0);
    double right = ns_scale_to_pixel(&layout->x, map->x1);
    double end = ns_scale_to_pixel(&layout->x, ns_heatmap_end(map));
    for (size_t i = 0; i < ns_panels(map); i++) {
        NsPanel panel = ns_panel(map, i);
        double top = ns_scale_to_pixel(&layout->y, panel.hi);
        double bottom = ns_scale_to_pixel(&layout->y, panel.lo);
        if (layout->style->raster && map->n_panels) top = round(top), bottom = round(bottom);
        NsBox box = {left, top, right - left, bottom - top};
        /* On a reversed axis a side is negative, which mirrors the image. */
        if (!panel.rows || box.width == 0 || box.height == 0 || isnan(box.width + box.height))
            continue;
        /* Cells outside of fixed limits of the axes are clipped to the area. */
        cairo_save(cr);
        cairo_rectangle(cr, area->x, area->y, area->width, area->height);
        cairo_clip(cr);
        cairo_rectangle(cr, MIN(left, end), area->y, fabs(end - left), area->height);
        cairo_clip(cr);
        NsTarget target = ns_target_of(cr);
        cairo_surface_t *image = heat_image(layout, &panel, &box, &target);
        if (cairo_surface_status(image) == CAIRO_STATUS_SUCCESS) paint_image(cr, image, &box);
        cairo_surface_destroy(image);
        cairo_restore(cr);
    }
    /* Gaps between panels have the color of the background. */
    for (size_t k = 0; k + 1 < map->n_panels; k++) {
        double from = ns_scale_to_pixel(&layout->y, ns_panel(map, k).lo);
        double to = ns_scale_to_pixel(&layout->y, ns_panel(map, k + 1).hi);
        if (layout->style->raster) from = round(from), to = round(to);
        from = CLAMP(from, area->y, area->y + area->height);
        to = CLAMP(to, area->y, area->y + area->height);
        cairo_rectangle(cr, area->x, MIN(from, to), area->width, fabs(to - from));
    }
    ns_fill(cr, layout->style->background);
    if (map->hatch) draw_special_cells(layout, cr);
}

/* ---- panels ---- */

size_t ns_panels(const NsHeatmap *map)
{
    return MAX(map->n_panels, 1);
}

NsPanel ns_panel(const NsHeatmap *map, size_t i)
{
    if (!map->n_panels)
        return (NsPanel){
            .rows = map->rows, .lo = map->y0, .hi = map->y1, .y0 = map->y0, .y1 = map->y1};
    const NsHeatPanel *panel = &map->panels[i];
    double above = (double)(map->n_panels - i), half = SEAM * (double)map->n_panels / 2;
    return (NsPanel){.row = panel->row,
                     .rows = panel->rows,
                     .lo = above - 1 + half,
                     .hi = above - half,
                     .y0 = panel->y0,
                     .y1 = panel->y0 + (double)panel->rows,
                     .name = panel->name,
                     .style = panel->style};
}

size_t ns_panel_at(const NsHeatmap *map, double drawn)
{
    if (!map->n_panels) return 0;
    double last = (double)map->n_panels - 1;
    return (size_t)CLAMP(last - floor(drawn), 0, last);
}

size_t ns_panel_of_row(const NsHeatmap *map, size_t row)
{
    for (size_t i = 0; i < map->n_panels; i++)
        if (row >= map->panels[i].row && row < map->panels[i].row + map->panels[i].rows) return i;
    return 0;
}

double ns_panel_to_axis(const NsPanel *panel, double value)
{
    return panel->lo + (value - panel->y0) / (panel->y1 - panel->y0) * (panel->hi - panel->lo);
}

double ns_panel_to_value(const NsPanel *panel, double drawn)
{
    return panel->y0 + (drawn - panel->lo) / (panel->hi - panel->lo) * (panel->y1 - panel->y0);
}

double ns_panel_row_value(const NsHeatmap *map, size_t row)
{
    NsPanel panel = ns_panel(map, ns_panel_of_row(map, row));
    double height = (panel.y1 - panel.y0) / (double)panel.rows;
    return panel.y0 + ((double)(row - panel.row) + 0.5) * height;
}

double ns_panels_to_axis(const NsHeatmap *map, double value)
{
    for (size_t i = 0; i < ns_panels(map); i++) {
        NsPanel panel = ns_panel(map, i);
        if (value >= panel.y0 && value <= panel.y1) return ns_panel_to_axis(&panel, value);
    }
    NsPanel first = ns_panel(map, 0);
    return ns_panel_to_axis(&first, value);
}
