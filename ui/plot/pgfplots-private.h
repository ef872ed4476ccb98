/* Shared parts of the pgfplots writer.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/layout-private.h"

/* A value as a coordinate of its axis, or NaN if the scale cannot show it. pgfplots has no
 * symmetric logarithmic scale: on it, coordinates are shares of the axis, and only the tick labels
 * are values. */
double ns_pgf_coordinate(const NsScale *scale, double value);

/* The coordinate at a position on the page. */
double ns_pgf_coordinate_at(const NsScale *scale, double pixel);

/* The name of the color of a series.  Free with g_free. */
char *ns_pgf_color(const NsSeries *series);

/* Appends the options of a series: color, dash, mark. */
void ns_pgf_look(GString *out, const NsPlotLayout *layout, const NsSeries *series);

/* Append all series of one vertical axis, and the cells of the heatmap. */
void ns_pgf_series(GString *out, const NsPlotLayout *layout, NsAxisSide side);
void ns_pgf_cells(GString *out, const NsPlotLayout *layout);
