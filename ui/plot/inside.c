/* Words in the plot area: names of levels and slopes.  SPDX-License-Identifier: MIT
 *
 * They come last, when curves are known: a word goes where it covers the least of them, and never
 * over another word. */
#include "ui/plot/colormap.h"
#include "ui/plot/frame.h"

#include <math.h>

/* In text sizes: between a line and its name. */
#define CLEAR 0.15

/* In text sizes: numbers in cells. */
#define CELL_TEXT 0.75

NsBox ns_layout_inside(const NsPlotLayout *layout)
{
    double gap = 0.4 * layout->style->text_size;
    const NsBox *area = &layout->area;
    return (NsBox){area->x + gap, area->y + layout->strip_top + gap, area->width - 2 * gap,
                   area->height - layout->strip_top - layout->strip_bottom - 2 * gap};
}

static bool overlap(const NsBox *a, const NsBox *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

static bool is_taken(const NsPlotLayout *layout, const NsBox *box)
{
    if (layout->legend_box.width > 0 && overlap(&layout->legend_box, box)) return true;
    for (unsigned i = 0; i < layout->labels->len; i++)
        if (overlap(&g_array_index(layout->labels, NsLabel, i).box, box)) return true;
    return false;
}

/* How much of the curves would lie under a box: segments whose own boxes touch it. */
static unsigned crowd(const NsPlotLayout *layout, const NsBox *box)
{
    unsigned found = 0;
    for (size_t s = 0; s < layout->n_paths; s++) {
        const GArray *points = layout->paths[s].points;
        for (unsigned i = 0; points && i + 1 < MAX(points->len, 2u) && points->len; i++) {
            const NsPoint *a = &g_array_index(points, NsPoint, i);
            const NsPoint *b = i + 1 < points->len ? a + 1 : a;
            NsBox span = {MIN(a->x, b->x), MIN(a->y, b->y), fabs(a->x - b->x) + 1e-3,
                          fabs(a->y - b->y) + 1e-3};
            found += overlap(&span, box);
        }
    }
    return found;
}

bool ns_layout_least_crowded(const NsPlotLayout *layout, const NsPoint *corners, size_t n,
                             double width, double height, NsPoint *best)
{
    NsBox room = ns_layout_inside(layout);
    unsigned least = G_MAXUINT;
    for (size_t i = 0; i < n; i++) {
        NsBox box = {corners[i].x, corners[i].y, width, height};
        if (!(box.x >= room.x - 1e-6 && box.x + width <= room.x + room.width + 1e-6 &&
              box.y >= room.y - 1e-6 && box.y + height <= room.y + room.height + 1e-6) ||
            is_taken(layout, &box))
            continue;
        unsigned found = crowd(layout, &box);
        if (found >= least) continue;
        least = found;
        *best = corners[i];
    }
    return least < G_MAXUINT;
}

static void add_backed(NsPlotLayout *layout, PangoLayout *text, NsPoint at, NsColor color)
{
    ns_layout_add_label(layout, NS_PART_INSIDE, g_object_ref(text), at.x, at.y, false);
    NsLabel *label = &g_array_index(layout->labels, NsLabel, layout->labels->len - 1);
    label->color = color;
    label->backed = true;
}

/* Above or below the line, at the right, in the middle or at the left. */
static void place_level(NsPlotLayout *layout, const NsLevel *level)
{
    NsBox room = ns_layout_inside(layout);
    double py = ns_scale_to_pixel(&layout->y[level->side], level->y), width, height;
    if (!level->text || isnan(py)) return;
    const NsStyle *style = layout->style;
    g_autoptr(PangoLayout) text =
        ns_text_new(layout->context, style, style->text_size, false, level->text);
    if (ns_text_width(text) > room.width) ns_text_limit(text, room.width, 1);
    ns_text_size(text, &width, &height);
    double gap = CLEAR * style->text_size;
    if (level->handle)
        gap = MAX(gap, NS_GRIP * style->text_size / 2 + (NS_GRIP_ARROW + 1) * style->axis_width);
    double above = py - gap - height, below = py + gap;
    double right = room.x + room.width - width, middle = room.x + (room.width - width) / 2;
    const NsPoint corners[] = {{right, above},  {right, below},  {room.x, above},
                               {room.x, below}, {middle, above}, {middle, below}};
    NsPoint at;
    if (ns_layout_least_crowded(layout, corners, G_N_ELEMENTS(corners), width, height, &at))
        add_backed(layout, text, at, style->faint_text);
}

/* Beside the middle of the piece, on the side that is freer. */
static void place_slope(NsPlotLayout *layout, const NsSlope *slope)
{
    const NsScale *y = &layout->y[slope->side];
    NsPoint a = {ns_scale_to_pixel(&layout->x, slope->x0), ns_scale_to_pixel(y, slope->y0)};
    NsPoint b = {ns_scale_to_pixel(&layout->x, slope->x1), ns_scale_to_pixel(y, slope->y1)};
    if (!slope->text || isnan(a.x + a.y + b.x + b.y)) return;
    const NsStyle *style = layout->style;
    double width, height, gap = 0.5 * style->text_size;
    g_autoptr(PangoLayout) text =
        ns_text_new(layout->context, style, style->text_size, false, slope->text);
    ns_text_size(text, &width, &height);
    NsPoint corners[10];
    size_t n = 0;
    for (int i = 0; i < 5; i++) {
        static const double parts[] = {0.5, 0.65, 0.35, 0.8, 0.2};
        double x = a.x + parts[i] * (b.x - a.x), py = a.y + parts[i] * (b.y - a.y);
        /* A line that falls on the page has its free side to the right above it. */
        bool falls = (b.y - a.y) * (b.x - a.x) > 0;
        corners[n++] = (NsPoint){falls ? x + gap : x - gap - width, py - height};
        corners[n++] = (NsPoint){falls ? x - gap - width : x + gap, py};
    }
    NsPoint at;
    const NsSeriesStyle *look = &style->series[slope->style % NS_SERIES_STYLES];
    if (ns_layout_least_crowded(layout, corners, n, width, height, &at))
        add_backed(layout, text, at, look->color);
}

/* Black or white, whichever is further from the colour of the cell. */
static NsColor on_cell(const NsPlotLayout *layout, double value)
{
    const NsScale *z = &layout->z;
    double t = (ns_scale_position(z, value) - z->from) / (z->to - z->from);
    NsColor c = ns_map_color(layout->plot->heatmap->colors, t);
    double light = 0.299 * c.r + 0.587 * c.g + 0.114 * c.b;
    return light > 0.5 ? (NsColor){0, 0, 0, 1} : (NsColor){1, 1, 1, 1};
}

static void place_value(NsPlotLayout *layout, const NsBox *cell, double value)
{
    const NsStyle *style = layout->style;
    if (!ns_scale_shows(layout->z.kind, value)) return;
    g_autofree char *number = ns_text_number(value, 2);
    g_autoptr(PangoLayout) text =
        ns_text_new(layout->context, style, CELL_TEXT * style->text_size, false, number);
    double width, height;
    ns_text_size(text, &width, &height);
    if (width > 0.9 * cell->width || height > cell->height) return;
    ns_layout_add_label(layout, NS_PART_INSIDE, g_object_ref(text),
                        cell->x + (cell->width - width) / 2, cell->y + (cell->height - height) / 2,
                        false);
    g_array_index(layout->labels, NsLabel, layout->labels->len - 1).color = on_cell(layout, value);
}

/* Numbers in cells, where those would be wide enough for all. */
static void place_values(NsPlotLayout *layout)
{
    const NsHeatmap *map = layout->plot->heatmap;
    const NsScale *x = &layout->x, *y = &layout->y[NS_AXIS_LEFT];
    double dx = (map->x1 - map->x0) / (double)map->columns;
    double dy = (map->y1 - map->y0) / (double)map->rows;
    double width = fabs(ns_scale_to_pixel(x, map->x0 + dx) - ns_scale_to_pixel(x, map->x0));
    double height = fabs(ns_scale_to_pixel(y, map->y0 + dy) - ns_scale_to_pixel(y, map->y0));
    double least = 2 * CELL_TEXT * layout->style->text_size;
    if (!(width > least && height > 0.6 * least)) return;
    const NsBox *area = &layout->area;
    for (size_t row = 0; row < map->rows; row++)
        for (size_t column = 0; column < map->columns; column++) {
            double cx = ns_scale_to_pixel(x, map->x0 + ((double)column + 0.5) * dx);
            double cy = ns_scale_to_pixel(y, map->y0 + ((double)row + 0.5) * dy);
            NsBox cell = {cx - width / 2, cy - height / 2, width, height};
            /* Cells that fixed limits cut have none. */
            if (cell.x < area->x - 1 || cell.x + width > area->x + area->width + 1 ||
                cell.y < area->y - 1 || cell.y + height > area->y + area->height + 1)
                continue;
            place_value(layout, &cell, (double)ns_heatmap_row(map, row)[column]);
        }
}

void ns_layout_place_inside(NsPlotLayout *layout)
{
    const NsPlot *plot = layout->plot;
    if (!layout->survey.any) return;
    const NsHeatmap *map = plot->heatmap;
    if (map && map->values && map->rows && map->columns) place_values(layout);
    if (plot->legend == NS_LEGEND_INSIDE) ns_legend_place_inside(layout);
    for (size_t i = 0; i < plot->n_levels; i++) place_level(layout, &plot->levels[i]);
    for (size_t i = 0; i < plot->n_slopes; i++) place_slope(layout, &plot->slopes[i]);
}
