/* Draws series: curves, marks, bands, bars.  SPDX-License-Identifier: MIT */
#include "ui/plot/plot-private.h"

#include "ui/plot/painter.h"

#include <math.h>

#define BAND_ALPHA 0.18

/* The share of a group's space that its bars fill. */
#define FILL 0.8

#define FAINT 0.35

/* The opacity of the gaps in a noisy dashed curve. */
#define PALE 0.4

/* The hole of a hollow mark, in its size. */
#define HOLLOW 0.5

/* The distance of marks side by side, in their size. */
#define APART 1.4

/* How far the box of a bar extends beyond the plot area, which clips it. */
#define BEYOND 10

void ns_bar_ends(const NsPlotLayout *layout, size_t i, size_t j, double *from, double *to)
{
    const NsPlot *plot = layout->plot;
    const NsSeries *series = &plot->series[i];
    if (series->edges) {
        *from = series->edges[j];
        *to = series->edges[j + 1];
        return;
    }
    size_t before = 0;
    for (size_t k = 0; k < i; k++)
        before += plot->series[k].kind == NS_SERIES_BARS && !plot->series[k].hidden &&
                  !plot->series[k].edges;
    double space = layout->summary.bar_width * FILL;
    double width = space / (double)MAX(layout->summary.groups, 1);
    *from = series->x[j] - space / 2 + (double)before * width;
    *to = *from + width;
}

double ns_series_opacity(const NsSeries *series)
{
    bool faint = series->edges || series->kind == NS_SERIES_BAND || series->previous;
    return faint ? FAINT : 1;
}

static void fill_boxes(const NsSeries *series, NsColor color, const NsBox *boxes, size_t n,
                       cairo_t *cr)
{
    for (size_t i = 0; i < n; i++)
        cairo_rectangle(cr, boxes[i].x, boxes[i].y, boxes[i].width, boxes[i].height);
    ns_fill(cr, ns_with_alpha(color, ns_series_opacity(series)));
    ns_set_color(cr, color);
}

/* The boxes of a series.  Bars narrower than a pixel are merged into one per pixel, as long as the
 * longest, so that a single high bar is visible among thousands. */
static GArray *boxes_of(const NsPlotLayout *layout, size_t i, double base)
{
    const NsSeries *series = &layout->plot->series[i];
    const NsScale *y = &layout->y;
    GArray *boxes = g_array_new(FALSE, FALSE, sizeof(NsBox));
    const NsBox *area = &layout->area;
    double left = area->x - BEYOND, right = area->x + area->width + BEYOND;
    double top = area->y - BEYOND, bottom = area->y + area->height + BEYOND;
    for (size_t j = 0; j < series->n; j++) {
        double from, to, end = ns_scale_to_pixel(y, series->y[j]);
        ns_bar_ends(layout, i, j, &from, &to);
        double a = ns_scale_to_pixel(&layout->x, from), b = ns_scale_to_pixel(&layout->x, to);
        if (isnan(b + end)) continue;
        if (isnan(a)) a = left; /* zero is infinitely far away on a logarithmic axis */
        /* cairo clips what is outside; the clamp keeps coordinates in its range. */
        a = CLAMP(a, left, right);
        b = CLAMP(b, left, right);
        end = CLAMP(end, top, bottom);
        NsBox box = {MIN(a, b), MIN(base, end), fabs(b - a), fabs(end - base)};
        if (box.width <= 0) continue;
        if (box.width < 1 && !series->edges) {
            box.x = floor(box.x);
            box.width = 1;
            NsBox *last = boxes->len ? &g_array_index(boxes, NsBox, boxes->len - 1) : NULL;
            if (last && last->x == box.x && last->width == 1) {
                double upper = MIN(last->y, box.y);
                last->height = MAX(last->y + last->height, box.y + box.height) - upper;
                last->y = upper;
                continue;
            }
        }
        g_array_append_val(boxes, box);
    }
    return boxes;
}

