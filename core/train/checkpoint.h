/* The complete state of a run, from which another run can continue.  SPDX-License-Identifier: MIT
 *
 * A checkpoint holds weights, moments, running statistics, the step (which is the data cursor and
 * the counter of the noise), the settings, and a reference to the data.  It never changes.  A run
 * continued from it gives the same bits as the one it was taken from. */
#pragma once

#include "core/data/corpus.h"
#include "core/experiment/experiment.h"
#include "core/optim/optimizer.h"
#include "core/train/spike.h"

/* The fields are for runs and for core/store, which keeps checkpoints in files; all others have
 * functions. */
typedef struct {
    gatomicrefcount refs;
    const NsExperiment *experiment; /* a reference: the texts of the settings are its */
    NsSettings settings;
    NsCorpus *corpus;    /* NULL for a checkpoint from a file, which does not contain the data */
    NsTensorTable table; /* a copy: the run may be gone */
    ns_real *w, *m, *v;  /* arenas of the table; NULL where the optimizer has none */
    ns_real *state;      /* [n_state] before the record at `step` was measured */
    size_t n_state;
    int64_t *moments_since;  /* [tensors] as in NsUpdate */
    NsTensorUpdate *updates; /* [tensors] of the last update */
    double lr;               /* likewise */
    int64_t step;
    bool diverged;     /* the record at `step` is not finite */
    NsSpikes spikes;   /* before the record at `step` was measured */
    GPtrArray *others; /* of the further seeds; NULL for none */
} NsCheckpoint;

/* One with these settings, whose texts are the experiment's, and nothing else, to be filled in. */
NsCheckpoint *ns_checkpoint_new(const NsExperiment *experiment, const NsSettings *settings);

/* For a checkpoint that has its table: notes that no update was made. */
void ns_checkpoint_set_without_updates(NsCheckpoint *checkpoint);

NsCheckpoint *ns_checkpoint_ref(NsCheckpoint *checkpoint); /* from any thread */
void ns_checkpoint_unref(NsCheckpoint *checkpoint);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsCheckpoint, ns_checkpoint_unref)

/* Before others know of it: takes the checkpoint of the run's next seed, which goes with it. */
void ns_checkpoint_add_seed(NsCheckpoint *checkpoint, NsCheckpoint *taken);

/* How many seeds run side by side, and the checkpoint of each, borrowed; the first is this one. */
size_t ns_checkpoint_seeds(const NsCheckpoint *checkpoint);
NsCheckpoint *ns_checkpoint_seed(NsCheckpoint *checkpoint, size_t i);

int64_t ns_checkpoint_step(const NsCheckpoint *checkpoint);
const NsSettings *ns_checkpoint_settings(const NsCheckpoint *checkpoint);
size_t ns_checkpoint_bytes(const NsCheckpoint *checkpoint); /* of the arenas of all seeds */

/* NS_ERROR_SETTING unless a model with this table takes all of its weights from the checkpoint, and
 * leaves none. */
bool ns_checkpoint_fits(const NsCheckpoint *checkpoint, const NsTensorTable *table, GError **error);

/* Its corpus if that serves these settings too, else NULL; borrowed. */
NsCorpus *ns_checkpoint_corpus(const NsCheckpoint *checkpoint, const NsSettings *settings);
