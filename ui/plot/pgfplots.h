/* A figure as TeX for the package pgfplots.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/plot_sheet.h"

/* A document of one page that can be edited by hand: axes, ticks and labels are at the positions of
 * the layout, curves are tables of numbers.  Curves and heatmaps that are too large for TeX are
 * reduced as on the screen, with all extremes, and a comment in the file says so.  Values that an
 * axis cannot show are omitted and counted below it.  Free with g_string_free. */
GString *ns_pgfplots_write(const NsPlotSheet *sheet);