static void draw_bars(const NsPlotLayout *layout, size_t i, cairo_t *cr)
{
    const NsSeries *series = &layout->plot->series[i];
    /* The pixel from which bars start: zero, or the end of the axis if zero is not on it. */
    const NsScale *y = &layout->y;
    double zero = ns_scale_to_pixel(y, 0);
    double lower = layout->area.y + layout->area.height - layout->strip_bottom;
    double upper = layout->area.y + layout->strip_top;
    double base = isnan(zero) ? (y->p0 > y->p1 ? lower : upper) : CLAMP(zero, upper, lower);
    g_autoptr(GArray) found = boxes_of(layout, i, base);
    const NsBox *boxes = (const NsBox *)(const void *)found->data;
    NsColor color = ns_series_color(layout->style, series);
    ns_set_color(cr, color);
    fill_boxes(series, color, boxes, found->len, cr);
    if (series->edges) {
        /* The outline of adjoining bars is a line of its own, which stays visible when another
         * histogram is filled over it. */
        for (size_t k = 0; k < found->len; k++) {
            const NsBox *box = &boxes[k];
            double end = box->y < base - 1e-9 ? box->y : box->y + box->height;
            bool joined = k > 0 && fabs(boxes[k - 1].x + boxes[k - 1].width - box->x) < 1e-6;
            if (!joined) cairo_move_to(cr, box->x, base);
            cairo_line_to(cr, box->x, end);
            cairo_line_to(cr, box->x + box->width, end);
            bool last = k + 1 == found->len || fabs(boxes[k + 1].x - box->x - box->width) >= 1e-6;
            if (last) cairo_line_to(cr, box->x + box->width, base);
        }
        double width = 0.8 * layout->style->line_width;
        cairo_set_line_width(cr, width);
        NsSeriesStyle look = ns_series_style(layout->style, series);
        ns_set_dash(cr, &look, width, 0);
        cairo_stroke(cr);
        cairo_set_dash(cr, NULL, 0, 0);
    }
}

/* The line width relative to that of a measured curve; curves in the background are thinner. */
static double weight(const NsSeries *series)
{
    return series->previous || series->muted ? 0.8 : series->theory ? 0.9 : 1;
}

/* The opacity of a noisy curve at x, where the gaps of its dash pattern are measured along x and
 * only pale: without whole columns, the curve would look torn. */
static double dash_opacity(const NsSeriesStyle *look, double width, double x)
{
    double period = 0;
    for (int i = 0; i < look->n_dash; i++) period += look->dash[i] * width;
    if (period <= 0) return 1;
    double at = fmod(fmod(x, period) + period, period);
    for (int i = 0; i < look->n_dash; i++) {
        at -= look->dash[i] * width;
        if (at < 0) return i % 2 ? PALE : 1;
    }
    return 1;
}

/* A noisy curve as its columns, each from its highest to its lowest point.  A column reaches the
 * nearest point of its neighbors, so that they join.  The caller frees the array. */
static GArray *noise_columns(const NsPoint *points, size_t n, double left, double width)
{
    GArray *columns = g_array_new(FALSE, FALSE, sizeof(NsBandColumn));
    for (size_t from = 0, to; from < n; from = to) {
        double index = floor((points[from].x - left) / width);
        for (to = from; to < n && floor((points[to].x - left) / width) == index;) to++;
        NsBandColumn part = {points[from].x, points[from].y, points[from].y};
        for (size_t i = MAX(from, 1) - 1; i < MIN(to + 1, n); i++) {
            part.top = MIN(part.top, points[i].y);
            part.bottom = MAX(part.bottom, points[i].y);
        }
        g_array_append_val(columns, part);
    }
    return columns;
}

/* On a screen, the columns are as wide as pixels, and cover of each pixel what they cover of its
 * height.  cairo takes several times as long for their outline, and its fast antialiasing, which
 * takes half as long, can damage the heap.  Returns false if a pixel would have no column. */
static bool paint_noise(const NsPoint *points, size_t n, const NsSeriesStyle *look, double width,
                        const NsBox *area, double density, cairo_t *cr)
{
    g_autoptr(GArray) columns = noise_columns(points, n, area->x, 1 / density);
    double first = floor((points[0].x - area->x) * density);
    if (floor((points[n - 1].x - area->x) * density) - first >= columns->len) return false;
    int across = (int)ceil(area->width * density), down = (int)ceil(area->height * density);
    cairo_surface_t *mask = cairo_image_surface_create(CAIRO_FORMAT_A8, across, down);
    unsigned char *pixels = cairo_image_surface_get_data(mask);
    int stride = cairo_image_surface_get_stride(mask);
    for (unsigned i = 0; i < columns->len && pixels; i++) {
        const NsBandColumn *part = &g_array_index(columns, NsBandColumn, i);
        double x = floor((part->x - area->x) * density);
        if (!(x >= 0 && x < across)) continue;
        double full = 255 * dash_opacity(look, width, part->x);
        double top = MAX(0, (part->top - width / 2 - area->y) * density);
        double bottom = MIN(down, (part->bottom + width / 2 - area->y) * density);
        for (int y = (int)top; y < bottom; y++)
            pixels[y * stride + (int)x] =
                (unsigned char)lround(full * (MIN(bottom, y + 1) - MAX(top, y)));
    }
    cairo_surface_mark_dirty(mask);
    cairo_surface_set_device_scale(mask, density, density);
    /* A mask without memory would end all drawing on the context. */
    if (pixels) cairo_mask_surface(cr, mask, area->x, area->y);
    cairo_surface_destroy(mask);
    return true;
}

