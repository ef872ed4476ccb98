/* One figure of several seeds.  SPDX-License-Identifier: MIT
 *
 * Runs that differ in their initial weights alone are drawn as one: every curve is their mean, and
 * the band around it one sample standard deviation to either side. */
#pragma once

#include "ui/plot/plot.h"

typedef struct NsMeanPlot NsMeanPlot;

/* The mean of n plots of one figure, at least one, which have curves: no heatmap, no bars, nothing
 * that draws itself.  Curves are matched by what they are and points by their x.  A curve that some
 * plots do not have is the mean of the others, and ends where the first of them does; a point that
 * is not finite in one of them is not finite.  Bands that the plots have become the mean of theirs;
 * theory, marks that no line joins, and a curve that is the same in all have none.  What is not a
 * curve is that of the first plot.  Subtitle and note say that it is a mean over so many `seeds`,
 * of which `diverged`, a sentence without its full stop or NULL, are not among the plots.  The
 * plots, and the data that they borrow, must outlive the result. */
NsMeanPlot *ns_mean_plot_new(const NsPlot *const *plots, size_t n, size_t seeds,
                             const char *diverged);
void ns_mean_plot_free(NsMeanPlot *mean);

/* Valid until it is freed. */
const NsPlot *ns_mean_plot(const NsMeanPlot *mean);
