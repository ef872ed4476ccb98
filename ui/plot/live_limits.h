/* Limits of an axis while its data grow.  SPDX-License-Identifier: MIT
 *
 * A live axis must not jump.  It widens at once and with some padding, so that the next values
 * rarely widen it again.  It shrinks slowly, and only if a large part of it is empty. */
#pragma once

#include "ui/plot/scale.h"

/* The fewest steps that an axis of steps shows. */
#define NS_FIRST_STEPS 50

/* Zero-initialize it to fit the first data. */
typedef struct {
    double lo, hi;     /* fixed limits for NsAxis if lo < hi */
    bool shrinking[2]; /* whether the lower and the upper limit are shrinking towards the data */
} NsLimits;

/* Updates the limits for data from lo to hi, `seconds` after the previous call.  Only the scale of
 * the axis is used: the caller applies its fixed limits.  Does nothing if lo > hi (no data).
 * Depends only on its arguments. */
void ns_limits_follow(NsLimits *limits, const NsAxis *axis, double lo, double hi, double seconds);

/* The upper limit for steps from `first` to `last` >= first: a round number, up to a third of the
 * range beyond `last`, that rarely changes. */
double ns_limits_ahead(double first, double last);

/* The same for a plot; a run that has hardly begun is not drawn across the whole chart. */
double ns_plot_ahead(const NsPlot *plot, double first, double last);

/* Returns whether the plot shows a run that may continue, so that an x axis without limits has free
 * space at the right. */
bool ns_plot_grows(const NsPlot *plot);

/* The live axes of a chart.  Zero-initialize it before the first plot. */
typedef struct {
    NsLimits limits;  /* of the vertical axis */
    NsScaleKind kind; /* the scale to which the limits belong */
    uint64_t origin;  /* runs to which they belong, as in NsPlot */
} NsLiveAxes;

/* Sets the axis limits that a plot leaves free, with steps not beyond the end of the runs.
 * `seconds` is the time since the previous call.  Not used for files, whose axes end with the
 * data. */
void ns_live_axes_set(NsLiveAxes *axes, NsPlot *plot, double seconds);
