/* Readings under the pointer, and the tooltip.  SPDX-License-Identifier: MIT */
#include "ui/plot/heatmap.h"
#include "ui/plot/layout.h"
#include "ui/plot/painter.h"
#include "ui/plot/path.h"
#include "ui/plot/plot-private.h"
#include "ui/plot/text.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#define DIGITS 4 /* significant digits of values in a tooltip, and of standard deviations */
#define DIGITS_OF_DEVIATION 2

#define NEAR 0.5 /* in text sizes: distance at which the pointer selects a marker */

#define EMPHASIS 1.7 /* line width factor of the nearest curve */

#define COVERED 0.35 /* share of the chart: a larger tooltip is not drawn */

/* The index of the point nearest to x; n > 0. */
static size_t nearest(const NsSeries *series, double x)
{
    size_t lo = MIN(ns_series_bound(series, x), series->n - 1);
    return lo > 0 && x - series->x[lo - 1] <= series->x[lo] - x ? lo - 1 : lo;
}

/* deviation: NaN if there is none. */
static void add_value(GString *text, const char *label, double value, double deviation, bool factor,
                      const char *unit)
{
    g_autofree char *number = ns_text_number(value, DIGITS);
    g_autofree char *around = ns_text_number(deviation, DIGITS_OF_DEVIATION);
    g_string_append_printf(text, "\n%s%s%s", label ? label : "", label ? ": " : "", number);
    if (isfinite(deviation)) g_string_append_printf(text, factor ? " ×/÷ %s" : " ± %s", around);
    if (unit && isfinite(value)) g_string_append_printf(text, " %s", unit);
}

/* Finds the x of the nearest point in any series; previous runs only count if there is no other. */
static bool nearest_x(const NsPlotLayout *layout, double x, double *at)
{
    for (int previous = 0; previous < 2; previous++) {
        double best = INFINITY;
        for (size_t i = 0; i < layout->n_paths; i++) {
            const NsSeries *series = &layout->plot->series[i];
            if (!series->n || series->hidden || series->previous != previous) continue;
            double candidate = series->x[nearest(series, x)];
            double distance = fabs(candidate - x);
            if (distance < best) {
                best = distance;
                *at = candidate;
            }
        }
        if (isfinite(best)) return true;
    }
    return false;
}

/* The series that have a point exactly at x in the order of the tooltip: previous ones last. */
static GPtrArray *series_at(const NsPlotLayout *layout, double x)
{
    GPtrArray *found = g_ptr_array_new();
    for (int previous = 0; previous < 2; previous++)
        for (size_t i = 0; i < layout->n_paths; i++) {
            const NsSeries *series = &layout->plot->series[i];
            if (series->n && !series->hidden && series->previous == previous &&
                series->x[nearest(series, x)] == x)
                g_ptr_array_add(found, (void *)(uintptr_t)series);
        }
    return found;
}

/* The title of an axis without its explanation: "layer 3", not "layer (0: embedding) 3". */
static void add_heading(GString *text, const NsAxis *axis, const char *usual, const char *value)
{
    const char *label = axis->label ? axis->label : usual, *bracket = strstr(label, " (");
    size_t length = bracket ? (size_t)(bracket - label) : strlen(label);
    g_string_append_printf(text, "%.*s %s", (int)length, label, value);
}

static bool pick_series(const NsPlotLayout *layout, double px, double py, NsReading *reading)
{
    const NsPlot *plot = layout->plot;
    double x = 0, best = INFINITY;
    if (!nearest_x(layout, ns_scale_to_value(&layout->x, px), &x)) return false;
    const char *name = ns_axis_name(&plot->x, x);
    bool whole = plot->x.integer && x == round(x);
    g_autofree char *abscissa = name    ? g_strdup(name)
                                : whole ? ns_text_fixed(x, 0)
                                        : ns_text_number(x, DIGITS);
    GString *text = g_string_new(NULL);
    add_heading(text, &plot->x, "x", abscissa);
    *reading = (NsReading){
        .x = x, .row = NAN, .px = ns_scale_to_pixel(&layout->x, x), .py = py, .series = -1};
    g_autoptr(GPtrArray) found = series_at(layout, x);
    for (unsigned i = 0; i < found->len; i++) {
        const NsSeries *series = found->pdata[i];
        const NsAxis *axis = &plot->left;
        size_t at = nearest(series, x);
        double value = series->y[at];
        double deviation = !series->deviates   ? (double)NAN
                           : series->geometric ? series->hi[at] / value
                                               : series->hi[at] - value;
        add_value(text, series->label ? series->label : axis->label, value, deviation,
                  series->geometric, found->len > 1 ? NULL : axis->unit);
        double y = ns_scale_to_pixel(&layout->y, value);
        if (!series->previous && fabs(y - py) < best) {
            best = fabs(y - py);
            reading->py = CLAMP(y, layout->area.y, layout->area.y + layout->area.height);
            reading->series = (int)(series - plot->series);
        }
    }
    reading->text = g_string_free(text, FALSE);
    return true;
}

