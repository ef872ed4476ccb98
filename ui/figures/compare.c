/* SPDX-License-Identifier: MIT */
#include "ui/figures/figure.h"

#include <math.h>
#include <string.h>

/* The values of one run, by layer; 0 of them where it has none. */
typedef struct {
    NsSource source;
    double *y; /* [n], blank ones NaN */
    size_t n;
    NsBucket bucket;
} Side;

enum { THIS, OTHER, SIDES };

typedef struct {
    NsFigure figure;
    NsQuantity quantity;
    Side sides[SIDES];
    double *x, *ratio; /* [layers] */
    size_t layers;
    NsPlot strip;
    NsSeries below;
} Compare;

static const NsLevel equal = {.y = 1, .text = "equal"};

/* The record at the step that is shown, or the last one before it; -1 where there is none. */
static int64_t record_at(NsHistory *history, int64_t step)
{
    int64_t newest = history ? (int64_t)ns_history_steps(history) - 1 : -1;
    if (newest < 0 || step < 0) return newest;
    return CLAMP(step - ns_history_first_step(history), 0, newest);
}

/* TRUE if a value or the step differs from what is there. */
static bool read_side(Side *side, NsHistory *history, NsQuantity quantity, int64_t record)
{
    bool changed = ns_source_follow(&side->source, history);
    size_t n = record >= 0 ? ns_history_layout(history)->count[quantity] : 0;
    g_autofree float *values = g_new(float, n + 1);
    g_autofree double *y = g_new(double, n + 1);
    NsBucket bucket = {-1, -1};
    if (n) {
        size_t measured = ns_history_measured(history, quantity, (size_t)record);
        bucket = ns_history_read(history, quantity, measured, NULL, values);
    }
    for (size_t i = 0; i < n; i++) y[i] = ns_is_blank(values[i]) ? (double)NAN : (double)values[i];
    changed |= n != side->n || bucket.first != side->bucket.first ||
               bucket.last != side->bucket.last || (n && memcmp(y, side->y, n * sizeof *y));
    if (!changed) return false;
    g_free(side->y);
    side->y = g_steal_pointer(&y);
    side->n = n;
    side->bucket = bucket;
    return true;
}

static void fill_ratio(Compare *compare, unsigned first_layer)
{
    const Side *a = &compare->sides[THIS], *b = &compare->sides[OTHER];
    size_t most = MAX(a->n, b->n);
    compare->layers = MIN(a->n, b->n);
    compare->x = g_renew(double, compare->x, most);
    compare->ratio = g_renew(double, compare->ratio, most);
    for (size_t i = 0; i < most; i++) compare->x[i] = (double)(i + first_layer);
    for (size_t i = 0; i < compare->layers; i++) compare->ratio[i] = a->y[i] / b->y[i];
}

static void show(Compare *compare, NsScaleKind scale)
{
    NsFigure *figure = &compare->figure;
    NsPlot *plot = &figure->plot;
    plot->n_series = 0;
    for (int i = 0; i < SIDES; i++)
        if (compare->sides[i].n)
            figure->series[plot->n_series++] = (NsSeries){.label = figure->labels[i],
                                                          .kind = NS_SERIES_POINTS,
                                                          .style = (unsigned)i,
                                                          .n = compare->sides[i].n,
                                                          .x = compare->x,
                                                          .y = compare->sides[i].y};
    compare->below = (NsSeries){.label = "ratio, this run / previous run",
                                .kind = NS_SERIES_POINTS,
                                .style = 3,
                                .n = compare->layers,
                                .x = compare->x,
                                .y = compare->ratio};
    compare->strip = (NsPlot){.left = {.label = "ratio", .scale = scale, .lo = NAN, .hi = NAN},
                              .series = &compare->below,
                              .n_series = 1,
                              .levels = &equal,
                              .n_levels = 1};
    plot->strip = compare->layers ? &compare->strip : NULL;
    plot->left.scale = scale;
    plot->left.label = figure->left_label;
    plot->x.label = figure->x_label;
}

static char *side_label(const char *run, const Side *side)
{
    return g_strdup_printf("%s, step %" G_GINT64_FORMAT, run, side->bucket.last);
}

static bool make_texts(Compare *compare, const NsFigureInput *input)
{
    NsFigure *figure = &compare->figure;
    const NsQuantityInfo *info = ns_quantity(compare->quantity);
    const Side *sides = compare->sides;
    g_autofree char *other = input->ghost ? ns_figure_ghost_label(input) : NULL;
    g_autofree char *title = g_strdup_printf("%s, two runs", info->choice.label);
    bool measured = input->history && ns_history_steps(input->history);
    g_autofree char *empty = measured && !sides[THIS].n
                                 ? ns_figure_absent(compare->quantity, input->history)
                                 : g_strdup("No step has been measured yet.");
    bool changed = ns_figure_text(&figure->labels[THIS], side_label("this run", &sides[THIS]));
    changed |=
        ns_figure_text(&figure->labels[OTHER], other ? side_label(other, &sides[OTHER]) : NULL);
    changed |= ns_figure_text(&figure->left_label, g_strdup(info->symbol));
    changed |= ns_figure_text(&figure->x_label, ns_figure_axis(compare->quantity, input->history));
    char *note =
        measured && !input->ghost
            ? g_strdup("There is no other run yet: reset, change a setting, and run again.")
            : NULL;
    changed |= ns_figure_words(figure, input,
                               (NsFigureWords){.title = title,
                                               .empty = empty,
                                               .step = sides[THIS].n ? sides[THIS].bucket.last : -1,
                                               .note = note});
    return changed;
}

static bool update(NsFigure *figure, const NsFigureInput *input)
{
    Compare *compare = (Compare *)figure;
    NsScaleKind scale = ns_figure_scale(input->quantity, input);
    bool changed = compare->quantity != input->quantity || figure->plot.left.scale != scale;
    compare->quantity = input->quantity;
    int64_t record = ns_figure_record(input);
    changed |= read_side(&compare->sides[THIS], input->history, input->quantity, record);
    changed |= read_side(&compare->sides[OTHER], input->ghost, input->quantity,
                         record_at(input->ghost, input->step));
    changed |= make_texts(compare, input);
    if (!changed) return false;
    fill_ratio(compare, ns_quantity(input->quantity)->domain == NS_DOMAIN_HIDDEN ? 0 : 1);
    show(compare, scale);
    return true;
}

static void clear(NsFigure *figure)
{
    Compare *compare = (Compare *)figure;
    for (int i = 0; i < SIDES; i++) {
        ns_source_follow(&compare->sides[i].source, NULL);
        g_free(compare->sides[i].y);
    }
    g_free(compare->x);
    g_free(compare->ratio);
}

NsFigure *ns_compare_new(void)
{
    static const NsFigureClass class = {sizeof(Compare), update, clear};
    return ns_figure_alloc(&class);
}
