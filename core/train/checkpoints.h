/* The checkpoints of a run, from which it can be forked.  SPDX-License-Identifier: MIT
 *
 * The store holds checkpoints of all lanes at some steps, within a budget of bytes.  The first and
 * the newest are never dropped.  When the budget is spent, the step is dropped whose two neighbors
 * are closest together in proportion to the age of the earlier one.  The distance between
 * checkpoints then grows in proportion to their age: they are dense at recent steps and sparse at
 * early ones.
 *
 * One thread adds checkpoints; any thread may read them. */
#pragma once

#include "core/train/lockstep.h"

/* The largest number of steps with checkpoints, regardless of the budget. */
#define NS_CHECKPOINTS_MOST 1000

typedef struct NsCheckpoints NsCheckpoints;

/* budget: the largest sum of ns_checkpoint_bytes of all checkpoints. */
NsCheckpoints *ns_checkpoints_new(size_t lanes, size_t budget);
void ns_checkpoints_free(NsCheckpoints *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsCheckpoints, ns_checkpoints_free)

/* Adds the checkpoints of the lanes at a step that is later than all others: [lanes], referenced,
 * NULL for a lane that has none.  Drops others to stay within the budget. */
void ns_checkpoints_add(NsCheckpoints *store, int64_t step, NsCheckpoint *const *checkpoints);

/* Changes the budget, and drops checkpoints to stay within it. */
void ns_checkpoints_set_budget(NsCheckpoints *store, size_t budget);

/* trim drops all but the first and the newest; clear drops all. */
void ns_checkpoints_trim(NsCheckpoints *store);
void ns_checkpoints_clear(NsCheckpoints *store);

/* Copies the first `most` steps that have a checkpoint, ascending, and returns how many steps have
 * one. */
size_t ns_checkpoints_steps(NsCheckpoints *store, int64_t *steps, size_t most);

/* Finds the newest checkpoints at or before `step`: new references, NULL for a lane that has none,
 * and their step in *at unless `at` is NULL.  False if there are none. */
bool ns_checkpoints_find(NsCheckpoints *store, int64_t step,
                         NsCheckpoint *checkpoints[NS_LANES_MAX], int64_t *at);

/* The newest step that has a checkpoint; -1 if there is none. */
int64_t ns_checkpoints_newest(NsCheckpoints *store);

/* The bytes of the checkpoints that are not in `seen`.  Adds them to `seen`, so that checkpoints
 * shared by several stores count once. */
size_t ns_checkpoints_count(NsCheckpoints *store, GHashTable *seen);
