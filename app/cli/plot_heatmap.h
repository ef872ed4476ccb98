/* Columns of a table as heatmaps.  SPDX-License-Identifier: MIT */
#pragma once

#include "app/cli/plot_sheet.h"

/* Adds a heatmap of the column --z for every value of --by, all with the same color scale. */
bool ns_plot_add_heatmaps(NsPlotSheet *sheet, GError **error);
