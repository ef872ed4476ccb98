/* The learning-rate schedules.  To add one, add a row.  SPDX-License-Identifier: MIT */
#include "core/optim/schedule.h"

#include "core/base/error.h"

#include <inttypes.h>
#include <math.h>

/* Last step of a decay if neither decay-steps nor steps is set. */
#define DECAY_STEPS 1000

static double constant(int64_t step, int64_t start, int64_t end)
{
    (void)step;
    (void)start;
    (void)end;
    return 1.0;
}

static double inverse_sqrt(int64_t step, int64_t start, int64_t end)
{
    (void)end;
    return step > start ? sqrt((double)start / (double)step) : 1.0;
}

/* The fraction of the decay that is done. */
static double progress(int64_t step, int64_t start, int64_t end)
{
    if (step <= start) return 0.0;
    return step >= end ? 1.0 : (double)(step - start) / (double)(end - start);
}

static double linear(int64_t step, int64_t start, int64_t end)
{
    return 1 - progress(step, start, end);
}

static double cosine(int64_t step, int64_t start, int64_t end)
{
    double done = progress(step, start, end);
    return done < 1 ? (1 + cos(G_PI * done)) / 2 : 0.0;
}

static double drops(int64_t step, int64_t start, int64_t end)
{
    (void)start;
    if (3 * step <= end) return 1.0;
    return 3 * step <= 2 * end ? 0.1 : 0.01;
}

static const NsSchedule schedules[] = {
    {{.key = "constant",
      .label = "Constant",
      .formula = "f(t) = 1",
      .purpose = "After the warm-up the learning rate stays at its peak."},
     .factor = constant},
    {{.key = "inverse-sqrt",
      .label = "Inverse square root",
      .formula = "f(t) = √(S / t),  t > S",
      .reference = "Vaswani et al. 2017, 5.3",
      .purpose = "After step S (decay-start) the learning rate falls as the inverse square root of "
                 "the step. In Vaswani et al. and Xiong et al. the decay begins at the end of the "
                 "warm-up: set decay-start to the value of warmup."},
     .factor = inverse_sqrt,
     .starts = true},
    {{.key = "linear",
      .label = "Linear",
      .formula = "f(t) = (D − t) / (D − S),  S < t < D",
      .reference = "Devlin et al. 2019, A.2",
      .purpose = "After step S (decay-start) the learning rate falls linearly and reaches 0 at "
                 "step D (decay-steps). In Devlin et al. the decay begins at the end of the "
                 "warm-up: set decay-start to the value of warmup. Begun in the last tenth of the "
                 "run, it is warm-up, stable, decay (WSD; Hu et al. 2024, arXiv 2404.06395) with a "
                 "linear decay."},
     .factor = linear,
     .starts = true,
     .has_end = true,
     .ends = true},
    {{.key = "cosine",
      .label = "Cosine",
      .formula = "f(t) = (1 + cos(π (t − S) / (D − S))) / 2,  S < t < D",
      .reference = "Loshchilov and Hutter 2017, arXiv 1608.03983",
      .purpose = "After step S (decay-start) the learning rate falls along half a cosine and "
                 "reaches 0 at step D (decay-steps)."},
     .factor = cosine,
     .starts = true,
     .has_end = true,
     .ends = true},
    {{.key = "step",
      .label = "Step decay",
      .formula = "f(t) = 1, 1 / 10, 1 / 100",
      .reference = "Xiong et al. 2020, section 4",
      .purpose = "The learning rate drops to a tenth after a third of decay-steps and again after "
                 "two thirds; decay-start has no effect."},
     .factor = drops,
     .has_end = true},
};

const NsSchedule *ns_schedule(size_t i)
{
    return i < G_N_ELEMENTS(schedules) ? &schedules[i] : NULL;
}

NS_CHOICES(ns_schedule_choice, schedules)

int64_t ns_schedule_end(const NsSettings *settings)
{
    if (settings->decay_steps > 0) return settings->decay_steps;
    return settings->steps > 0 ? settings->steps : DECAY_STEPS;
}

bool ns_schedule_check(const NsSettings *settings, GError **error)
{
    int64_t end = ns_schedule_end(settings);
    if (!schedules[settings->schedule].ends || settings->decay_start < end) return true;
    return ns_refuse(error, NS_ERROR_SETTING,
                     "The decay of the rate would start at step %" PRId64
                     " and end at step %" PRId64 "; set decay-start below %" PRId64
                     ", or decay-steps above %" PRId64 ".",
                     settings->decay_start, end, end, settings->decay_start);
}

double ns_schedule_lr(const NsSettings *settings, int64_t step)
{
    if (step <= 0) return 0;
    double warm = step < settings->warmup ? (double)step / (double)settings->warmup : 1.0;
    return settings->lr * warm *
           schedules[settings->schedule].factor(step, settings->decay_start,
                                                ns_schedule_end(settings));
}
