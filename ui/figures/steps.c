/* SPDX-License-Identifier: MIT */
#include "core/base/digits.h"
#include "core/base/words.h"
#include "core/experiment/param.h"
#include "core/probe/curvature.h"
#include "ui/figures/figure.h"
#include "ui/figures/step_curves.h"

#include <math.h>

/* A quantity with one value per step has only MEAN and SMOOTH, the smoothed mean. */
enum { LARGEST, LEAST, MEAN, SMOOTH, CURVES };
G_STATIC_ASSERT((int)CURVES == NS_STEP_CURVES);

typedef struct {
    NsFigure figure;
    NsStepCurves lanes[NS_LANES_MAX];
    NsWildRun runs[NS_LANES_MAX];
    unsigned n;
    NsPreviousCurves previous;
    NsSeries keys[2]; /* the faint extremes; the faint means of several runs that are smoothed */
    const char *faint;
    NsQuantity quantity;
    NsLevel levels[NS_LANES_MAX];
} Steps;

/* Statistics of the values of one record. */
typedef struct {
    double mean, largest, least;
    size_t n; /* number of measured values */
} Summary;

/* Reads the next record (or group of records that are stored together); FALSE if it has no
 * values. */
static bool next_record(const Steps *steps, NsSource *source, double *x, Summary *summary)
{
    NsHistory *history = source->history;
    size_t count = ns_history_layout(history)->count[steps->quantity], record = source->steps;
    g_autofree float *min = g_new(float, count), *max = g_new(float, count);
    g_autofree bool *has = g_new(bool, count);
    NsBucket bucket = ns_history_read(history, steps->quantity, record, min, max, has);
    source->steps = MAX(record, (size_t)ns_history_record(history, bucket.last)) + 1;
    Summary s = {.largest = -INFINITY, .least = INFINITY};
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (!has[i]) continue;
        double lo = (double)min[i], hi = (double)max[i];
        sum += hi;
        s.n++;
        s.largest = hi > s.largest || isnan(hi) ? hi : s.largest;
        s.least = lo < s.least || isnan(lo) ? lo : s.least;
    }
    s.mean = sum / (double)s.n;
    *summary = s;
    *x = (double)MAX(bucket.first, ns_history_step(history, record)->step);
    return summary->n > 0;
}

static bool has_quantity(const Steps *steps, const NsHistory *history)
{
    return history && ns_history_layout(history)->count[steps->quantity] > 0;
}

static void read_previous(NsSource *source, NsCurve *curve, NsFigure *figure)
{
    Steps *steps = (Steps *)figure;
    double x;
    Summary s;
    if (!has_quantity(steps, source->history)) return;
    while (source->steps < ns_history_steps(source->history))
        if (next_record(steps, source, &x, &s)) ns_curve_append(curve, x, s.mean);
}

static void follow(Steps *steps, const NsFigureInput *input)
{
    NsFigure *figure = &steps->figure;
    unsigned n = ns_figure_runs(input);
    bool other = steps->quantity != input->quantity;
    NS_FIGURE_SET(figure, steps->quantity, input->quantity);
    for (unsigned i = n; i < steps->n; i++) ns_step_curves_clear(&steps->lanes[i]);
    NS_FIGURE_SET(figure, steps->n, n);
    if (other) ns_previous_curves_forget(&steps->previous);
    for (unsigned i = 0; i < n; i++) {
        NsStepCurves *lane = &steps->lanes[i];
        NsFigureRun run = ns_figure_run(input, i);
        bool rebuilt = ns_step_curves_follow(lane, run.history, input->smoothing, other);
        steps->runs[i].history = run.history;
        steps->runs[i].name = run.name;
        if (rebuilt) steps->runs[i].most = 0;
        bool smooth = lane->smoother.how.kind != NS_SMOOTH_NONE;
        size_t before = lane->run.steps;
        size_t records = has_quantity(steps, run.history) ? ns_history_steps(run.history) : 0;
        while (lane->run.steps < records) {
            double x;
            Summary s;
            if (!next_record(steps, &lane->run, &x, &s)) continue;
            ns_curve_append(&lane->curves[MEAN], x, s.mean);
            if (smooth)
                ns_curve_append(&lane->curves[SMOOTH], x,
                                ns_smoother_next(&lane->smoother, s.mean));
            ns_curve_append(&lane->curves[LARGEST], x, s.largest);
            ns_curve_append(&lane->curves[LEAST], x, s.least);
            if (isfinite(s.largest)) steps->runs[i].most = MAX(steps->runs[i].most, s.largest);
        }
        steps->figure.changed |= rebuilt || lane->run.steps != before;
    }
    ns_previous_curves_follow(&steps->previous, figure, input, read_previous);
}

