/* SPDX-License-Identifier: MIT */
#include "ui/plot/heatmap.h"
#include "core/base/digits.h"
#include "core/base/words.h"
#include "ui/figures/figure.h"
#include "ui/plot/scale.h"

#include <math.h>
#include <string.h>

typedef struct {
    NsSource source;
    size_t row, rows;      /* first row of the run in the cells, and its number of rows (0 if it
                            * does not have the quantity) */
    NsRange all, positive; /* ranges of its finite values; lo > hi if there are none */
} Run;

typedef struct {
    NsQuantity quantity;
    Run run[NS_LANES_MAX];
    unsigned n;
    float *z; /* [rows, capacity]; cells without a value are -infinity */
    size_t rows, columns, capacity;
    int64_t start;   /* first step of the first column */
    int64_t spacing; /* steps between the first two records; 0: nothing was read yet */
    int64_t stride;  /* steps per column */
    NsValues values; /* [largest number of rows of a run] */
} Cells;

/* The maximum number of columns; if more are needed, columns are joined in pairs. */
#define COLUMNS 1024

/* A cell without a value. */
#define NO_VALUE (-INFINITY)

/* The larger one, or NaN if `a` is NaN. */
static float larger(float a, float b)
{
    return isnan(a) || a > b ? a : b;
}

static size_t column_of(const Cells *cells, int64_t step)
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

static void begin(Cells *cells, const NsFigureRun *runs, unsigned n, NsQuantity quantity)
{
    g_clear_pointer(&cells->z, g_free);
    cells->quantity = quantity;
    cells->n = n;
    cells->rows = cells->columns = cells->capacity = 0;
    cells->spacing = cells->stride = spacing_of(runs, n);
    cells->start = G_MAXINT64;
    size_t most = 0;
    for (unsigned i = 0; i < n; i++) {
        Run *run = &cells->run[i];
        const NsRecordLayout *layout = runs[i].history ? ns_history_layout(runs[i].history) : NULL;
        run->source.steps = 0;
        run->row = cells->rows;
        run->rows = layout ? layout->count[quantity] : 0;
        run->all = run->positive = (NsRange){INFINITY, -INFINITY};
        cells->rows += run->rows;
        most = MAX(most, run->rows);
        if (run->rows) cells->stride = MAX(cells->stride, ns_record_interval(layout, quantity));
    }
    /* Columns begin at steps at which the quantity is measured. */
    for (unsigned i = 0; i < n; i++) {
        if (!cells->run[i].rows) continue;
        int64_t first = ns_history_first_step(runs[i].history);
        cells->start = MIN(cells->start, first - first % cells->stride);
    }
    if (!cells->rows) cells->start = 0;
    ns_values_free(&cells->values);
    cells->values = ns_values_new(most);
}

