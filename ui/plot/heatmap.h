/* The heatmap of a layout and its color bar.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/layout.h"
#include "ui/plot/plot.h"

#include <cairo.h>

void ns_heatmap_draw(const NsPlotLayout *layout, cairo_t *cr);

/* Draws the color bar beside the heatmap. */
void ns_heatmap_draw_bar(const NsPlotLayout *layout, cairo_t *cr);

/* Heatmaps stacked in one plot, with shared columns and colors. A heatmap without panels is
 * treated as a single panel. With panels, the drawn left axis has one unit for each panel and
 * half of each gap beside it, the first one at the top; inside a panel the axis shows the panel's
 * own values. */

/* A panel and its position on the left axis. */
typedef struct {
    size_t row, rows; /* in the map */
    double lo, hi;    /* its position on the drawn axis */
    double y0, y1;    /* axis values at its lower and upper edge */
    const char *name; /* NULL if there is only one panel */
    unsigned style;   /* as in NsHeatPanel */
} NsPanel;

size_t ns_panels(const NsHeatmap *map); /* at least one */
NsPanel ns_panel(const NsHeatmap *map, size_t i);

/* The panel at a position of the drawn axis, or the nearest one. */
size_t ns_panel_at(const NsHeatmap *map, double drawn);

/* The panel that contains a row of the map. */
size_t ns_panel_of_row(const NsHeatmap *map, size_t row);

/* Conversion between the axis values of a panel and positions on the drawn axis. */
double ns_panel_to_axis(const NsPanel *panel, double value);
double ns_panel_to_value(const NsPanel *panel, double drawn);

/* The axis value in the middle of a row of the map. */
double ns_panel_row_value(const NsHeatmap *map, size_t row);

/* The position of an axis value on the drawn axis, in the first panel that contains it, or else in
 * the first panel. */
double ns_panels_to_axis(const NsHeatmap *map, double value);
