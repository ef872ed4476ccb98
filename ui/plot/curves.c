/* From paths to ink: curves, marks, bands.  SPDX-License-Identifier: MIT */
#include "ui/plot/ink.h"
#include "ui/plot/layout-private.h"

#include <math.h>

#define BAND_ALPHA 0.18

void ns_draw_mark(cairo_t *cr, NsMark mark, double x, double y, double size)
{
    NsInk ink = {.cr = cr};
    cairo_pattern_get_rgba(cairo_get_source(cr), &ink.color.r, &ink.color.g, &ink.color.b,
                           &ink.color.a);
    ns_ink_mark(&ink, mark, x, y, size);
}

static void draw_faults(const NsPlotLayout *layout, const NsPath *path, NsInk *ink)
{
    double size = layout->style->text_size * 0.55, last[NS_FAULT_KINDS];
    for (int i = 0; i < NS_FAULT_KINDS; i++) last[i] = -INFINITY;
    for (unsigned i = 0; i < path->faults->len; i++) {
        const NsFaultMark *mark = &g_array_index(path->faults, NsFaultMark, i);
        if (mark->x < last[mark->fault] + size * 0.5) continue;
        last[mark->fault] = mark->x;
        bool low = mark->fault == NS_FAULT_LOW;
        double y = low ? layout->area.y + layout->area.height - layout->strip_bottom / 2
                       : layout->area.y + layout->strip_top / 2;
        double up = low ? -1 : 1, r = size / 2;
        NsPoint corners[3] = {{mark->x, y - up * r},
                              {mark->x + r, y + up * r * 0.8},
                              {mark->x - r, y + up * r * 0.8}};
        if (mark->fault == NS_FAULT_NAN)
            ns_ink_triangle(ink, corners, size * 0.14);
        else
            ns_ink_fill(ink, corners, G_N_ELEMENTS(corners));
    }
}

void ns_set_dash(cairo_t *cr, const NsSeriesStyle *look, double line_width)
{
    double dash[G_N_ELEMENTS(look->dash)];
    for (int i = 0; i < look->n_dash; i++) dash[i] = look->dash[i] * line_width;
    cairo_set_dash(cr, dash, look->n_dash, 0);
}

/* In line widths: what is behind is thinner. */
static double weight(const NsSeries *series)
{
    return series->ghost || series->pale ? 0.8 : series->theory ? 0.9 : 1;
}

static void draw_curve(const NsPlotLayout *layout, size_t which, double stronger, NsInk *ink)
{
    const NsStyle *style = layout->style;
    const NsPath *path = &layout->paths[which];
    const NsSeries *series = &layout->plot->series[which];
    const NsSeriesStyle *look = ns_series_style(style, series);
    const NsPoint *points = (const NsPoint *)(const void *)path->points->data;
    NsPen pen = {.width = style->line_width * weight(series) * stronger,
                 .dash = look->dash,
                 .n_dash = look->n_dash,
                 .across = ns_path_is_noise(path, layout->area.height)};
    for (unsigned run = 0; run < path->runs->len; run++) {
        unsigned from = g_array_index(path->runs, unsigned, run);
        unsigned to = run + 1 < path->runs->len ? g_array_index(path->runs, unsigned, run + 1)
                                                : path->points->len;
        if (to - from > 1)
            ns_ink_stroke(ink, points + from, to - from, &pen, style->line_width / 2);
        else if (series->kind != NS_SERIES_POINTS)
            /* A value between two gaps is no line; it must still be seen. */
            ns_ink_mark(ink, NS_MARK_CIRCLE, points[from].x, points[from].y,
                        MAX(pen.width * 2.4, style->mark_size * 0.7));
    }
}

void ns_draw_curve(const NsPlotLayout *layout, size_t which, double stronger, cairo_t *cr)
{
    const NsSeries *series = &layout->plot->series[which];
    g_auto(NsInk) ink = ns_ink_new(cr, ns_series_color(layout->style, series));
    draw_curve(layout, which, stronger, &ink);
}

/* Marks at every point, or at every so many-th where they would touch. */
static void draw_marks(const NsPlotLayout *layout, size_t which, NsInk *ink)
{
    const NsStyle *style = layout->style;
    const NsSeries *series = &layout->plot->series[which];
    const GArray *points = layout->paths[which].points;
    double size = style->mark_size * (series->ghost ? 0.8 : 1), last = -INFINITY;
    for (unsigned i = 0; i < points->len; i++) {
        const NsPoint *point = &g_array_index(points, NsPoint, i);
        if (fabs(point->x - last) < size * 1.35) continue;
        last = point->x;
        ns_ink_mark(ink, ns_series_style(style, series)->mark, point->x, point->y, size);
    }
}

