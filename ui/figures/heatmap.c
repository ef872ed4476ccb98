/* SPDX-License-Identifier: MIT */
#include "ui/figures/figure.h"

#include <math.h>
#include <string.h>

/* When a column more than this would be needed, columns are joined in pairs. */
#define COLUMNS 1024

typedef struct {
    NsFigure figure;
    NsSource run;
    NsQuantity quantity;
    NsHeatmap map;
    float *z;        /* [rows, columns] of map */
    float *values;   /* [rows]: of the steps that are read */
    size_t capacity; /* columns that z has room for */
    size_t stride;   /* steps in a column */
} Heatmap;

/* The larger one; a NaN stays one, so that a divergence cannot hide in a column. */
static float larger(float a, float b)
{
    return isnan(a) || a > b ? a : b;
}

static void restart(Heatmap *heatmap, NsHistory *history, NsQuantity quantity)
{
    g_clear_pointer(&heatmap->z, g_free);
    g_clear_pointer(&heatmap->values, g_free);
    size_t rows = history ? ns_history_layout(history)->count[quantity] : 0;
    heatmap->run.steps = 0;
    heatmap->quantity = quantity;
    heatmap->capacity = 0;
    heatmap->stride = 1;
    heatmap->map = (NsHeatmap){.rows = rows, .x0 = -0.5, .y0 = 0.5, .y1 = (double)rows + 0.5};
    heatmap->values = g_new(float, rows);
}

static void join_pairs(Heatmap *heatmap)
{
    NsHeatmap *map = &heatmap->map;
    size_t columns = (map->columns + 1) / 2;
    for (size_t row = 0; row < map->rows; row++) {
        const float *from = heatmap->z + row * map->columns;
        float *to = heatmap->z + row * columns;
        for (size_t c = 0; c < columns; c++)
            to[c] = 2 * c + 1 < map->columns ? larger(from[2 * c], from[2 * c + 1]) : from[2 * c];
    }
    map->columns = columns;
    heatmap->stride *= 2;
}

/* Rows lie end to end, so one more column moves them all; from the last to the first none is
 * overwritten before it was moved. */
static void set_columns(Heatmap *heatmap, size_t columns)
{
    NsHeatmap *map = &heatmap->map;
    if (columns > heatmap->capacity) {
        heatmap->capacity = MIN(COLUMNS, MAX(2 * columns, 64));
        heatmap->z = g_renew(float, heatmap->z, map->rows * heatmap->capacity);
    }
    for (size_t row = map->rows; row-- > 0;) {
        float *to = heatmap->z + row * columns;
        memmove(to, heatmap->z + row * map->columns, map->columns * sizeof *to);
        for (size_t c = map->columns; c < columns; c++) to[c] = -INFINITY;
    }
    map->columns = columns;
}

static void read_steps(Heatmap *heatmap, size_t steps)
{
    NsHeatmap *map = &heatmap->map;
    while ((steps - 1) / heatmap->stride >= COLUMNS) {
        /* Columns that are not there yet are only read at the width that they will have. */
        if (map->columns)
            join_pairs(heatmap);
        else
            heatmap->stride *= 2;
    }
    set_columns(heatmap, (steps - 1) / heatmap->stride + 1);
    while (heatmap->run.steps < steps) {
        size_t first = heatmap->run.steps, column = first / heatmap->stride;
        size_t end = MIN(steps, (column + 1) * heatmap->stride);
        ns_history_read_range(heatmap->run.history, heatmap->quantity, first, end - 1, NULL,
                              heatmap->values);
        for (size_t row = 0; row < map->rows; row++) {
            float *cell = &heatmap->z[row * map->columns + column];
            *cell = larger(heatmap->values[row], *cell);
        }
        heatmap->run.steps = end;
    }
    map->x1 = (double)(map->columns * heatmap->stride) - 0.5;
}

static char *note(const Heatmap *heatmap, const NsHistory *history)
{
    if (!history) return NULL;
    int64_t kept = ns_history_stride(history);
    if (kept > (int64_t)heatmap->stride)
        return g_strdup_printf("Old steps are kept in groups of up to %" G_GINT64_FORMAT
                               ", by their largest values.",
                               kept);
    if (heatmap->stride > 1)
        return g_strdup_printf("A column shows the largest of %zu steps.", heatmap->stride);
    return NULL;
}

static bool update(NsFigure *figure, const NsFigureInput *input)
{
    Heatmap *heatmap = (Heatmap *)figure;
    const NsQuantityInfo *info = ns_quantity(input->gradient);
    bool changed =
        ns_source_follow(&heatmap->run, input->history) || heatmap->quantity != input->gradient;
    if (changed) restart(heatmap, input->history, input->gradient);
    changed |= heatmap->map.log != input->log;

    size_t steps = input->history ? ns_history_steps(input->history) : 0;
    if (steps > heatmap->run.steps && heatmap->map.rows) {
        read_steps(heatmap, steps);
        changed = true;
    }
    bool missing = steps && !heatmap->map.rows;
    g_autofree char *absent = g_strdup_printf("This model has no %s.", info->symbol);
    g_autofree char *title = g_strconcat(info->choice.label, " over the steps", NULL);
    changed |= ns_figure_mark_events(figure, input->history);
    changed |= ns_figure_text(&figure->left_label, g_strdup(info->symbol));
    changed |= ns_figure_words(
        figure, input,
        (NsFigureWords){.title = title,
                        .empty = missing ? absent : "No step has been measured yet.",
                        .step = (int64_t)steps - 1,
                        .note = note(heatmap, input->history)});
    if (!changed) return false;

    heatmap->map.z = heatmap->z;
    heatmap->map.log = input->log;
    heatmap->map.label = figure->left_label;
    figure->plot.heatmap = heatmap->map.columns ? &heatmap->map : NULL;
    return true;
}

static void clear(NsFigure *figure)
{
    Heatmap *heatmap = (Heatmap *)figure;
    ns_source_follow(&heatmap->run, NULL);
    g_free(heatmap->z);
    g_free(heatmap->values);
}

NsFigure *ns_heatmap_new(void)
{
    static const NsFigureClass class = {sizeof(Heatmap), update, clear};
    NsFigure *figure = ns_figure_alloc(&class);
    figure->plot.x.label = "step";
    figure->plot.left.label = "layer";
    figure->plot.left.integer = true;
    return figure;
}
