/* Heatmaps above one another that share their columns and colors.  SPDX-License-Identifier: MIT
 *
 * A heatmap without panels is a single one.  The left axis of a map with panels is drawn from 0 to
 * their number, one unit a panel, the first one uppermost; what it says inside a panel is the
 * panel's own. */
#pragma once

#include "ui/plot/plot.h"

/* A panel as it stands on the left axis. */
typedef struct {
    size_t row, rows; /* of the map */
    double lo, hi;    /* where it is on the drawn axis */
    double y0, y1;    /* what the axis says at its lower and its upper edge */
    const char *name; /* NULL of a single one */
    unsigned style;   /* as NsHeatPanel */
} NsPanel;

size_t ns_panels(const NsHeatmap *map); /* at least one */
NsPanel ns_panel(const NsHeatmap *map, size_t i);

/* The panel at a place of the drawn axis; the nearest where there is none. */
size_t ns_panel_at(const NsHeatmap *map, double drawn);

/* The panel that has a row of the map. */
size_t ns_panel_of_row(const NsHeatmap *map, size_t row);

/* From what the axis says in a panel to the drawn axis, and back. */
double ns_panel_to_axis(const NsPanel *panel, double value);
double ns_panel_to_value(const NsPanel *panel, double drawn);

/* The middle of a row of the map as the axis says it. */
double ns_panel_row_value(const NsHeatmap *map, size_t row);

/* The first panel in which the axis says that value, or the first; where it is drawn. */
double ns_panels_to_axis(const NsHeatmap *map, double value);