/* The whole numbers in a cell ("4" or "4–7"), or its middle. */
static char *cell_range(const NsAxis *axis, double from, double to)
{
    double first = ceil(from - 1e-6), last = ceil(to - 1e-6) - 1;
    const char *name = ns_axis_name(axis, first);
    if (name && last == first && !axis->counted) return g_strdup(name);
    if (!axis->integer || last < first) return ns_text_number((from + to) / 2, DIGITS);
    g_autofree char *a = ns_text_fixed(first, 0), *b = ns_text_fixed(last, 0);
    if (last > first) return g_strconcat(a, "–", b, NULL);
    return name && *name ? g_strconcat(a, ": ", name, NULL) : g_steal_pointer(&a);
}

/* Appends the tooltip line of a cell. */
static void describe_cell(GString *text, const NsPlot *plot, const char *label, size_t row,
                          size_t column)
{
    const NsHeatmap *map = plot->heatmap;
    float z = ns_heatmap_row(map, row)[column];
    const char *more = map->notes ? map->notes[row * map->columns + column] : NULL;
    if (!ns_cell_is_blank(z) && (isfinite(z) || !map->hatch))
        add_value(text, label, (double)z, NAN, false, NULL);
    if (more) g_string_append_printf(text, "\n%s", more);
}

static bool pick_cell(const NsPlotLayout *layout, double px, double py, NsReading *reading)
{
    const NsPlot *plot = layout->plot;
    const NsHeatmap *map = plot->heatmap;
    if (!map->rows || !map->columns) return false;
    double y = ns_scale_to_value(&layout->y, py);
    NsPanel panel = ns_panel(map, ns_panel_at(map, y));
    if (!panel.rows) return false;
    double dx = (map->x1 - map->x0) / (double)map->columns;
    double dy = (panel.y1 - panel.y0) / (double)panel.rows;
    double column = floor((ns_scale_to_value(&layout->x, px) - map->x0) / dx);
    double row = floor((ns_panel_to_value(&panel, y) - panel.y0) / dy);
    column = CLAMP(column, 0, (double)map->columns - 1);
    row = CLAMP(row, 0, (double)panel.rows - 1);
    double left = map->x0 + column * dx, bottom = panel.y0 + row * dy;
    g_autofree char *steps = cell_range(&plot->x, left, left + dx);
    g_autofree char *layers = cell_range(&plot->left, bottom, bottom + dy);
    GString *text = g_string_new(NULL);
    add_heading(text, &plot->x, "x", steps);
    g_string_append_c(text, '\n');
    add_heading(text, &plot->left, "y", layers);
    double value = bottom + dy / 2;
    if (!map->n_panels) describe_cell(text, plot, map->label, (size_t)row, (size_t)column);
    /* The cells at the same row in every panel that has it. */
    for (size_t i = 0; i < map->n_panels; i++) {
        NsPanel other = ns_panel(map, i);
        if (value > other.y0 && value < other.y1)
            describe_cell(text, plot, other.name, other.row + (size_t)(value - other.y0),
                          (size_t)column);
    }
    double middle = ns_panel_to_axis(&panel, value);
    *reading = (NsReading){
        .x = ns_cell_value(&plot->x, left, dx),
        .row = row + (double)panel.row,
        .px = ns_scale_to_pixel(&layout->x, left + dx / 2),
        .py = ns_scale_to_pixel(&layout->y, middle),
        .series = -1,
        .text = g_string_free(text, FALSE),
    };
    return true;
}

bool ns_plot_pick(const NsPlotLayout *layout, double px, double py, NsReading *reading)
{
    *reading = (NsReading){.series = -1};
    if (layout->lower && py >= layout->lower_y) {
        if (!ns_plot_pick(layout->lower, px, py - layout->lower_y, reading)) return false;
        reading->py += layout->lower_y;
        reading->series = -1;
        return true;
    }
    if (!layout->summary.any || layout->x.blank || layout->plot->drawing ||
        !ns_box_contains(&layout->area, px, py))
        return false;
    bool there = layout->plot->heatmap ? pick_cell(layout, px, py, reading)
                                       : pick_series(layout, px, py, reading);
    if (!there) return false;
    /* The sentence of the marker near the pointer. */
    const char *sentence = NULL;
    double best = NEAR * layout->style->text_size;
    for (size_t i = 0; i < layout->plot->n_markers; i++) {
        const NsMarker *marker = &layout->plot->markers[i];
        double distance = fabs(ns_scale_to_pixel(&layout->x, marker->x) - px);
        if (!marker->sentence || !(distance <= best)) continue;
        best = distance;
        sentence = marker->sentence;
    }
    g_autofree char *text = reading->text;
    reading->text = g_strconcat(text, sentence ? "\n" : NULL, sentence, NULL);
    return true;
}

