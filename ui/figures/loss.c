/* The losses of a run: over the steps, and along one update.  SPDX-License-Identifier: MIT */
#include "core/base/words.h"
#include "core/optim/schedule.h"
#include "ui/figures/figure.h"
#include "ui/figures/step_curves.h"
#include "ui/plot/live_limits.h"
#include "ui/plot/text.h"

#include <math.h>
#include <string.h>

/* A lane leaves a linear axis to the others if its largest loss exceeds the smallest of these by
 * this factor, which is lower if it diverged.  The axis then ends at ABOVE times the largest of the
 * other losses. */
#define WILD 10
#define WILD_DIVERGED 3
#define ABOVE 1.05

/* The loss of a small model after some hundred steps, relative to that of a uniform guess. */
#define EXPECTED 0.45

/* The ratio of the largest to the smallest loss from which on a logarithmic axis is offered. */
#define WIDE 10

enum { TRAINING, SMOOTH, VALIDATION, RATE, CURVES };
G_STATIC_ASSERT((int)CURVES == NS_STEP_CURVES);

typedef struct {
    NsFigure figure;
    NsStepCurves lanes[NS_LANES_MAX];
    unsigned n;
    NsWildRun runs[NS_LANES_MAX];
    NsSeries keys[2]; /* of several runs: the faint losses of each step, the validation losses */
    const char *faint;
    NsLevel levels[2];
    NsPlot strip; /* the learning rate, below the loss */
    NsSeries rates[NS_LANES_MAX];
    NsPreviousCurves previous;
} Loss;

/* Reads the new steps of a lane. */
static void read_lane(Loss *loss, unsigned i, const NsFigureInput *input)
{
    NsStepCurves *lane = &loss->lanes[i];
    NsSource *run = &lane->run;
    NsHistory *history = ns_figure_run(input, i).history;
    bool rebuilt = ns_step_curves_follow(lane, history, input->smoothing, false);
    size_t steps = history ? ns_history_steps(history) : 0;
    size_t evaluations = history ? ns_history_evaluations(history) : 0;
    loss->figure.changed |= rebuilt || steps != run->steps || evaluations != run->evaluations;
    if (!run->steps) loss->runs[i] = (NsWildRun){.most = -INFINITY, .least = INFINITY};
    for (; run->steps < steps; run->steps++) {
        const NsStep *step = ns_history_step(history, run->steps);
        ns_curve_append(&lane->curves[TRAINING], (double)step->step, step->loss);
        if (input->smoothing.kind != NS_SMOOTH_NONE)
            ns_curve_append(&lane->curves[SMOOTH], (double)step->step,
                            ns_smoother_next(&lane->smoother, step->loss));
        /* Step 0 precedes all updates and has no rate; imported runs may not record one. */
        if (step->step > 0 && !isnan(step->lr))
            ns_curve_append(&lane->curves[RATE], (double)step->step, step->lr);
        if (!isfinite(step->loss)) continue;
        loss->runs[i].most = MAX(loss->runs[i].most, step->loss);
        loss->runs[i].least = MIN(loss->runs[i].least, step->loss);
    }
    for (; run->evaluations < evaluations; run->evaluations++) {
        const NsEvaluation *evaluation = ns_history_evaluation(history, run->evaluations);
        ns_curve_append(&lane->curves[VALIDATION], (double)evaluation->step, evaluation->loss);
    }
}

static bool diverged(const Loss *loss, unsigned i)
{
    return ns_history_divergence(loss->lanes[i].run.history) != NULL;
}

/* The smallest of the largest losses of the lanes that did not diverge, because one that ended at
 * its first step may have less than all others.  If all diverged, of all. */
static double least_most(const Loss *loss)
{
    double healthy = INFINITY, any = INFINITY;
    for (unsigned i = 0; i < loss->n; i++) {
        if (!isfinite(loss->runs[i].most)) continue;
        any = MIN(any, loss->runs[i].most);
        if (!diverged(loss, i)) healthy = MIN(healthy, loss->runs[i].most);
    }
    return isfinite(healthy) ? healthy : any;
}

