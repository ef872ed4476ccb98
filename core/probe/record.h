/* Fills in the record of a step.  SPDX-License-Identifier: MIT
 *
 * Cheap quantities come from the pass that training makes anyway.  Expensive ones are measured at
 * multiples of `probe-every` steps; the record holds the time that they took. */
#pragma once

#include "core/data/corpus.h"
#include "core/model/model.h"
#include "core/optim/optimizer.h"
#include "core/probe/curvature.h"
#include "core/probe/quantity.h"
#include "core/probe/similarity.h"
#include "core/probe/token_snapshot.h"

/* Sets the layout of the records of a model; of the table only the kinds of parameters are used. */
void ns_record_layout_of(NsRecordLayout *layout, const NsTensorTable *table,
                         const NsSettings *settings);

/* The norm of the whole gradient, from the squared norms of the tensors' gradients. */
double ns_record_gradient_norm(const NsTensorTable *table, const double *grad_sq);

/* The input of the record of a step. The model must still hold the gradients of `seen`. */
typedef struct {
    NsModel *model;
    const NsSettings *settings;
    const NsCorpus *corpus;
    const NsBatch *batch;  /* the batch of `seen` */
    const NsNoise *noise;  /* the noise of `seen` */
    const NsMeasure *seen; /* the measurement at the current weights */
    int64_t step;
    const double *bleu;            /* the validation BLEU; NULL if not due */
    const char *translation;       /* of the first sentence of the batch; NULL if not due */
    bool updated;                  /* false at step 0, before any update */
    const NsTensorUpdate *updates; /* [tensors] statistics of the last update */
    const NsCurvature *curvature;  /* of the last update */
    double lr;                     /* of the last update */
    const double *sharpness;       /* [layers]; NULL if not due */
    double sharpness_seconds;      /* the time that it took */
} NsRecordInput;

typedef struct NsRecorder NsRecorder;

/* Allocates all memory that records need.  NULL with NS_ERROR_MEMORY. */
NsRecorder *ns_recorder_new(NsModel *model, const NsSettings *settings, GError **error);
void ns_recorder_free(NsRecorder *recorder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsRecorder, ns_recorder_free)

const NsRecordLayout *ns_recorder_layout(const NsRecorder *recorder);

/* Call before the pass of a step.  If expensive quantities or a layer ablation are due, makes the
 * passes that they need, which overwrite the gradients and activations of the model; weights,
 * moments and running statistics are unchanged.  input->seen is not read. */
void ns_recorder_run_probe_batches(NsRecorder *recorder, const NsRecordInput *input);

typedef struct {
    NsValues values;      /* [layout->width], borrowed like the rest */
    double grad_norm;     /* of all tensors together */
    double probe_seconds; /* time for expensive quantities, including probe batches; 0 if none was
                             due */
    const NsSimilarity *similarity;        /* NULL if not measured */
    const NsTokenSnapshot *token_snapshot; /* NULL if not measured */
} NsRecord;

/* Call after the pass.  The result is borrowed until the next call.  Allocates nothing. */
NsRecord ns_recorder_fill(NsRecorder *recorder, const NsRecordInput *input);
