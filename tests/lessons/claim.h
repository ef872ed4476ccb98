/* What a lesson or a preset claims, measured.  SPDX-License-Identifier: MIT
 *
 *     loss(A, 290..300) < 2.3 and grad-w1(A, 0, last) > 2 * grad-w1(A, 0, 1)
 *     with 5 seeds: loss(A, 290..300) < 2.4
 *     with 4 of 5 seeds: loss(A, 290..300) > 3.1
 *
 * The second holds if it does with each of five seeds, the third if it does with at least four of
 * them.  The first seed is that of the lanes; with every further one both `seed` and `data-seed`
 * are one more.
 *
 * A claim joins by “and” comparisons of measured numbers (core/store/lesson_measure.h), < and >,
 * and words that the event of the first jump or divergence of a lane by a step has, in this order:
 *
 *     event(A, 110) says "was the update of" "the gradient of"
 *     no event(A, 110)
 *
 * A value that is not there is NaN, of which no comparison holds. */
#pragma once

#include "core/train/lockstep.h"

#define NS_BENCH_SEEDS 10 /* that a claim can be over */

/* Models that go as far as a claim needs them to. */
typedef struct NsBench NsBench;

NsBench *ns_bench_new(const NsExperiment *experiment, GError **error);
void ns_bench_free(NsBench *bench);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsBench, ns_bench_free)

/* Changes live settings in the models with all seeds, once, each when it has made this many
 * updates; none has made more yet. */
void ns_bench_change(NsBench *bench, int64_t step, const NsExperiment *experiment);

/* Steps until this many updates are done with the first seed, or no lane can go on. */
void ns_bench_run(NsBench *bench, int64_t step);
NsRun *ns_bench_lane(NsBench *bench, size_t lane); /* with the first seed */

/* Whether a claim holds.  What was measured on the way is appended to `seen`.  NS_ERROR_SETTING if
 * it cannot be read, also for lanes and quantities that are not there. */
bool ns_claim_holds(NsBench *bench, const char *claim, GString *seen, GError **error);
