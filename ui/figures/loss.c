/* SPDX-License-Identifier: MIT */
#include "core/base/words.h"
#include "ui/figures/step_curves.h"
#include "ui/figures/wild.h"

#include <math.h>
#include <string.h>

/* Offset of the dash pattern of a lane's learning rate, so that it differs from that of the lane's
 * loss, which has the same color. */
#define RATE_DASH 3

/* A lane leaves the axis to the others if its largest loss exceeds the smallest of these by this
 * factor, which is lower if it diverged.  The axis then ends at ABOVE times the largest of the
 * other losses. */
#define WILD 10
#define WILD_DIVERGED 3
#define ABOVE 1.05

enum { TRAINING, SMOOTH, VALIDATION, RATE, CURVES };
G_STATIC_ASSERT((int)CURVES == NS_STEP_CURVES);
G_STATIC_ASSERT(NS_LANES_MAX *CURVES + NS_FIGURE_PINNED + 1 <= NS_FIGURE_SERIES);

typedef struct {
    NsFigure figure;
    NsStepCurves lanes[NS_LANES_MAX];
    unsigned n;
    NsWildRun runs[NS_LANES_MAX];
    /* For every pair of lanes, whether their rates differed at some step, and the last step
     * compared. */
    bool rates_differ[NS_LANES_MAX][NS_LANES_MAX];
    int64_t compared[NS_LANES_MAX][NS_LANES_MAX];
    unsigned rate_of[NS_LANES_MAX]; /* the first lane with the same rate */
    NsPreviousCurves previous;
} Loss;

/* Reads the new steps of a lane.  TRUE if its curves were read from the start. */
static bool read_lane(Loss *loss, unsigned i, const NsFigureInput *input)
{
    NsStepCurves *lane = &loss->lanes[i];
    NsSource *run = &lane->run;
    NsHistory *history = ns_figure_run(input, i).history;
    bool anew = ns_step_curves_follow(lane, history, input->smoothing, false);
    size_t steps = history ? ns_history_steps(history) : 0;
    size_t evaluations = history ? ns_history_evaluations(history) : 0;
    loss->figure.changed |= anew || steps != run->steps || evaluations != run->evaluations;
    if (!run->steps) loss->runs[i].most = -INFINITY;
    for (; run->steps < steps; run->steps++) {
        const NsStep *step = ns_history_step(history, run->steps);
        ns_curve_append(&lane->curves[TRAINING], (double)step->step, step->loss);
        if (input->smoothing.kind != NS_SMOOTH_NONE)
            ns_curve_append(&lane->curves[SMOOTH], (double)step->step,
                            ns_smoother_next(&lane->smoother, step->loss));
        /* Step 0 precedes all updates and has no rate; imported runs may not record one. */
        if (step->step > 0 && !isnan(step->lr))
            ns_curve_append(&lane->curves[RATE], (double)step->step, step->lr);
        if (isfinite(step->loss)) loss->runs[i].most = MAX(loss->runs[i].most, step->loss);
    }
    for (; run->evaluations < evaluations; run->evaluations++) {
        const NsEvaluation *evaluation = ns_history_evaluation(history, run->evaluations);
        ns_curve_append(&lane->curves[VALIDATION], (double)evaluation->step, evaluation->loss);
    }
    return anew;
}

/* Whether two lanes had different rates at a common step that has not been compared yet. */
static bool rates_differ(Loss *loss, unsigned i, unsigned j)
{
    NsHistory *a = loss->lanes[i].run.history, *b = loss->lanes[j].run.history;
    if (!a || !b) return false;
    /* Step 0 precedes all updates and has no rate. */
    int64_t after = MAX(loss->compared[i][j], 0);
    size_t k = (size_t)(ns_history_record(a, after) + 1), end = loss->lanes[i].run.steps;
    int64_t last = loss->lanes[j].run.steps ? ns_history_last_step(b) : -1;
    for (; k < end && ns_history_step(a, k)->step <= last; k++) {
        const NsStep *p = ns_history_step(a, k);
        int64_t same = ns_history_record(b, p->step);
        const NsStep *q = same < 0 ? NULL : ns_history_step(b, (size_t)same);
        if (q && q->step == p->step && (p->lr < q->lr || p->lr > q->lr)) return true;
        loss->compared[i][j] = p->step;
    }
    return false;
}

static void compare_rates(Loss *loss)
{
    for (unsigned j = 0; j < loss->n; j++) {
        loss->rate_of[j] = j;
        for (unsigned i = j; i-- > 0;) {
            if (!loss->rates_differ[i][j]) loss->rates_differ[i][j] = rates_differ(loss, i, j);
            if (!loss->rates_differ[i][j] && loss->rate_of[i] == i) loss->rate_of[j] = i;
        }
    }
}

