/* SPDX-License-Identifier: MIT */
#include "ui/figures/heatmap_cells.h"

#include "core/base/digits.h"
#include "core/base/words.h"

#include <math.h>
#include <string.h>

/* The maximum number of columns; if more are needed, columns are joined in pairs. */
#define COLUMNS 1024

/* A cell without a value. */
#define NO_VALUE (-INFINITY)

/* The larger one, or NaN if `a` is NaN. */
static float larger(float a, float b)
{
    return isnan(a) || a > b ? a : b;
}

static void widen(NsHeatmapRun *run, double value)
{
    if (!isfinite(value)) return;
    run->all = (NsRange){MIN(run->all.lo, value), MAX(run->all.hi, value)};
    if (value > 0)
        run->positive = (NsRange){MIN(run->positive.lo, value), MAX(run->positive.hi, value)};
}

static size_t column_of(const NsHeatmapCells *cells, int64_t step)
{
    return (size_t)((step - cells->start) / cells->stride);
}

/* The largest distance between the first two records of a run: imported runs may not have a record
 * of every step. */
static int64_t spacing_of(const NsFigureRun *runs, unsigned n)
{
    int64_t spacing = 1;
    for (unsigned i = 0; i < n; i++) {
        const NsHistory *history = runs[i].history;
        if (!history || ns_history_steps(history) < 2) continue;
        spacing = MAX(spacing, ns_history_step(history, 1)->step - ns_history_first_step(history));
    }
    return spacing;
}

static void begin(NsHeatmapCells *cells, const NsFigureRun *runs, unsigned n, NsQuantity quantity)
{
    g_clear_pointer(&cells->z, g_free);
    cells->quantity = quantity;
    cells->n = n;
    cells->rows = cells->columns = cells->room = 0;
    cells->spacing = cells->stride = spacing_of(runs, n);
    cells->start = G_MAXINT64;
    size_t most = 0;
    for (unsigned i = 0; i < n; i++) {
        NsHeatmapRun *run = &cells->run[i];
        const NsRecordLayout *layout = runs[i].history ? ns_history_layout(runs[i].history) : NULL;
        run->source.steps = 0;
        run->row = cells->rows;
        run->rows = layout ? layout->count[quantity] : 0;
        run->all = run->positive = (NsRange){INFINITY, -INFINITY};
        run->first = run->next = layout ? ns_history_first_step(runs[i].history) : 0;
        cells->rows += run->rows;
        most = MAX(most, run->rows);
        if (run->rows) cells->stride = MAX(cells->stride, ns_record_interval(layout, quantity));
    }
    /* Columns begin at steps at which the quantity is measured. */
    for (unsigned i = 0; i < n; i++)
        if (cells->run[i].rows)
            cells->start =
                MIN(cells->start, cells->run[i].first - cells->run[i].first % cells->stride);
    if (!cells->rows) cells->start = 0;
    ns_values_free(&cells->values);
    cells->values = ns_values_new(most);
}

/* Increases the capacity to `columns`.  Rows are moved from the last to the first, so that none is
 * overwritten before it is moved. */
static void make_room(NsHeatmapCells *cells, size_t columns)
{
    size_t room = MIN(COLUMNS, MAX(2 * columns, 64));
    if (columns <= cells->room) return;
    cells->z = g_renew(float, cells->z, cells->rows *room);
    for (size_t row = cells->rows; row-- > 0;)
        memmove(cells->z + row * room, cells->z + row * cells->room,
                cells->columns * sizeof *cells->z);
    cells->room = room;
}

static void set_columns(NsHeatmapCells *cells, size_t columns)
{
    if (columns <= cells->columns) return;
    make_room(cells, columns);
    for (size_t row = 0; row < cells->rows; row++)
        for (size_t c = cells->columns; c < columns; c++)
            cells->z[row * cells->room + c] = NO_VALUE;
    cells->columns = columns;
}

static void read_run(NsHeatmapCells *cells, NsHeatmapRun *run, size_t records)
{
    while (run->source.steps < records) {
        NsHistory *history = run->source.history;
        size_t first = run->source.steps;
        size_t column = column_of(cells, ns_history_step(history, first)->step);
        int64_t end_step = cells->start + (int64_t)(column + 1) * cells->stride;
        size_t end = MIN(records, (size_t)ns_history_record(history, end_step - 1) + 1);
        ns_history_read_range(history, cells->quantity, first, end - 1, NULL, cells->values.value,
                              cells->values.has);
        for (size_t row = 0; row < run->rows; row++) {
            float *cell = &cells->z[(run->row + row) * cells->room + column];
            if (!cells->values.has[row]) continue;
            *cell = larger(cells->values.value[row], *cell);
            widen(run, (double)*cell);
        }
        run->source.steps = end;
        run->next = ns_history_step(history, end - 1)->step + 1;
    }
}

static bool read_all(NsHeatmapCells *cells)
{
    size_t records[NS_LANES_MAX] = {0};
    int64_t newest = -1;
    bool more = false;
    for (unsigned i = 0; i < cells->n; i++) {
        NsHeatmapRun *run = &cells->run[i];
        if (run->rows) records[i] = ns_history_steps(run->source.history);
        if (records[i] <= run->source.steps) continue;
        more = true;
        newest = MAX(newest, ns_history_step(run->source.history, records[i] - 1)->step);
    }
    if (!more) return false;
    while (column_of(cells, newest) >= COLUMNS) {
        /* If nothing has been read yet, there are no columns to join. */
        if (cells->columns) {
            size_t columns = (cells->columns + 1) / 2;
            for (size_t row = 0; row < cells->rows; row++) {
                float *z = cells->z + row * cells->room;
                for (size_t c = 0; c < columns; c++)
                    z[c] = 2 * c + 1 < cells->columns ? larger(z[2 * c], z[2 * c + 1]) : z[2 * c];
            }
            cells->columns = columns;
        }
        cells->stride *= 2;
    }
    set_columns(cells, column_of(cells, newest) + 1);
    for (unsigned i = 0; i < cells->n; i++) read_run(cells, &cells->run[i], records[i]);
    return true;
}

