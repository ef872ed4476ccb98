/* The next reading for navigation by keyboard.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/plot.h"

/* Jump to the first or last reading. */
#define NS_NEXT_FIRST INT64_MIN
#define NS_NEXT_LAST INT64_MAX

/* Returns the x that is `by` points (or columns of a heatmap) after `from`, or before if `by` is
 * negative, limited to the first and last.  If `from` is NaN, returns the newest x, or with
 * NS_NEXT_FIRST the first.  Considers all series that are not hidden, and previous runs only if
 * there are no others.  NaN without data. */
double ns_plot_next_x(const NsPlot *plot, double from, int64_t by);

/* Returns the middle of the row that is `by` rows above `from` on the left axis of a heatmap.  If
 * `from` is NaN, starts from the middle row.  NaN without a heatmap. */
double ns_plot_next_row(const NsPlot *plot, double from, int64_t by);