/* Elsewhere, a noisy curve is filled as the outline of its stroke, in columns of half a line width:
 * one polygon instead of thousands of segments.  Dashes are measured along x. */
static void fill_noise(const NsPoint *points, size_t n, const NsSeriesStyle *look, NsColor color,
                       double width, double column, cairo_t *cr)
{
    g_autoptr(GArray) outline = noise_columns(points, n, 0, column);
    const NsBandColumn *parts = (const NsBandColumn *)(const void *)outline->data;
    double half = width / 2;
    for (unsigned from = 0, to; from < outline->len; from = to) {
        double opacity = dash_opacity(look, width, parts[from].x);
        for (to = from; to < outline->len; to++) {
            cairo_line_to(cr, parts[to].x, parts[to].top - half);
            if (dash_opacity(look, width, parts[to].x) != opacity) break;
        }
        for (unsigned i = MIN(to + 1, outline->len); i-- > from;)
            cairo_line_to(cr, parts[i].x, parts[i].bottom + half);
        ns_fill(cr, ns_with_alpha(color, opacity));
    }
    ns_set_color(cr, color);
}

void ns_draw_curve(const NsPlotLayout *layout, size_t which, double stronger, cairo_t *cr)
{
    const NsStyle *style = layout->style;
    const NsPath *path = &layout->paths[which];
    const NsSeries *series = &layout->plot->series[which];
    NsSeriesStyle look = ns_series_style(style, series);
    const NsPoint *points = (const NsPoint *)(const void *)path->points->data;
    double width = style->line_width * weight(series) * stronger;
    /* On a logarithmic axis it is noise in a part of its width only. */
    bool even = layout->x.kind == NS_SCALE_LINEAR;
    bool noise = even && ns_path_is_noise(path, layout->area.height);
    NsTarget target = ns_target_of(cr);
    ns_set_color(cr, ns_series_color(style, series));
    for (unsigned run = 0; run < path->runs->len; run++) {
        unsigned from = g_array_index(path->runs, unsigned, run);
        unsigned to = run + 1 < path->runs->len ? g_array_index(path->runs, unsigned, run + 1)
                                                : path->points->len;
        bool painted =
            to - from > 1 && noise && style->raster && !target.vector &&
            paint_noise(points + from, to - from, &look, width, &layout->area, target.density, cr);
        if (painted) continue;
        if (to - from > 1 && noise) {
            fill_noise(points + from, to - from, &look, ns_series_color(style, series), width,
                       style->line_width / 2, cr);
        } else if (to - from > 1) {
            ns_set_dash(cr, &look, width, 0);
            cairo_set_line_width(cr, width);
            for (unsigned i = from; i < to; i++) cairo_line_to(cr, points[i].x, points[i].y);
            cairo_stroke(cr);
            cairo_set_dash(cr, NULL, 0, 0);
        } else if (series->kind != NS_SERIES_POINTS) {
            /* A value between two gaps has no line, so that it needs a dot. */
            ns_draw_mark(cr, NS_MARK_CIRCLE, points[from].x, points[from].y,
                         MAX(width * 2.4, style->mark_size * 0.7));
        }
    }
}

static void draw_mark(const NsStyle *style, const NsSeries *series, double x, double y, double size,
                      cairo_t *cr)
{
    NsMark mark = ns_series_style(style, series).mark;
    ns_draw_mark(cr, mark, x, y, size);
    if (!series->hollow) return;
    ns_set_color(cr, style->panel);
    ns_draw_mark(cr, mark, x, y, HOLLOW * size);
    ns_set_color(cr, ns_series_color(style, series));
}

