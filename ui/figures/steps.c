/* SPDX-License-Identifier: MIT */
#include "ui/figures/curve.h"
#include "ui/figures/figure.h"

#include <math.h>

/* Of a quantity of one value a step, only MEAN is there, and SMOOTH of it. */
enum { GHOST, LARGEST, LEAST, MEAN, SMOOTH, SERIES };
G_STATIC_ASSERT(SERIES <= NS_FIGURE_SERIES);

typedef struct {
    NsFigure figure;
    NsSource run, ghost;
    NsQuantity quantity;
    float *min, *max; /* [count] of the record that is read */
    NsCurve curves[SERIES];
    NsSmoother smoother;
} Steps;

/* What the values of a record come to. */
typedef struct {
    double mean, largest, least;
    size_t n; /* values that are not blank */
} Summary;

static Summary summarise(const float *min, const float *max, size_t count)
{
    Summary s = {.largest = -INFINITY, .least = INFINITY};
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (ns_is_blank(max[i])) continue;
        double lo = (double)min[i], hi = (double)max[i];
        sum += hi;
        s.n++;
        s.largest = hi > s.largest || isnan(hi) ? hi : s.largest;
        s.least = lo < s.least || isnan(lo) ? lo : s.least;
    }
    s.mean = sum / (double)s.n;
    return s;
}

/* Appends what is new of a history to curves, of which those for the extremes may be NULL. */
static void read_records(Steps *steps, NsSource *source, NsCurve *mean, NsCurve *largest,
                         NsCurve *least)
{
    bool smooth = largest && steps->smoother.how.kind != NS_SMOOTH_NONE;
    NsHistory *history = source->history;
    NsQuantity quantity = steps->quantity;
    size_t count = ns_history_layout(history)->count[quantity];
    size_t records = ns_history_steps(history);
    if (!count) return;
    while (source->steps < records) {
        size_t record = source->steps;
        NsBucket bucket = ns_history_read(history, quantity, record, steps->min, steps->max);
        int64_t first = ns_history_first_step(history);
        source->steps = MAX(record, (size_t)(bucket.last - first)) + 1;
        Summary s = summarise(steps->min, steps->max, count);
        if (!s.n) continue;
        double x = (double)MAX(bucket.first, first + (int64_t)record);
        ns_curve_append(mean, x, s.mean);
        if (smooth)
            ns_curve_append(&steps->curves[SMOOTH], x, ns_smoother_next(&steps->smoother, s.mean));
        if (largest) ns_curve_append(largest, x, s.largest);
        if (least) ns_curve_append(least, x, s.least);
    }
}

static bool follow(Steps *steps, const NsFigureInput *input)
{
    bool other = steps->quantity != input->quantity;
    bool run = ns_source_follow(&steps->run, input->history);
    bool ghost = ns_source_follow(&steps->ghost, input->ghost);
    bool smooth = !ns_smoothing_equal(steps->smoother.how, input->smoothing);
    steps->quantity = input->quantity;
    if (other || run || smooth) {
        for (size_t i = GHOST + 1; i < SERIES; i++) ns_curve_clear(&steps->curves[i]);
        ns_smoother_clear(&steps->smoother);
        ns_smoother_init(&steps->smoother, input->smoothing);
        steps->run.steps = 0;
    }
    if (other || ghost) {
        ns_curve_clear(&steps->curves[GHOST]);
        steps->ghost.steps = 0;
    }
    if (!other && !run && !ghost && !smooth) return false;

    size_t count = 0;
    NsHistory *histories[] = {input->history, input->ghost};
    for (size_t i = 0; i < G_N_ELEMENTS(histories); i++)
        if (histories[i])
            count = MAX(count, ns_history_layout(histories[i])->count[steps->quantity]);
    steps->min = g_renew(float, steps->min, count);
    steps->max = g_renew(float, steps->max, count);
    return true;
}

static char *note(const Steps *steps, const NsFigureInput *input)
{
    int64_t stride = steps->curves[MEAN].stride;
    if (stride > 1)
        return g_strdup_printf(
            "Steps are shown in groups of %" G_GINT64_FORMAT ", by their extremes.", stride);
    int64_t kept = input->history ? ns_history_stride(input->history) : 1;
    if (kept > 1)
        return g_strdup_printf("Old steps are kept in groups of up to %" G_GINT64_FORMAT
                               ": by their extremes, the mean by the largest.",
                               kept);
    int64_t every = input->history ? ns_history_layout(input->history)->probe_every : 1;
    bool dear = ns_quantity(steps->quantity)->dear;
    return dear && every > 1 ? g_strdup_printf("Measured every %" G_GINT64_FORMAT " steps.", every)
                             : NULL;
}

