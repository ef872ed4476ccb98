/* Axes: from data to drawing coordinates, and the ticks between.  SPDX-License-Identifier: MIT
 *
 * A kind of scale is a row of functions in scale.c. */
#pragma once

#include "ui/plot/plot.h"

#include <glib.h>
#include <math.h>

typedef struct {
    NsScaleKind kind;
    bool integer;
    bool blank;               /* no value to go by: no ticks, nothing is shown on it */
    double lo, hi;            /* data at the two ends; lo < hi */
    double threshold;         /* of a symmetric logarithmic scale */
    double from, to;          /* the same where equal distances are drawn equally long */
    double p0, p1;            /* where the ends are drawn */
    const char *const *names; /* as of NsAxis */
    size_t n_names;
    bool counted;
} NsScale;

typedef struct {
    double value;
    char *label;  /* with _ and ^ as in NsPlot; NULL for a minor tick */
    bool covered; /* the label gives way to another one */
} NsTick;

/* Whether a value has a place on this kind of scale: finite, and positive on a logarithmic one. */
static inline bool ns_scale_shows(NsScaleKind kind, double value)
{
    return isfinite(value) && (kind != NS_SCALE_LOG || value > 0);
}

/* Sets the ends from the limits of the axis or, where it has none, from lo..hi of the data (lo > hi
 * for no data) with `padding` of the length added.  A padded end never crosses zero.  Data that
 * vary by less than a hundredth of their size get a wider range, in which they are flat.  p0, p1
 * are left. */
void ns_scale_fit(NsScale *scale, const NsAxis *axis, double lo, double hi, double padding);

/* Where equal distances are drawn equally long, and back: without the place on the page. */
double ns_scale_position(const NsScale *scale, double value);
double ns_scale_at(const NsScale *scale, double position);

/* NaN for a value that the scale does not show. */
double ns_scale_to_pixel(const NsScale *scale, double value);
double ns_scale_to_value(const NsScale *scale, double pixel);

/* An array of NsTick, ascending, with at most `most` labels (at least 2 are tried on any scale).
 * Labels are powers of ten on a logarithmic scale of two or more decades, round numbers else.  Free
 * with g_array_unref. */
GArray *ns_scale_ticks(const NsScale *scale, unsigned most);

/* How many ticks carry a label. */
unsigned ns_ticks_labeled(const GArray *ticks);

/* Takes the labels that are nearer than `apart` to the one before.  Where only one is left, the
 * scale of which nobody could tell, a logarithmic scale labels the tick furthest from it too,
 * unless that is much nearer. */
void ns_scale_part_labels(const NsScale *scale, GArray *ticks, double apart);

/* Whether so many ascending numbers come in equal steps or equal factors, but for rounding. */
bool ns_scale_is_even(const double *values, size_t n);
