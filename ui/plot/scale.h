/* Axes: from data to drawing coordinates, and ticks.  SPDX-License-Identifier: MIT
 *
 * Each kind of scale is a row of a table of functions in scale.c. */
#pragma once

#include "ui/plot/plot.h"

#include <glib.h>
#include <math.h>

typedef struct {
    NsScaleKind kind;
    bool integer;
    bool blank;               /* without data: no ticks, and no values are shown */
    double lo, hi;            /* values at the two ends; lo < hi */
    double threshold;         /* of a symmetric logarithmic scale */
    double from, to;          /* lo and hi as axis positions, which are linear on the page */
    double p0, p1;            /* drawing coordinates of the ends */
    const char *const *names; /* as in NsAxis */
    size_t n_names;
    bool counted;
    size_t stride; /* of counted names: 1 labels each with its name, n every n-th with its number;
                    * 0: as many names as fit */
} NsScale;

typedef struct {
    double value;
    char *label;  /* with _ and ^ as in NsPlot; NULL for a minor tick */
    bool covered; /* the label is hidden by another one */
} NsTick;

/* Returns whether this kind of scale can show a value: finite, and positive on a logarithmic
 * scale. */
static inline bool ns_scale_shows(NsScaleKind kind, double value)
{
    return isfinite(value) && (kind != NS_SCALE_LOG || value > 0);
}

/* Widens the range of nearly equal positive values, so that on a logarithmic scale they look so
 * instead of filling it with noise.  Returns whether it did. */
bool ns_scale_separate(double *lo, double *hi);

/* Sets the ends to the limits of the axis, or else to the range lo..hi of the data (lo > hi: no
 * data) plus `padding`, a share of its length, at each end.  A padded end never crosses zero.  Data
 * whose range is less than a hundredth of their magnitude get a wider range, in which they look
 * flat.  Does not change p0 and p1. */
void ns_scale_fit(NsScale *scale, const NsAxis *axis, double lo, double hi, double padding);

/* Conversion between values and axis positions, which are linear on the page. */
double ns_scale_position(const NsScale *scale, double value);
double ns_scale_at(const NsScale *scale, double position);

/* Conversion to drawing coordinates (NaN if the scale cannot show the value), and back. */
double ns_scale_to_pixel(const NsScale *scale, double value);
double ns_scale_to_value(const NsScale *scale, double pixel);

/* An ascending array of NsTick with at most `most` labels (a minimum of 2 on a numeric scale).
 * Labels are powers of ten on a logarithmic scale of two or more decades, otherwise round numbers.
 * Free with g_array_unref. */
GArray *ns_scale_ticks(const NsScale *scale, unsigned most);

/* The number of ticks with a label. */
unsigned ns_ticks_labeled(const GArray *ticks);

/* Removes labels that are nearer than `apart` to the previous one, or on a logarithmic scale to a
 * power of ten.  If only one is left there, which would not define the scale, the tick furthest
 * from it gets a label too, unless it is much nearer than `apart`. */
void ns_scale_part_labels(const NsScale *scale, GArray *ticks, double apart);

/* Ticks as above.  Where fewer than three labels are `apart` at a step that gives at most `most`,
 * a finer one is tried, of which some labels are left out.  Free with g_array_unref. */
GArray *ns_scale_ticks_apart(const NsScale *scale, unsigned most, double apart);

/* Returns whether ascending numbers have equal differences or equal ratios, up to rounding. */
bool ns_scale_is_even(const double *values, size_t n);

/* The arithmetic of zooming and panning. It uses drawing coordinates, in which every kind of
 * scale is linear: a new range is the interval between two points of the axis as drawn now. */

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