bool ns_heatmap_cells_follow(NsHeatmapCells *cells, const NsFigureRun *runs, unsigned n,
                             NsQuantity quantity)
{
    bool other =
        n != cells->n || quantity != cells->quantity || cells->spacing != spacing_of(runs, n);
    for (unsigned i = 0; i < NS_LANES_MAX; i++)
        other |= ns_source_follow(&cells->run[i].source, i < n ? runs[i].history : NULL);
    if (other) begin(cells, runs, n, quantity);
    return read_all(cells) || other;
}

void ns_heatmap_cells_clear(NsHeatmapCells *cells)
{
    for (unsigned i = 0; i < NS_LANES_MAX; i++) ns_source_follow(&cells->run[i].source, NULL);
    g_free(cells->z);
    ns_values_free(&cells->values);
    *cells = (NsHeatmapCells){0};
}

char *ns_heatmap_cells_note(const NsHeatmapCells *cells)
{
    int64_t kept = 1, every = cells->spacing;
    bool rare = false;
    for (unsigned i = 0; i < cells->n; i++) {
        const NsHeatmapRun *run = &cells->run[i];
        if (!run->rows) continue;
        kept = MAX(kept, ns_history_stride(run->source.history));
        int64_t own = ns_record_interval(ns_history_layout(run->source.history), cells->quantity);
        every = MAX(every, own);
        rare |= own > 1;
    }
    if (!cells->rows) return NULL;
    bool grouped = kept > cells->stride, wide = cells->stride > every;
    g_autofree char *count = ns_group_digits(grouped ? kept : wide ? cells->stride / every : every);
    if (grouped)
        return g_strdup_printf(
            _("Older steps are grouped, up to %s at a time, and keep their largest values."),
            count);
    if (wide)
        return g_strdup_printf(rare ? _("Each column shows the largest of %s measurements.")
                                    : _("Each column shows the largest of %s steps."),
                               count);
    return every > 1 ? g_strdup_printf(_("Measured every %s steps."), count) : NULL;
}

/* The right edge of the newest step: the last column also covers future steps, which are not
 * shown. */
static double last_edge(int64_t next)
{
    return (double)next - 0.5;
}

/* The value of the left axis at the lower edge of the first row. */
static double lower_edge(const NsHeatmapCells *cells)
{
    return ns_figure_first_layer(cells->quantity) - 0.5;
}

NsHeatmap ns_heatmap_cells_map(const NsHeatmapCells *cells, NsHeatPanel *panels)
{
    double x0 = (double)cells->start - 0.5, y0 = lower_edge(cells);
    NsHeatmap map = {.z = cells->z,
                     .rows = cells->rows,
                     .columns = cells->columns,
                     .stride = cells->room,
                     .grows = true,
                     .x0 = x0,
                     .x1 = x0 + (double)(cells->columns * (size_t)cells->stride),
                     .y0 = y0,
                     .y1 = y0 + (double)cells->rows};
    int64_t next = 0;
    for (unsigned i = 0; i < cells->n; i++)
        if (cells->run[i].rows) next = MAX(next, cells->run[i].next);
    map.x_end = last_edge(next);
    if (cells->n < 2) return map;
    for (unsigned i = 0; i < cells->n; i++) {
        panels[i].row = cells->run[i].row;
        panels[i].rows = cells->run[i].rows;
        panels[i].y0 = y0;
    }
    map.panels = panels;
    map.n_panels = cells->n;
    map.y0 = 0;
    map.y1 = cells->n;
    return map;
}

/* ---- Ratio ---- */

static float log_ratio(float b, float a)
{
    bool blank = isinf(a) || isinf(b);
    return blank ? NO_VALUE : (float)log2((double)b / (double)a);
}

NsHeatmap ns_heatmap_ratio(float **z, const NsHeatmapCells *cells, unsigned a, unsigned b)
{
    const NsHeatmapRun *lower = &cells->run[a], *upper = &cells->run[b];
    size_t rows = MIN(lower->rows, upper->rows);
    size_t common = MIN(lower->source.steps, upper->source.steps);
    if (!rows || !common) return (NsHeatmap){.colors = NS_COLORS_DIVERGING};
    int64_t end = MIN(lower->next, upper->next);
    size_t from = column_of(cells, MAX(lower->first, upper->first));
    size_t to = end > cells->start ? column_of(cells, end - 1) + 1 : 0;
    to = MIN(to, cells->columns);
    size_t columns = to > from ? to - from : 0;
    *z = g_renew(float, *z, MAX(rows * columns, 1));
    for (size_t row = 0; row < rows; row++) {
        const float *over = cells->z + (upper->row + row) * cells->room + from;
        const float *under = cells->z + (lower->row + row) * cells->room + from;
        for (size_t c = 0; c < columns; c++) (*z)[row * columns + c] = log_ratio(over[c], under[c]);
    }
    double width = (double)cells->stride, y0 = lower_edge(cells);
    double x0 = (double)cells->start - 0.5 + (double)from * width;
    return (NsHeatmap){.z = *z,
                       .rows = rows,
                       .columns = columns,
                       .grows = true,
                       .x0 = x0,
                       .x1 = x0 + (double)columns * width,
                       .x_end = last_edge(end),
                       .y0 = y0,
                       .y1 = y0 + (double)rows,
                       .colors = NS_COLORS_DIVERGING};
}
