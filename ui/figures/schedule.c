/* SPDX-License-Identifier: MIT */
#include "core/optim/schedule.h"

#include "core/base/words.h"
#include "ui/figures/figure.h"
#include "ui/figures/step_curves.h"
#include "ui/plot/live_limits.h"

#include <string.h>

/* Number of points at which the schedule is drawn, in addition to its corners: the end of the
 * warm-up, and the start and end of the decay. */
#define POINTS 512
#define CORNERS 3
#define PLANNED (POINTS + 1 + CORNERS)

enum { PLAN, MEASURED, SERIES };
G_STATIC_ASSERT(SERIES <= NS_FIGURE_SERIES);

typedef struct {
    NsFigure figure;
    NsCurve measured;
    double x[PLANNED], y[PLANNED];
    size_t n;
    NsLevel peak;
} Schedule;

/* A warm-up of one step reaches the peak at the first update. */
static bool warms_up(const NsSettings *settings)
{
    return settings->warmup > 1;
}

static void plan(Schedule *schedule, const NsSettings *settings, int64_t done)
{
    double x[PLANNED], y[PLANNED];
    size_t n = 0;
    int64_t end = 0, at = -1;
    if (settings) {
        /* The end of the run or of the decay, or some distance beyond the last step done. */
        end = MAX(ns_schedule_end(settings), settings->steps);
        end = MAX(end, settings->warmup + settings->warmup / 2);
        if (ns_schedule(settings->schedule)->starts)
            end = MAX(end, settings->decay_start + settings->decay_start / 2);
        if (done > end) end = (int64_t)ns_limits_ahead(0, (double)done);
    }
    for (int64_t i = 0; i <= POINTS && end > 0; i++) {
        while (at < i * end / POINTS) {
            /* The first corner after `before` and before `step`, otherwise `step`. */
            const int64_t corners[CORNERS] = {settings->warmup, settings->decay_start,
                                              ns_schedule_end(settings)};
            int64_t next = i * end / POINTS;
            for (size_t j = 0; j < CORNERS; j++)
                if (at < corners[j] && corners[j] < next) next = corners[j];
            at = next;
            if (at == 0 && !warms_up(settings)) continue; /* no ramp from step 0 */
            x[n] = (double)at;
            y[n++] = ns_schedule_lr(settings, at);
        }
    }
    if (n == schedule->n && !memcmp(x, schedule->x, n * sizeof *x) &&
        !memcmp(y, schedule->y, n * sizeof *y))
        return;
    schedule->figure.changed = true;
    memcpy(schedule->x, x, n * sizeof *x);
    memcpy(schedule->y, y, n * sizeof *y);
    schedule->n = n;
}

static void update(NsFigure *figure, const NsFigureInput *input)
{
    Schedule *schedule = (Schedule *)figure;
    NsSource *run = &figure->runs[0];
    if (figure->others) ns_curve_clear(&schedule->measured);
    size_t steps = input->history ? ns_history_steps(input->history) : 0;
    figure->changed |= steps != run->steps;
    for (; run->steps < steps; run->steps++) {
        const NsStep *step = ns_history_step(input->history, run->steps);
        /* Step 0 precedes all updates and has no rate. */
        if (step->step > 0) ns_curve_append(&schedule->measured, (double)step->step, step->lr);
    }
    int64_t done = input->history ? ns_history_last_step(input->history) : -1;
    plan(schedule, input->settings, done);
    ns_figure_mark_step(figure, input);
    ns_figure_words(figure, input,
                    (NsFigureWords){.title = _("Learning-rate schedule"),
                                    .empty = _("Start a run to see its learning-rate schedule."),
                                    .step = done});
    if (!figure->changed) return;
    figure->plot.n_series = figure->plot.n_levels = 0;
    if (!schedule->n) return;
    figure->series[figure->plot.n_series++] = (NsSeries){.label = _("scheduled"),
                                                         .theory = true,
                                                         .n = schedule->n,
                                                         .x = schedule->x,
                                                         .y = schedule->y};
    if (schedule->measured.n) {
        NsSeries *series = &figure->series[figure->plot.n_series++];
        *series = (NsSeries){.label = _("so far")};
        ns_curve_show(&schedule->measured, series);
    }
    schedule->peak = (NsLevel){.y = input->settings->lr, .text = _("peak"), .handle = true};
    figure->plot.levels = &schedule->peak;
    figure->plot.n_levels = 1;
    g_array_set_size(figure->markers, 0);
    /* Without a warm-up only its grip is left, in a window. */
    NsMarker handle = {.x = (double)input->settings->warmup,
                       .text = warms_up(input->settings) ? _("warm-up") : NULL,
                       .handle = true};
    g_array_append_val(figure->markers, handle);
}

static void clear(NsFigure *figure)
{
    ns_curve_clear(&((Schedule *)figure)->measured);
}

static void init(NsFigure *figure)
{
    figure->plot.left.label = _("learning rate");
    figure->plot.left.lo = 0;
}

const NsFigureClass ns_schedule_class = {sizeof(Schedule), init, update, clear, NS_SEEDS_ALIKE};
