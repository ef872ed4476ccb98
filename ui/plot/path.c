/* Reduces a series to the points that can be seen.  SPDX-License-Identifier: MIT */
#include "ui/plot/path.h"

#include <math.h>

/* Points far outside are clamped to what cairo's fixed-point coordinates can represent. */
#define FAR 1e5

/* A curve whose total vertical movement exceeds this many heights of the area is noise. */
#define NOISY 12

/* The points in one column of the page, in data units. */
typedef struct {
    double index;
    size_t n; /* 0: the column is empty */
    NsPoint first, low, high, last;
    size_t low_at, high_at; /* number of points before them in the column */
} Column;

/* A path that is being built. */
typedef struct {
    NsPath *path;
    const NsSeries *series;
    const NsScale *x, *y;
    double width; /* of a column */
    Column column;
    bool joined; /* the column continues from the last point */
} Builder;

NsFault ns_fault_of(NsScaleKind kind, double value)
{
    if (isnan(value)) return NS_FAULT_NAN;
    if (isinf(value) && value > 0) return NS_FAULT_INFINITE;
    return ns_scale_shows(kind, value) ? NS_FAULT_KINDS : NS_FAULT_LOW;
}

/* Inlines ns_scale_to_pixel for linear scales; the value must be valid on the scale. */
static double to_pixel(const NsScale *scale, double value)
{
    double p = scale->kind == NS_SCALE_LINEAR
                   ? scale->p0 +
                         (value - scale->from) / (scale->to - scale->from) * (scale->p1 - scale->p0)
                   : ns_scale_to_pixel(scale, value);
    return CLAMP(p, -FAR, FAR);
}

/* Clamps a coordinate to the area, at whose edge the curve leaves it. */
static double seen(const NsScale *y, double p)
{
    return CLAMP(p, MIN(y->p0, y->p1), MAX(y->p0, y->p1));
}

static void append(const Builder *b, NsPoint value, bool continues)
{
    NsPath *path = b->path;
    NsPoint point = {to_pixel(b->x, value.x), to_pixel(b->y, value.y)};
    if (continues) {
        const NsPoint *before = &g_array_index(path->points, NsPoint, path->points->len - 1);
        path->travel += fabs(seen(b->y, point.y) - seen(b->y, before->y));
    }
    g_array_append_val(path->points, point);
}

