/* The arithmetic of zooming and panning.  SPDX-License-Identifier: MIT */
#include "ui/plot/zoom.h"

#include <float.h>

/* At a smaller relative distance the ends of an axis have no ticks between them. */
#define NARROWEST 1e-7

/* Minimum number of whole numbers in a zoomed range. */
#define LEAST_WHOLE 2

/* Beyond this, computations with the difference of the ends overflow. */
#define FURTHEST (DBL_MAX / 16)

static bool is_usable(const NsScale *scale, NsRange range)
{
    if (!ns_scale_shows(scale->kind, range.lo) || !ns_scale_shows(scale->kind, range.hi))
        return false;
    double size = MAX(fabs(range.lo), fabs(range.hi)), width = range.hi - range.lo;
    if (size > FURTHEST) return false;
    if (scale->integer && width < LEAST_WHOLE) return false;
    return width > MAX(NARROWEST * size, DBL_MIN * 1e9);
}

static NsRange present(const NsScale *scale)
{
    return (NsRange){scale->lo, scale->hi};
}

NsRange ns_zoom_between(const NsScale *scale, double from, double to, NsRange whole)
{
    if (scale->blank || !isfinite(from) || !isfinite(to)) return present(scale);
    bool upwards = scale->p1 > scale->p0; /* drawing coordinates grow with the values */
    if ((from > to) == upwards) {
        double swap = from;
        from = to;
        to = swap;
    }
    double least = ns_scale_to_pixel(scale, whole.lo), most = ns_scale_to_pixel(scale, whole.hi);
    if (isfinite(least) && isfinite(most)) {
        /* In the direction of the axis. */
        double sign = upwards ? 1 : -1, slack = 1e-6 * fabs(most - least);
        if (sign * (to - from) >= sign * (most - least) - slack) return NS_RANGE_FREE;
        double over = MAX(0, sign * (least - from)) - MAX(0, sign * (to - most));
        from += sign * over;
        to += sign * over;
    }
    NsRange range = {ns_scale_to_value(scale, from), ns_scale_to_value(scale, to)};
    return is_usable(scale, range) ? range : present(scale);
}

NsRange ns_zoom_about(const NsScale *scale, double point, double factor, NsRange whole)
{
    return ns_zoom_between(scale, point + (scale->p0 - point) * factor,
                           point + (scale->p1 - point) * factor, whole);
}

NsRange ns_zoom_pan(const NsScale *scale, double by, NsRange whole)
{
    return ns_zoom_between(scale, scale->p0 - by, scale->p1 - by, whole);
}
