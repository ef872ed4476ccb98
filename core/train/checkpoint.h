/* The complete state of a run, from which another run can continue.  SPDX-License-Identifier: MIT
 *
 * A checkpoint holds weights, moments, running statistics, the step (which is the data cursor and
 * the counter of the noise), the settings, and a reference to the data.  It never changes.  A run
 * continued from it gives the same bits as the one it was taken from. */
#pragma once

#include "core/data/corpus.h"
#include "core/experiment/experiment.h"
#include "core/optim/optimizer.h"
#include "core/probe/curvature.h"
#include "core/train/bands.h"
#include "core/train/spike.h"

/* The fields are for runs and for core/store, which stores checkpoints in files; other code uses
 * the functions below. */
typedef struct {
    gatomicrefcount refs;
    const NsExperiment *experiment; /* a reference; it owns the texts of the settings */
    NsSettings settings;
    NsCorpus *corpus;    /* NULL for a checkpoint from a file, which does not contain the data */
    NsTensorTable table; /* a copy, because the run may be freed before */
    ns_real *w, *m, *v;  /* weights and moments; NULL if the optimizer does not have them */
    ns_real *state;      /* [n_state] running statistics before the record at `step` */
    size_t n_state;
    int64_t *moments_since;  /* [tensors] as in NsUpdate */
    NsTensorUpdate *updates; /* [tensors] statistics of the last update */
    NsCurvature curvature;   /* of the last update */
    double lr;               /* of the last update */
    int64_t step;
    bool diverged;     /* the record at `step` is not finite */
    NsSpikes spikes;   /* spike detection before the record at `step` */
    NsBands bands;     /* the same of the usual ranges; without a ring in older files */
    GPtrArray *others; /* checkpoints of further seeds; NULL for none */
} NsCheckpoint;

/* A checkpoint with these settings, whose texts the experiment owns; all else is to be filled in.
 */
NsCheckpoint *ns_checkpoint_new(const NsExperiment *experiment, const NsSettings *settings);

/* Initializes moments_since and updates, as before the first update.  The table must be set. */
void ns_checkpoint_set_without_updates(NsCheckpoint *checkpoint);

/* A copy at step 0 with only the weights: no moments, statistics or data, and no update.  NULL with
 * NS_ERROR_MEMORY. */
NsCheckpoint *ns_checkpoint_of_weights(const NsCheckpoint *from, GError **error);

NsCheckpoint *ns_checkpoint_ref(NsCheckpoint *checkpoint); /* from any thread */
void ns_checkpoint_unref(NsCheckpoint *checkpoint);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsCheckpoint, ns_checkpoint_unref)

/* Adds the checkpoint of the next seed of the run, and takes ownership of it.  To be called before
 * any other thread has the checkpoint. */
void ns_checkpoint_add_seed(NsCheckpoint *checkpoint, NsCheckpoint *taken);

/* The number of seeds that are trained together, and the checkpoint of each (borrowed); the first
 * is this one. */
size_t ns_checkpoint_seeds(const NsCheckpoint *checkpoint);
NsCheckpoint *ns_checkpoint_seed(NsCheckpoint *checkpoint, size_t i);

size_t ns_checkpoint_bytes(const NsCheckpoint *checkpoint); /* weights etc. of all seeds */

/* NS_ERROR_SETTING unless the table of a model has exactly the tensors of the checkpoint, with the
 * same shapes. */
bool ns_checkpoint_fits(const NsCheckpoint *checkpoint, const NsTensorTable *table, GError **error);

/* Its corpus (borrowed) if these settings need the same data, else NULL. */
NsCorpus *ns_checkpoint_corpus(const NsCheckpoint *checkpoint, const NsSettings *settings);
