/* The complete state of a run, kept and continued.  SPDX-License-Identifier: MIT
 *
 * A snapshot holds weights, moments, running statistics, the step (which is the data cursor and the
 * counter of the noise), the settings, and a reference to the data.  It never changes.  A run
 * continued from it gives the same bits as the one it was taken from. */
#pragma once

#include "core/train/run.h"

typedef struct NsSnapshot NsSnapshot;

/* At the present step.  NULL with NS_ERROR_MEMORY. */
NsSnapshot *ns_snapshot_take(NsRun *run, GError **error);
size_t ns_snapshot_size(const NsRun *run);         /* what ns_snapshot_bytes of one would be */
NsSnapshot *ns_snapshot_ref(NsSnapshot *snapshot); /* from any thread */
void ns_snapshot_unref(NsSnapshot *snapshot);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsSnapshot, ns_snapshot_unref)

int64_t ns_snapshot_step(const NsSnapshot *snapshot);
const NsSettings *ns_snapshot_settings(const NsSnapshot *snapshot);
size_t ns_snapshot_bytes(const NsSnapshot *snapshot); /* of its arenas */

/* A run that begins at the snapshot's step, with an empty history whose first record is measured at
 * these weights and whose first events are the settings that differ.  With the snapshot's own
 * settings it continues bit for bit; other settings may differ in anything:
 *
 * - Weights are kept where name and shape fit; the others start as drawn (and as profiled, where
 *   the placement asks for that).
 * - Moments are kept with their weights if the optimizer is the same one or Adam's kin; the others
 *   start at zero, and their bias correction with them.
 * - Running statistics are kept if all tensors fit.
 *
 * A reset leads back to this beginning.  NULL with an error. */
NsRun *ns_run_fork(NsSnapshot *snapshot, const NsSettings *settings, GError **error);