static bool make_texts(Steps *steps, const NsFigureInput *input)
{
    NsFigure *figure = &steps->figure;
    const NsQuantityInfo *info = ns_quantity(steps->quantity);
    size_t records = input->history ? ns_history_steps(input->history) : 0;
    bool several = info->domain != NS_DOMAIN_STEP;
    bool missing = records && !ns_history_layout(input->history)->count[steps->quantity];
    bool heads = info->domain == NS_DOMAIN_HEAD;
    g_autofree char *empty =
        missing   ? ns_figure_absent(steps->quantity, input->history)
        : records ? g_strdup_printf("%s has not been measured yet.", info->choice.label)
                  : g_strdup("No step has been measured yet.");
    g_autofree char *title = g_strconcat(info->choice.label, " over the steps", NULL);
    const char *of = heads ? "head" : "layer";
    bool changed = ns_figure_text(&figure->left_label, g_strdup(info->symbol));
    changed |=
        ns_figure_text(&figure->labels[GHOST], input->ghost ? ns_figure_ghost_label(input) : NULL);
    changed |= ns_figure_text(&figure->labels[LARGEST], g_strdup_printf("largest of any %s", of));
    changed |= ns_figure_text(&figure->labels[LEAST], g_strdup_printf("least of any %s", of));
    changed |=
        ns_figure_text(&figure->labels[MEAN],
                       several ? g_strdup_printf("mean over the %ss", of) : g_strdup(info->symbol));
    g_autofree char *how = ns_smoothing_words(input->smoothing);
    changed |= ns_figure_text(&figure->labels[SMOOTH],
                              how ? g_strdup_printf("%s, %s", figure->labels[MEAN], how) : NULL);
    changed |= ns_figure_words(
        figure, input,
        (NsFigureWords){.title = title,
                        .empty = empty,
                        .step = records ? ns_history_step(input->history, records - 1)->step : -1,
                        .note = note(steps, input)});
    return changed;
}

static void show(Steps *steps, NsScaleKind scale)
{
    static const NsSeries looks[SERIES] = {
        [GHOST] = {.kind = NS_SERIES_LINE, .style = 0, .ghost = true},
        [LARGEST] = {.kind = NS_SERIES_LINE, .style = 1},
        [LEAST] = {.kind = NS_SERIES_LINE, .style = 2},
        [MEAN] = {.kind = NS_SERIES_LINE, .style = 0},
        [SMOOTH] = {.kind = NS_SERIES_LINE, .style = 0},
    };
    NsFigure *figure = &steps->figure;
    bool several = ns_quantity(steps->quantity)->domain != NS_DOMAIN_STEP;
    bool dear = ns_quantity(steps->quantity)->dear;
    figure->plot.left.scale = scale;
    figure->plot.left.label = figure->left_label;
    figure->plot.n_series = 0;
    for (size_t i = 0; i < SERIES; i++) {
        const NsCurve *curve = &steps->curves[i];
        if (!curve->n || (!several && (i == LARGEST || i == LEAST))) continue;
        NsSeries *series = &figure->series[figure->plot.n_series++];
        *series = looks[i];
        if (dear && i != SMOOTH) series->kind = NS_SERIES_POINTS;
        series->pale = i == MEAN && steps->curves[SMOOTH].n;
        series->label = figure->labels[i];
        ns_curve_show(curve, series);
    }
}

static bool update(NsFigure *figure, const NsFigureInput *input)
{
    Steps *steps = (Steps *)figure;
    NsScaleKind scale = ns_figure_scale(input->quantity, input);
    bool changed = follow(steps, input) || figure->plot.left.scale != scale;
    NsCurve *curves = steps->curves;
    size_t before = steps->run.steps, ghost_before = steps->ghost.steps;
    if (input->history)
        read_records(steps, &steps->run, &curves[MEAN], &curves[LARGEST], &curves[LEAST]);
    if (input->ghost) read_records(steps, &steps->ghost, &curves[GHOST], NULL, NULL);
    changed |= steps->run.steps != before || steps->ghost.steps != ghost_before;
    changed |= ns_figure_mark_events(figure, input);
    changed |= make_texts(steps, input);
    if (changed) show(steps, scale);
    return changed;
}

static void clear(NsFigure *figure)
{
    Steps *steps = (Steps *)figure;
    ns_source_follow(&steps->run, NULL);
    ns_source_follow(&steps->ghost, NULL);
    ns_smoother_clear(&steps->smoother);
    g_free(steps->min);
    g_free(steps->max);
    for (size_t i = 0; i < SERIES; i++) ns_curve_clear(&steps->curves[i]);
}

NsFigure *ns_steps_new(void)
{
    static const NsFigureClass class = {sizeof(Steps), update, clear};
    NsFigure *figure = ns_figure_alloc(&class);
    figure->plot.x.label = "step";
    return figure;
}