static void flush(Builder *b)
{
    Column *column = &b->column;
    if (!column->n) return;
    unsigned start = b->path->points->len;
    if (!b->joined) g_array_append_val(b->path->runs, start);
    append(b, column->first, b->joined);
    bool low_first = column->low_at < column->high_at;
    size_t times[2] = {column->low_at, column->high_at};
    NsPoint extremes[2] = {column->low, column->high};
    for (int i = 0; i < 2; i++) {
        int k = low_first ? i : 1 - i;
        if (times[k] > 0 && times[k] < column->n - 1) append(b, extremes[k], true);
    }
    if (column->n > 1) append(b, column->last, true);
    b->joined = true;
    column->n = 0;
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

/* The coordinate of an edge of the band, or of the curve if the edge has no place on the scale. */
static double edge(const NsScale *y, double value, double otherwise)
{
    double p = ns_scale_to_pixel(y, value);
    return isnan(p) ? otherwise : CLAMP(p, -FAR, FAR);
}

static void widen_band(const Builder *b, size_t i, double px, double py)
{
    NsPath *path = b->path;
    double lo = edge(b->y, b->series->lo[i], py), hi = edge(b->y, b->series->hi[i], py);
    NsBandColumn part = {px, MIN(lo, hi), MAX(lo, hi)};
    if (path->band->len) {
        NsBandColumn *last = &g_array_index(path->band, NsBandColumn, path->band->len - 1);
        if (floor(last->x / b->width) == floor(px / b->width)) {
            last->top = MIN(last->top, part.top);
            last->bottom = MAX(last->bottom, part.bottom);
            return;
        }
    }
    g_array_append_val(path->band, part);
}

size_t ns_series_bound(const NsSeries *series, double x)
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

/* Faster than floor() for values in the range of a long. */
static double floor_of(double value)
{
    double whole = (double)(long)value;
    return whole - (whole > value);
}

static void take(Builder *b, size_t i)
{
    static const NsBandColumn band_break = {.x = NAN};
    const NsSeries *series = b->series;
    if (!ns_scale_shows(b->x->kind, series->x[i])) return;
    double px = to_pixel(b->x, series->x[i]);
    NsPoint value = {series->x[i], series->y[i]};
    NsFault fault = ns_fault_of(b->y->kind, value.y);
    if (fault != NS_FAULT_KINDS) {
        flush(b);
        b->joined = false;
        if (b->path->band->len) g_array_append_val(b->path->band, band_break);
        mark_fault(b->path, fault, px, b->width);
        return;
    }
    double index = floor_of(px / b->width);
    Column *column = &b->column;
    if (column->n && index != column->index) flush(b);
    if (!column->n) *column = (Column){.index = index, .first = value, .low = value, .high = value};
    if (value.y < column->low.y) {
        column->low = value;
        column->low_at = column->n;
    }
    if (value.y > column->high.y) {
        column->high = value;
        column->high_at = column->n;
    }
    column->last = value;
    column->n++;
    if (series->lo && series->hi) widen_band(b, i, px, to_pixel(b->y, value.y));
}

/* A bound on x (just below the end of the column) up to which points are certainly in the current
 * column. */
static double column_end(const Builder *b, double index)
{
    if (b->x->p1 < b->x->p0) return -(double)INFINITY;
    double end = (index + 1) * b->width;
    return ns_scale_to_value(b->x, end - 1e-6 * b->width);
}

/* Adds the points from `first` on that are in the current column, with the same result as adding
 * them one by one, and returns the index of the next point. */
static size_t take_column(Builder *b, size_t first)
{
    const double *x = b->series->x, *y = b->series->y;
    Column *column = &b->column;
    double low = column->low.y, high = column->high.y;
    double before = MIN(column_end(b, column->index), b->x->hi);
    size_t i = first, low_at = i, high_at = i;
    for (; i < b->series->n && ns_scale_shows(b->y->kind, y[i]); i++) {
        if (!(x[i] < before)) {
            if (!(x[i] <= b->x->hi) || !ns_scale_shows(b->x->kind, x[i])) break;
            if (floor_of(to_pixel(b->x, x[i]) / b->width) != column->index) break;
        }
        low_at = y[i] < low ? i : low_at;
        low = y[i] < low ? y[i] : low;
        high_at = y[i] > high ? i : high_at;
        high = y[i] > high ? y[i] : high;
    }
    if (i == first) return first;
    if (low < column->low.y) {
        column->low = (NsPoint){x[low_at], low};
        column->low_at = column->n + low_at - first;
    }
    if (high > column->high.y) {
        column->high = (NsPoint){x[high_at], high};
        column->high_at = column->n + high_at - first;
    }
    column->last = (NsPoint){x[i - 1], y[i - 1]};
    column->n += i - first;
    return i;
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
    Builder b = {.path = path, .series = series, .x = x, .y = y, .width = column};
    bool plain = !(series->lo && series->hi);
    /* Includes one neighbor beyond either end, so that the curve crosses the edges. */
    size_t i = ns_series_bound(series, x->lo);
    i -= i > 0;
    for (bool ended = false; i < series->n && !ended; i++) {
        if (plain && b.column.n) i = take_column(&b, i);
        if (i == series->n) break;
        ended = series->x[i] > x->hi;
        take(&b, i);
    }
    flush(&b);
}

bool ns_path_is_noise(const NsPath *path, double height)
{
    return path->travel > NOISY * height;
}

void ns_path_clear(NsPath *path)
{
    g_clear_pointer(&path->points, g_array_unref);
    g_clear_pointer(&path->runs, g_array_unref);
    g_clear_pointer(&path->band, g_array_unref);
    g_clear_pointer(&path->faults, g_array_unref);
}

GArray *ns_path_shown_faults(const NsPath *path, double apart)
{
    GArray *shown = g_array_new(FALSE, FALSE, sizeof(NsFaultMark));
    double last[NS_FAULT_KINDS];
    for (int i = 0; i < NS_FAULT_KINDS; i++) last[i] = -INFINITY;
    for (unsigned i = 0; i < path->faults->len; i++) {
        NsFaultMark mark = g_array_index(path->faults, NsFaultMark, i);
        if (mark.x < last[mark.fault] + apart) continue;
        last[mark.fault] = mark.x;
        g_array_append_val(shown, mark);
    }
    return shown;
}
