/* The speed of training steps, and the cost of measuring.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/clock.h"
#include "core/train/run.h"

/* All times are medians over steps, in milliseconds of wall time. */
typedef struct {
    size_t steps;                  /* number of measured steps */
    double *each;                  /* [steps] every measured step, in order */
    double ms_per_step;            /* with measuring at every step, as in a run */
    double ms_unmeasured;          /* the same steps without measuring */
    double probe_share;            /* fraction of a step spent on measuring, from adjacent steps;
                                    * may be negative because of noise */
    double tokens_per_s;           /* tokens of the sequences, without sources */
    double gflops;                 /* from the plan's matrix products and ms_per_step */
    double peak_rss_mib;           /* of the process while creating and training the model; NaN if
                                    * the system does not report it */
    double operators[NS_OP_COUNT]; /* in additional steps with the operator clock enabled */
    NsPlan plan;
} NsSpeed;

/* A timing: `warm_up` steps, then `steps` (1 or more) with measuring and as many without,
 * alternating every few steps, then some with the operator clock enabled. */
typedef struct NsTiming NsTiming;

NsTiming *ns_timing_new(size_t warm_up, size_t steps);
void ns_timing_free(NsTiming *timing);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsTiming, ns_timing_free)

/* Called after every step; returns false to end the timing. */
typedef bool (*NsTimingProgress)(void *data, int64_t done, int64_t of);

/* Creates a run and times it; may be called once.  Returns false with the error of ns_run_new, with
 * NS_ERROR_SETTING if the run diverges, or without an error if `progress` (may be NULL) ended
 * it. */
bool ns_timing_run(NsTiming *timing, const NsSettings *settings, NsTimingProgress progress,
                   void *data, GError **error);

/* The results so far; NULL if no step has been measured yet.  Values without a measured step are
 * NaN.  May be called by another thread during the timing. */
NsSpeed *ns_speed_new(const NsTiming *timing);

/* For estimates: *start is set to the seconds for creating a run, including its record of step 0,
 * and *step to those of the fastest of this number of steps (0 if there are none).  The operator
 * clock remains disabled, so other threads may train at the same time.  Returns false with the
 * error of ns_run_new. */
bool ns_speed_estimate(const NsSettings *settings, size_t steps, double *start, double *step,
                       GError **error);

void ns_speed_free(NsSpeed *speed);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsSpeed, ns_speed_free)

/* {"ms_per_step", "tokens_per_s", "gflops", "probe_share", "peak_rss_mib", "operators": {key: ms},
 * "ms_unmeasured", "steps": n, "each_ms": [n], "threads", "parameters", "gflop_per_step",
 * "memory_bytes", "settings": {...}, "program", "instructions"}; unknown values are null.  Free
 * with g_free. */
char *ns_speed_json(const NsSpeed *speed, const NsSettings *settings);
