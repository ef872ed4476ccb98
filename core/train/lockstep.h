/* Lanes, up to four, that step together.  SPDX-License-Identifier: MIT
 *
 * Lanes share the initial value of every tensor that they have in common, and every batch.  One
 * call advances all of them by one step; a lane that has diverged stops.
 *
 * A lane has one run for each of its “seeds”: the first run has the lane's seed, each further one
 * has the next seed, and all train on the same batches.  The first run gives the same bits as it
 * would alone; its history is linked to those of the others (ns_history_seed). */
#pragma once

#include "core/experiment/experiment.h"
#include "core/train/run.h"

#include <stdatomic.h>

typedef struct NsLockstep NsLockstep;

/* Whether the lanes can run together: the settings marked as shared in the table of settings must
 * be equal, and so must the steps at which the lanes begin; NS_ERROR_SETTING names a difference.
 * origins: [experiment->n], the checkpoint at which each lane begins, with all its seeds, or NULL
 * for step 0; NULL if all lanes begin at step 0. */
bool ns_lockstep_check(const NsExperiment *experiment, NsCheckpoint *const *origins,
                       GError **error);

/* Makes the lanes; a lane with an origin is a fork of it (ns_run_fork), which references it.  With
 * several lanes the largest number of threads that any of them requests is divided among them; the
 * settings of each run contain its share, and the run gives the same bits as alone with that share.
 * pasts: [experiment->n], NULL for a lane without one, or NULL.  A past is the history of the run
 * that the origin was taken from; the histories of the lane then begin with a copy of it up to the
 * origin (core/probe/history.h).
 * Adds 1 to *done, unless `done` is NULL, after each stage of each run (NS_RUN_STAGES), one lane
 * after the other. */
NsLockstep *ns_lockstep_new(const NsExperiment *experiment, NsCheckpoint *const *origins,
                            NsHistory *const *pasts, atomic_uint *done, GError **error);
void ns_lockstep_free(NsLockstep *lockstep);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsLockstep, ns_lockstep_free)

/* Makes one step of every lane.  False if all lanes have diverged. */
bool ns_lockstep_step(NsLockstep *lockstep);
void ns_lockstep_reset(NsLockstep *lockstep);

/* Copies the live settings of every lane to its runs (ns_run_set_live).  Between steps. */
void ns_lockstep_set_live(NsLockstep *lockstep, const NsExperiment *experiment);

/* Measures the validation loss of every run that has not diverged. */
void ns_lockstep_evaluate(NsLockstep *lockstep);

/* The number of updates made by the runs that have not diverged. */
int64_t ns_lockstep_steps(NsLockstep *lockstep);

size_t ns_lockstep_lanes(const NsLockstep *lockstep);

/* A run of a lane, borrowed; to be used between steps.  Never step it on its own. */
NsRun *ns_lockstep_run(NsLockstep *lockstep, size_t lane, size_t seed);
size_t ns_lockstep_seeds(const NsLockstep *lockstep); /* of every lane */

/* The i-th run, counted lane by lane. */
NsRun *ns_lockstep_nth_run(NsLockstep *lockstep, size_t i);

/* The number of seeds of a lane that have diverged. */
size_t ns_lockstep_diverged(const NsLockstep *lockstep, size_t lane);

/* A checkpoint of a lane with all its seeds, as ns_run_checkpoint. */
NsCheckpoint *ns_lockstep_checkpoint(NsLockstep *lockstep, size_t lane, GError **error);

/* Whether there is memory for checkpoints of all lanes. */
bool ns_lockstep_fits_memory(NsLockstep *lockstep);
