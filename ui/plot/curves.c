/* From paths to ink: curves, marks, bands.  SPDX-License-Identifier: MIT */
#include "ui/plot/layout-private.h"

#include <math.h>

#define BAND_ALPHA 0.18

void ns_draw_mark(cairo_t *cr, NsMark mark, double x, double y, double size)
{
    double r = size / 2;
    cairo_new_sub_path(cr);
    switch (mark) {
    case NS_MARK_CIRCLE:
        cairo_arc(cr, x, y, r, 0, 2 * G_PI);
        break;
    case NS_MARK_SQUARE:
        r *= 0.89; /* marks of equal area look equally large */
        cairo_rectangle(cr, x - r, y - r, 2 * r, 2 * r);
        break;
    case NS_MARK_TRIANGLE:
        cairo_move_to(cr, x, y - 1.25 * r);
        cairo_line_to(cr, x + 1.17 * r, y + 0.8 * r);
        cairo_line_to(cr, x - 1.17 * r, y + 0.8 * r);
        break;
    case NS_MARK_DIAMOND:
        r *= 1.25;
        cairo_move_to(cr, x, y - r);
        cairo_line_to(cr, x + r, y);
        cairo_line_to(cr, x, y + r);
        cairo_line_to(cr, x - r, y);
        break;
    }
    cairo_close_path(cr);
    cairo_fill(cr);
}

static void draw_faults(const NsPlotLayout *layout, const NsPath *path, cairo_t *cr)
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
        cairo_move_to(cr, mark->x, y - up * r);
        cairo_line_to(cr, mark->x + r, y + up * r * 0.8);
        cairo_line_to(cr, mark->x - r, y + up * r * 0.8);
        cairo_close_path(cr);
        if (mark->fault == NS_FAULT_NAN) {
            cairo_set_line_width(cr, size * 0.14);
            cairo_stroke(cr);
        } else {
            cairo_fill(cr);
        }
    }
}

static void draw_band(const NsPath *path, cairo_t *cr)
{
    const NsBandColumn *band = (const NsBandColumn *)(const void *)path->band->data;
    for (unsigned from = 0, to; from < path->band->len; from = to + 1) {
        for (to = from; to < path->band->len && !isnan(band[to].x); to++)
            cairo_line_to(cr, band[to].x, band[to].top);
        for (unsigned i = to; i-- > from;) cairo_line_to(cr, band[i].x, band[i].bottom);
        cairo_close_path(cr);
        cairo_new_sub_path(cr);
    }
    cairo_fill(cr);
}

void ns_set_dash(cairo_t *cr, const NsSeriesStyle *look, double line_width)
{
    double dash[G_N_ELEMENTS(look->dash)];
    for (int i = 0; i < look->n_dash; i++) dash[i] = look->dash[i] * line_width;
    cairo_set_dash(cr, dash, look->n_dash, 0);
}

/* Whether x falls on a stroke of the dash; where a curve is noise, dashes are counted along x. */
static bool dash_on(const NsSeriesStyle *look, double line_width, double x)
{
    double period = 0;
    for (int i = 0; i < look->n_dash; i++) period += look->dash[i] * line_width;
    if (period <= 0) return true;
    double at = fmod(fmod(x, period) + period, period);
    for (int i = 0; i < look->n_dash; i++) {
        at -= look->dash[i] * line_width;
        if (at < 0) return i % 2 == 0;
    }
    return true;
}

/* Noise as the outline that its stroke would fill: one polygon instead of thousands of segments. */
static void fill_noise(const NsPoint *points, unsigned n, double column, double line_width,
                       const NsSeriesStyle *look, cairo_t *cr)
{
    g_autoptr(GArray) outline = g_array_new(FALSE, FALSE, sizeof(NsBandColumn));
    for (unsigned i = 0; i < n;) {
        double index = floor(points[i].x / column);
        /* From the point before, so that neighbouring columns join. */
        unsigned k = i ? i - 1 : i;
        NsBandColumn part = {points[i].x, points[k].y, points[k].y};
        for (; i < n && floor(points[i].x / column) == index; i++) {
            part.top = MIN(part.top, points[i].y);
            part.bottom = MAX(part.bottom, points[i].y);
        }
        g_array_append_val(outline, part);
    }
    const NsBandColumn *parts = (const NsBandColumn *)(const void *)outline->data;
    double half = line_width / 2;
    for (unsigned from = 0, to; from < outline->len; from = to) {
        bool on = dash_on(look, line_width, parts[from].x);
        for (to = from; to < outline->len && dash_on(look, line_width, parts[to].x) == on; to++)
            if (on) cairo_line_to(cr, parts[to].x, parts[to].top - half);
        for (unsigned i = to; i-- > from && on;)
            cairo_line_to(cr, parts[i].x, parts[i].bottom + half);
        cairo_close_path(cr);
        cairo_new_sub_path(cr);
    }
    cairo_fill(cr);
}

