/* The data of charts as comma-separated values.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/plot.h"

#include <glib.h>

/* Appends a field, in quotes if it contains a separator, a quote or a line break (RFC 4180).  A
 * text that a spreadsheet would run as a formula, because it begins with = + - @ tab or CR and is
 * not a number, gets a ' before it, as OWASP advises. */
void ns_csv_add_field(GString *line, const char *text);

/* Writes every value of every plot with full precision into one table.  Its columns are
 * figure,series,x,y,lo,hi; or figure,step,layer,value (with the names of the axes) if all plots are
 * heatmaps.  A heatmap among curves becomes one series for each row.  An experiment that is not
 * NULL adds a column that only the first row fills, since programs that read tables do not expect
 * comments.  Free with g_string_free. */
GString *ns_csv_write(const NsPlot *const *plots, size_t n, const char *experiment);