void ns_reading_clear(NsReading *reading)
{
    g_clear_pointer(&reading->text, g_free);
}

/* Emphasizes the curve nearest to the pointer if there are several. */
static void draw_nearest(const NsPlotLayout *layout, const NsReading *reading, cairo_t *cr)
{
    if (reading->series < 0 || (size_t)reading->series >= layout->n_paths) return;
    const NsSeries *series = &layout->plot->series[reading->series];
    bool line = series->kind == NS_SERIES_LINE || series->kind == NS_SERIES_POINTS;
    size_t shown = 0;
    for (size_t i = 0; i < layout->n_paths; i++) {
        const NsSeries *other = &layout->plot->series[i];
        shown += other->n && !other->hidden && !other->muted;
    }
    if (!line || series->hidden || shown < 2) return;
    const NsBox *area = &layout->area;
    cairo_save(cr);
    cairo_rectangle(cr, area->x, area->y, area->width, area->height);
    cairo_clip(cr);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_BEVEL);
    ns_draw_curve(layout, (size_t)reading->series, EMPHASIS, cr);
    cairo_restore(cr);
}

/* Draws a dot on every curve at the x of the reading. */
static void draw_dots(const NsPlotLayout *layout, const NsReading *reading, const GPtrArray *found,
                      cairo_t *cr)
{
    const NsStyle *style = layout->style;
    for (unsigned i = 0; i < found->len; i++) {
        const NsSeries *series = found->pdata[i];
        double value = series->y[nearest(series, reading->x)];
        double y = ns_scale_to_pixel(&layout->y, value);
        /* Points outside of a zoomed axis have no dot. */
        bool inside = y >= layout->area.y - 0.5 && y <= layout->area.y + layout->area.height + 0.5;
        if (!inside) continue;
        ns_set_color(cr, style->background);
        ns_draw_mark(cr, NS_MARK_CIRCLE, reading->px, y, style->mark_size * 1.7);
        ns_set_color(cr, ns_series_color(style, series));
        ns_draw_mark(cr, NS_MARK_CIRCLE, reading->px, y, style->mark_size * 1.15);
    }
}

static void draw_crosshair(const NsPlotLayout *layout, const NsReading *reading, cairo_t *cr)
{
    const NsBox *area = &layout->area;
    double width = layout->style->axis_width;
    double x = layout->style->raster ? floor(reading->px) + 0.5 : reading->px;
    double y = layout->style->raster ? floor(reading->py) + 0.5 : reading->py;
    cairo_set_line_width(cr, width);
    if (layout->plot->heatmap) {
        /* A dark outline makes the ring visible on any color. */
        cairo_new_sub_path(cr);
        cairo_arc(cr, x, y, layout->style->mark_size * 0.8, 0, 2 * G_PI);
        ns_stroke(cr, (NsColor){0, 0, 0, 0.55}, 3 * width);
        cairo_arc(cr, x, y, layout->style->mark_size * 0.8, 0, 2 * G_PI);
        ns_stroke(cr, (NsColor){1, 1, 1, 1}, 1.5 * width);
        ns_set_color(cr, (NsColor){1, 1, 1, 0.6});
        cairo_set_line_width(cr, width);
    } else {
        ns_set_color(cr, ns_with_alpha(layout->style->text, 0.45));
    }
    cairo_move_to(cr, x, area->y);
    cairo_line_to(cr, x, area->y + area->height);
    if (layout->lower) {
        const NsBox *below = &layout->lower->area;
        cairo_move_to(cr, x, layout->lower_y + below->y);
        cairo_rel_line_to(cr, 0, below->height);
    }
    cairo_stroke(cr);
}

