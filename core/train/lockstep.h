/* One to four lanes on one clock.  SPDX-License-Identifier: MIT
 *
 * Lanes share the initial value of every tensor that they have in common, and every batch.  One
 * call advances all of them by one step; a lane that has diverged stands still. */
#pragma once

#include "core/train/run.h"

#define NS_LANES_MAX 4

typedef struct NsLockstep NsLockstep;

/* arch, task, text, data-seed, batch, seq and source-seq must agree (NS_ERROR_SETTING names the one
 * that does not).  The most threads that a lane asks for are shared out: a lane then gives the bits
 * that it would give alone with its share, which its settings name. */
NsLockstep *ns_lockstep_new(const NsSettings *const *settings, size_t lanes, GError **error);
void ns_lockstep_free(NsLockstep *lockstep);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsLockstep, ns_lockstep_free)

/* False when no lane can go on. */
bool ns_lockstep_step(NsLockstep *lockstep);
void ns_lockstep_reset(NsLockstep *lockstep);
size_t ns_lockstep_lanes(const NsLockstep *lockstep);

/* Borrowed; to be used between steps.  A lane that is stepped by itself leaves the clock. */
NsRun *ns_lockstep_lane(NsLockstep *lockstep, size_t lane);