/* Draws a mark at every point, except where marks would overlap. */
static void draw_marks(const NsPlotLayout *layout, size_t which, cairo_t *cr)
{
    const NsStyle *style = layout->style;
    const NsSeries *series = &layout->plot->series[which];
    const GArray *points = layout->paths[which].points;
    double size = style->mark_size * (series->previous ? 0.8 : 1), last = -INFINITY, shift = 0;
    for (size_t k = 0; k < which && series->hollow && series->n == 1; k++) {
        const NsSeries *other = &layout->plot->series[k];
        bool alike = other->hollow && other->n == 1 && !other->hidden;
        if (alike &&
            fabs(ns_scale_to_pixel(&layout->x, other->x[0]) -
                 ns_scale_to_pixel(&layout->x, series->x[0])) < size &&
            fabs(ns_scale_to_pixel(&layout->y, other->y[0]) -
                 ns_scale_to_pixel(&layout->y, series->y[0])) < size)
            shift += APART * size;
    }
    for (unsigned i = 0; i < points->len; i++) {
        const NsPoint *point = &g_array_index(points, NsPoint, i);
        if (fabs(point->x - last) < size * 1.35) continue;
        last = point->x;
        draw_mark(style, series, point->x - shift, point->y, size, cr);
    }
}

/* Draws the marks of a curve at equal distances, in other places than those of other curves.  Their
 * rim keeps them apart from a noisy curve. */
static void draw_sparse_marks(const NsPlotLayout *layout, size_t which, cairo_t *cr)
{
    const NsStyle *style = layout->style;
    const NsSeries *series = &layout->plot->series[which];
    const NsPath *path = &layout->paths[which];
    const NsPoint *point = (const NsPoint *)(const void *)path->points->data;
    double stride = layout->area.width / NS_SPARSE_MARKS, rim = 2 * style->axis_width;
    double next = layout->area.x + NS_MARK_SHIFT(series) * stride;
    if (series->hidden || !(stride > 0) || !ns_series_has_sparse_marks(layout->plot, series))
        return;
    for (unsigned i = 1, run = 1; i < path->points->len; i++) {
        bool begins = run < path->runs->len && g_array_index(path->runs, unsigned, run) == i;
        run += begins;
        while (next <= point[i - 1].x) next += stride;
        for (; !begins && next <= point[i].x; next += stride) {
            double share = (next - point[i - 1].x) / (point[i].x - point[i - 1].x);
            double y = point[i - 1].y + share * (point[i].y - point[i - 1].y);
            ns_set_color(cr, style->panel);
            ns_draw_mark(cr, ns_series_style(style, series).mark, next, y, style->mark_size + rim);
            ns_set_color(cr, ns_series_color(style, series));
            draw_mark(style, series, next, y, style->mark_size, cr);
        }
    }
}

/* Draws every point, except those on the same half pixel as an earlier one. */
static void draw_scatter(const NsPlotLayout *layout, const NsSeries *series, cairo_t *cr)
{
    const NsBox *area = &layout->area;
    size_t width = (size_t)(2 * area->width) + 2, height = (size_t)(2 * area->height) + 2;
    g_autofree uint8_t *seen = g_malloc0(width * height / 8 + 1);
    double size = layout->style->mark_size * (series->previous ? 0.8 : 1), last = -INFINITY;
    for (size_t i = 0; i < series->n; i++) {
        double x = ns_scale_to_pixel(&layout->x, series->x[i]);
        if (series->spaced && x < last + 3 * size) continue;
        double y = ns_scale_to_pixel(&layout->y, series->y[i]);
        double column = 2 * (x - area->x), row = 2 * (y - area->y);
        if (!(column >= 0 && row >= 0 && column < (double)width && row < (double)height)) continue;
        size_t bit = (size_t)row * width + (size_t)column;
        if (seen[bit / 8] >> bit % 8 & 1) continue;
        seen[bit / 8] = (uint8_t)(seen[bit / 8] | 1 << bit % 8);
        last = x;
        draw_mark(layout->style, series, x, y, size, cr);
    }
}

static void add_exit(GArray *corners, double x, double tip, double r, bool above)
{
    double back = tip + (above ? 2 * r : -2 * r);
    const NsPoint exit[3] = {{x, tip}, {x + r, back}, {x - r, back}};
    g_array_append_vals(corners, exit, 3);
}

