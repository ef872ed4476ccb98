/* What the writer of pgfplots is made of.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/layout-private.h"

/* A value as a coordinate of its axis; NaN where it has no place.  On a symmetric logarithmic
 * scale, which pgfplots does not have, coordinates are shares of the axis, and only the ticks tell
 * the values. */
double ns_pgf_coordinate(const NsScale *scale, double value);

/* The coordinate at a place on the page. */
double ns_pgf_coordinate_at(const NsScale *scale, double pixel);

/* The name of a series' color.  Free with g_free. */
char *ns_pgf_color(const NsSeries *series);

/* The options of a series: color, dash, mark. */
void ns_pgf_look(GString *out, const NsPlotLayout *layout, const NsSeries *series);

/* All series of one vertical axis, and the cells of the heatmap. */
void ns_pgf_series(GString *out, const NsPlotLayout *layout, NsAxisSide side);
void ns_pgf_cells(GString *out, const NsPlotLayout *layout);
