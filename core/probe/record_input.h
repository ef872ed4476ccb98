/* What the record of a step is made from.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/corpus.h"
#include "core/model/model.h"

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
    const double *ratio_sum, *ratio_max; /* the same; NULL where the optimizer has none */
} NsRecordInput;