/* The end of a curve that lies outside of limits which were set: there it would look as if it ended
 * at the edge. */
static void add_end(const NsPlotLayout *layout, size_t which, double r, GArray *corners)
{
    const NsBox *area = &layout->area;
    const NsAxis *axis = &layout->plot->left;
    const GArray *points = layout->paths[which].points;
    const NsPoint *point = (const NsPoint *)(const void *)points->data;
    double bottom = area->y + area->height, right = area->x + area->width - layout->beyond;
    unsigned end = points->len;
    while (end && point[end - 1].x > right + 0.5) end--;
    if (!end || point[end - 1].x < area->x) return;
    bool above = point[end - 1].y < area->y - 0.5;
    if (!above && !(point[end - 1].y > bottom + 0.5)) return;
    if (isnan(above != axis->reversed ? axis->hi : axis->lo)) return;
    unsigned out = end - 1; /* the first point of its last part that is outside */
    while (out && point[out - 1].x >= area->x &&
           (above ? point[out - 1].y < area->y : point[out - 1].y > bottom))
        out--;
    double tip = above ? area->y : bottom, x = point[end - 1].x;
    if (out && point[out - 1].x >= area->x) {
        NsPoint from = point[out - 1], to = point[out];
        x = from.x + (to.x - from.x) * (tip - from.y) / (to.y - from.y);
    }
    add_exit(corners, CLAMP(x, area->x + r, right - r), tip, r, above);
}

GArray *ns_series_exits(const NsPlotLayout *layout, size_t which)
{
    GArray *corners = g_array_new(FALSE, FALSE, sizeof(NsPoint));
    const NsBox *area = &layout->area;
    const NsPlot *plot = layout->plot;
    const NsSeries *series = &plot->series[which];
    const GArray *points = layout->paths[which].points;
    const NsPoint *point = (const NsPoint *)(const void *)points->data;
    double r = ns_fault_size(layout) / 2, last = -INFINITY, bottom = area->y + area->height;
    bool marks = series->kind == NS_SERIES_POINTS;
    double aside = 0;
    if (!series->clipped && ns_series_rank(series) == NS_RANK_CURVES)
        add_end(layout, which, r, corners);
    for (size_t i = 0; marks && i < plot->n_series; i++)
        if (i != which && plot->series[i].clipped && plot->series[i].n && !plot->series[i].hidden)
            aside += i < which ? 1.2 * r : -1.2 * r;
    for (unsigned i = 0; series->clipped && i < points->len; i++) {
        bool above = point[i].y<area->y - 0.5, below = point[i].y> bottom + 0.5;
        double tip = above ? area->y : bottom, x = point[i].x;
        bool crosses = i && !marks;
        double from = crosses ? point[i - 1].y : tip;
        if (!(above || below) || from < area->y || from > bottom) continue;
        if (crosses) x = point[i - 1].x + (x - point[i - 1].x) * (tip - from) / (point[i].y - from);
        if (x < MAX(area->x, last + 6 * r) || x > area->x + area->width) continue;
        last = x;
        if (marks) x = CLAMP(x + aside, area->x + r, area->x + area->width - layout->beyond - r);
        add_exit(corners, x, tip, r, above);
    }
    return corners;
}

