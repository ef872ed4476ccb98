/* SPDX-License-Identifier: MIT */
#include "ui/figures/field.h"

#include "core/base/words.h"

#include "ui/figures/curve.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* When a column more than this would be needed, columns are joined in pairs. */
#define COLUMNS 1024

/* A run that is so many columns behind stands still, and is not waited for. */
#define BEHIND 2

/* A cell without a value. */
#define NO_VALUE (-INFINITY)

/* The larger one; a NaN stays one. */
static float larger(float a, float b)
{
    return isnan(a) || a > b ? a : b;
}

size_t ns_field_column(const NsField *field, int64_t step)
{
    return (size_t)((step - field->start) / field->stride);
}

static void begin(NsField *field, const NsFigureRun *runs, unsigned n, NsQuantity quantity)
{
    g_clear_pointer(&field->z, g_free);
    field->quantity = quantity;
    field->n = n;
    field->rows = field->columns = field->room = field->settled = 0;
    field->stride = 1;
    field->start = G_MAXINT64;
    field->stem = ns_stem_new();
    size_t most = 0;
    for (unsigned i = 0; i < n; i++) {
        NsFieldRun *run = &field->run[i];
        const NsRecordLayout *layout = runs[i].history ? ns_history_layout(runs[i].history) : NULL;
        run->source.steps = 0;
        run->row = field->rows;
        run->rows = layout ? layout->count[quantity] : 0;
        run->first = layout ? ns_history_first_step(runs[i].history) : 0;
        field->rows += run->rows;
        most = MAX(most, run->rows);
        if (run->rows && ns_quantity(quantity)->expensive)
            field->stride = MAX(field->stride, layout->probe_every);
    }
    /* Columns of expensive quantities begin where these are measured. */
    for (unsigned i = 0; i < n; i++)
        if (field->run[i].rows)
            field->start =
                MIN(field->start, field->run[i].first - field->run[i].first % field->stride);
    if (!field->rows) field->start = 0;
    field->values = g_renew(float, field->values, most + 1);
}

static void join_pairs(NsField *field)
{
    size_t columns = (field->columns + 1) / 2;
    for (size_t row = 0; row < field->rows; row++) {
        float *z = field->z + row * field->room;
        for (size_t c = 0; c < columns; c++)
            z[c] = 2 * c + 1 < field->columns ? larger(z[2 * c], z[2 * c + 1]) : z[2 * c];
    }
    field->columns = columns;
    field->stem = ns_stem_new();
    field->settled = 0;
    field->stride *= 2;
}

/* Makes room for columns; from the last row to the first none is overwritten before it was moved.
 */
static void make_room(NsField *field, size_t columns)
{
    size_t room = MIN(COLUMNS, MAX(2 * columns, 64));
    if (columns <= field->room) return;
    field->z = g_renew(float, field->z, field->rows *room);
    for (size_t row = field->rows; row-- > 0;)
        memmove(field->z + row * room, field->z + row * field->room,
                field->columns * sizeof *field->z);
    field->room = room;
}

static void set_columns(NsField *field, size_t columns)
{
    if (columns <= field->columns) return;
    make_room(field, columns);
    for (size_t row = 0; row < field->rows; row++)
        for (size_t c = field->columns; c < columns; c++)
            field->z[row * field->room + c] = NO_VALUE;
    field->columns = columns;
}

static void read_run(NsField *field, NsFieldRun *run, size_t records)
{
    while (run->source.steps < records) {
        size_t first = run->source.steps;
        size_t column = ns_field_column(field, run->first + (int64_t)first);
        int64_t end_step = field->start + (int64_t)(column + 1) * field->stride;
        size_t end = MIN(records, (size_t)(end_step - run->first));
        ns_history_read_range(run->source.history, field->quantity, first, end - 1, NULL,
                              field->values);
        for (size_t row = 0; row < run->rows; row++) {
            float *cell = &field->z[(run->row + row) * field->room + column];
            if (!ns_is_blank(field->values[row])) *cell = larger(field->values[row], *cell);
        }
        /* It was taken for one that stands still. */
        if (column < field->settled) field->stem = ns_stem_new();
        run->source.steps = end;
    }
}

/* The next record may still fall on the last column. */
static void settle(NsField *field)
{
    size_t furthest = 0, settled = field->columns;
    for (int pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < field->n; i++) {
            const NsFieldRun *run = &field->run[i];
            if (!run->rows || !run->source.steps) continue;
            size_t next = ns_field_column(field, run->first + (int64_t)run->source.steps);
            if (pass == 0)
                furthest = MAX(furthest, next);
            else if (next + BEHIND > furthest)
                settled = MIN(settled, next);
        }
    field->settled = settled;
}

static bool read_all(NsField *field)
{
    size_t records[NS_FIGURE_LANES] = {0};
    int64_t newest = -1;
    bool more = false;
    for (unsigned i = 0; i < field->n; i++) {
        NsFieldRun *run = &field->run[i];
        if (run->rows) records[i] = ns_history_steps(run->source.history);
        if (records[i] <= run->source.steps) continue;
        more = true;
        newest = MAX(newest, run->first + (int64_t)records[i] - 1);
    }
    if (!more) return false;
    while (ns_field_column(field, newest) >= COLUMNS) {
        /* Columns that are not there yet are only read at the width that they will have. */
        if (field->columns)
            join_pairs(field);
        else
            field->stride *= 2;
    }
    set_columns(field, ns_field_column(field, newest) + 1);
    for (unsigned i = 0; i < field->n; i++) read_run(field, &field->run[i], records[i]);
    settle(field);
    return true;
}

