/* The inside of a run.  Internal to core/train.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/experiment.h"
#include "core/optim/optimizer.h"
#include "core/probe/record.h"
#include "core/train/run.h"

#include <stdatomic.h>

/* Where a run begins: at a checkpoint (NULL: at step 0), after what the run that it was taken from
 * had recorded before (NULL: nothing).  References are taken. */
typedef struct {
    NsCheckpoint *origin;
    NsHistory *past;
} NsBeginning;

struct NsRun {
    const NsExperiment *experiment; /* a reference: the texts of the settings are its */
    NsSettings settings;            /* with the run's own seed and threads */
    NsCorpus *corpus;
    NsPlan plan;
    NsModel *model;
    NsBatch batch, validation;

    const NsOptimizer *optimizer;
    ns_real *m, *v, *scratch; /* NULL where the optimizer has none */
    int64_t *moments_since;   /* [tensors] as in NsUpdate */
    NsTensorUpdate *updates;  /* [tensors] what the last update did */
    double lr;                /* of the last update */
    bool v_may_overflow;      /* the squared gradients of the last update may be too large for v */
    ns_real *state; /* [n_state] running statistics before the newest record was measured */
    size_t n_state;

    NsRecorder *recorder;
    NsHistory *history;
    double grad_norm;               /* of the newest record */
    NsSpikes spikes, spikes_before; /* with the newest record, and without */
    int64_t steps;
    atomic_bool diverged; /* read by other threads while a step runs */
    bool unmeasured;      /* steps leave no record */
    NsCheckpoint *origin; /* where the run begins; NULL: at step 0 */
    NsHistory *past;      /* what came before that and stays in its history; NULL: nothing does */
};

/* ns_run_new with settings whose texts belong to an experiment, which it references, and a corpus
 * that was already opened for the same data (NULL: opens it), at a beginning.  Adds 1 to `done`
 * (NULL: to nothing) after each of NS_RUN_STAGES. */
NsRun *ns_run_new_from(const NsExperiment *experiment, const NsSettings *settings, NsCorpus *corpus,
                       NsBeginning beginning, atomic_uint *done, GError **error);

/* The same as an experiment of one lane, at a checkpoint (NULL: at step 0). */
NsRun *ns_run_new_alone(const NsSettings *settings, NsCorpus *corpus, NsCheckpoint *origin,
                        GError **error);
