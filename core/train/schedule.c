/* To add a schedule, add a row.  SPDX-License-Identifier: MIT */
#include "core/train/schedule.h"

#include <math.h>

/* Steps of a decay that has no other end. */
#define DECAY_STEPS 1000

static double inverse_sqrt(int64_t step, int64_t warmup, int64_t end)
{
    (void)end;
    return warmup > 1 ? sqrt((double)warmup / (double)step) : 1.0;
}

static double constant(int64_t step, int64_t warmup, int64_t end)
{
    (void)step;
    (void)warmup;
    (void)end;
    return 1.0;
}

/* The share of the way from the end of the warm-up to the end of the decay that is done. */
static double progress(int64_t step, int64_t warmup, int64_t end)
{
    return step >= end ? 1.0 : (double)(step - warmup) / (double)(end - warmup);
}

static double linear(int64_t step, int64_t warmup, int64_t end)
{
    return 1 - progress(step, warmup, end);
}

static double cosine(int64_t step, int64_t warmup, int64_t end)
{
    return step >= end ? 0.0 : (1 + cos(G_PI * progress(step, warmup, end))) / 2;
}

static double drops(int64_t step, int64_t warmup, int64_t end)
{
    (void)warmup;
    if (3 * step <= end) return 1.0;
    return 3 * step <= 2 * end ? 0.1 : 0.01;
}

static const NsSchedule schedules[] = {
    {{.key = "inverse-sqrt",
      .label = "Inverse square root",
      .formula = "lr √(T / t)",
      .reference = "Vaswani et al. 2017, 5.3",
      .purpose = "After a warm-up of T steps the rate falls with the root of time; without one "
                 "(T = 1) it stays at its peak."},
     inverse_sqrt},
    {{.key = "constant",
      .label = "Constant",
      .formula = "lr",
      .purpose = "After the warm-up the rate stays at its peak."},
     constant},
    {{.key = "linear",
      .label = "Linear",
      .formula = "lr (D − t) / (D − T)",
      .reference = "Devlin et al. 2019, A.2",
      .purpose = "After the warm-up the rate falls in a straight line and is 0 from step D, "
                 "decay-steps, on."},
     linear},
    {{.key = "cosine",
      .label = "Cosine",
      .formula = "lr (1 + cos(π (t − T) / (D − T))) / 2",
      .reference = "Loshchilov and Hutter 2017, arXiv 1608.03983",
      .purpose = "After the warm-up the rate falls along half a cosine and is 0 from step D, "
                 "decay-steps, on."},
     cosine},
    {{.key = "step",
      .label = "Steps",
      .formula = "lr, then lr / 10, then lr / 100",
      .reference = "Xiong et al. 2020, section 4",
      .purpose = "The rate drops to a tenth after a third of decay-steps, and again after two "
                 "thirds."},
     drops},
};

const NsSchedule *ns_schedule(size_t i)
{
    return i < G_N_ELEMENTS(schedules) ? &schedules[i] : NULL;
}

const NsChoice *ns_schedule_choice(size_t i)
{
    return i < G_N_ELEMENTS(schedules) ? &schedules[i].choice : NULL;
}

int64_t ns_schedule_end(const NsSettings *settings)
{
    if (settings->decay_steps > 0) return settings->decay_steps;
    return settings->steps > 0 ? settings->steps : DECAY_STEPS;
}

double ns_schedule_lr(const NsSettings *settings, int64_t step)
{
    if (step <= 0) return 0;
    if (step <= settings->warmup) return settings->lr * (double)step / (double)settings->warmup;
    return settings->lr *
           schedules[settings->schedule].after(step, settings->warmup, ns_schedule_end(settings));
}
