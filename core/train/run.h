/* A run without a thread: model, data, optimizer, history, one step at a time.
 * SPDX-License-Identifier: MIT
 *
 * Record k is measured at the weights after k updates, on batch k.  Making a run measures record 0;
 * a step applies the update that record k - 1 calls for and measures record k. */
#pragma once

#include "core/data/corpus.h"
#include "core/model/model.h"
#include "core/probe/history.h"
#include "core/train/checkpoint.h"

/* Bytes of profiles that the history of a lane keeps before it thins them. */
#define NS_HISTORY_BUDGET ((size_t)256 << 20)

/* Of making a run: its data and weights are there; its first record is measured. */
#define NS_RUN_STAGES 2u

typedef struct NsRun NsRun;

/* Opens the data, plans, allocates, draws the weights and measures record 0.  NULL with an error.
 */
NsRun *ns_run_new(const NsSettings *settings, GError **error);
void ns_run_free(NsRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsRun, ns_run_free)

/* Takes a checkpoint at the present step.  NULL with NS_ERROR_MEMORY. */
NsCheckpoint *ns_run_checkpoint(NsRun *run, GError **error);
size_t ns_run_checkpoint_size(const NsRun *run); /* what ns_checkpoint_bytes of one would be */

/* A run that begins at the checkpoint's step, with an empty history whose first record is measured
 * at these weights and whose first events are the settings that differ.  With the checkpoint's own
 * settings it continues bit for bit; other settings may differ in anything:
 *
 * - Weights are kept where name and shape fit; the others start as drawn (and as profiled, where
 *   the placement asks for that).
 * - Moments are kept with their weights if both optimizers are the same or of Adam's family.
 *   The others start at zero, and their bias correction with them.
 * - Running statistics are kept if all tensors fit.
 *
 * A reset leads back to this beginning.  NULL with an error. */
NsRun *ns_run_fork(NsCheckpoint *checkpoint, const NsSettings *settings, GError **error);

/* One step.  FALSE if the run has diverged, now or before: the history then ends with an
 * NS_EVENT_DIVERGED, and the record of the step that diverged is kept. */
bool ns_run_step(NsRun *run);

bool ns_run_diverged(const NsRun *run);

/* Back to step 0, or to where a fork began: the same weights, bit for bit, and a new history. */
void ns_run_reset(NsRun *run);

/* Takes over every setting that may change while a model runs (NS_EFFECT_LIVE), from the next step
 * on; each change is an NS_EVENT_SETTING of the history, but before the first step of all. */
void ns_run_set_live(NsRun *run, const NsSettings *settings);

/* Measures the validation loss (mean over the held-out targets, without noise) at the present
 * weights and appends it to the history, once a step. */
double ns_run_evaluate(NsRun *run);

/* Without measuring a step only trains: it leaves no record, and divergence is not watched for. The
 * benchmark uses this to find the cost of measuring.  Switched on again, a new history begins with
 * the next step. */
void ns_run_set_measuring(NsRun *run, bool measuring);

int64_t ns_run_steps(const NsRun *run); /* updates done, those before a fork included */
NsHistory *ns_run_history(NsRun *run);  /* borrowed; a reset replaces it */
NsModel *ns_run_model(NsRun *run);
const NsCorpus *ns_run_corpus(const NsRun *run);
const NsSettings *ns_run_settings(const NsRun *run); /* with live changes applied */
NsPlan ns_run_plan(const NsRun *run);
const NsBatch *ns_run_batch(const NsRun *run); /* the batch of the newest record */
NsNoise ns_run_noise(const NsRun *run);        /* the noise of the newest record */