/* The lanes (as bits) that have the same rate as this one. */
static unsigned runs_with_rate(const Loss *loss, unsigned lane)
{
    unsigned runs = 0;
    for (unsigned i = 0; i < loss->n; i++)
        if (loss->rate_of[i] == loss->rate_of[lane]) runs |= 1u << i;
    return runs;
}

/* Finds the lanes whose loss is so much larger than another that a common axis would flatten the
 * other one.  For a lane that diverged the limit is lower.  Returns the upper limit of the axis;
 * NaN if all losses fit. */
static double find_wild(Loss *loss, const NsFigureInput *input)
{
    double least = INFINITY, most = -INFINITY;
    bool any = false;
    for (unsigned i = 0; i < loss->n; i++)
        if (isfinite(loss->runs[i].most)) least = MIN(least, loss->runs[i].most);
    for (unsigned i = 0; i < loss->n; i++) {
        NsWildRun *run = &loss->runs[i];
        bool diverged = ns_figure_divergence(loss->lanes[i].run.history) != NULL;
        run->name = ns_figure_run(input, i).name;
        run->wild = run->most > (diverged ? WILD_DIVERGED : WILD) * least;
        any |= run->wild;
        if (!run->wild) most = MAX(most, run->most);
    }
    return any ? most * ABOVE : (double)NAN;
}

static void read_lanes(Loss *loss, const NsFigureInput *input)
{
    unsigned n = ns_figure_runs(input);
    bool others = n != loss->n;
    for (unsigned i = n; i < loss->n; i++) ns_step_curves_clear(&loss->lanes[i]);
    loss->n = n;
    for (unsigned i = 0; i < n; i++) others |= read_lane(loss, i, input);
    if (others) {
        memset(loss->rates_differ, 0, sizeof loss->rates_differ);
        memset(loss->compared, 0, sizeof loss->compared);
    }
    loss->figure.changed |= others;
    compare_rates(loss);
}

static void read_previous(NsSource *source, NsCurve *curve, NsFigure *figure)
{
    (void)figure;
    size_t steps = ns_history_steps(source->history);
    for (; source->steps < steps; source->steps++) {
        const NsStep *step = ns_history_step(source->history, source->steps);
        ns_curve_append(curve, (double)step->step, step->loss);
    }
}

static char *note(const Loss *loss)
{
    size_t marks = 0;
    GString *words = g_string_new(NULL);
    for (unsigned i = 0; i < loss->n; i++) marks += loss->lanes[i].curves[VALIDATION].n;
    if (loss->n > 1 && marks) ns_figure_add_sentence(words, _("Marks: validation loss."));
    ns_wild_note(words, loss->runs, loss->n);
    g_autofree char *groups = ns_step_curves_note(loss->lanes, loss->n, TRAINING);
    ns_figure_add_sentence(words, groups);
    return g_string_free(words, words->len == 0);
}

/* "learning rate" if all lanes have the same, otherwise preceded by the names of the lanes that
 * have it. */
static char *rate_label(const Loss *loss, const NsFigureInput *input, unsigned lane)
{
    unsigned runs = runs_with_rate(loss, lane);
    if (runs == (1u << loss->n) - 1) return g_strdup(_("learning rate"));
    return ns_figure_shared_words(input, runs, _("learning rate"));
}

static char *label_of(const Loss *loss, const NsFigureInput *input, unsigned i, int curve,
                      const char *how)
{
    bool several = loss->n > 1;
    g_autofree char *run = several ? ns_figure_run_label(input, i) : g_strdup(_("training"));
    switch (curve) {
    case TRAINING:
        return g_steal_pointer(&run);
    case SMOOTH:
        return how ? g_strdup_printf("%s, %s", run, how) : NULL;
    case VALIDATION:
        return ns_figure_run_words(input, i, _("validation"));
    default:
        return rate_label(loss, input, i);
    }
}

static void make_labels(Loss *loss, const NsFigureInput *input, const char *how)
{
    for (unsigned i = 0; i < loss->n; i++)
        for (int curve = 0; curve < CURVES; curve++)
            ns_figure_text(&loss->figure, &loss->figure.labels[i * CURVES + (unsigned)curve],
                           label_of(loss, input, i, curve, how));
}

/* The lane with the most records among those with the same rate, whose curve is drawn for all of
 * them. */
