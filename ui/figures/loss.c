/* SPDX-License-Identifier: MIT */
#include "ui/figures/curve.h"
#include "ui/figures/figure.h"

enum { GHOST, TRAINING, SMOOTH, VALIDATION, RATE, SERIES };
G_STATIC_ASSERT(SERIES <= NS_FIGURE_SERIES);

typedef struct {
    NsFigure figure;
    NsSource run, ghost;
    NsCurve curves[SERIES];
    NsSmoother smoother;
} Loss;

/* The whole run again where another smoothing was chosen: the scalars of all its steps are there.
 * TRUE if it was. */
static bool smooth(Loss *loss, NsSmoothing how, size_t steps)
{
    if (ns_smoothing_equal(loss->smoother.how, how)) return false;
    ns_smoother_clear(&loss->smoother);
    ns_smoother_init(&loss->smoother, how);
    ns_curve_clear(&loss->curves[SMOOTH]);
    for (size_t i = 0; i < steps && how.kind != NS_SMOOTH_NONE; i++) {
        const NsStep *step = ns_history_step(loss->run.history, i);
        ns_curve_append(&loss->curves[SMOOTH], (double)step->step,
                        ns_smoother_next(&loss->smoother, step->loss));
    }
    return true;
}

static bool read_run(Loss *loss, NsHistory *history, NsSmoothing how)
{
    NsSource *run = &loss->run;
    bool changed = ns_source_follow(run, history);
    if (changed) {
        for (size_t i = TRAINING; i < SERIES; i++) ns_curve_clear(&loss->curves[i]);
        ns_smoother_clear(&loss->smoother);
    }
    changed |= smooth(loss, how, run->steps);
    if (!history) return changed;

    size_t steps = ns_history_steps(history), evaluations = ns_history_evaluations(history);
    changed |= steps != run->steps || evaluations != run->evaluations;
    for (; run->steps < steps; run->steps++) {
        const NsStep *step = ns_history_step(history, run->steps);
        ns_curve_append(&loss->curves[TRAINING], (double)step->step, step->loss);
        if (how.kind != NS_SMOOTH_NONE)
            ns_curve_append(&loss->curves[SMOOTH], (double)step->step,
                            ns_smoother_next(&loss->smoother, step->loss));
        /* No update led to step 0, so it has no rate. */
        if (step->step > 0) ns_curve_append(&loss->curves[RATE], (double)step->step, step->lr);
    }
    for (; run->evaluations < evaluations; run->evaluations++) {
        const NsEvaluation *evaluation = ns_history_evaluation(history, run->evaluations);
        ns_curve_append(&loss->curves[VALIDATION], (double)evaluation->step, evaluation->loss);
    }
    return changed;
}

static bool read_ghost(Loss *loss, NsHistory *history)
{
    NsSource *ghost = &loss->ghost;
    bool changed = ns_source_follow(ghost, history);
    if (changed) ns_curve_clear(&loss->curves[GHOST]);
    if (!history) return changed;

    size_t steps = ns_history_steps(history);
    changed |= steps != ghost->steps;
    for (; ghost->steps < steps; ghost->steps++) {
        const NsStep *step = ns_history_step(history, ghost->steps);
        ns_curve_append(&loss->curves[GHOST], (double)step->step, step->loss);
    }
    return changed;
}

static char *thinned(const Loss *loss)
{
    int64_t stride = loss->curves[TRAINING].stride;
    return stride <= 1 ? NULL
                       : g_strdup_printf("Steps are shown in groups of %" G_GINT64_FORMAT
                                         ", by their extremes.",
                                         stride);
}

static bool update(NsFigure *figure, const NsFigureInput *input)
{
    static const NsSeries looks[SERIES] = {
        [GHOST] = {.kind = NS_SERIES_LINE, .style = 0, .ghost = true},
        [TRAINING] = {.label = "training", .kind = NS_SERIES_LINE, .style = 0},
        [SMOOTH] = {.kind = NS_SERIES_LINE, .style = 0},
        [VALIDATION] = {.label = "validation", .kind = NS_SERIES_POINTS, .style = 1},
        [RATE] = {.label = "learning rate",
                  .kind = NS_SERIES_LINE,
                  .side = NS_AXIS_RIGHT,
                  .style = 2},
    };
    Loss *loss = (Loss *)figure;
    bool changed = read_run(loss, input->history, input->smoothing);
    g_autofree char *how = ns_smoothing_words(input->smoothing);
    changed |= read_ghost(loss, input->ghost);
    changed |= ns_figure_mark_events(figure, input);
    changed |=
        ns_figure_text(&figure->labels[GHOST], input->ghost ? ns_figure_ghost_label(input) : NULL);
    changed |=
        ns_figure_text(&figure->labels[SMOOTH], how ? g_strconcat("training, ", how, NULL) : NULL);
    changed |= ns_figure_words(figure, input,
                               (NsFigureWords){.title = "Loss and learning rate",
                                               .empty = "No step has been measured yet.",
                                               .step = (int64_t)loss->run.steps - 1,
                                               .note = thinned(loss)});
    if (!changed) return false;

    figure->plot.n_series = 0;
    for (size_t i = 0; i < SERIES; i++) {
        const NsCurve *curve = &loss->curves[i];
        if (!curve->n) continue;
        NsSeries *series = &figure->series[figure->plot.n_series++];
        *series = looks[i];
        if (i == GHOST || i == SMOOTH) series->label = figure->labels[i];
        series->pale = i == TRAINING && how;
        ns_curve_show(curve, series);
    }
    return true;
}

static void clear(NsFigure *figure)
{
    Loss *loss = (Loss *)figure;
    ns_source_follow(&loss->run, NULL);
    ns_source_follow(&loss->ghost, NULL);
    ns_smoother_clear(&loss->smoother);
    for (size_t i = 0; i < SERIES; i++) ns_curve_clear(&loss->curves[i]);
}

NsFigure *ns_loss_new(void)
{
    static const NsFigureClass class = {sizeof(Loss), update, clear};
    NsFigure *figure = ns_figure_alloc(&class);
    figure->plot.x.label = "step";
    figure->plot.left.label = "loss";
    figure->plot.left.unit = "nats per token";
    figure->plot.right.label = "learning rate";
    figure->plot.right.lo = 0;
    return figure;
}
