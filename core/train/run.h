/* A run without a thread: model, data, optimizer, history, one step at a time.
 * SPDX-License-Identifier: MIT
 *
 * Record k is measured at the weights after k updates, on batch k.  Making a run measures record 0;
 * step k applies the update from the gradients of record k - 1 and measures record k. */
#pragma once

#include "core/data/corpus.h"
#include "core/model/model.h"
#include "core/probe/history.h"
#include "core/train/checkpoint.h"

/* Bytes of profiles in the history of a lane, above which it joins them. */
#define NS_HISTORY_BUDGET ((size_t)256 << 20)

/* The stages of making a run: data and weights are ready; the first record is measured. */
#define NS_RUN_STAGES 2u

typedef struct NsRun NsRun;

/* Opens the data, plans and allocates memory, initializes the weights and measures record 0.  NULL
 * with an error. */
NsRun *ns_run_new(const NsSettings *settings, GError **error);
void ns_run_free(NsRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsRun, ns_run_free)

/* Takes a checkpoint at the current step.  NULL with NS_ERROR_MEMORY. */
NsCheckpoint *ns_run_checkpoint(NsRun *run, GError **error);
size_t ns_run_checkpoint_size(const NsRun *run); /* the ns_checkpoint_bytes of a checkpoint */

/* A run that begins at the checkpoint's step, with an empty history whose first record is measured
 * at these weights and whose first events are the settings that differ.  With the settings of the
 * checkpoint it continues bit for bit; any setting may differ:
 *
 * - Weights are taken over if name and shape of the tensor match; the others are initialized (and
 *   profiled, if the placement requires it).
 * - Moments are taken over with their weights if the optimizers are the same or both of Adam's
 *   family.  The others start at zero, and so does their bias correction.
 * - Running statistics are taken over if all tensors match.
 *
 * A reset returns to this beginning.  NULL with an error. */
NsRun *ns_run_fork(NsCheckpoint *checkpoint, const NsSettings *settings, GError **error);

/* Makes one step.  False if the run has diverged, now or before: its last event is then an
 * NS_EVENT_DIVERGED, and the record of the step that diverged is in the history. */
bool ns_run_step(NsRun *run);

bool ns_run_diverged(const NsRun *run);

/* Returns to step 0, or to where a fork began, with the same weights, bit for bit, and a new
 * history. */
void ns_run_reset(NsRun *run);

/* Copies every setting that may change while a model runs (NS_EFFECT_LIVE), for the next step on.
 * Each change is an NS_EVENT_SETTING in the history, except before the first step. */
void ns_run_set_live(NsRun *run, const NsSettings *settings);

/* Measures the validation loss (mean over the targets of the validation batches, without noise) at
 * the current weights and appends it to the history.  Further calls at the same step return the
 * same loss. */
double ns_run_evaluate(NsRun *run);

/* Without measuring, a step only trains: it leaves no record and divergence is not detected.  The
 * benchmark uses this to find the cost of measuring.  When measuring is switched on again, a new
 * history begins with the next step. */
void ns_run_set_measuring(NsRun *run, bool measuring);

int64_t ns_run_steps(const NsRun *run); /* updates made, including those before a fork */
NsHistory *ns_run_history(NsRun *run);  /* borrowed; a reset replaces it */
NsModel *ns_run_model(NsRun *run);
const NsCorpus *ns_run_corpus(const NsRun *run);
const NsSettings *ns_run_settings(const NsRun *run); /* with live changes applied */
NsPlan ns_run_plan(const NsRun *run);
const NsBatch *ns_run_batch(const NsRun *run); /* the batch of the newest record */
NsNoise ns_run_noise(const NsRun *run);        /* the noise of the newest record */
