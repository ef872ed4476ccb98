/* The checkpoints of a run, from which it can be forked.  SPDX-License-Identifier: MIT
 *
 * Checkpoints of all lanes at some of the steps, within a budget of bytes.  The first and the
 * newest are never dropped.  When the budget is spent, the step is dropped whose two neighbors lie
 * closest together in proportion to the age of the earlier one.  The distance between checkpoints
 * then grows in proportion to their age: they are dense at recent steps and sparse at early ones.
 *
 * One thread adds; any may read. */
#pragma once

#include "core/train/lockstep.h"

/* The most steps that have checkpoints, however small these are. */
#define NS_CHECKPOINTS_MOST 1000

typedef struct NsCheckpoints NsCheckpoints;

/* budget: bytes of the arenas of all checkpoints (ns_checkpoint_bytes). */
NsCheckpoints *ns_checkpoints_new(size_t lanes, size_t budget);
void ns_checkpoints_free(NsCheckpoints *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsCheckpoints, ns_checkpoints_free)

/* Adds the checkpoints of the lanes at a step that is later than all others: [lanes], referenced,
 * NULL for a lane that has none.  Then drops others until the budget holds. */
void ns_checkpoints_add(NsCheckpoints *store, int64_t step, NsCheckpoint *const *checkpoints);

/* Another budget, from now on: drops what is above it. */
void ns_checkpoints_set_budget(NsCheckpoints *store, size_t budget);

/* Drops all but the first and the newest, or all. */
void ns_checkpoints_trim(NsCheckpoints *store);
void ns_checkpoints_clear(NsCheckpoints *store);

/* Copies the first `most` steps that have a checkpoint, ascending, and returns how many there are.
 */
size_t ns_checkpoints_steps(NsCheckpoints *store, int64_t *steps, size_t most);

/* The newest at or before `step`: new references, NULL for a lane that has none, and its step
 * where `at` is not NULL.  False where there is none. */
bool ns_checkpoints_find(NsCheckpoints *store, int64_t step,
                         NsCheckpoint *checkpoints[NS_LANES_MAX], int64_t *at);

/* The newest step that has one; -1 where there is none. */
int64_t ns_checkpoints_newest(NsCheckpoints *store);

/* The bytes of the checkpoints that are not in `seen`; adds them to it, so that shared ones count
 * once. */
size_t ns_checkpoints_count(NsCheckpoints *store, GHashTable *seen);