bool ns_field_follow(NsField *field, const NsFigureRun *runs, unsigned n, NsQuantity quantity)
{
    bool other = n != field->n || quantity != field->quantity || !field->stem;
    for (unsigned i = 0; i < NS_FIGURE_LANES; i++)
        other |= ns_source_follow(&field->run[i].source, i < n ? runs[i].history : NULL);
    if (other) begin(field, runs, n, quantity);
    return read_all(field) || other;
}

void ns_field_clear(NsField *field)
{
    for (unsigned i = 0; i < NS_FIGURE_LANES; i++) ns_source_follow(&field->run[i].source, NULL);
    g_free(field->z);
    g_free(field->values);
    *field = (NsField){0};
}

char *ns_field_note(const NsField *field)
{
    int64_t kept = 1, every = 1;
    bool expensive = ns_quantity(field->quantity)->expensive;
    for (unsigned i = 0; i < field->n; i++) {
        const NsFieldRun *run = &field->run[i];
        if (!run->rows) continue;
        kept = MAX(kept, ns_history_stride(run->source.history));
        if (expensive) every = MAX(every, ns_history_layout(run->source.history)->probe_every);
    }
    if (!field->rows) return NULL;
    if (kept > field->stride)
        return g_strdup_printf(
            _("Old steps are kept in groups of up to %" PRId64 ", by their largest values."), kept);
    if (field->stride > every)
        return g_strdup_printf(expensive
                                   ? _("A column shows the largest of %" PRId64 " measurements.")
                                   : _("A column shows the largest of %" PRId64 " steps."),
                               field->stride / every);
    return every > 1 ? g_strdup_printf(_("Measured every %" PRId64 " steps."), every) : NULL;
}

/* What the left axis says at the lower edge of the first row. */
static double lower_edge(const NsField *field)
{
    return ns_figure_first_layer(field->quantity) - 0.5;
}

NsHeatmap ns_field_map(const NsField *field, NsHeatPanel *panels)
{
    double x0 = (double)field->start - 0.5, y0 = lower_edge(field);
    NsHeatmap map = {.z = field->z,
                     .rows = field->rows,
                     .columns = field->columns,
                     .stride = field->room,
                     .stem = field->stem,
                     .settled = field->settled,
                     .x0 = x0,
                     .x1 = x0 + (double)(field->columns * (size_t)field->stride),
                     .y0 = y0,
                     .y1 = y0 + (double)field->rows};
    if (field->n < 2) return map;
    for (unsigned i = 0; i < field->n; i++) {
        panels[i].row = field->run[i].row;
        panels[i].rows = field->run[i].rows;
        panels[i].y0 = y0;
    }
    map.panels = panels;
    map.n_panels = field->n;
    map.y0 = 0;
    map.y1 = field->n;
    return map;
}

/* ---- Ratio ---- */

static float log_ratio(float b, float a)
{
    bool blank = isinf(a) || isinf(b);
    return blank ? NO_VALUE : (float)log2((double)b / (double)a);
}

NsHeatmap ns_field_ratio(NsFieldRatio *ratio, const NsField *field, unsigned a, unsigned b)
{
    const NsFieldRun *lower = &field->run[a], *upper = &field->run[b];
    size_t rows = MIN(lower->rows, upper->rows);
    size_t common = MIN(lower->source.steps, upper->source.steps);
    if (!rows || !common) return (NsHeatmap){.colors = NS_COLORS_DIVERGING};
    if (ratio->of != field->stem || ratio->rows != rows) {
        ratio->of = field->stem;
        ratio->stem = ns_stem_new();
        ratio->done = 0;
        ratio->rows = rows;
    }
    if (ratio->room != field->room) {
        ratio->room = field->room;
        ratio->z = g_renew(float, ratio->z, rows * ratio->room);
        ratio->done = 0;
    }
    int64_t end = MIN(lower->first + (int64_t)lower->source.steps,
                      upper->first + (int64_t)upper->source.steps);
    size_t from = ns_field_column(field, MAX(lower->first, upper->first));
    size_t to = end > field->start ? ns_field_column(field, end - 1) + 1 : 0;
    to = MIN(to, field->columns);
    for (size_t row = 0; row < rows; row++) {
        const float *over = field->z + (upper->row + row) * field->room;
        const float *under = field->z + (lower->row + row) * field->room;
        for (size_t c = MAX(from, ratio->done); c < to; c++)
            ratio->z[row * ratio->room + c] = log_ratio(over[c], under[c]);
    }
    ratio->done = MIN(field->settled, to);
    double x0 = (double)field->start - 0.5, y0 = lower_edge(field);
    double width = (double)field->stride;
    size_t columns = to > from ? to - from : 0;
    return (NsHeatmap){.z = ratio->z + from,
                       .rows = rows,
                       .columns = columns,
                       .stride = ratio->room,
                       .stem = ratio->stem,
                       .settled = ratio->done > from ? ratio->done - from : 0,
                       .x0 = x0 + (double)from * width,
                       .x1 = x0 + (double)(from + columns) * width,
                       .y0 = y0,
                       .y1 = y0 + (double)rows,
                       .colors = NS_COLORS_DIVERGING};
}

void ns_field_ratio_clear(NsFieldRatio *ratio)
{
    g_free(ratio->z);
    *ratio = (NsFieldRatio){0};
}
