/* Ends of an axis while its data still grow.  SPDX-License-Identifier: MIT
 *
 * A live axis must not jump: it widens at once, with room to spare, so that the next values rarely
 * widen it again, and shrinks slowly, and only where much of it is empty. */
#pragma once

#include "ui/plot/scale.h"

/* Zeroed nothing was shown yet: the next data decide alone. */
typedef struct {
    double lo, hi;     /* fixed limits for NsAxis, where lo < hi */
    bool shrinking[2]; /* the lower, the upper end is on its way to the data */
} NsLimits;

/* The ends after `seconds` (the time since the call before) with data from lo to hi on an axis of
 * that scale; the fixed limits of the axis, if it has any, are the caller's to keep.  lo > hi, for
 * no data, changes nothing.  TRUE if an end moved.  A pure function of its arguments. */
bool ns_limits_follow(NsLimits *limits, const NsAxis *axis, double lo, double hi, double seconds);

/* The upper end for steps that began at `first` and have come to `last` >= first: a round number
 * ahead of it by up to a third of the way, that stays the same for a long stretch. */
double ns_limits_ahead(double first, double last);

/* Whether the plot is of a run that may go on: its x axis, without limits, has room ahead. */
bool ns_plot_grows(const NsPlot *plot);

/* The live axes of a chart; zeroed they have shown nothing. */
typedef struct {
    NsLimits limits[2];   /* of the vertical axes, by side */
    NsScaleKind kinds[2]; /* the scales that they are for */
    uint64_t origin;      /* and the runs, as of NsPlot */
} NsLiveAxes;

/* Gives ends to the axes of a plot that have none of their own, that of the steps not beyond the
 * end of the runs; `seconds` is the time since the call before.  Files are made without, so that
 * their axes end where the data do. */
void ns_live_axes_set(NsLiveAxes *axes, NsPlot *plot, double seconds);
