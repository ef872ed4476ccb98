/* SPDX-License-Identifier: MIT */
#include "ui/figures/curve.h"
#include "ui/figures/figure.h"

#include <math.h>
#include <string.h>

/* When a column more than this would be needed, columns are joined in pairs. */
#define COLUMNS 1024

/* A column holds `stride` records; those of a dear quantity begin where it is measured. */
typedef struct {
    NsFigure figure;
    NsSource run;
    NsQuantity quantity;
    NsHeatmap map;
    float *z;      /* of map: [rows, stride] */
    float *values; /* [rows]: of the records that are read */
    size_t stride;
    size_t before; /* records that the first column has too few: a run may begin between two
                    * measurements */
} Heatmap;

/* A cell without a value. */
#define NO_VALUE (-INFINITY)

/* The larger one; a NaN stays one, so that a divergence cannot hide in a column. */
static float larger(float a, float b)
{
    return isnan(a) || a > b ? a : b;
}

static void restart(Heatmap *heatmap, NsHistory *history, NsQuantity quantity)
{
    g_clear_pointer(&heatmap->z, g_free);
    g_clear_pointer(&heatmap->values, g_free);
    const NsRecordLayout *layout = history ? ns_history_layout(history) : NULL;
    size_t rows = layout ? layout->count[quantity] : 0;
    int64_t first = history ? ns_history_first_step(history) : 0;
    bool embedding = ns_quantity(quantity)->domain == NS_DOMAIN_HIDDEN;
    heatmap->run.steps = 0;
    heatmap->quantity = quantity;
    heatmap->stride = 1;
    heatmap->before = 0;
    if (rows && ns_quantity(quantity)->dear) {
        heatmap->stride = (size_t)layout->probe_every;
        heatmap->before = (size_t)(first % layout->probe_every);
    }
    double y0 = embedding ? -0.5 : 0.5;
    heatmap->map = (NsHeatmap){.rows = rows,
                               .stem = ns_stem_new(),
                               .x0 = (double)(first - (int64_t)heatmap->before) - 0.5,
                               .y0 = y0,
                               .y1 = y0 + (double)rows};
    heatmap->values = g_new(float, rows);
}

static void join_pairs(Heatmap *heatmap)
{
    NsHeatmap *map = &heatmap->map;
    size_t columns = (map->columns + 1) / 2;
    for (size_t row = 0; row < map->rows; row++) {
        float *z = heatmap->z + row * map->stride;
        for (size_t c = 0; c < columns; c++)
            z[c] = 2 * c + 1 < map->columns ? larger(z[2 * c], z[2 * c + 1]) : z[2 * c];
    }
    map->columns = columns;
    map->stem = ns_stem_new();
    heatmap->stride *= 2;
}

/* Makes room for columns; from the last row to the first none is overwritten before it was moved.
 */
static void make_room(Heatmap *heatmap, size_t columns)
{
    NsHeatmap *map = &heatmap->map;
    size_t room = MIN(COLUMNS, MAX(2 * columns, 64));
    if (columns <= map->stride) return;
    heatmap->z = g_renew(float, heatmap->z, map->rows *room);
    for (size_t row = map->rows; row-- > 0;)
        memmove(heatmap->z + row * room, heatmap->z + row * map->stride,
                map->columns * sizeof *heatmap->z);
    map->stride = room;
}

static void set_columns(Heatmap *heatmap, size_t columns)
{
    NsHeatmap *map = &heatmap->map;
    make_room(heatmap, columns);
    for (size_t row = 0; row < map->rows; row++)
        for (size_t c = map->columns; c < columns; c++)
            heatmap->z[row * map->stride + c] = NO_VALUE;
    map->columns = columns;
}

/* Column of a record. */
static size_t column_of(const Heatmap *heatmap, size_t record)
{
    return (record + heatmap->before) / heatmap->stride;
}

static void read_records(Heatmap *heatmap, size_t records)
{
    NsHeatmap *map = &heatmap->map;
    while (column_of(heatmap, records - 1) >= COLUMNS) {
        /* Columns that are not there yet are only read at the width that they will have. */
        if (map->columns)
            join_pairs(heatmap);
        else
            heatmap->stride *= 2;
    }
    set_columns(heatmap, column_of(heatmap, records - 1) + 1);
    while (heatmap->run.steps < records) {
        size_t first = heatmap->run.steps, column = column_of(heatmap, first);
        size_t end = MIN(records, (column + 1) * heatmap->stride - heatmap->before);
        ns_history_read_range(heatmap->run.history, heatmap->quantity, first, end - 1, NULL,
                              heatmap->values);
        for (size_t row = 0; row < map->rows; row++) {
            float *cell = &heatmap->z[row * map->stride + column];
            if (!ns_is_blank(heatmap->values[row])) *cell = larger(heatmap->values[row], *cell);
        }
        heatmap->run.steps = end;
    }
    /* The next record may still fall on the last column. */
    map->settled = MIN(column_of(heatmap, records), map->columns);
    map->x1 = map->x0 + (double)(map->columns * heatmap->stride);
}

