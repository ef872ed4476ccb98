/* Extremes and counts over every value of a plot.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/cells.h"
#include "ui/plot/path.h"

typedef struct {
    double x_lo, x_hi;                 /* lo > hi: no value */
    double lo[2], hi[2];               /* by NsAxisSide */
    double theory_lo[2], theory_hi[2]; /* of computed series */
    bool theory_beyond;                /* some of theory is outside of the axis */
    size_t faults[NS_FAULT_KINDS];     /* in series */
    bool negative;                     /* some value of series or cells is below 0 */
    size_t bad_cells, unshown_cells;   /* of the heatmap: not finite; not positive on a log scale */
    double z_lo, z_hi;                 /* of the heatmap */
    bool right, points;                /* some series has the right axis; some series has marks */
    bool any;                          /* there is something to draw, even if it is hidden */
    size_t groups;                     /* number of series of bars side by side */
    double bar_width;                  /* space for one group of bars, in units of x */
} NsDataSummary;

/* A plot that draws itself has no values here, but `any` is true. */
NsDataSummary ns_data_summary(const NsPlot *plot);

/* A sentence about the values that the chart cannot show, followed by the plot's own note; NULL if
 * there are neither.  Free with g_free. */
char *ns_data_summary_note(const NsPlot *plot, const NsDataSummary *summary);

/* A brief explanation of the marks, or NULL if there are none.  Free with g_free. */
char *ns_data_summary_marks(const NsPlot *plot, const NsDataSummary *summary);
