/* The registry of learning-rate schedules.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/model/settings.h"

typedef struct {
    NsChoice choice;
    /* The factor on the peak at step > warmup >= 1; `end` is the last step of the decay. */
    double (*after)(int64_t step, int64_t warmup, int64_t end);
} NsSchedule;

const NsSchedule *ns_schedule(size_t i); /* NULL past the end */
const NsChoice *ns_schedule_choice(size_t i);

/* The last step of a decay: decay-steps, or the steps of the run, or 1,000. */
int64_t ns_schedule_end(const NsSettings *settings);

/* The learning rate of update `step`, counted from 1: lr step / warmup up to the warm-up's end
 * (Xiong et al. 2020, eq. 1), then what the schedule says.  0 at step 0. */
double ns_schedule_lr(const NsSettings *settings, int64_t step);
