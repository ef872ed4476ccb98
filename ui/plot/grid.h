/* Small multiples: plots side by side whose areas are of one size and stand in line.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/layout.h"

typedef struct {
    const char *title; /* over all, or NULL */
    const NsPlot *const *plots;
    size_t n, columns;
    bool share_x, share_y; /* one range for all; only the lowest and the leftmost tell it */
    bool share_colors;     /* one range of colors for all heatmaps */
    bool one_legend;       /* one for all: every label once, as in the first plot that has it */
} NsPlotGrid;

typedef struct NsGridLayout NsGridLayout;

/* Plots and style are borrowed until the layout is freed.  Never fails. */
NsGridLayout *ns_grid_layout(const NsPlotGrid *grid, double width, double height,
                             const NsStyle *style);
void ns_grid_layout_free(NsGridLayout *layout);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsGridLayout, ns_grid_layout_free)

/* Draws at the origin of the context. */
void ns_grid_draw(const NsGridLayout *layout, cairo_t *cr);

/* The layout of plot i and its place on the page: what it tells is from the corner of that. */
const NsPlotLayout *ns_grid_cell(const NsGridLayout *layout, size_t i, NsBox *place);