static bool read_all(Cells *cells)
{
    size_t records[NS_LANES_MAX] = {0};
    int64_t newest = -1;
    bool more = false;
    for (unsigned i = 0; i < cells->n; i++) {
        Run *run = &cells->run[i];
        if (run->rows) records[i] = ns_history_steps(run->source.history);
        if (records[i] <= run->source.steps) continue;
        more = true;
        newest = MAX(newest, ns_history_step(run->source.history, records[i] - 1)->step);
    }
    if (!more) return false;
    while (column_of(cells, newest) >= COLUMNS) {
        /* If nothing has been read yet, there are no columns to join. */
        if (cells->columns) {
            size_t pairs = (cells->columns + 1) / 2;
            for (size_t row = 0; row < cells->rows; row++) {
                float *z = cells->z + row * cells->capacity;
                for (size_t c = 0; c < pairs; c++)
                    z[c] = 2 * c + 1 < cells->columns ? larger(z[2 * c], z[2 * c + 1]) : z[2 * c];
            }
            cells->columns = pairs;
        }
        cells->stride *= 2;
    }
    size_t columns = column_of(cells, newest) + 1;
    if (columns > cells->capacity) {
        size_t capacity = MIN(COLUMNS, MAX(2 * columns, 64));
        cells->z = g_renew(float, cells->z, cells->rows *capacity);
        /* From the last row to the first, so that none is overwritten before it is moved. */
        for (size_t row = cells->rows; row-- > 0;)
            memmove(cells->z + row * capacity, cells->z + row * cells->capacity,
                    cells->columns * sizeof *cells->z);
        cells->capacity = capacity;
    }
    for (size_t row = 0; row < cells->rows; row++)
        for (size_t c = cells->columns; c < columns; c++)
            cells->z[row * cells->capacity + c] = NO_VALUE;
    cells->columns = MAX(columns, cells->columns);
    for (unsigned i = 0; i < cells->n; i++) {
        Run *run = &cells->run[i];
        NsHistory *history = run->source.history;
        while (run->source.steps < records[i]) {
            size_t first = run->source.steps;
            size_t column = column_of(cells, ns_history_step(history, first)->step);
            int64_t end_step = cells->start + (int64_t)(column + 1) * cells->stride;
            size_t end = MIN(records[i], (size_t)ns_history_record(history, end_step - 1) + 1);
            ns_history_read_range(history, cells->quantity, first, end - 1, NULL,
                                  cells->values.value, cells->values.has);
            for (size_t row = 0; row < run->rows; row++) {
                float *cell = &cells->z[(run->row + row) * cells->capacity + column];
                if (!cells->values.has[row]) continue;
                *cell = larger(cells->values.value[row], *cell);
                ns_range_widen(&run->all, (double)*cell);
                if (*cell > 0) ns_range_widen(&run->positive, (double)*cell);
            }
            run->source.steps = end;
        }
    }
    return true;
}

/* A sentence that explains how steps were joined; NULL if nothing needs explaining.  Free with
 * g_free. */