static char *note(const Heatmap *heatmap, const NsHistory *history)
{
    if (!history || !heatmap->map.rows) return NULL;
    int64_t kept = ns_history_stride(history), stride = (int64_t)heatmap->stride;
    bool dear = ns_quantity(heatmap->quantity)->dear;
    int64_t every = dear ? ns_history_layout(history)->probe_every : 1;
    if (kept > stride)
        return g_strdup_printf("Old steps are kept in groups of up to %" G_GINT64_FORMAT
                               ", by their largest values.",
                               kept);
    if (stride > every)
        return g_strdup_printf("A column shows the largest of %" G_GINT64_FORMAT " %s.",
                               stride / every, dear ? "measurements" : "steps");
    return every > 1 ? g_strdup_printf("Measured every %" G_GINT64_FORMAT " steps.", every) : NULL;
}

static bool update(NsFigure *figure, const NsFigureInput *input, NsQuantity quantity)
{
    Heatmap *heatmap = (Heatmap *)figure;
    const NsQuantityInfo *info = ns_quantity(quantity);
    bool log = ns_figure_scale(quantity, input) == NS_SCALE_LOG;
    bool changed = ns_source_follow(&heatmap->run, input->history) || heatmap->quantity != quantity;
    if (changed) restart(heatmap, input->history, quantity);
    changed |= heatmap->map.log != log;

    size_t records = input->history ? ns_history_steps(input->history) : 0;
    if (records > heatmap->run.steps && heatmap->map.rows) {
        read_records(heatmap, records);
        changed = true;
    }
    bool over_layers = info->domain != NS_DOMAIN_STEP;
    g_autofree char *empty =
        !over_layers ? g_strdup_printf("%s is one value a step: chart it over the steps.",
                                       info->choice.label)
        : records && !heatmap->map.rows ? ns_figure_absent(quantity, input->history)
                                        : g_strdup("No step has been measured yet.");
    g_autofree char *title = g_strconcat(info->choice.label, " over the steps", NULL);
    changed |= ns_figure_mark_events(figure, input);
    changed |= ns_figure_text(&figure->left_label, g_strdup(info->symbol));
    changed |= ns_figure_text(&figure->x_label, ns_figure_axis(quantity, input->history));
    changed |= ns_figure_words(
        figure, input,
        (NsFigureWords){.title = title,
                        .empty = empty,
                        .step = records ? ns_history_step(input->history, records - 1)->step : -1,
                        .note = note(heatmap, input->history)});
    if (!changed) return false;

    heatmap->map.z = heatmap->z;
    heatmap->map.log = log;
    heatmap->map.label = figure->left_label;
    figure->plot.left.label = figure->x_label;
    figure->plot.heatmap = over_layers && heatmap->map.columns ? &heatmap->map : NULL;
    return true;
}

static void clear(NsFigure *figure)
{
    Heatmap *heatmap = (Heatmap *)figure;
    ns_source_follow(&heatmap->run, NULL);
    g_free(heatmap->z);
    g_free(heatmap->values);
}

static NsFigure *heatmap_new(const NsFigureClass *class)
{
    NsFigure *figure = ns_figure_alloc(class);
    figure->plot.x.label = "step";
    figure->plot.left.integer = true;
    return figure;
}

static bool update_gradient(NsFigure *figure, const NsFigureInput *input)
{
    return update(figure, input, input->gradient);
}

static bool update_any(NsFigure *figure, const NsFigureInput *input)
{
    return update(figure, input, input->quantity);
}

NsFigure *ns_gradient_heatmap_new(void)
{
    static const NsFigureClass class = {sizeof(Heatmap), update_gradient, clear};
    return heatmap_new(&class);
}

NsFigure *ns_heatmap_new(void)
{
    static const NsFigureClass class = {sizeof(Heatmap), update_any, clear};
    return heatmap_new(&class);
}
