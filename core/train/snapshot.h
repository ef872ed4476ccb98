/* The complete state of a run, kept and continued.  SPDX-License-Identifier: MIT
 *
 * A snapshot holds weights, moments, running statistics, the step (which is the data cursor and the
 * counter of the noise) and the settings.  A run continued from it gives the same bits as the one it
 * was taken from. */
#pragma once

#include "core/train/run.h"

typedef struct NsSnapshot NsSnapshot;

NsSnapshot *ns_snapshot_take(NsRun *run);
NsSnapshot *ns_snapshot_ref(NsSnapshot *snapshot); /* from any thread */
void ns_snapshot_unref(NsSnapshot *snapshot);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsSnapshot, ns_snapshot_unref)

int64_t ns_snapshot_step(const NsSnapshot *snapshot);
const NsSettings *ns_snapshot_settings(const NsSnapshot *snapshot);
size_t ns_snapshot_bytes(const NsSnapshot *snapshot);

/* A run that begins at the snapshot's step, with an empty history of which the first record is measured at these
 * weights.  With the snapshot's own settings it continues bit for bit; other settings may differ in anything:
 * tensors (weights and moments) are kept where name and shape fit, the others start as drawn.  NULL with an error. */
NsRun *ns_run_fork(const NsSnapshot *snapshot, const NsSettings *settings, GError **error);