/* Finds the lanes whose loss is so much larger than another that a common linear axis would flatten
 * the other one; for a lane that diverged the limit is lower.  If the losses span decades, the axis
 * is logarithmic if requested.  Returns the upper limit of the axis; NaN if it shows all losses. */
static double fit_axis(Loss *loss, const NsFigureInput *input)
{
    double least = INFINITY, most = -INFINITY, upper = -INFINITY, other = least_most(loss);
    for (unsigned i = 0; i < loss->n; i++) {
        NsWildRun *run = &loss->runs[i];
        least = MIN(least, run->least);
        run->name = ns_figure_run(input, i).name;
        run->wild = run->most > (diverged(loss, i) ? WILD_DIVERGED : WILD) * other;
        most = MAX(most, run->most);
        if (!run->wild) upper = MAX(upper, run->most);
    }
    NsAxis *axis = &loss->figure.plot.left;
    axis->wide = least > 0 && most > WIDE * least;
    bool logarithmic = axis->wide && input->log_loss;
    NS_FIGURE_SET(&loss->figure, axis->scale, logarithmic ? NS_SCALE_LOG : NS_SCALE_LINEAR);
    axis->label = logarithmic ? _("loss, logarithmic axis") : _("loss");
    for (unsigned i = 0; i < loss->n && logarithmic; i++) loss->runs[i].wild = false;
    return upper < most && !logarithmic ? upper * ABOVE : (double)NAN;
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

static char *label_of(const Loss *loss, const NsFigureInput *input, unsigned i, int curve,
                      const char *how)
{
    g_autofree char *run = loss->n > 1 ? ns_figure_run_label(input, i) : g_strdup(_("training"));
    switch (curve) {
    case TRAINING:
        return g_steal_pointer(&run);
    case SMOOTH:
        return how ? g_strdup_printf("%s, %s", run, how) : NULL;
    case VALIDATION:
        return ns_figure_run_words(input, i, _("validation"));
    default:
        return ns_figure_run_words(input, i, _("learning rate"));
    }
}

static char *state_of(const Loss *loss, const NsFigureInput *input, unsigned i)
{
    if (loss->runs[i].wild) return ns_text_off_scale(loss->runs[i].most, true);
    NsPlateau at = ns_figure_plateau(input, ns_figure_run(input, i).history);
    return at == NS_PLATEAU_STUCK ? g_strdup(_("stuck")) : NULL;
}

/* Whether a warm-up or another schedule changes the rate; without settings, whether it changed. */
static bool rate_varies(const Loss *loss, const NsFigureInput *input)
{
    for (unsigned i = 0; i < loss->n; i++) {
        const NsSettings *settings = ns_figure_run(input, i).settings;
        const NsCurve *rate = &loss->lanes[i].curves[RATE];
        bool changed = rate->n && fabs(rate->y[0] - rate->y[rate->n - 1]) > 0;
        if (rate->n && (settings ? settings->warmup > 1 || settings->schedule > 0 : changed))
            return true;
    }
    return false;
}

/* The losses of a uniform guess and of the frequencies of the tokens. */
static void show_levels(Loss *loss, const NsFigureInput *input)
{
    NsFigure *figure = &loss->figure;
    bool begins = ns_figure_newest(input) < NS_FIRST_STEPS;
    figure->plot.levels = loss->levels;
    figure->plot.n_levels = 0;
    figure->plot.expected = 0;
    for (unsigned i = 0; i < loss->n && !figure->plot.n_levels; i++) {
        NsHistory *history = ns_figure_run(input, i).history;
        NsBaselines of = history ? ns_history_baselines(history) : (NsBaselines){NAN, NAN, false};
        const char *name =
            of.letters ? _("character frequencies only") : _("token frequencies only");
        if (!isnan(of.uniform) && begins) figure->plot.expected = EXPECTED * of.uniform;
        if (!isnan(of.uniform))
            loss->levels[figure->plot.n_levels++] =
                (NsLevel){.y = of.uniform, .text = _("uniform guess")};
        if (!isnan(of.frequencies))
            loss->levels[figure->plot.n_levels++] = (NsLevel){.y = of.frequencies, .text = name};
    }
}

static void show(Loss *loss, const NsFigureInput *input)
{
    static const NsSeries kinds[] = {
        [TRAINING] = {.kind = NS_SERIES_LINE},
        [SMOOTH] = {.kind = NS_SERIES_LINE},
        [VALIDATION] = {.kind = NS_SERIES_SCATTER, .spaced = true, .hollow = true},
    };
    NsFigure *figure = &loss->figure;
    bool smooth = input->smoothing.kind != NS_SMOOTH_NONE;
    ns_previous_curves_show(&loss->previous, figure, input);
    NsSeries *mark = &loss->keys[smooth];
    loss->keys[0] = ns_figure_key(loss->faint);
    *mark = ns_figure_key(_("validation"));
    mark->kind = NS_SERIES_SCATTER;
    mark->hollow = true;
    figure->plot.keys = loss->keys;
    figure->plot.n_keys = 0;
    for (unsigned i = 0; i < loss->n; i++)
        for (unsigned k = 0; k < G_N_ELEMENTS(kinds); k++) {
            const NsCurve *curve = &loss->lanes[i].curves[k];
            if (!curve->n) continue;
            NsSeries *series = &figure->series[figure->plot.n_series++];
            *series = kinds[k];
            series->style = i;
            series->label = figure->labels[i * CURVES + k];
            /* A lane has one entry in the legend for all its losses, named as in other charts. */
            if (loss->n > 1) series->group = figure->labels[i * CURVES + TRAINING];
            series->muted = k == TRAINING && smooth;
            if (k != VALIDATION) series->state = figure->states[i];
            if (k == SMOOTH && loss->n > 1) figure->plot.n_keys = MAX(figure->plot.n_keys, 1);
            if (k == VALIDATION && loss->n > 1) figure->plot.n_keys = 1 + smooth;
            ns_curve_show(curve, series);
        }
}

static void update(NsFigure *figure, const NsFigureInput *input)
{
    Loss *loss = (Loss *)figure;
    g_autofree char *how = ns_smoothing_words(input->smoothing);
    unsigned n = ns_figure_runs(input);
    ns_figure_text(figure, &loss->faint, how ? g_strdup_printf(_("before %s"), how) : NULL);
    for (unsigned i = n; i < loss->n; i++) ns_step_curves_clear(&loss->lanes[i]);
    NS_FIGURE_SET(figure, loss->n, n);
    for (unsigned i = 0; i < n; i++) read_lane(loss, i, input);
    double upper_end = fit_axis(loss, input);
    /* The loss of an imported run may have any unit. */
    const char *unit = input->settings ? _("nats per token") : NULL;
    NS_FIGURE_SET(figure, figure->plot.left.unit, unit);
    ns_previous_curves_follow(&loss->previous, figure, input, read_previous);
    ns_figure_mark_events(figure, input);
    ns_figure_mark_step(figure, input);
    for (unsigned i = 0; i < loss->n; i++) {
        ns_figure_text(figure, &figure->states[i], state_of(loss, input, i));
        for (int curve = 0; curve < CURVES; curve++)
            ns_figure_text(figure, &figure->labels[i * CURVES + (unsigned)curve],
                           label_of(loss, input, i, curve, how));
    }
    /* Imported runs do not advance in lockstep, so the subtitle names the last step of any run. */
    int64_t newest = ns_figure_newest(input);
    for (unsigned i = 0; i < n && !input->settings; i++) {
        const NsHistory *history = ns_figure_run(input, i).history;
        if (history) newest = MAX(newest, ns_history_last_step(history));
    }
    ns_figure_words(figure, input,
                    (NsFigureWords){.title = _("Loss"),
                                    .step = newest,
                                    .note = ns_step_curves_note(loss->lanes, loss->n, TRAINING)});
    if (!figure->changed) return;
    show(loss, input);
    /* The learning rate in a strip of its own. */
    NsPlot *strip = &loss->strip;
    *strip = (NsPlot){.left = {.label = _("learning rate"), .lo = 0, .hi = NAN},
                      .series = loss->rates,
                      .input = true};
    for (unsigned i = 0; i < loss->n; i++) {
        if (!loss->lanes[i].curves[RATE].n) continue;
        NsSeries *series = &loss->rates[strip->n_series++];
        *series = (NsSeries){.label = loss->figure.labels[i * CURVES + RATE], .style = i};
        ns_curve_show(&loss->lanes[i].curves[RATE], series);
    }
    loss->figure.plot.lower = rate_varies(loss, input) ? strip : NULL;
    show_levels(loss, input);
    figure->plot.left.hi = upper_end;
}

static void clear(NsFigure *figure)
{
    Loss *loss = (Loss *)figure;
    for (size_t i = 0; i < NS_LANES_MAX; i++) ns_step_curves_clear(&loss->lanes[i]);
    ns_previous_curves_clear(&loss->previous);
    ns_figure_text(figure, &loss->faint, NULL);
}

const NsFigureClass ns_loss_class = {sizeof(Loss), NULL, update, clear, NS_SEEDS_MEAN_BY_STEP};

/* ---- Along the newest update whose curvature was measured ---- */

typedef struct {
    NsFigure figure;
    NsLossAlong along;
    bool there;
    NsLevel before;
} Along;

static void update_along(NsFigure *figure, const NsFigureInput *input)
{
    Along *a = (Along *)figure;
    NsLossAlong newest = {.step = -1};
    bool there = input->history && ns_history_along(input->history, &newest) && newest.lr > 0;
    NS_FIGURE_SET(figure, a->there, there);
    figure->changed |= newest.step != a->along.step;
    a->along = newest;
    bool never = input->settings && input->settings->curvature_every < 1;
    g_autofree char *empty =
        never ? ns_figure_absent(NS_QUANTITY_CRITICAL_RATE, input)
              : g_strdup(_("No update has been measured yet; run files do not store this curve."));
    ns_figure_words(figure, input,
                    (NsFigureWords){.title = _("Loss along the update"),
                                    .empty = empty,
                                    .step = newest.step,
                                    .note = ns_figure_newest_note(input, there, newest.step)});
    if (!figure->changed) return;
    const NsLossAlong *along = &a->along;
    figure->plot.n_series = figure->plot.n_levels = 0;
    g_array_set_size(figure->markers, 0);
    if (!there) return;
    figure->series[0] = (NsSeries){.label = _("loss"),
                                   .kind = NS_SERIES_POINTS,
                                   .n = NS_ALONG_POINTS - 1,
                                   .x = along->rate + 1, /* 0 is not on a logarithmic axis */
                                   .y = along->loss + 1};
    a->before = (NsLevel){.y = along->loss[0], .text = _("before the update")};
    figure->plot.n_series = figure->plot.n_levels = 1;
    size_t lowest = 1;
    for (size_t i = 2; i < NS_ALONG_POINTS; i++)
        if (along->loss[i] < along->loss[lowest]) lowest = i;
    const NsMarker markers[] = {{.x = along->lr, .text = _("this step")},
                                {.x = along->rate[lowest], .text = _("lowest")},
                                {.x = along->critical_rate, .text = _("critical rate")}};
    g_array_append_vals(figure->markers, markers, isnan(along->critical_rate) ? 2 : 3);
}

static void init_along(NsFigure *figure)
{
    figure->plot.x.label = _("learning rate (of this update)");
    figure->plot.x.scale = NS_SCALE_LOG;
    figure->plot.x.integer = false;
    figure->plot.left.label = _("loss");
    figure->plot.left.unit = _("nats per token");
    figure->plot.levels = &((Along *)figure)->before;
}

const NsFigureClass ns_along_class = {sizeof(Along), init_along, update_along, NULL,
                                      NS_SEEDS_FIRST};
