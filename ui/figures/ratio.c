/* SPDX-License-Identifier: MIT */
#include "ui/figures/figure.h"

#include <math.h>

/* Both runs are read as heatmaps by figures of their own; the ratio has the wider columns of the
 * two, over the steps that both have. */
typedef struct {
    NsFigure figure;
    NsFigure *this_run, *other_run;
    uint64_t seen[2]; /* versions of their plots */
    NsHeatmap map;
    float *z;
} Ratio;

static double column_width(const NsHeatmap *map)
{
    return (map->x1 - map->x0) / (double)map->columns;
}

/* The largest value of a row between two abscissae; blank without one. */
static double largest(const NsHeatmap *map, size_t row, double from, double to)
{
    double width = column_width(map), most = -INFINITY;
    double first = floor((from - map->x0) / width + 1e-6), last = (to - map->x0) / width - 1e-6;
    for (double c = MAX(first, 0); c < last && c < (double)map->columns; c++) {
        double value = (double)ns_heatmap_row(map, row)[(size_t)c];
        if (isnan(value)) return NAN;
        most = MAX(most, value);
    }
    return most;
}

static void divide(Ratio *ratio, const NsHeatmap *a, const NsHeatmap *b)
{
    const NsHeatmap *wide = column_width(a) >= column_width(b) ? a : b;
    double width = column_width(wide), start = MAX(a->x0, b->x0), end = MIN(a->x1, b->x1);
    double first = ceil((start - wide->x0) / width - 1e-6);
    double columns = ceil((end - wide->x0) / width - 1e-6) - first;
    size_t rows = MIN(a->rows, b->rows), n = columns > 0 ? (size_t)columns : 0;
    ratio->z = g_renew(float, ratio->z, rows *n + 1);
    double x0 = wide->x0 + first * width;
    for (size_t row = 0; row < rows; row++)
        for (size_t c = 0; c < n; c++) {
            double from = x0 + (double)c * width;
            double p = largest(a, row, from, from + width), q = largest(b, row, from, from + width);
            bool blank = isinf(p) || isinf(q);
            ratio->z[row * n + c] = blank ? -INFINITY : (float)log2(p / q);
        }
    ratio->map = (NsHeatmap){.z = ratio->z,
                             .rows = rows,
                             .columns = n,
                             .x0 = x0,
                             .x1 = x0 + (double)n * width,
                             .y0 = a->y0,
                             .y1 = a->y0 + (double)rows,
                             .label = "log_2(this run / previous run)",
                             .colors = NS_COLORS_DIVERGING};
}

static const char *empty_words(const NsPlot *a, const NsPlot *b, const NsFigureInput *input)
{
    if (!a->heatmap) return a->empty;
    if (!input->ghost) return "There is no other run yet: reset, change a setting, and run again.";
    return b->heatmap ? "The two runs have no step in common." : b->empty;
}

static bool update(NsFigure *figure, const NsFigureInput *input)
{
    Ratio *ratio = (Ratio *)figure;
    NsFigureInput other = *input;
    other.history = input->ghost;
    other.settings = input->ghost_settings;
    other.ghost = NULL;
    other.ghost_settings = NULL;
    const NsPlot *a = ns_figure_update(ratio->this_run, input);
    const NsPlot *b = ns_figure_update(ratio->other_run, &other);
    bool changed = a->version != ratio->seen[0] || b->version != ratio->seen[1];
    ratio->seen[0] = a->version;
    ratio->seen[1] = b->version;
    bool both = a->heatmap && b->heatmap;
    if (changed && both) divide(ratio, a->heatmap, b->heatmap);
    bool there = both && ratio->map.rows && ratio->map.columns;
    g_autofree char *title =
        g_strdup_printf("%s, ratio of two runs", ns_quantity(input->quantity)->choice.label);
    g_autofree char *ghost = there ? ns_figure_ghost_label(input) : NULL;
    changed |= ns_figure_mark_events(figure, input);
    changed |= ns_figure_text(&figure->x_label, ns_figure_axis(input->quantity, input->history));
    changed |=
        ns_figure_words(figure, input,
                        (NsFigureWords){.title = title,
                                        .empty = empty_words(a, b, input),
                                        .step = -1,
                                        .note = there ? g_strdup_printf("Against %s%s%s", ghost,
                                                                        a->note ? ". " : ".",
                                                                        a->note ? a->note : "")
                                                      : NULL});
    if (!changed) return false;
    figure->plot.left.label = figure->x_label;
    figure->plot.heatmap = there ? &ratio->map : NULL;
    return true;
}

static void clear(NsFigure *figure)
{
    Ratio *ratio = (Ratio *)figure;
    ns_figure_free(ratio->this_run);
    ns_figure_free(ratio->other_run);
    g_free(ratio->z);
}

NsFigure *ns_ratio_new(void)
{
    static const NsFigureClass class = {sizeof(Ratio), update, clear};
    NsFigure *figure = ns_figure_alloc(&class);
    Ratio *ratio = (Ratio *)figure;
    ratio->this_run = ns_heatmap_new();
    ratio->other_run = ns_heatmap_new();
    figure->plot.x.label = "step";
    figure->plot.left.integer = true;
    return figure;
}
