/* The complete state of a run, kept and continued.  SPDX-License-Identifier: MIT
 *
 * A checkpoint holds weights, moments, running statistics, the step (which is the data cursor and
 * the counter of the noise), the settings, and a reference to the data.  It never changes.  A run
 * continued from it gives the same bits as the one it was taken from. */
#pragma once

#include "core/train/run.h"

typedef struct NsCheckpoint NsCheckpoint;

/* At the present step.  NULL with NS_ERROR_MEMORY. */
NsCheckpoint *ns_checkpoint_take(NsRun *run, GError **error);
size_t ns_checkpoint_size(const NsRun *run); /* what ns_checkpoint_bytes of one would be */
NsCheckpoint *ns_checkpoint_ref(NsCheckpoint *checkpoint); /* from any thread */
void ns_checkpoint_unref(NsCheckpoint *checkpoint);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsCheckpoint, ns_checkpoint_unref)

int64_t ns_checkpoint_step(const NsCheckpoint *checkpoint);
const NsSettings *ns_checkpoint_settings(const NsCheckpoint *checkpoint);
size_t ns_checkpoint_bytes(const NsCheckpoint *checkpoint); /* of its arenas */

/* A run that begins at the checkpoint's step, with an empty history whose first record is measured
 * at these weights and whose first events are the settings that differ.  With the checkpoint's own
 * settings it continues bit for bit; other settings may differ in anything:
 *
 * - Weights are kept where name and shape fit; the others start as drawn (and as profiled, where
 *   the placement asks for that).
 * - Moments are kept with their weights if the optimizer is the same one or Adam's kin; the others
 *   start at zero, and their bias correction with them.
 * - Running statistics are kept if all tensors fit.
 *
 * A reset leads back to this beginning.  NULL with an error. */
NsRun *ns_run_fork(NsCheckpoint *checkpoint, const NsSettings *settings, GError **error);