/* The cost of a tooltip position: covering curves or extending beyond the area. */
static double badness(const NsPlotLayout *layout, const NsBox *box)
{
    const NsBox *area = &layout->area;
    double inside_x = MIN(box->x + box->width, area->x + area->width) - MAX(box->x, area->x);
    double inside_y = MIN(box->y + box->height, area->y + area->height) - MAX(box->y, area->y);
    double outside = 1 - MAX(inside_x, 0) * MAX(inside_y, 0) / (box->width * box->height);
    /* The approximate length of curves inside a box. */
    double stride = layout->style->text_size / 2, length = 0;
    for (size_t i = 0; i < layout->n_paths; i++) {
        const GArray *points = layout->paths[i].points;
        for (unsigned k = 1; points && k < points->len; k++) {
            const NsPoint *from = &g_array_index(points, NsPoint, k - 1);
            const NsPoint *to = &g_array_index(points, NsPoint, k);
            if (MAX(from->x, to->x) < box->x || MIN(from->x, to->x) > box->x + box->width) continue;
            double dx = to->x - from->x, dy = to->y - from->y, whole = hypot(dx, dy);
            int parts = (int)CLAMP(whole / stride, 1, 200);
            for (int part = 0; part < parts; part++) {
                double t = (part + 0.5) / parts;
                if (ns_box_contains(box, from->x + t * dx, from->y + t * dy))
                    length += whole / parts;
            }
        }
    }
    return length + outside * box->width;
}

/* The corner of the tooltip: in the quadrant beside the point, inside the chart, where it covers
 * the least of the curves; or beside a matrix, whose cells should stay visible, over the color bar
 * or at the left. */
static NsPoint tip_corner(const NsPlotLayout *layout, const NsReading *reading, double width,
                          double height)
{
    double gap = layout->style->text_size, edge = 0.3 * gap;
    double page = layout->height + (layout->lower ? layout->lower->height : 0);
    double least = INFINITY;
    NsPoint best = {0, 0};
    if (layout->plot->heatmap && layout->plot->heatmap->square) {
        const NsBox *area = &layout->area;
        double right = area->x + area->width + edge, left = area->x - edge - width;
        double most = MAX(edge, layout->height - edge - height);
        bool fits = right + width <= layout->width - edge;
        if (fits || left >= edge)
            return (NsPoint){fits ? right : left, CLAMP(reading->py - height / 2, edge, most)};
    }
    for (int quarter = 0; quarter < 4; quarter++) {
        bool left = quarter & 1, below = quarter & 2;
        NsBox box = {left ? reading->px - gap - width : reading->px + gap,
                     below ? reading->py + gap : reading->py - height - gap, width, height};
        bool inside = box.x >= edge && box.x + width <= layout->width - edge &&
                      box.y >= MIN(layout->area.y, edge) && box.y + height <= page - edge;
        box.x = CLAMP(box.x, edge, MAX(edge, layout->width - edge - width));
        box.y = CLAMP(box.y, edge, MAX(edge, page - edge - height));
        /* A tooltip that had to be moved into the chart may cover the point. */
        double bad = badness(layout, &box) + (inside ? 0 : 1e6);
        if (bad >= least) continue;
        least = bad;
        best = (NsPoint){box.x, box.y};
    }
    return best;
}

static bool has_place(const NsReading *reading)
{
    return reading->text && !isnan(reading->px) && !isnan(reading->py);
}

void ns_plot_draw_reading(const NsPlotLayout *layout, const NsReading *reading, cairo_t *cr)
{
    if (!has_place(reading)) return;
    g_autoptr(GPtrArray) found = series_at(layout, reading->x);
    cairo_save(cr);
    cairo_new_path(cr);
    draw_nearest(layout, reading, cr);
    draw_crosshair(layout, reading, cr);
    draw_dots(layout, reading, found, cr);
    if (layout->lower) {
        g_autoptr(GPtrArray) below = series_at(layout->lower, reading->x);
        cairo_save(cr);
        cairo_translate(cr, 0, layout->lower_y);
        draw_dots(layout->lower, reading, below, cr);
        cairo_restore(cr);
    }
    cairo_restore(cr);
}

