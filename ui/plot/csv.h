/* The data of charts as comma-separated values.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/plot.h"

#include <glib.h>

/* Writes every value of every plot with full precision into one table.  Its columns are
 * figure,series,x,y,lo,hi; or figure,step,layer,value (with the names of the axes) if all plots are
 * heatmaps.  A heatmap among curves becomes one series for each row.  An experiment that is not
 * NULL adds a column that only the first row fills, since programs that read tables do not expect
 * comments.  Free with g_string_free. */
GString *ns_csv_write(const NsPlot *const *plots, size_t n, const char *experiment);