/* Every point, but for those that fall on the same half pixel as one before. */
static void draw_scatter(const NsPlotLayout *layout, const NsSeries *series, NsInk *ink)
{
    const NsBox *area = &layout->area;
    size_t width = (size_t)(2 * area->width) + 2, height = (size_t)(2 * area->height) + 2;
    g_autofree uint8_t *seen = g_malloc0(width * height / 8 + 1);
    NsMark mark = ns_series_style(layout->style, series)->mark;
    double size = layout->style->mark_size * (series->ghost ? 0.8 : 1);
    for (size_t i = 0; i < series->n; i++) {
        double x = ns_scale_to_pixel(&layout->x, series->x[i]);
        double y = ns_scale_to_pixel(&layout->y[series->side], series->y[i]);
        double column = 2 * (x - area->x), row = 2 * (y - area->y);
        if (!(column >= 0 && row >= 0 && column < (double)width && row < (double)height)) continue;
        size_t bit = (size_t)row * width + (size_t)column;
        if (seen[bit / 8] >> bit % 8 & 1) continue;
        seen[bit / 8] = (uint8_t)(seen[bit / 8] | 1 << bit % 8);
        ns_ink_mark(ink, mark, x, y, size);
    }
}

static void draw_one(const NsPlotLayout *layout, size_t i, cairo_t *cr)
{
    const NsSeries *series = &layout->plot->series[i];
    const NsPath *path = &layout->paths[i];
    NsColor color = ns_series_color(layout->style, series);
    g_auto(NsInk) ink = ns_ink_new(cr, ns_with_alpha(color, BAND_ALPHA));
    if (series->kind != NS_SERIES_BARS)
        ns_ink_band(&ink, (const NsBandColumn *)(const void *)path->band->data, path->band->len);
    ink.color = color;
    switch (series->kind) {
    case NS_SERIES_POINTS:
        draw_curve(layout, i, 1, &ink);
        draw_marks(layout, i, &ink);
        break;
    case NS_SERIES_LINE:
    case NS_SERIES_STEPS:
        draw_curve(layout, i, 1, &ink);
        break;
    case NS_SERIES_SCATTER:
        draw_scatter(layout, series, &ink);
        break;
    case NS_SERIES_BARS:
        ns_draw_bars(layout, i, cr);
        break;
    case NS_SERIES_BAND:
        break;
    }
    draw_faults(layout, path, &ink);
}

/* What covers an area lies behind, then what is over, then what is computed. */
static int rank(const NsSeries *series)
{
    bool wide = series->kind == NS_SERIES_BARS || series->kind == NS_SERIES_BAND;
    return wide ? 0 : series->ghost ? 1 : series->pale ? 2 : series->theory ? 3 : 4;
}

void ns_draw_series(const NsPlotLayout *layout, cairo_t *cr)
{
    for (int r = 0; r <= 4; r++)
        for (size_t i = 0; i < layout->n_paths; i++) {
            const NsSeries *series = &layout->plot->series[i];
            if (rank(series) == r && !series->hidden) draw_one(layout, i, cr);
        }
}

void ns_draw_sample(const NsPlotLayout *layout, const NsSeries *series, const NsBox *box,
                    cairo_t *cr)
{
    const NsStyle *style = layout->style;
    const NsSeriesStyle *look = ns_series_style(style, series);
    double y = box->y + box->height / 2, width = style->line_width * weight(series);
    bool wide = series->kind == NS_SERIES_BARS || series->kind == NS_SERIES_BAND;
    NsColor color = series->hidden ? style->ghost : ns_series_color(style, series);
    ns_set_color(cr, color);
    if (wide) {
        NsBox swatch = {box->x, box->y + 0.22 * box->height, box->width, 0.56 * box->height};
        ns_fill_boxes(layout, series, color, &swatch, 1, cr);
        return;
    }
    if (series->kind != NS_SERIES_SCATTER) {
        cairo_set_line_width(cr, width);
        ns_set_dash(cr, look, width);
        cairo_move_to(cr, box->x, y);
        cairo_line_to(cr, box->x + box->width, y);
        cairo_stroke(cr);
        cairo_set_dash(cr, NULL, 0, 0);
    }
    if (series->kind == NS_SERIES_POINTS || series->kind == NS_SERIES_SCATTER)
        ns_draw_mark(cr, look->mark, box->x + box->width / 2, y, style->mark_size);
}
