/* A curve over steps to which points are appended.  SPDX-License-Identifier: MIT
 *
 * Up to NS_CURVE_POINTS points are stored unchanged.  Beyond that, steps are grouped into buckets
 * of `stride`, and of each bucket these points remain, at the steps where they were measured: the
 * smallest, the largest, the first non-finite one, and in the newest bucket the last.  No value is
 * interpolated. */
#pragma once

#include "ui/plot/plot.h"

#include <stddef.h>
#include <stdint.h>

#define NS_CURVE_POINTS ((size_t)50000)

typedef struct {
    double *x, *y;
    size_t n, capacity;
    int64_t stride; /* steps per bucket; 0 or 1: all points are stored */
    size_t open;    /* index of the first point of the newest bucket */
} NsCurve;

/* x: a step >= 0 and >= the previous one. */
void ns_curve_append(NsCurve *curve, double x, double y);

/* Sets the points of a series, which borrows them until the next append. */
void ns_curve_show(const NsCurve *curve, NsSeries *series);

/* Frees the points; the curve is then empty, as is a zeroed struct. */
void ns_curve_clear(NsCurve *curve);
