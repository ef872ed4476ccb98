/* A quantity of one or several runs by row and step: the cells of heatmaps.
 * SPDX-License-Identifier: MIT
 *
 * All runs share the columns, so that cells of one column belong to the same steps.  A column
 * covers `stride` steps and shows the largest of their values; when more than a fixed number of
 * columns would be needed, they are joined in pairs.  NaN is preserved, so that a divergence cannot
 * disappear when columns are joined. */
#pragma once

#include "ui/figures/figure.h"
#include "ui/plot/scale.h"

typedef struct {
    NsSource source;
    int64_t first;         /* first step of the run */
    int64_t next;          /* one after the newest step read */
    size_t row, rows;      /* first row of the run in the cells, and its number of rows (0 if it
                            * does not have the quantity) */
    NsRange all, positive; /* ranges of its finite values; lo > hi if there are none */
} NsHeatmapRun;

typedef struct {
    NsQuantity quantity;
    NsHeatmapRun run[NS_LANES_MAX];
    unsigned n;
    float *z; /* [rows, room]; cells without a value are -infinity */
    size_t rows, columns, room;
    int64_t start;   /* first step of the first column */
    int64_t spacing; /* steps between the first two records; 0: nothing was read yet */
    int64_t stride;  /* steps per column */
    NsValues values; /* [largest number of rows of a run] */
} NsHeatmapCells;

/* Updates the cells; starts again if a run or the quantity changed.  TRUE if anything changed. */
bool ns_heatmap_cells_follow(NsHeatmapCells *cells, const NsFigureRun *runs, unsigned n,
                             NsQuantity quantity);
void ns_heatmap_cells_clear(NsHeatmapCells *cells);

/* A sentence that explains how steps were joined; NULL if nothing needs explaining.  Free with
 * g_free. */
char *ns_heatmap_cells_note(const NsHeatmapCells *cells);

/* The cells of all runs as a heatmap that borrows from the cells and, if there are several runs,
 * from `panels` [n]; the caller sets the names and styles of the panels. */
NsHeatmap ns_heatmap_cells_map(const NsHeatmapCells *cells, NsHeatPanel *panels);

/* log_2 of the ratio of run b to run a, for the rows and steps that both have.  *z is reallocated
 * to store it; free it with g_free. */
NsHeatmap ns_heatmap_ratio(float **z, const NsHeatmapCells *cells, unsigned a, unsigned b);
