/* The arithmetic of zooming and panning.  SPDX-License-Identifier: MIT
 *
 * All of it happens in drawing coordinates, where every kind of scale is straight: a new range is
 * what lies between two points of the axis as it is drawn now. */
#pragma once

#include "ui/plot/scale.h"

/* Limits of an axis.  An end that is NaN is left to the data. */
typedef struct {
    double lo, hi;
} NsRange;

#define NS_RANGE_FREE ((NsRange){NAN, NAN})

static inline bool ns_range_is_free(NsRange range)
{
    return isnan(range.lo) && isnan(range.hi);
}

/* Makes room for a value; the first of all is both ends. */
static inline void ns_range_widen(NsRange *range, double value)
{
    if (!isfinite(value)) return;
    range->lo = fmin(range->lo, value);
    range->hi = fmax(range->hi, value);
}

/* What lies between two points of the axis, which may lie beyond its ends, in either order.  Where
 * `whole` has both ends the range is moved to lie inside it, and is free if it would cover
 * it.  The present range where the new one would be too narrow to tell its values apart (on an axis
 * of whole numbers: to hold two of them), or too wide for a number. */
NsRange ns_zoom_between(const NsScale *scale, double from, double to, NsRange whole);

/* The point stays where it is, all else moves away from it (factor < 1) or towards it. */
NsRange ns_zoom_about(const NsScale *scale, double point, double factor, NsRange whole);

/* What is drawn moves by `by`; the ends of `whole` are as far as it goes. */
NsRange ns_zoom_pan(const NsScale *scale, double by, NsRange whole);
