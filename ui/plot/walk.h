/* From one reading to the next, for the keyboard.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/plot.h"

/* As far as it goes. */
#define NS_WALK_FIRST INT64_MIN
#define NS_WALK_LAST INT64_MAX

/* The abscissa so many points, or columns of a heatmap, further than `from` (back where negative),
 * or the last there is on the way.  From NaN the newest, but with NS_WALK_FIRST the first.  Points
 * of all series count that are not hidden; previous ones count where there is nothing else.  NaN
 * without data. */
double ns_plot_walk(const NsPlot *plot, double from, int64_t by);

/* The middle of the row so many rows above `from` on the left axis of a heatmap; from NaN, of the
 * row in the middle.  NaN without a heatmap. */
double ns_plot_walk_rows(const NsPlot *plot, double from, int64_t by);
