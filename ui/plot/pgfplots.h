/* A figure as TeX, for the package pgfplots.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/plot_sheet.h"

/* A document of one page, made to be changed by hand: axes, ticks and labels stand where the layout
 * puts them, curves are tables of numbers.  Curves and heatmaps that TeX could not hold are reduced
 * as they are on the screen, with every extreme kept, and a comment says so.  Values without a
 * place on an axis are left out and counted below it. Free with
 * g_string_free. */
GString *ns_pgfplots_write(const NsPlotSheet *sheet);
