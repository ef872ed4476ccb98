/* Figures of several seeds.  SPDX-License-Identifier: MIT
 *
 * Runs that differ only in their initial weights are drawn as one: every curve is their mean, and
 * the band around it extends one sample standard deviation to either side.  On a logarithmic axis
 * both are those of the logarithms (a geometric mean), since one seed whose norm is a thousand
 * times that of the others would decide an arithmetic mean. */
#pragma once

#include "ui/plot/plot.h"

#include <glib.h>

typedef struct {
    NsPlot plot; /* the mean */

    /* Only for mean.c: */
    NsPlot lower;
    GPtrArray *owned; /* series, their columns and words */
    bool band;        /* some curve has a band */
    bool cut;         /* some band of positive values would reach 0 and is cut off at the smallest
                       * value */
} NsMeanPlot;

/* The mean of n >= 1 plots of one figure, which consist of curves: no heatmap, no bars, no custom
 * drawing.  Curves are matched by style and label, and points by their x.  A curve that some plots
 * lack is the mean over the others.  It ends at the last x that all have; a point that is not
 * finite in one plot is not finite in the mean.  Existing bands are averaged; theory, scatter marks
 * and a curve that is equal in all plots have no band.  Everything else is taken from the first
 * plot.  Subtitle and note state the number of `seeds`, and `diverged` (a sentence without a full
 * stop, or NULL) if some are not among the plots.  The plots, and the data that they borrow, must
 * outlive the result. */
NsMeanPlot *ns_mean_plot_new(const NsPlot *const *plots, size_t n, size_t seeds,
                             const char *diverged);
void ns_mean_plot_free(NsMeanPlot *mean);