void ns_plot_draw_tip(const NsPlotLayout *layout, const NsReading *reading, cairo_t *cr)
{
    const NsStyle *style = layout->style;
    if (!has_place(reading)) return;
    double size = style->text_size, pad = 0.6 * size, width, height;
    /* The lower plot has its own curves. */
    bool lower = layout->lower && reading->py > layout->lower_y;
    g_autoptr(GPtrArray) found = series_at(lower ? layout->lower : layout, reading->x);
    cairo_save(cr);
    cairo_new_path(cr);
    double indent = found->len ? 1.15 * size : 0;
    g_autoptr(PangoLayout) text = ns_layout_text(layout, false, reading->text);
    /* A tooltip that is too wide is cut instead of wrapped, since swatches assume one line for each
     * series. */
    double space = layout->width - 2.6 * pad - indent;
    ns_text_size(text, &width, &height);
    if (width > space) ns_text_limit(text, space, 1);
    ns_text_size(text, &width, &height);
    width += 2 * pad + indent;
    height += 1.5 * pad;
    double page = layout->height + (layout->lower ? layout->lower->height : 0);
    if (width * height > COVERED * layout->width * page) {
        cairo_restore(cr);
        return;
    }
    NsPoint corner = tip_corner(layout, reading, width, height);
    if (style->raster) corner = (NsPoint){round(corner.x), round(corner.y)};
    ns_rounded_box(cr, &(NsBox){corner.x + 0.5, corner.y + 0.5, width, height}, 0.35 * size);
    ns_fill_and_stroke(cr, ns_with_alpha(style->background, 0.94), style->axis, style->axis_width);
    NsPoint inside = {corner.x + pad, corner.y + 0.75 * pad};
    /* The colors of the curves are before the lines; the first line is x. */
    PangoLayoutIter *iter = pango_layout_get_iter(text);
    for (unsigned i = 0; i < found->len && pango_layout_iter_next_line(iter); i++) {
        PangoRectangle row;
        pango_layout_iter_get_line_extents(iter, NULL, &row);
        double y = inside.y + ((double)row.y + 0.5 * (double)row.height) / PANGO_SCALE;
        cairo_rectangle(cr, inside.x, y - 0.14 * size, 0.75 * size, 0.28 * size);
        ns_fill(cr, ns_series_color(layout->style, found->pdata[i]));
    }
    pango_layout_iter_free(iter);
    ns_set_color(cr, style->text);
    cairo_move_to(cr, inside.x + indent, inside.y);
    pango_cairo_show_layout(cr, text);
    cairo_new_path(cr);
    cairo_restore(cr);
}

/* ---- the next reading for navigation by keyboard ---- */

/* More points than this jump to the first or last: points are visited one by one. */
#define FAR 1000

/* The index in 0 .. n - 1 of the cell that is `by` cells after the one with the value. */
static double cell(double value, double from, double size, size_t n, int64_t by)
{
    double last = (double)n - 1;
    double at = CLAMP(floor((value - from) / size), 0, last);
    return CLAMP(at + (double)by, 0, last);
}

double ns_plot_next_row(const NsPlot *plot, double from, int64_t by)
{
    const NsHeatmap *map = plot->heatmap;
    if (!map || !map->rows) return NAN;
    NsPanel panel = ns_panel(map, 0);
    double size = (panel.y1 - panel.y0) / (double)panel.rows;
    double middle = (panel.y0 + panel.y1) / 2;
    double row = cell(isnan(from) ? middle : from, panel.y0, size, panel.rows, by);
    return panel.y0 + (row + 0.5) * size;
}

/* The nearest x of any series before or after `from`, or NaN. */
static double neighbor(const NsPlot *plot, bool previous, double from, bool forwards)
{
    double best = NAN;
    for (size_t i = 0; i < plot->n_series; i++) {
        const NsSeries *series = &plot->series[i];
        if (series->hidden || series->previous != previous || !series->n) continue;
        size_t at = ns_series_bound(series, from);
        while (forwards && at < series->n && series->x[at] <= from) at++;
        if (forwards ? at == series->n : at == 0) continue;
        double x = series->x[forwards ? at : at - 1];
        if (isnan(best) || (forwards ? x < best : x > best)) best = x;
    }
    return best;
}

double ns_plot_next_x(const NsPlot *plot, double from, int64_t by)
{
    const NsHeatmap *map = plot->heatmap;
    if (map) {
        /* Starts with the newest column. */
        double size = (map->x1 - map->x0) / (double)map->columns;
        double start = isnan(from) ? map->x1 - size / 2 : from;
        if (isnan(from) && by >= -FAR) by = 0;
        double column = cell(start, map->x0, size, map->columns, by);
        return map->columns ? ns_cell_value(&plot->x, map->x0 + column * size, size) : (double)NAN;
    }
    bool previous = isnan(neighbor(plot, false, INFINITY, false));
    double last = neighbor(plot, previous, INFINITY, false);
    if (isnan(last)) return NAN;
    if (by < -FAR) return neighbor(plot, previous, -INFINITY, true);
    if (by > FAR || isnan(from)) return last;
    for (; by != 0; by += by > 0 ? -1 : 1) {
        double next = neighbor(plot, previous, from, by > 0);
        if (isnan(next)) break;
        from = next;
    }
    return from;
}
