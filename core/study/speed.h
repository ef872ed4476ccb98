/* How fast a model steps, and what measuring costs.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/clock.h"
#include "core/train/run.h"

/* All times are medians over steps, in milliseconds of wall time. */
typedef struct {
    size_t steps;                  /* that were measured */
    double *each;                  /* [steps] every measured step, in order */
    double ms_per_step;            /* measuring at every step, as in a run */
    double ms_unmeasured;          /* the same steps without measuring */
    double probe_share;            /* of a step, for measuring, from steps that were neighbors;
                                    * noise may make it negative */
    double tokens_per_s;           /* of the sequences; sources are not counted */
    double gflops;                 /* the plan's products in ms_per_step */
    double peak_rss_mib;           /* of the process while it made the model and trained it; NaN
                                    * where the system does not say */
    double operators[NS_OP_COUNT]; /* of further steps, with the clock on */
    NsPlan plan;
} NsSpeed;

/* Steps that are timed: `warm_up` steps, then `steps` (1 or more) with measuring and as many
 * without, in turns of a few, then some with the clock on. */
typedef struct NsTiming NsTiming;

NsTiming *ns_timing_new(size_t warm_up, size_t steps);
void ns_timing_free(NsTiming *timing);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsTiming, ns_timing_free)

/* Called after every step; FALSE ends the timing. */
typedef bool (*NsTimingProgress)(void *data, int64_t done, int64_t of);

/* Makes a run and times it; once.  FALSE with the error of ns_run_new, with NS_ERROR_SETTING where
 * the run diverges, or without an error where `progress` (NULL: none) ended it. */
bool ns_timing_run(NsTiming *timing, const NsSettings *settings, NsTimingProgress progress,
                   void *data, GError **error);

/* What the steps say so far; NULL where none was measured yet.  Values of which there is no step
 * yet are NaN.  Another thread may call it while steps are timed. */
NsSpeed *ns_speed_new(const NsTiming *timing);

/* For a guess beforehand: seconds that making a run takes, its record of step 0 included, and those
 * of the fastest of so many steps (0: none is made, and *step is 0).  The clock stays off, so that
 * other threads may step meanwhile.  FALSE with the error of ns_run_new. */
bool ns_speed_estimate(const NsSettings *settings, size_t steps, double *start, double *step,
                       GError **error);

void ns_speed_free(NsSpeed *speed);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsSpeed, ns_speed_free)

/* {"ms_per_step", "tokens_per_s", "gflops", "probe_share", "peak_rss_mib", "operators": {key: ms},
 * "ms_unmeasured", "steps": n, "each_ms": [n], "threads", "parameters", "gflop_per_step",
 * "memory_bytes", "settings": {...}, "program", "instructions"}, null for what is not known; free
 * with g_free. */
char *ns_speed_json(const NsSpeed *speed, const NsSettings *settings);
