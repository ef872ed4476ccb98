/* One key for heatmaps of a sheet that share their colors.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/layout.h"

/* The plots of a sheet, `columns` side by side, and where they stand. */
typedef struct {
    NsPlot *plots;    /* [n] */
    NsBox *cells;     /* [n] */
    NsMargins *least; /* [n] */
    size_t n, columns;
} NsKeyedSheet;

/* Heatmaps that follow one another, fill whole rows and say the same by a color get one key, as
 * high as all of them, at their right end. */
void ns_share_keys(const NsKeyedSheet *sheet, const NsStyle *style);
