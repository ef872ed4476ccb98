/* To add a schedule, add a row.  SPDX-License-Identifier: MIT */
#include "core/train/schedule.h"

#include <math.h>

static double inverse_sqrt(int64_t step, int64_t warmup)
{
    return warmup > 1 ? sqrt((double)warmup / (double)step) : 1.0;
}

static double constant(int64_t step, int64_t warmup)
{
    (void)step;
    (void)warmup;
    return 1.0;
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
};

const NsSchedule *ns_schedule(size_t i)
{
    return i < G_N_ELEMENTS(schedules) ? &schedules[i] : NULL;
}

const NsChoice *ns_schedule_choice(size_t i)
{
    return i < G_N_ELEMENTS(schedules) ? &schedules[i].choice : NULL;
}

double ns_schedule_lr(const NsSettings *settings, int64_t step)
{
    if (step <= 0) return 0;
    if (step <= settings->warmup) return settings->lr * (double)step / (double)settings->warmup;
    return settings->lr * schedules[settings->schedule].after(step, settings->warmup);
}
