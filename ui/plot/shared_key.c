/* SPDX-License-Identifier: MIT */
#include "ui/plot/shared_key.h"

#include <string.h>

/* The margins and the area that a plot has in a cell, with or without its key. */
static NsMargins margins_of(const NsKeyedSheet *sheet, size_t i, bool key, const NsStyle *style)
{
    const NsBox *cell = &sheet->cells[i];
    NsPlot plot = sheet->plots[i];
    NsHeatmap map = *plot.heatmap;
    map.square = false; /* the room that a matrix leaves on either side is no margin */
    plot.heatmap = &map;
    plot.right.quiet = !key;
    g_autoptr(NsPlotLayout) layout =
        ns_plot_layout_within(&plot, cell->width, cell->height, style, &sheet->least[i]);
    return ns_layout_margins(layout);
}

/* How far down the sheet its area ends. */
static double foot_of(const NsKeyedSheet *sheet, size_t i, const NsStyle *style)
{
    const NsBox *cell = &sheet->cells[i];
    g_autoptr(NsPlotLayout) layout =
        ns_plot_layout_within(&sheet->plots[i], cell->width, cell->height, style, &sheet->least[i]);
    NsBox area = ns_plot_area(layout);
    return cell->y + area.y + area.height;
}

/* Whether the ends of its colors are fixed, and not found in its own cells. */
static bool has_fixed_colors(const NsPlot *plot)
{
    const NsHeatmap *map = plot->heatmap;
    return map && map->rows && map->columns && map->lo < map->hi && !plot->right.quiet;
}

static bool same_colors(const NsPlot *a, const NsPlot *b)
{
    const NsHeatmap *one = a->heatmap, *other = b->heatmap;
    return has_fixed_colors(a) && has_fixed_colors(b) && one->lo == other->lo &&
           one->hi == other->hi && one->log == other->log && one->colors == other->colors &&
           g_strcmp0(one->label, other->label) == 0;
}

/* The plots from `first` to before `end` have one key, beside the last one of the first row. */
static void share(const NsKeyedSheet *sheet, size_t first, size_t end, const NsStyle *style)
{
    size_t columns = MIN(sheet->columns, end - first), bearer = first + columns - 1;
    double key = margins_of(sheet, bearer, true, style).right -
                 margins_of(sheet, bearer, false, style).right;
    double share = key / (double)sheet->columns;
    for (size_t i = first; i < end; i++) {
        size_t column = (i - first) % sheet->columns;
        sheet->cells[i].x -= (double)column * share;
        sheet->cells[i].width -= share;
        if (i == bearer) sheet->cells[i].width += key;
        sheet->plots[i].right.quiet = i != bearer;
    }
    double reach = foot_of(sheet, end - 1, style) - foot_of(sheet, bearer, style);
    sheet->plots[bearer].key_reach = MAX(reach, 0);
}

void ns_share_keys(const NsKeyedSheet *sheet, const NsStyle *style)
{
    for (size_t first = 0; first < sheet->n; first += sheet->columns) {
        size_t end = first + 1;
        while (end < sheet->n && same_colors(&sheet->plots[first], &sheet->plots[end])) end++;
        if (end < sheet->n) end -= (end - first) % sheet->columns;
        if (end < first + 2) continue;
        share(sheet, first, end, style);
        first = end - 1 - (end - 1 - first) % sheet->columns; /* the beginning of the last row */
    }
}