static char *grouping_words(const Steps *steps, const NsFigureInput *input)
{
    char *groups = ns_step_curves_note(steps->lanes, steps->n, MEAN);
    if (groups) return groups;
    int64_t stride = input->history ? ns_history_stride(input->history) : 1;
    g_autofree char *most = ns_group_digits(stride);
    if (stride > 1)
        return g_strdup_printf(_("Older steps are grouped, up to %s at a time, and keep their "
                                 "extremes and their largest mean."),
                               most);
    const NsQuantityInfo *info = ns_quantity(steps->quantity);
    if (!info->every || info->validated || !input->settings) return NULL;
    double every = ns_settings_get_number(input->settings, ns_param_find(info->every));
    g_autofree char *spacing = ns_group_digits((int64_t)every);
    return every > 1 ? g_strdup_printf(_("Measured every %s steps."), spacing) : NULL;
}

static char *note(const Steps *steps, const NsFigureInput *input)
{
    bool several = ns_quantity(steps->quantity)->domain != NS_DOMAIN_STEP;
    g_autofree char *grouped = grouping_words(steps, input);
    bool heads = ns_quantity(steps->quantity)->domain == NS_DOMAIN_HEAD;
    const char *range =
        heads ? _("Thick lines: means over the heads.") : _("Thick lines: means over the layers.");
    GString *words = g_string_new(NULL);
    if (steps->n > 1 && several) ns_figure_add_sentence(words, "%s", range);
    ns_wild_note(words, steps->runs, steps->n, false);
    if (grouped) ns_figure_add_sentence(words, "%s", grouped);
    return g_string_free(words, words->len == 0);
}

/* The labels of run i. */
static const char **labels_of(NsFigure *figure, unsigned i)
{
    return figure->labels + (size_t)i * CURVES;
}

static void show(Steps *steps, const NsFigureInput *input)
{
    /* The colors of other lanes would stand for other runs. */
    static const NsSeries single[CURVES] = {
        [LARGEST] = {.kind = NS_SERIES_LINE, .muted = true},
        [LEAST] = {.kind = NS_SERIES_LINE, .muted = true},
        [MEAN] = {.kind = NS_SERIES_LINE},
        [SMOOTH] = {.kind = NS_SERIES_LINE},
    };
    NsFigure *figure = &steps->figure;
    bool several = ns_quantity(steps->quantity)->domain != NS_DOMAIN_STEP;
    const NsQuantityInfo *info = ns_quantity(steps->quantity);
    bool seldom = info->every != NULL;
    /* Pale curves stand for one thing: the pinned runs, if there are any. */
    bool ranges = several;
    for (unsigned i = 0; i < input->n_pinned; i++) ranges &= !steps->previous.run[i].curve.n;
    NsSeries *range_key = &steps->keys[0];
    *range_key = ns_figure_key(info->domain == NS_DOMAIN_HEAD ? _("largest and smallest head")
                                                              : _("largest and smallest layer"));
    /* Of several runs it is gray; a single one has its color. */
    range_key->previous = steps->n > 1;
    range_key->muted = true;
    steps->keys[ranges] = ns_figure_key(steps->faint);
    figure->plot.keys = steps->keys;
    figure->plot.n_keys = 0;
    ns_previous_curves_show(&steps->previous, figure, input);
    for (unsigned i = 0; i < steps->n; i++)
        for (unsigned k = 0; k < CURVES; k++) {
            const NsCurve *curves = steps->lanes[i].curves, *curve = &curves[k];
            bool range = k == LARGEST || k == LEAST;
            if (!curve->n || (!ranges && range)) continue;
            NsSeries *series = &figure->series[figure->plot.n_series++];
            *series = single[k];
            if (seldom && k != SMOOTH) series->kind = NS_SERIES_POINTS;
            if (steps->n > 1) series->style = i;
            series->muted |= k == MEAN && curves[SMOOTH].n;
            if (range) figure->plot.n_keys = MAX(figure->plot.n_keys, 1);
            if (k == SMOOTH && steps->n > 1) figure->plot.n_keys = 1 + ranges;
            series->label = labels_of(figure, i)[k];
            if (steps->n > 1 && !range) series->group = labels_of(figure, i)[MEAN];
            ns_curve_show(curve, series);
        }
}