static char *cells_note(const Cells *cells)
{
    int64_t stored = 1, every = cells->spacing;
    bool rare = false;
    for (unsigned i = 0; i < cells->n; i++) {
        const Run *run = &cells->run[i];
        if (!run->rows) continue;
        stored = MAX(stored, ns_history_stride(run->source.history));
        int64_t own = ns_record_interval(ns_history_layout(run->source.history), cells->quantity);
        every = MAX(every, own);
        rare |= own > 1;
    }
    if (!cells->rows) return NULL;
    bool grouped = stored > cells->stride, wide = cells->stride > every;
    g_autofree char *count = ns_group_digits(grouped ? stored
                                             : wide  ? cells->stride / every
                                                     : every);
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

/* The step after the newest one that was read: the last column also covers future steps, which are
 * not shown. */
static int64_t next_step(const Run *run)
{
    return run->source.steps ? ns_history_step(run->source.history, run->source.steps - 1)->step + 1
                             : 0;
}

/* The value of the left axis at the lower edge of the first row. */
static double lower_edge(const Cells *cells)
{
    return ns_figure_first_layer(cells->quantity) - 0.5;
}

/* The cells of all runs as a heatmap that borrows from the cells and, if there are several runs,
 * from `panels` [n]; the caller sets the names and styles of the panels. */
static NsHeatmap cells_map(const Cells *cells, NsHeatPanel *panels)
{
    double x0 = (double)cells->start - 0.5, y0 = lower_edge(cells);
    NsHeatmap map = {.z = cells->z,
                     .rows = cells->rows,
                     .columns = cells->columns,
                     .stride = cells->capacity,
                     .grows = true,
                     .x0 = x0,
                     .x1 = x0 + (double)(cells->columns * (size_t)cells->stride),
                     .y0 = y0,
                     .y1 = y0 + (double)cells->rows};
    int64_t next = 0;
    for (unsigned i = 0; i < cells->n; i++) next = MAX(next, next_step(&cells->run[i]));
    map.x_end = (double)next - 0.5;
    if (cells->n < 2) return map;
    for (unsigned i = 0; i < cells->n; i++) {
        panels[i].row = cells->run[i].row;
        panels[i].rows = cells->run[i].rows;
        panels[i].y0 = y0;
    }
    map.panels = panels;
    map.n_panels = cells->n;
    map.y0 = ns_panel(&map, cells->n - 1).lo;
    map.y1 = ns_panel(&map, 0).hi;
    return map;
}

/* ---- Ratio ---- */

/* log_2 of the ratio of the second run to the first, for the rows and steps that both have.  *z is
 * reallocated to store it; free it with g_free. */
static NsHeatmap ratio_map(float **z, const Cells *cells)
{
    const Run *lower = &cells->run[0], *upper = &cells->run[1];
    size_t rows = MIN(lower->rows, upper->rows);
    size_t common = MIN(lower->source.steps, upper->source.steps);
    if (!rows || !common) return (NsHeatmap){.colors = NS_COLORS_DIVERGING};
    int64_t end = MIN(next_step(lower), next_step(upper));
    size_t from = column_of(cells, MAX(ns_history_first_step(lower->source.history),
                                       ns_history_first_step(upper->source.history)));
    size_t to = end > cells->start ? column_of(cells, end - 1) + 1 : 0;
    to = MIN(to, cells->columns);
    size_t columns = to > from ? to - from : 0;
    *z = g_renew(float, *z, MAX(rows * columns, 1));
    for (size_t row = 0; row < rows; row++) {
        const float *over = cells->z + (upper->row + row) * cells->capacity + from;
        const float *under = cells->z + (lower->row + row) * cells->capacity + from;
        for (size_t c = 0; c < columns; c++) {
            bool blank = isinf(over[c]) || isinf(under[c]);
            double ratio = log2((double)over[c] / (double)under[c]);
            (*z)[row * columns + c] = blank ? NO_VALUE : (float)ratio;
        }
    }
    double width = (double)cells->stride, y0 = lower_edge(cells);
    double x0 = (double)cells->start - 0.5 + (double)from * width;
    return (NsHeatmap){.z = *z,
                       .rows = rows,
                       .columns = columns,
                       .grows = true,
                       .x0 = x0,
                       .x1 = x0 + (double)columns * width,
                       .x_end = (double)end - 0.5,
                       .y0 = y0,
                       .y1 = y0 + (double)rows,
                       .colors = NS_COLORS_DIVERGING};
}

/* The label of the color bar, after those of the lanes. */
#define BAR NS_LANES_MAX

typedef struct {
    NsFigure figure;
    Cells cells;
    float *ratio; /* cells of a ratio */
    NsHeatMode mode;
    NsHeatmap map;
    NsHeatPanel panels[NS_LANES_MAX];
    NsWildRun wild[NS_LANES_MAX];
    NsRange colors; /* limits of the color scale; {0, 0}: the range of all cells */
    int marked;     /* the selected layer */
    int64_t viewed; /* the selected step */
} Heatmap;

/* Finds the runs that diverged beyond the color scale of the others.  A ratio always shows both of
 * its runs. */
static void find_wild(Heatmap *heatmap, const NsFigureInput *input, bool log)
{
    heatmap->colors = (NsRange){0, 0};
    if (heatmap->mode != NS_HEAT_STACKED) return;
    for (unsigned i = 0; i < heatmap->cells.n; i++) {
        const Run *one = &heatmap->cells.run[i];
        const NsRange *range = log ? &one->positive : &one->all;
        NsFigureRun run = ns_figure_run(input, i);
        heatmap->wild[i] = (NsWildRun){.history = run.history,
                                       .name = run.name,
                                       .most = MAX(range->hi, 0),
                                       .least = range->lo};
    }
    heatmap->colors = ns_wild_colors(heatmap->wild, heatmap->cells.n,
                                     log ? NS_SCALE_LOG : NS_SCALE_LINEAR, heatmap->colors);
}

static char *note(const Heatmap *heatmap)
{
    GString *words = g_string_new(NULL);
    g_autofree char *joined = cells_note(&heatmap->cells);
    if (joined) ns_figure_add_sentence(words, "%s", joined);
    if (heatmap->colors.lo < heatmap->colors.hi)
        ns_wild_note(words, heatmap->wild, heatmap->cells.n, true);
    return g_string_free(words, words->len == 0);
}

/* The text that is shown if there is no heatmap; NULL: no step has been measured yet. */
static char *empty_words(const Heatmap *heatmap, const NsFigureInput *input)
{
    const Cells *cells = &heatmap->cells;
    const NsQuantityInfo *info = ns_quantity(cells->quantity);
    if (info->domain == NS_DOMAIN_STEP)
        return g_strdup_printf(_("%s has one value per step: plot it over the steps."),
                               _(info->choice.label));
    if (ns_figure_newest(input) < 0) return NULL;
    if (!cells->rows && input->history) return ns_figure_absent(cells->quantity, input);
    if (heatmap->figure.kind->two_runs && heatmap->mode == NS_HEAT_LANE)
        return g_strdup(_("There is no other run yet: reset, change a setting, and run again."));
    if (heatmap->mode != NS_HEAT_RATIO) return NULL;
    unsigned without = cells->run[0].rows ? 1 : 0;
    if (cells->run[without].rows) return g_strdup(_("The lanes have no step in common."));
    return g_strdup_printf(_("%s has no %s."), ns_figure_run(input, without).name, info->symbol);
}

static void make_texts(Heatmap *heatmap, const NsFigureInput *input)
{
    NsFigure *figure = &heatmap->figure;
    NsQuantity quantity = heatmap->cells.quantity;
    const NsQuantityInfo *info = ns_quantity(quantity);
    NsFigureInput shown = heatmap->mode == NS_HEAT_LANE && input->n_lanes > 1
                              ? ns_figure_input_of(input, ns_figure_active(input))
                              : *input;
    g_autofree char *title =
        heatmap->mode == NS_HEAT_RATIO
            ? g_strdup_printf(_("%s, ratio of two runs"), _(info->choice.label))
            : g_strdup_printf(_("%s over the steps"), _(info->choice.label));
    g_autofree char *empty = empty_words(heatmap, input);
    ns_figure_mark_events(figure, &shown);
    if (heatmap->mode == NS_HEAT_STACKED) {
        for (unsigned i = 0; i < heatmap->cells.n; i++) {
            ns_figure_text(figure, &figure->labels[i], ns_figure_run_label(input, i));
            heatmap->panels[i].name = figure->labels[i];
            heatmap->panels[i].style = i + 1;
        }
    }
    ns_figure_text(figure, &figure->labels[BAR],
                   heatmap->mode == NS_HEAT_RATIO
                       ? g_strdup_printf(_("log_2(%s / %s)"), ns_figure_run(input, 1).name,
                                         ns_figure_run(input, 0).name)
                       : g_strdup(info->symbol));
    NS_FIGURE_SET(figure, figure->plot.left.label, ns_figure_axis(quantity, input->history));
    ns_figure_words(figure, &shown,
                    (NsFigureWords){.title = title,
                                    .empty = empty,
                                    .step = ns_figure_newest(&shown),
                                    .note = note(heatmap)});
}

static void update_map(Heatmap *heatmap, const NsFigureInput *input)
{
    NsFigure *figure = &heatmap->figure;
    NsQuantity quantity = ns_figure_quantity(figure->kind, input);
    bool log = ns_figure_scale(quantity, input) == NS_SCALE_LOG;
    NsHeatMode mode = input->n_lanes < 2 ? NS_HEAT_LANE : input->heat;
    NsFigureRun runs[NS_LANES_MAX] = {{.history = input->history}};
    unsigned n = mode == NS_HEAT_LANE ? 1 : ns_figure_runs(input);
    for (unsigned i = 0; i < n && mode != NS_HEAT_LANE; i++) runs[i] = ns_figure_run(input, i);
    NS_FIGURE_SET(figure, heatmap->mode, mode);
    /* The cells begin again if a run or the quantity changed. */
    bool other = n != heatmap->cells.n || quantity != heatmap->cells.quantity ||
                 heatmap->cells.spacing != spacing_of(runs, n);
    for (unsigned i = 0; i < NS_LANES_MAX; i++)
        other |= ns_source_follow(&heatmap->cells.run[i].source, i < n ? runs[i].history : NULL);
    if (other) begin(&heatmap->cells, runs, n, quantity);
    figure->changed |= read_all(&heatmap->cells) || other;
    figure->changed |= mode != NS_HEAT_RATIO && heatmap->map.log != log;
    NS_FIGURE_SET(figure, heatmap->marked, input->marked_layer);
    NS_FIGURE_SET(figure, heatmap->viewed, ns_figure_viewed(input));
    find_wild(heatmap, input, log);
    make_texts(heatmap, input);
    if (!figure->changed) return;

    if (heatmap->mode == NS_HEAT_RATIO) {
        heatmap->map = ratio_map(&heatmap->ratio, &heatmap->cells);
    } else {
        heatmap->map = cells_map(&heatmap->cells, heatmap->panels);
        heatmap->map.log = log;
        heatmap->map.lo = heatmap->colors.lo;
        heatmap->map.hi = heatmap->colors.hi;
    }
    heatmap->map.label = figure->labels[BAR];
    /* Two lines mark the selected layer in every panel that has it, and a line the selected
     * step. */
    figure->plot.spans = figure->spans;
    figure->plot.n_spans = 0;
    bool marked = heatmap->marked >= 1 && ns_quantity(quantity)->domain != NS_DOMAIN_HEAD;
    for (size_t i = 0; marked && i < ns_panels(&heatmap->map); i++) {
        NsPanel panel = ns_panel(&heatmap->map, i);
        if (heatmap->marked < panel.y0 || heatmap->marked > panel.y1) continue;
        figure->spans[figure->plot.n_spans++] =
            (NsSpan){.from = ns_panel_to_axis(&panel, heatmap->marked - 0.5),
                     .to = ns_panel_to_axis(&panel, heatmap->marked + 0.5),
                     .rows = true};
    }
    double step = (double)heatmap->viewed;
    if (step >= 0) figure->spans[figure->plot.n_spans++] = (NsSpan){.from = step, .to = step};
    bool shown = ns_quantity(quantity)->domain != NS_DOMAIN_STEP && heatmap->map.columns &&
                 heatmap->map.rows && !(figure->kind->two_runs && mode == NS_HEAT_LANE);
    figure->plot.heatmap = shown ? &heatmap->map : NULL;
}

/* A figure of two runs shows their ratio: of two lanes, or of a run and the previous one, which are
 * treated as two lanes. */
static void update(NsFigure *figure, const NsFigureInput *input)
{
    Heatmap *heatmap = (Heatmap *)figure;
    NsFigureInput pair = *input;
    if (figure->kind->two_runs) pair.heat = NS_HEAT_RATIO;
    if (pair.heat == NS_HEAT_RATIO && pair.n_lanes > 2) {
        /* Keeps the two lanes whose ratio is shown: the first, and the active one (the second if
         * the first is active). */
        unsigned upper = MAX(ns_figure_active(&pair), 1);
        pair.lanes[1] = pair.lanes[upper];
        pair.lanes[1].lane = upper;
        pair.named = (pair.named & 1) | (pair.named >> upper & 1) << 1;
        pair.n_lanes = 2;
    }
    if (figure->kind->two_runs && input->n_lanes < 2 && input->previous) {
        pair.n_lanes = 2;
        pair.lanes[0] =
            (NsFigureRun){input->previous, input->previous_settings, _("previous run"), .lane = 0};
        pair.lanes[1] =
            (NsFigureRun){input->history, input->settings, _("this run"), 0, input->started};
    }
    update_map(heatmap, &pair);
}

static void clear(NsFigure *figure)
{
    Heatmap *heatmap = (Heatmap *)figure;
    for (unsigned i = 0; i < NS_LANES_MAX; i++)
        ns_source_follow(&heatmap->cells.run[i].source, NULL);
    g_free(heatmap->cells.z);
    ns_values_free(&heatmap->cells.values);
    heatmap->cells = (Cells){0};
    g_free(heatmap->ratio);
}

static void init(NsFigure *figure)
{
    figure->plot.left.integer = true;
}

const NsFigureClass ns_heatmap_class = {sizeof(Heatmap), init, update, clear, NS_SEEDS_FIRST};
