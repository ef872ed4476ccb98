/* The steps of a run from which it can be forked.  SPDX-License-Identifier: MIT
 *
 * Snapshots of all lanes at some of the steps, within a budget of bytes.  The first and the newest
 * are always there.  When the budget is spent, that step is given up whose neighbours lie closest
 * together in proportion to how long ago the earlier of them was: the distance to the next kept
 * step then is much the same share of a step's age everywhere, so that nearly every recent step has
 * one close by, and early ones lie sparsely.
 *
 * One thread adds; any may read. */
#pragma once

#include "core/train/lockstep.h"

/* More than so many are never kept, however small they are. */
#define NS_KEPT_MOST 1000

typedef struct NsKept NsKept;

/* For so many lanes; budget in bytes, of arenas (ns_snapshot_bytes). */
NsKept *ns_kept_new(size_t lanes, size_t budget);
void ns_kept_free(NsKept *kept);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsKept, ns_kept_free)

/* Keeps the snapshots of the lanes at a step that is later than all others: [lanes], referenced,
 * NULL for a lane that has none.  Then gives up others until the budget holds. */
void ns_kept_add(NsKept *kept, int64_t step, NsSnapshot *const *snapshots);

/* Gives up all but the first and the newest, or all. */
void ns_kept_trim(NsKept *kept);
void ns_kept_clear(NsKept *kept);

/* Copies the first `most` of the kept steps, ascending, and returns how many there are. */
size_t ns_kept_steps(NsKept *kept, int64_t *steps, size_t most);

/* The newest kept at or before `step`: new references, NULL for a lane that has none, and its step
 * where `at` is not NULL.  False where there is none. */
bool ns_kept_find(NsKept *kept, int64_t step, NsSnapshot *snapshots[NS_LANES_MAX], int64_t *at);

/* The newest kept step; -1 where there is none. */
int64_t ns_kept_newest(NsKept *kept);

size_t ns_kept_bytes(NsKept *kept);