static void update(NsFigure *figure, const NsFigureInput *input)
{
    Steps *steps = (Steps *)figure;
    NsScaleKind scale = ns_figure_scale(input->quantity, input);
    follow(steps, input);
    NS_FIGURE_SET(figure, figure->plot.left.scale, scale);
    double upper_end = ns_wild_find(steps->runs, steps->n, scale);
    ns_figure_mark_events(figure, input);
    ns_figure_mark_step(figure, input);
    const NsQuantityInfo *info = ns_quantity(steps->quantity);
    const char *name = _(info->choice.label);
    int64_t newest = ns_figure_newest(input);
    bool records = newest >= 0;
    bool missing =
        input->history && ns_history_steps(input->history) && !has_quantity(steps, input->history);
    g_autofree char *empty = missing   ? ns_figure_absent(steps->quantity, input)
                             : records ? g_strdup_printf(_("%s has not been measured yet."), name)
                                       : NULL;
    /* A value per step has no other chart that its name could be mistaken for. */
    g_autofree char *title = info->domain == NS_DOMAIN_STEP
                                 ? g_strdup(name)
                                 : g_strdup_printf(_("%s over the steps"), name);
    NS_FIGURE_SET(figure, figure->plot.left.label, info->symbol);
    g_autofree char *how = ns_smoothing_words(input->smoothing);
    ns_figure_text(figure, &steps->faint, how ? g_strdup_printf(_("before %s"), how) : NULL);
    for (unsigned i = 0; i < steps->n; i++) {
        const char **labels = labels_of(figure, i);
        bool heads = info->domain == NS_DOMAIN_HEAD;
        const char *largest = heads ? _("largest of any head") : _("largest of any layer");
        const char *least = heads ? _("smallest of any head") : _("smallest of any layer");
        ns_figure_text(figure, &labels[LARGEST], ns_figure_run_words(input, i, largest));
        ns_figure_text(figure, &labels[LEAST], ns_figure_run_words(input, i, least));
        char *mean = steps->n > 1 ? ns_figure_run_label(input, i)
                     : info->domain == NS_DOMAIN_STEP
                         ? g_strdup(info->symbol)
                         : g_strdup(heads ? _("mean over the heads") : _("mean over the layers"));
        ns_figure_text(figure, &labels[MEAN], mean);
        ns_figure_text(figure, &labels[SMOOTH],
                       how ? g_strdup_printf("%s, %s", labels[MEAN], how) : NULL);
    }
    ns_figure_words(
        figure, input,
        (NsFigureWords){
            .title = title, .empty = empty, .step = newest, .note = note(steps, input)});
    if (!figure->changed) return;
    figure->plot.left.hi = upper_end;
    show(steps, input);
    /* The values from which on steps are too large, of every optimizer that is shown. */
    NsPlot *plot = &steps->figure.plot;
    plot->levels = steps->levels;
    plot->n_levels = 0;
    for (unsigned i = 0; i < steps->n; i++) {
        const NsSettings *settings = ns_figure_run(input, i).settings;
        double y = (double)NAN;
        if (steps->quantity == NS_QUANTITY_CRITICAL_RATIO) y = 1;
        if (steps->quantity == NS_QUANTITY_RATE_SHARPNESS && settings)
            y = ns_curvature_edge(settings);
        bool skipped = isnan(y) || !steps->lanes[i].curves[MEAN].n; /* nothing to compare with it */
        for (size_t k = 0; k < plot->n_levels; k++) skipped |= !(fabs(plot->levels[k].y - y) > 0);
        if (!skipped)
            steps->levels[plot->n_levels++] = (NsLevel){.y = y, .text = _("edge of stability")};
    }
}

static void clear(NsFigure *figure)
{
    Steps *steps = (Steps *)figure;
    for (size_t i = 0; i < NS_LANES_MAX; i++) ns_step_curves_clear(&steps->lanes[i]);
    ns_previous_curves_clear(&steps->previous);
    ns_figure_text(figure, &steps->faint, NULL);
}

const NsFigureClass ns_steps_class = {sizeof(Steps), NULL, update, clear, NS_SEEDS_MEAN_BY_STEP};
