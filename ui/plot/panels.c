/* SPDX-License-Identifier: MIT */
#include "ui/plot/panels.h"

#include <glib.h>

size_t ns_panels(const NsHeatmap *map)
{
    return MAX(map->n_panels, 1);
}

NsPanel ns_panel(const NsHeatmap *map, size_t i)
{
    if (!map->n_panels)
        return (NsPanel){
            .rows = map->rows, .lo = map->y0, .hi = map->y1, .y0 = map->y0, .y1 = map->y1};
    const NsHeatPanel *panel = &map->panels[i];
    double above = (double)(map->n_panels - i);
    return (NsPanel){.row = panel->row,
                     .rows = panel->rows,
                     .lo = above - 1,
                     .hi = above,
                     .y0 = panel->y0,
                     .y1 = panel->y0 + (double)panel->rows,
                     .name = panel->name,
                     .style = panel->style};
}

size_t ns_panel_at(const NsHeatmap *map, double drawn)
{
    if (!map->n_panels) return 0;
    double last = (double)map->n_panels - 1;
    return (size_t)CLAMP(last - floor(drawn), 0, last);
}

size_t ns_panel_of_row(const NsHeatmap *map, size_t row)
{
    for (size_t i = 0; i < map->n_panels; i++)
        if (row >= map->panels[i].row && row < map->panels[i].row + map->panels[i].rows) return i;
    return 0;
}

double ns_panel_to_axis(const NsPanel *panel, double value)
{
    return panel->lo + (value - panel->y0) / (panel->y1 - panel->y0) * (panel->hi - panel->lo);
}

double ns_panel_to_value(const NsPanel *panel, double drawn)
{
    return panel->y0 + (drawn - panel->lo) / (panel->hi - panel->lo) * (panel->y1 - panel->y0);
}

double ns_panel_row_value(const NsHeatmap *map, size_t row)
{
    NsPanel panel = ns_panel(map, ns_panel_of_row(map, row));
    double height = (panel.y1 - panel.y0) / (double)panel.rows;
    return panel.y0 + ((double)(row - panel.row) + 0.5) * height;
}

double ns_panels_to_axis(const NsHeatmap *map, double value)
{
    for (size_t i = 0; i < ns_panels(map); i++) {
        NsPanel panel = ns_panel(map, i);
        if (value >= panel.y0 && value <= panel.y1) return ns_panel_to_axis(&panel, value);
    }
    NsPanel first = ns_panel(map, 0);
    return ns_panel_to_axis(&first, value);
}
