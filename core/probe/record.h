/* Filling in the record of a step.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/corpus.h"
#include "core/model/model.h"
#include "core/probe/quantity.h"

/* What a step leaves to be recorded.  The model still holds the gradients of `seen`. */
typedef struct {
    NsModel *model;
    const NsSettings *settings;
    const NsCorpus *corpus;
    const NsBatch *batch;  /* that `seen` was measured on */
    const NsNoise *noise;  /* the same */
    const NsMeasure *seen; /* at the present weights */
    int64_t step;
    bool updated;                        /* an update led to these weights */
    const double *weight_sq, *update_sq; /* [tensors] of that update, as in NsUpdate */
    const ns_real *m, *v;                /* moments; NULL where the optimizer has none */
    unsigned threads;
} NsRecordInput;

typedef struct NsRecorder NsRecorder;

/* Allocates all that ns_recorder_fill needs. */
NsRecorder *ns_recorder_new(const NsModel *model, const NsSettings *settings);
void ns_recorder_free(NsRecorder *recorder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsRecorder, ns_recorder_free)

const NsRecordLayout *ns_recorder_layout(const NsRecorder *recorder);

typedef struct {
    const float *values;   /* [layout->width] */
    const double *grad_sq; /* [tensors] squared norms of the gradients */
    double grad_norm;      /* of all tensors together */
} NsRecord;

/* Borrowed until the next call.  Allocates nothing. */
NsRecord ns_recorder_fill(NsRecorder *recorder, const NsRecordInput *input);
