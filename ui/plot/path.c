/* A series as points on the page, no more of them than can be seen.  SPDX-License-Identifier: MIT
 */
#include "ui/plot/path.h"

#include <math.h>

/* Keeps coordinates of points far outside within what cairo's fixed-point numbers hold. */
#define FAR 1e5

typedef struct {
    bool open;
    double index; /* of the column */
    size_t n;     /* points seen in it */
    NsPoint first, low, high, last;
    size_t low_at, high_at; /* when they were seen */
} Column;

NsFault ns_fault_of(NsScaleKind kind, double value)
{
    if (isnan(value)) return NS_FAULT_NAN;
    if (isinf(value) && value > 0) return NS_FAULT_INFINITE;
    return ns_scale_shows(kind, value) ? NS_FAULT_KINDS : NS_FAULT_LOW;
}

static void append(NsPath *path, NsPoint point, bool continues)
{
    if (continues) {
        const NsPoint *before = &g_array_index(path->points, NsPoint, path->points->len - 1);
        path->travel += fabs(point.y - before->y);
    }
    g_array_append_val(path->points, point);
}

static void flush(NsPath *path, Column *column)
{
    if (!column->n) return;
    unsigned start = path->points->len;
    if (!column->open) g_array_append_val(path->runs, start);
    append(path, column->first, column->open);
    bool low_first = column->low_at < column->high_at;
    size_t times[2] = {column->low_at, column->high_at};
    NsPoint extremes[2] = {column->low, column->high};
    for (int i = 0; i < 2; i++) {
        int k = low_first ? i : 1 - i;
        if (times[k] > 0 && times[k] < column->n - 1) append(path, extremes[k], true);
    }
    if (column->n > 1) append(path, column->last, true);
    column->open = true;
    column->n = 0;
}

static void collect(NsPath *path, Column *column, NsPoint point, double width)
{
    double index = floor(point.x / width);
    if (column->n && index != column->index) flush(path, column);
    if (!column->n) {
        column->index = index;
        column->first = column->low = column->high = point;
        column->low_at = column->high_at = 0;
    }
    if (point.y < column->low.y) {
        column->low = point;
        column->low_at = column->n;
    }
    if (point.y > column->high.y) {
        column->high = point;
        column->high_at = column->n;
    }
    column->last = point;
    column->n++;
}

static void mark_fault(NsPath *path, NsFault fault, double x, double width)
{
    for (unsigned i = path->faults->len; i-- > 0;) {
        const NsFaultMark *mark = &g_array_index(path->faults, NsFaultMark, i);
        if (floor(mark->x / width) != floor(x / width)) break;
        if (mark->fault == fault) return;
    }
    NsFaultMark mark = {x, fault};
    g_array_append_val(path->faults, mark);
}

/* An edge of the band where it cannot be drawn falls back on the curve. */
static double edge(const NsScale *y, double value, double otherwise)
{
    double p = ns_scale_to_pixel(y, value);
    return isnan(p) ? otherwise : CLAMP(p, -FAR, FAR);
}

static void widen_band(NsPath *path, const NsSeries *series, size_t i, const NsScale *y,
                       NsPoint point, double width)
{
    double a = edge(y, series->lo[i], point.y), b = edge(y, series->hi[i], point.y);
    NsBandColumn part = {point.x, MIN(a, b), MAX(a, b)};
    if (path->band->len) {
        NsBandColumn *last = &g_array_index(path->band, NsBandColumn, path->band->len - 1);
        if (floor(last->x / width) == floor(point.x / width)) {
            last->top = MIN(last->top, part.top);
            last->bottom = MAX(last->bottom, part.bottom);
            return;
        }
    }
    g_array_append_val(path->band, part);
}

/* The first index with an abscissa of at least x. */
static size_t lower_bound(const NsSeries *series, double x)
{
    size_t lo = 0, hi = series->n;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (series->x[middle] < x)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

void ns_path_build(NsPath *path, const NsSeries *series, const NsScale *x, const NsScale *y,
                   double column)
{
    *path = (NsPath){
        .points = g_array_new(FALSE, FALSE, sizeof(NsPoint)),
        .runs = g_array_new(FALSE, FALSE, sizeof(unsigned)),
        .band = g_array_new(FALSE, FALSE, sizeof(NsBandColumn)),
        .faults = g_array_new(FALSE, FALSE, sizeof(NsFaultMark)),
    };
    static const NsBandColumn band_break = {.x = NAN};
    Column current = {0};
    /* One neighbour beyond each end, so that the curve leaves through the edge. */
    size_t from = lower_bound(series, x->lo), to = lower_bound(series, x->hi);
    from -= from > 0;
    while (to < series->n && series->x[to] <= x->hi) to++;
    to += to < series->n;
    for (size_t i = from; i < to; i++) {
        double px = ns_scale_to_pixel(x, series->x[i]);
        if (isnan(px)) continue;
        px = CLAMP(px, -FAR, FAR);
        NsFault fault = ns_fault_of(y->kind, series->y[i]);
        if (fault != NS_FAULT_KINDS) {
            flush(path, &current);
            current.open = false;
            if (path->band->len) g_array_append_val(path->band, band_break);
            mark_fault(path, fault, px, column);
            continue;
        }
        NsPoint point = {px, CLAMP(ns_scale_to_pixel(y, series->y[i]), -FAR, FAR)};
        collect(path, &current, point, column);
        if (series->lo && series->hi) widen_band(path, series, i, y, point, column);
    }
    flush(path, &current);
}

void ns_path_clear(NsPath *path)
{
    g_clear_pointer(&path->points, g_array_unref);
    g_clear_pointer(&path->runs, g_array_unref);
    g_clear_pointer(&path->band, g_array_unref);
    g_clear_pointer(&path->faults, g_array_unref);
}
