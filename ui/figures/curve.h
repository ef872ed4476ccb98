/* A curve over steps that grows at its end.  SPDX-License-Identifier: MIT
 *
 * Up to NS_CURVE_POINTS points are kept as they are.  Beyond that, steps are grouped into buckets
 * of `stride`, and each bucket keeps these points, at the steps where they were measured: the
 * smallest, the largest, one that is not finite, and in the newest bucket the last.  No value is
 * interpolated. */
#pragma once

#include "ui/plot/plot.h"

#include <stddef.h>
#include <stdint.h>

#define NS_CURVE_POINTS ((size_t)50000)

typedef struct {
    double *x, *y;
    size_t n, capacity;
    int64_t stride; /* steps in a bucket; 0 and 1: every point is here */
    size_t open;    /* the first point of the newest bucket */
} NsCurve;

/* x: a step >= 0, not below the one before. */
void ns_curve_append(NsCurve *curve, double x, double y);

/* Sets the points of a series, which borrows them until the next append. */
void ns_curve_show(const NsCurve *curve, NsSeries *series);

/* Forgets the points; the zeroed struct is an empty curve too. */
void ns_curve_clear(NsCurve *curve);