static unsigned longest(const Loss *loss, unsigned lane)
{
    unsigned first = loss->rate_of[lane], best = first;
    for (unsigned i = first + 1; i < loss->n; i++)
        if (loss->rate_of[i] == first &&
            loss->lanes[i].curves[RATE].n > loss->lanes[best].curves[RATE].n)
            best = i;
    return best;
}

static void show(Loss *loss, bool smooth)
{
    static const NsSeries single[CURVES] = {
        [TRAINING] = {.kind = NS_SERIES_LINE, .style = 0},
        [SMOOTH] = {.kind = NS_SERIES_LINE, .style = 0},
        [VALIDATION] = {.kind = NS_SERIES_POINTS, .style = 1},
        [RATE] = {.kind = NS_SERIES_LINE, .side = NS_AXIS_RIGHT, .style = 2},
    };
    NsFigure *figure = &loss->figure;
    unsigned n_shared = 0;
    figure->plot.n_series = ns_previous_curves_show(&loss->previous, figure->series);
    for (unsigned i = 0; i < loss->n; i++)
        for (unsigned k = 0; k < CURVES; k++) {
            bool shared_rate = k == RATE && (runs_with_rate(loss, i) & ~(1u << i)) != 0;
            /* Drawn at the position of the first lane, so that the order of curves does not change
             * during training. */
            unsigned of = shared_rate ? longest(loss, i) : i;
            const NsCurve *curve = &loss->lanes[of].curves[k];
            if (!curve->n || (shared_rate && i != loss->rate_of[i])) continue;
            NsSeries *series = &figure->series[figure->plot.n_series++];
            *series = single[k];
            /* The last style is black and belongs to no lane. */
            if (loss->n > 1) series->style = shared_rate ? NS_SERIES_STYLES - 1 : i;
            /* Loss and rate of one lane have the same color but different dash patterns, as do two
             * rates that are each shared by two lanes. */
            if (loss->n > 1 && k == RATE && !(shared_rate && n_shared++ == 0))
                series->dash = RATE_DASH;
            /* A line through the marks could be mistaken for the lane's training loss. */
            if (loss->n > 1 && k == VALIDATION) series->kind = NS_SERIES_SCATTER;
            series->label = figure->labels[i * CURVES + k];
            /* A lane has one entry in the legend for all its losses. */
            if (loss->n > 1 && k != RATE)
                series->group = figure->labels[i * CURVES + (smooth ? SMOOTH : TRAINING)];
            series->muted = k == TRAINING && smooth;
            ns_curve_show(curve, series);
        }
}

/* The newest step to name in the subtitle.  Imported runs do not advance in lockstep, so for these
 * it is the last step of any run. */
static int64_t furthest(const NsFigureInput *input)
{
    int64_t step = ns_figure_newest(input);
    for (unsigned i = 0; !input->settings && i < ns_figure_runs(input); i++) {
        const NsHistory *history = ns_figure_run(input, i).history;
        if (history) step = MAX(step, ns_history_last_step(history));
    }
    return step;
}

static void update(NsFigure *figure, const NsFigureInput *input)
{
    Loss *loss = (Loss *)figure;
    g_autofree char *how = ns_smoothing_words(input->smoothing);
    read_lanes(loss, input);
    double upper_end = find_wild(loss, input);
    /* The loss of an imported run may have any unit. */
    const char *unit = input->settings ? _("nats per token") : NULL;
    NS_FIGURE_SET(figure, figure->plot.left.unit, unit);
    ns_previous_curves_follow(&loss->previous, figure, input, read_previous);
    ns_figure_mark_events(figure, input);
    ns_figure_mark_step(figure, input);
    make_labels(loss, input, how);
    ns_figure_words(figure, input,
                    (NsFigureWords){.title = _("Loss and learning rate"),
                                    .step = furthest(input),
                                    .note = note(loss)});
    if (!figure->changed) return;
    show(loss, how != NULL);
    figure->plot.left.hi = upper_end;
}

static void clear(NsFigure *figure)
{
    Loss *loss = (Loss *)figure;
    for (size_t i = 0; i < NS_LANES_MAX; i++) ns_step_curves_clear(&loss->lanes[i]);
    ns_previous_curves_clear(&loss->previous);
}

static void init(NsFigure *figure)
{
    figure->plot.x.label = _("step");
    figure->plot.left.label = _("loss");
    figure->plot.right.label = _("learning rate");
    figure->plot.right.lo = 0;
}

const NsFigureClass ns_loss_class = {sizeof(Loss), init, update, clear, NS_SEEDS_MEAN_BY_STEP};
