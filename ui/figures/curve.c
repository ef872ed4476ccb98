/* SPDX-License-Identifier: MIT */
#include "ui/figures/curve.h"

#include <glib.h>
#include <math.h>

/* The maximum number of points of one bucket. */
#define BUCKET_POINTS 4

static int64_t bucket_of(const NsCurve *curve, size_t i)
{
    return (int64_t)curve->x[i] / curve->stride;
}

/* Thins the points first..end - 1, which are one bucket: copies those that remain to index `out`
 * (<= first) and returns the index after the last. */
static size_t reduce(NsCurve *curve, size_t out, size_t first, size_t end, bool newest)
{
    size_t least = end, most = end, gap = end;
    for (size_t i = first; i < end; i++) {
        double y = curve->y[i];
        if (!isfinite(y)) {
            if (gap == end) gap = i;
        } else {
            if (least == end || y < curve->y[least]) least = i;
            if (most == end || y > curve->y[most]) most = i;
        }
    }
    for (size_t i = first; i < end; i++) {
        if (i != least && i != most && i != gap && !(newest && i == end - 1)) continue;
        curve->x[out] = curve->x[i];
        curve->y[out++] = curve->y[i];
    }
    return out;
}

void ns_curve_append(NsCurve *curve, double x, double y)
{
    if (curve->n == curve->capacity) {
        curve->capacity = curve->capacity ? 2 * curve->capacity : 256;
        curve->x = g_renew(double, curve->x, curve->capacity);
        curve->y = g_renew(double, curve->y, curve->capacity);
    }
    curve->x[curve->n] = x;
    curve->y[curve->n++] = y;
    if (curve->stride > 1) {
        size_t last = curve->n - 1;
        if (bucket_of(curve, last) != bucket_of(curve, curve->open)) {
            size_t open = reduce(curve, curve->open, curve->open, last, false);
            curve->x[open] = x;
            curve->y[open] = y;
            curve->open = open;
            curve->n = open + 1;
        } else if (curve->n - curve->open > BUCKET_POINTS)
            curve->n = reduce(curve, curve->open, curve->open, curve->n, true);
    }
    if (curve->n <= NS_CURVE_POINTS) return;
    while (curve->n > NS_CURVE_POINTS / 2) {
        /* A bucket of two steps may still have two points, so the first stride is four. */
        curve->stride = curve->stride > 1 ? 2 * curve->stride : 4;
        size_t out = 0;
        for (size_t first = 0, end; first < curve->n; first = end) {
            int64_t bucket = bucket_of(curve, first);
            for (end = first + 1; end < curve->n && bucket_of(curve, end) == bucket;) end++;
            curve->open = out;
            out = reduce(curve, out, first, end, end == curve->n);
        }
        curve->n = out;
    }
}

void ns_curve_show(const NsCurve *curve, NsSeries *series)
{
    series->n = curve->n;
    series->x = curve->x;
    series->y = curve->y;
    series->grows = true;
}

void ns_curve_clear(NsCurve *curve)
{
    g_free(curve->x);
    g_free(curve->y);
    *curve = (NsCurve){0};
}
