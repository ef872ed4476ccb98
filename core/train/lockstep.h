/* One to four lanes on one clock.  SPDX-License-Identifier: MIT
 *
 * Lanes share the initial value of every tensor that they have in common, and every batch.  One
 * call advances all of them by one step; a lane that has diverged stands still.
 *
 * A lane is as many runs as the setting “seeds” says: the first with the lane's own seed, each
 * further one with the next, all on the same batches.  The first gives the bits that it would give
 * alone; its history leads to those of the others (ns_history_seed). */
#pragma once

#include "core/experiment/experiment.h"
#include "core/train/run.h"

#include <stdatomic.h>

typedef struct NsLockstep NsLockstep;

/* Whether the lanes can run side by side: the settings that the table calls shared must agree, and
 * so must the steps at which they begin; NS_ERROR_SETTING names what does not.
 * origins: [experiment->n], where each begins with all its seeds, NULL for step 0; NULL where all
 * begin there. */
bool ns_lockstep_check(const NsExperiment *experiment, NsCheckpoint *const *origins,
                       GError **error);

/* Makes the lanes; a lane with an origin is its fork (ns_run_fork), which references it.  The most
 * threads that any of several lanes asks for are shared out: a lane then gives the bits that it
 * would give alone with its share, which its settings name.
 * pasts: [experiment->n], NULL for a lane without one, or NULL.  Where a lane has an origin and a
 * past, a history of the run that the origin was taken from, its own histories hold that past up to
 * there (core/probe/past.h).
 * Adds 1 to `done` (NULL: to nothing) after each stage of each run (NS_RUN_STAGES), one lane after
 * the other. */
NsLockstep *ns_lockstep_new(const NsExperiment *experiment, NsCheckpoint *const *origins,
                            NsHistory *const *pasts, atomic_uint *done, GError **error);
void ns_lockstep_free(NsLockstep *lockstep);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsLockstep, ns_lockstep_free)

/* False when no lane can go on. */
bool ns_lockstep_step(NsLockstep *lockstep);
void ns_lockstep_reset(NsLockstep *lockstep);

/* The validation loss of every run that has not diverged. */
void ns_lockstep_evaluate(NsLockstep *lockstep);

/* Where the clock stands: the updates done by the runs that have not diverged. */
int64_t ns_lockstep_steps(NsLockstep *lockstep);

size_t ns_lockstep_lanes(const NsLockstep *lockstep);

/* Borrowed; to be used between steps.  A run that is stepped by itself leaves the clock. */
NsRun *ns_lockstep_run(NsLockstep *lockstep, size_t lane, size_t seed);
size_t ns_lockstep_seeds(const NsLockstep *lockstep); /* of every lane */

/* The i-th run, counted lane by lane. */
NsRun *ns_lockstep_nth_run(NsLockstep *lockstep, size_t i);

/* How many seeds of a lane have diverged. */
size_t ns_lockstep_diverged(const NsLockstep *lockstep, size_t lane);

/* A checkpoint of a lane with all its seeds, as ns_run_checkpoint. */
NsCheckpoint *ns_lockstep_checkpoint(NsLockstep *lockstep, size_t lane, GError **error);

/* Whether there is memory for checkpoints of all lanes. */
bool ns_lockstep_has_room(NsLockstep *lockstep);