/* In line widths: what is behind is thinner. */
static double weight(const NsSeries *series)
{
    return series->ghost || series->pale ? 0.8 : series->theory ? 0.9 : 1;
}

void ns_draw_curve(const NsPlotLayout *layout, size_t which, double stronger, cairo_t *cr)
{
    const NsStyle *style = layout->style;
    const NsPath *path = &layout->paths[which];
    const NsSeries *series = &layout->plot->series[which];
    const NsSeriesStyle *look = ns_series_style(style, series);
    const NsPoint *points = (const NsPoint *)(const void *)path->points->data;
    double width = style->line_width * weight(series) * stronger;
    bool noise = ns_path_is_noise(path, layout->area.height);
    cairo_set_line_width(cr, width);
    ns_set_dash(cr, look, width);
    for (unsigned run = 0; run < path->runs->len; run++) {
        unsigned from = g_array_index(path->runs, unsigned, run);
        unsigned to = run + 1 < path->runs->len ? g_array_index(path->runs, unsigned, run + 1)
                                                : path->points->len;
        if (to - from == 1) {
            /* A value between two gaps is no line; it must still be seen. */
            if (series->kind != NS_SERIES_POINTS)
                ns_draw_mark(cr, NS_MARK_CIRCLE, points[from].x, points[from].y,
                             MAX(width * 2.4, style->mark_size * 0.7));
        } else if (noise) {
            fill_noise(points + from, to - from, style->line_width / 2, width, look, cr);
        } else {
            for (unsigned i = from; i < to; i++) cairo_line_to(cr, points[i].x, points[i].y);
            cairo_stroke(cr);
        }
    }
    cairo_set_dash(cr, NULL, 0, 0);
}

/* Marks at every point, or at every so many-th where they would touch. */
static void draw_marks(const NsPlotLayout *layout, const NsSeries *series, cairo_t *cr)
{
    const NsStyle *style = layout->style;
    double size = style->mark_size * (series->ghost ? 0.8 : 1), next = -INFINITY;
    for (size_t i = 0; i < series->n; i++) {
        double x = ns_scale_to_pixel(&layout->x, series->x[i]);
        double y = ns_scale_to_pixel(&layout->y[series->side], series->y[i]);
        if (isnan(x) || isnan(y) || x < next) continue;
        next = x + size * 1.35;
        ns_draw_mark(cr, ns_series_style(style, series)->mark, x, y, size);
    }
}

/* Every point, but for those that fall on the same half pixel as one before. */
static void draw_scatter(const NsPlotLayout *layout, const NsSeries *series, cairo_t *cr)
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
        ns_draw_mark(cr, mark, x, y, size);
    }
}

static void draw_one(const NsPlotLayout *layout, size_t i, cairo_t *cr)
{
    const NsSeries *series = &layout->plot->series[i];
    const NsPath *path = &layout->paths[i];
    NsColor color = ns_series_color(layout->style, series);
    ns_set_color(cr, ns_with_alpha(color, BAND_ALPHA));
    if (series->kind != NS_SERIES_BARS) draw_band(path, cr);
    ns_set_color(cr, color);
    switch (series->kind) {
    case NS_SERIES_POINTS:
        ns_draw_curve(layout, i, 1, cr);
        draw_marks(layout, series, cr);
        break;
    case NS_SERIES_LINE:
    case NS_SERIES_STEPS:
        ns_draw_curve(layout, i, 1, cr);
        break;
    case NS_SERIES_SCATTER:
        draw_scatter(layout, series, cr);
        break;
    case NS_SERIES_BARS:
        ns_draw_bars(layout, i, cr);
        break;
    case NS_SERIES_BAND:
        break;
    }
    ns_set_color(cr, color);
    draw_faults(layout, path, cr);
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
