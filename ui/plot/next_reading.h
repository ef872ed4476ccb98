/* The next reading, for the keyboard.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/plot.h"

/* As far as it goes. */
#define NS_NEXT_FIRST INT64_MIN
#define NS_NEXT_LAST INT64_MAX

/* Returns the abscissa that is `by` points, or columns of a heatmap, further than `from` (back
 * where negative), or the last there is on the way.  From NaN it is the newest, but with
 * NS_NEXT_FIRST the first.  Points of all series count that are not hidden; those of previous runs
 * count where there is nothing else.  NaN without data. */
double ns_plot_next_x(const NsPlot *plot, double from, int64_t by);

/* Returns the middle of the row that is `by` rows above `from` on the left axis of a heatmap; from
 * NaN, of the row in the middle.  NaN without a heatmap. */
double ns_plot_next_row(const NsPlot *plot, double from, int64_t by);
