/* The input of the record of a step.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/corpus.h"
#include "core/model/model.h"
#include "core/optim/optimizer.h"
#include "core/probe/curvature.h"

/* The model must still hold the gradients of `seen`. */
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
