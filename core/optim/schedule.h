/* The registry of learning-rate schedules.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/settings/settings.h"

typedef struct {
    NsChoice choice;
    /* f(t), the factor of the decay on the learning rate of update `step` >= 1, without the
     * warm-up. `start` >= 1 is decay-start, `end` the last step of the decay. */
    double (*factor)(int64_t step, int64_t start, int64_t end);
    bool starts;  /* the factor is 1 up to `start` */
    bool has_end; /* the factor depends on `end` */
    bool ends;    /* the factor is 0 from `end` on, which must come after `start` */
} NsSchedule;

const NsSchedule *ns_schedule(size_t i); /* NULL past the end */
const NsChoice *ns_schedule_choice(size_t i);

/* The last step of a decay: decay-steps, or the steps of the run, or 1,000. */
int64_t ns_schedule_end(const NsSettings *settings);

/* Sets NS_ERROR_SETTING if the schedule has both a start and an end of the decay, and the end is
 * not after the start. */
bool ns_schedule_check(const NsSettings *settings, GError **error);

/* The learning rate of update t = `step`, counted from 1: lr min(1, t / warmup) f(t), with the
 * warm-up of Xiong et al. 2020, eq. 1, and the factor f of the schedule.  The two factors are
 * independent, so that the warm-up changes no rate after its end.  0 at step 0. */
double ns_schedule_lr(const NsSettings *settings, int64_t step);
