/* The arithmetic of zooming and panning.  SPDX-License-Identifier: MIT
 *
 * It uses drawing coordinates, in which every kind of scale is linear: a new range is the interval
 * between two points of the axis as drawn now. */
#pragma once

#include "ui/plot/scale.h"

/* Limits of an axis.  NaN: from the data. */
typedef struct {
    double lo, hi;
} NsRange;

#define NS_RANGE_FREE ((NsRange){NAN, NAN})

static inline bool ns_range_is_free(NsRange range)
{
    return isnan(range.lo) && isnan(range.hi);
}

/* Extends a range to include a value; the first value becomes both ends. */
static inline void ns_range_widen(NsRange *range, double value)
{
    if (!isfinite(value)) return;
    range->lo = fmin(range->lo, value);
    range->hi = fmax(range->hi, value);
}

/* The range between two points of the axis, in any order, which may be beyond its ends.  If `whole`
 * has both ends, the result is moved inside it, or free if it would cover it.  Returns the current
 * range if the result would be too narrow to distinguish its values (or to contain two whole
 * numbers on an axis of these), or too wide to compute. */
NsRange ns_zoom_between(const NsScale *scale, double from, double to, NsRange whole);

/* Zooms about a point, which stays in place.  The visible range shrinks for factor < 1. */
NsRange ns_zoom_about(const NsScale *scale, double point, double factor, NsRange whole);

/* Pans the drawing by `by`, but not beyond `whole`. */
NsRange ns_zoom_pan(const NsScale *scale, double by, NsRange whole);
