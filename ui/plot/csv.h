/* The data of charts as comma-separated values.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/plot.h"

#include <glib.h>

/* Appends a field, in quotes where a table would take it apart without (RFC 4180). */
void ns_csv_add_field(GString *line, const char *text);

/* One table of every value of every plot, with all the digits that a number has:
 * figure,series,x,y,lo,hi; or figure,step,layer,value (by the names of the axes) where all plots
 * are heatmaps.  A heatmap among curves is one series a row.  The experiment (may be NULL) is one
 * more column, filled in the first row only: programs that read tables do not expect comments in
 * one.  Free with g_string_free. */
GString *ns_csv_write(const NsPlot *const *plots, size_t n, const char *experiment);
