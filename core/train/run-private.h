/* The fields of a run.  Internal to core/train.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/experiment.h"
#include "core/optim/optimizer.h"
#include "core/probe/record.h"
#include "core/train/bands.h"
#include "core/train/run.h"

#include <stdatomic.h>

/* Where a run begins: the checkpoint (NULL: step 0), and the history of the run that it was taken
 * from, which is copied up to that step (NULL: none).  References are taken. */
typedef struct {
    NsCheckpoint *origin;
    NsHistory *past;
} NsBeginning;

struct NsRun {
    const NsExperiment *experiment; /* a reference; it owns the texts of the settings */
    NsSettings settings;            /* with the run's own seed and threads */
    NsCorpus *corpus;
    NsBaselines baselines; /* of the corpus */
    NsPlan plan;
    NsModel *model;
    NsBatch batch, validation;

    const NsOptimizer *optimizer;
    ns_real *m, *v, *scratch; /* NULL if the optimizer has none */
    int64_t *moments_since;   /* [tensors] as in NsUpdate */
    NsTensorUpdate *updates;  /* [tensors] statistics of the last update */
    double lr;                /* of the last update */
    bool v_may_overflow;      /* the squared gradients of the last update may be too large for v */
    ns_real *state; /* [n_state] running statistics before the newest record was measured */
    size_t n_state;

    NsCurvatureProbe *curvature_probe; /* NULL if curvature is never measured */
    NsCurvature curvature;             /* of the last update */

    NsRecorder *recorder;
    NsHistory *history;
    double grad_norm;               /* of the newest record */
    NsSpikes spikes, spikes_before; /* after the newest record, and before it */
    NsBands bands;
    int64_t steps;
    atomic_bool diverged; /* read by other threads while a step runs */
    bool unmeasured;      /* steps leave no record */
    NsCheckpoint *origin; /* where the run begins; NULL: at step 0 */
    NsHistory *past;      /* the history before that, which a reset copies again; or NULL */
};

/* Like ns_run_new, with settings whose texts an experiment owns, which is referenced; a corpus that
 * is already open for the same data (NULL: opens one); and a beginning.  Adds 1 to *done, unless
 * `done` is NULL, after each of NS_RUN_STAGES. */
NsRun *ns_run_new_from(const NsExperiment *experiment, const NsSettings *settings, NsCorpus *corpus,
                       NsBeginning beginning, atomic_uint *done, GError **error);

/* The same with a new experiment of one lane, at a checkpoint (NULL: at step 0). */
NsRun *ns_run_new_alone(const NsSettings *settings, NsCorpus *corpus, NsCheckpoint *origin,
                        GError **error);
