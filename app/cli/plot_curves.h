/* Columns of a table as curves, with bands and fits.  SPDX-License-Identifier: MIT */
#pragma once

#include "app/cli/plot_sheet.h"

/* Adds a chart of the columns "a,b" to the sheet and prints fitted slopes on stdout. */
bool ns_plot_add_curves(NsPlotSheet *sheet, const char *words, GError **error);
