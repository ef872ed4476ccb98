/* A quantity of one or several runs by row and step: cells of heatmaps.
 * SPDX-License-Identifier: MIT
 *
 * All runs share the columns, so that cells of the same column are of the same steps.  A column
 * holds `stride` steps, and the largest of what was measured in them; when more than so many
 * columns would be needed, they are joined in pairs.  A NaN stays one, so that a divergence cannot
 * hide in a column. */
#pragma once

#include "ui/figures/figure.h"
#include "ui/plot/zoom.h"

typedef struct {
    NsSource source;
    int64_t first;         /* its first step */
    int64_t next;          /* after the newest step that was read */
    size_t row, rows;      /* of the cells; rows 0: it does not have the quantity */
    NsRange all, positive; /* of its finite values; lo > hi where there are none */
} NsHeatmapRun;

typedef struct {
    NsQuantity quantity;
    NsHeatmapRun run[NS_LANES_MAX];
    unsigned n;
    float *z; /* [rows, room]; blank cells are -infinity */
    size_t rows, columns, room;
    int64_t start;   /* the step that the first column begins with */
    int64_t spacing; /* steps between two records, as a run begins; 0: nothing was read yet */
    int64_t stride;  /* steps in a column */
    NsValues values; /* [the most rows of a run] */
} NsHeatmapCells;

/* Brings the cells up to date; anew where a run or the quantity is another one.  TRUE if it
 * changed. */
bool ns_heatmap_cells_follow(NsHeatmapCells *cells, const NsFigureRun *runs, unsigned n,
                             NsQuantity quantity);
void ns_heatmap_cells_clear(NsHeatmapCells *cells);

/* What a reader must know of how steps were joined; NULL for nothing.  Free with g_free. */
char *ns_heatmap_cells_note(const NsHeatmapCells *cells);

/* The cells of all runs as a heatmap that borrows from the cells and, for more than one run, from
 * `panels` [n], of which names and styles are the caller's. */
NsHeatmap ns_heatmap_cells_map(const NsHeatmapCells *cells, NsHeatPanel *panels);

/* log_2 of run b over run a in every row that both have, at the steps that both have; *z holds it,
 * and is freed with g_free. */
NsHeatmap ns_heatmap_ratio(float **z, const NsHeatmapCells *cells, unsigned a, unsigned b);
