/* SPDX-License-Identifier: MIT */
#include "ui/plot/next_reading.h"

#include "ui/plot/panels.h"
#include "ui/plot/path.h"

#include <glib.h>

/* More points than this jump to the first or last: points are visited one by one. */
#define FAR 1000

/* The index in 0 .. n - 1 of the cell that is `by` cells after the one with the value. */
static double cell(double value, double from, double size, size_t n, int64_t by)
{
    double last = (double)n - 1;
    double at = CLAMP(floor((value - from) / size), 0, last);
    return CLAMP(at + (double)by, 0, last);
}

static double next_column(const NsPlot *plot, const NsHeatmap *map, double from, int64_t by)
{
    if (!map->columns) return NAN;
    double size = (map->x1 - map->x0) / (double)map->columns;
    /* Starts with the newest column. */
    double start = isnan(from) ? map->x1 - size / 2 : from;
    if (isnan(from) && by >= -FAR) by = 0;
    double column = cell(start, map->x0, size, map->columns, by);
    return ns_cell_value(&plot->x, map->x0 + column * size, size);
}

double ns_plot_next_row(const NsPlot *plot, double from, int64_t by)
{
    const NsHeatmap *map = plot->heatmap;
    if (!map || !map->rows) return NAN;
    NsPanel panel = ns_panel(map, 0);
    double size = (panel.y1 - panel.y0) / (double)panel.rows;
    double middle = (panel.y0 + panel.y1) / 2;
    double row = cell(isnan(from) ? middle : from, panel.y0, size, panel.rows, by);
    return panel.y0 + (row + 0.5) * size;
}

/* The nearest x of any series before or after `from`, or NaN. */
static double neighbor(const NsPlot *plot, bool previous, double from, bool forwards)
{
    double best = NAN;
    for (size_t i = 0; i < plot->n_series; i++) {
        const NsSeries *series = &plot->series[i];
        if (series->hidden || series->previous != previous || !series->n) continue;
        size_t at = ns_series_bound(series, from);
        while (forwards && at < series->n && series->x[at] <= from) at++;
        if (forwards ? at == series->n : at == 0) continue;
        double x = series->x[forwards ? at : at - 1];
        if (isnan(best) || (forwards ? x < best : x > best)) best = x;
    }
    return best;
}

double ns_plot_next_x(const NsPlot *plot, double from, int64_t by)
{
    if (plot->heatmap) return next_column(plot, plot->heatmap, from, by);
    bool previous = isnan(neighbor(plot, false, INFINITY, false));
    double last = neighbor(plot, previous, INFINITY, false);
    if (isnan(last)) return NAN;
    if (by < -FAR) return neighbor(plot, previous, -INFINITY, true);
    if (by > FAR || isnan(from)) return last;
    for (; by != 0; by += by > 0 ? -1 : 1) {
        double next = neighbor(plot, previous, from, by > 0);
        if (isnan(next)) break;
        from = next;
    }
    return from;
}
