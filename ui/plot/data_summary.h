/* What a look at every value of a plot tells.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/cells.h"
#include "ui/plot/path.h"

typedef struct {
    double x_lo, x_hi;                 /* lo > hi: nothing */
    double lo[2], hi[2];               /* by NsAxisSide */
    double theory_lo[2], theory_hi[2]; /* of what is computed */
    bool theory_beyond;                /* some of that has no room on the axis */
    size_t faults[NS_FAULT_KINDS];     /* of series */
    bool negative;                     /* some of series or cells are below 0 */
    size_t bad_cells, unshown_cells;   /* of the heatmap: not finite; not positive on a log scale */
    double z_lo, z_hi;                 /* of the heatmap */
    bool right, points;                /* a series on the right axis; one with marks */
    bool any;                          /* there is something to draw, hidden or not */
    size_t groups;                     /* series of bars side by side */
    double bar_width;                  /* of the room for one group, in units of x */
} NsDataSummary;

/* A plot that draws itself has no values here, but something to draw. */
NsDataSummary ns_data_summary(const NsPlot *plot);

/* What the reader must be told about values that are not on the chart, before the plot's own note;
 * NULL if there is nothing.  Free with g_free. */
char *ns_data_summary_note(const NsPlot *plot, const NsDataSummary *summary);

/* What the marks mean, as briefly as it can be said; NULL if there are none.  Free with g_free. */
char *ns_data_summary_marks(const NsPlot *plot, const NsDataSummary *summary);
