/* A run without a thread: model, data, optimizer, history, one step at a time.
 * SPDX-License-Identifier: MIT
 *
 * Record k is measured at the weights after k updates, on batch k.  Making a run measures record 0;
 * step k applies the update from the gradients of record k - 1 and measures record k. */
#pragma once

#include "core/data/corpus.h"
#include "core/experiment/experiment.h"
#include "core/model/model.h"
#include "core/optim/optimizer.h"
#include "core/probe/history.h"
#include "core/probe/record.h"
#include "core/train/bands.h"
#include "core/train/checkpoint.h"

#include <stdatomic.h>

/* Bytes of profiles in the history of a lane, above which it joins them. */
#define NS_HISTORY_BUDGET ((size_t)256 << 20)

/* The stages of making a run: data and weights are ready; the first record is measured. */
#define NS_RUN_STAGES 2u

/* The fields are only for reading; core/train alone changes them. */
typedef struct {
    const NsExperiment *experiment; /* a reference; it owns the texts of the settings */
    NsSettings settings;            /* with live changes, and the run's own seed */
    NsCorpus *corpus;
    NsBaselines baselines; /* of the corpus */
    NsPlan plan;
    NsModel *model;
    NsBatch batch, validation; /* batch: of the newest record */

    const NsOptimizer *optimizer;
    ns_real *m, *v, *scratch; /* NULL if the optimizer has none */
    int64_t *moments_since;   /* [tensors] as in NsUpdate */
    NsTensorUpdate *updates;  /* [tensors] statistics of the last update */
    double lr;                /* of the last update */
    bool v_may_overflow;      /* the squared gradients of the last update may be too large for v */
    ns_real *state; /* [n_state] running statistics before the newest record was measured */
    size_t n_state;

    NsCurvatureProbe *curvature_probe; /* NULL if curvature is never measured */
    double *layer_sharpness;           /* [layers], or NULL with it */
    NsCurvature curvature;             /* of the last update */

    GArray *prompt; /* int32_t; NULL if it is never continued */
    NsRecorder *recorder;
    NsHistory *history;             /* a reset replaces it */
    double grad_norm;               /* of the newest record */
    NsSpikes spikes, spikes_before; /* after the newest record, and before it */
    NsBands bands;
    int64_t steps;        /* updates made, including those before a fork */
    atomic_bool diverged; /* read by other threads while a step runs */
    bool unmeasured;      /* steps leave no record */
    NsCheckpoint *origin; /* where the run begins; NULL: at step 0 */
    NsHistory *past;      /* the history before that, which a reset copies again; or NULL */
} NsRun;

/* Opens the data, plans and allocates memory, initializes the weights and measures record 0.  NULL
 * with an error. */
NsRun *ns_run_new(const NsSettings *settings, GError **error);
void ns_run_free(NsRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsRun, ns_run_free)

/* Where a run begins: the checkpoint (NULL: step 0), and the history of the run that it was taken
 * from, which is copied up to that step (NULL: none).  References are taken. */
typedef struct {
    NsCheckpoint *origin;
    NsHistory *past;
} NsBeginning;

/* Like ns_run_new, with settings whose texts an experiment owns, which is referenced; a corpus that
 * is already open for the same data (NULL: opens one); and a beginning.  Adds 1 to *done, unless
 * `done` is NULL, after each of NS_RUN_STAGES. */
NsRun *ns_run_new_from(const NsExperiment *experiment, const NsSettings *settings, NsCorpus *corpus,
                       NsBeginning beginning, atomic_uint *done, GError **error);

/* The same with a new experiment of one lane, at a checkpoint (NULL: at step 0). */
NsRun *ns_run_new_alone(const NsSettings *settings, NsCorpus *corpus, NsCheckpoint *origin,
                        GError **error);

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

NsNoise ns_run_noise(const NsRun *run); /* the noise of the newest record */

/* ---- Settings that may change while a model runs ---- */

/* Copies every setting whose effect is NS_EFFECT_LIVE, clamped to its range; a NaN or an unknown
 * choice is not copied.  True if `to` has changed.  Copies no texts, so it may be called under a
 * lock. */
bool ns_live_copy(NsSettings *to, const NsSettings *from);

/* Whether any live setting differs. */
bool ns_live_differs(const NsSettings *a, const NsSettings *b);

/* Whether they differ only in live settings, in the length of the run and in what it measures. */
bool ns_live_only(const NsSettings *a, const NsSettings *b);