static void draw_one(const NsPlotLayout *layout, size_t i, cairo_t *cr)
{
    const NsSeries *series = &layout->plot->series[i];
    const NsPath *path = &layout->paths[i];
    NsColor color = ns_series_color(layout->style, series);
    if (series->kind != NS_SERIES_BARS) {
        ns_set_color(cr, ns_with_alpha(color, BAND_ALPHA));
        /* A band, with gaps where x is NaN. */
        const NsBandColumn *band = (const NsBandColumn *)(const void *)path->band->data;
        for (size_t from = 0, to; from < path->band->len; from = to + 1) {
            for (to = from; to < path->band->len && !isnan(band[to].x); to++)
                cairo_line_to(cr, band[to].x, band[to].top);
            for (size_t k = to; k-- > from;) cairo_line_to(cr, band[k].x, band[k].bottom);
            cairo_close_path(cr);
            cairo_fill(cr);
        }
    }
    ns_set_color(cr, color);
    switch (series->kind) {
    case NS_SERIES_POINTS:
        ns_draw_curve(layout, i, 1, cr);
        draw_marks(layout, i, cr);
        break;
    case NS_SERIES_LINE:
        ns_draw_curve(layout, i, 1, cr);
        break;
    case NS_SERIES_SCATTER:
        draw_scatter(layout, series, cr);
        break;
    case NS_SERIES_BARS:
        draw_bars(layout, i, cr);
        break;
    case NS_SERIES_BAND:
        break;
    }
    double size = ns_fault_size(layout);
    g_autoptr(GArray) shown = ns_path_shown_faults(path, size / 2);
    cairo_set_line_width(cr, size * 0.14);
    for (unsigned k = 0; k < shown->len; k++) {
        const NsFaultMark *mark = &g_array_index(shown, NsFaultMark, k);
        NsPoint corners[3];
        ns_fault_corners(layout, mark, corners);
        cairo_move_to(cr, corners[0].x, corners[0].y);
        cairo_line_to(cr, corners[1].x, corners[1].y);
        cairo_line_to(cr, corners[2].x, corners[2].y);
        cairo_close_path(cr);
        if (mark->fault == NS_FAULT_NAN)
            cairo_stroke(cr);
        else
            cairo_fill(cr);
    }
    g_autoptr(GArray) exits = ns_series_exits(layout, i);
    for (unsigned k = 0; k < exits->len; k++) {
        const NsPoint *corner = &g_array_index(exits, NsPoint, k);
        if (k % 3 == 0) cairo_new_sub_path(cr);
        cairo_line_to(cr, corner->x, corner->y);
        if (k % 3 == 2) cairo_close_path(cr);
    }
    cairo_fill(cr);
}

int ns_series_rank(const NsSeries *series)
{
    bool wide = series->kind == NS_SERIES_BARS || series->kind == NS_SERIES_BAND;
    if (series->hollow) return 5;
    return wide               ? 0
           : series->previous ? 1
           : series->muted    ? 2
           : series->theory   ? 3
                              : NS_RANK_CURVES;
}

void ns_draw_series(const NsPlotLayout *layout, cairo_t *cr)
{
    for (int rank = 0; rank < NS_SERIES_RANKS; rank++) {
        for (size_t i = 0; i < layout->n_paths; i++) {
            const NsSeries *series = &layout->plot->series[i];
            if (ns_series_rank(series) == rank && !series->hidden) draw_one(layout, i, cr);
        }
        /* Above all curves. */
        for (size_t i = 0; i < layout->n_paths && rank == NS_RANK_CURVES; i++)
            draw_sparse_marks(layout, i, cr);
    }
}

void ns_draw_sample(const NsPlotLayout *layout, const NsSeries *series, const NsBox *box,
                    cairo_t *cr)
{
    const NsStyle *style = layout->style;
    const NsSeriesStyle look = ns_series_style(style, series);
    double y = box->y + box->height / 2, width = style->line_width * weight(series);
    bool wide = series->kind == NS_SERIES_BARS || series->kind == NS_SERIES_BAND;
    int level = ns_legend_level(layout, series);
    NsColor color = series->hidden ? style->previous : ns_series_color(style, series);
    ns_set_color(cr, color);
    NsBox swatch = {box->x, box->y + 0.22 * box->height, box->width, 0.56 * box->height};
    if (wide) {
        fill_boxes(series, color, &swatch, 1, cr);
        return;
    }
    if (series->lo && series->hi) {
        ns_set_color(cr, ns_with_alpha(color, 2 * BAND_ALPHA));
        cairo_rectangle(cr, swatch.x, swatch.y, swatch.width, swatch.height);
        cairo_fill(cr);
        ns_set_color(cr, color);
    }
    if (series->kind != NS_SERIES_SCATTER) {
        cairo_set_line_width(cr, level < 0 ? width : style->axis_width);
        if (level < 0) ns_set_dash(cr, &look, width, box->width);
        if (level >= 0) ns_set_level_dash(cr, style, (size_t)level);
        cairo_move_to(cr, box->x, y);
        cairo_line_to(cr, box->x + box->width, y);
        cairo_stroke(cr);
        cairo_set_dash(cr, NULL, 0, 0);
    }
    if (series->kind == NS_SERIES_POINTS || series->kind == NS_SERIES_SCATTER ||
        ns_series_has_marks(layout->plot, series))
        draw_mark(style, series, box->x + box->width / 2, y, style->mark_size, cr);
}
