/* Forward and backward of one shard of a batch.  SPDX-License-Identifier: MIT
 *
 * Internal to core/model.  Calls on different workers may run at the same time. */
#pragma once

#include "core/model/gradients.h"
#include "core/model/measure.h"
#include "core/ops/cross_entropy.h"

/* The state of a worker in its backward pass through a stack. */
typedef struct {
    NsPass pass;
    double squares;          /* sum of squares of the gradient of the current hidden state */
    NsHiddenMeasure *hidden; /* receives that sum for the record */
} NsDescent;

/* A worker processes one share of the batch, in one or more parts.  Each part has a separate shard
 * if activations stay in memory; otherwise all parts use the same shard in turn. */
typedef struct {
    NsShard *shards, *shard; /* [layout->retained]; the shard of the current part */
    NsShard forward_only;    /* for forward-only passes */
    size_t part;             /* the current part, from 0 */
    ns_real *activations;
    NsGradients *gradients; /* shared by all workers */
    unsigned number;        /* index of this worker */
    NsDescent down;
    bool *live[NS_STACKS_MAX];  /* [R] which rows of the part are not padding */
    bool padded[NS_STACKS_MAX]; /* whether any row is padding */
    /* Sums over the tokens of all parts so far, without padding. */
    NsCrossEntropy loss;
    double class_nll;        /* of the sequence labels */
    NsSums *sums;            /* [sublayers] */
    NsHiddenMeasure *hidden; /* [hidden states]; grad is a sum of squares */
    double final_sq, final_norm;
} NsWorker;

/* The arguments of a pass, which all workers share. */
typedef struct {
    const NsWorker *workers; /* [layout->shards] */
    const NsBatch *batch;
    ns_real per_target, per_label; /* weights in the mean losses */
    const ns_real *weights;        /* standardized if the settings require it */
    const ns_real *sinusoids;      /* of the longest stack: [T, D], rotary: [T, D / H]; or NULL */
    ns_real *state;
    NsStatistics statistics;
    NsNoise noise;
    bool *gates; /* as in NsPass */
    bool records;
    bool profiling;
    bool measuring;       /* the sums for the record are requested */
    bool forward_only;    /* nothing is stored for backward, and stored activations remain */
    NsLayerRange without; /* the layers that pass their input on */
} NsCall;

/* Number of hidden states of a model: one more than layers in every stack. */
size_t ns_model_layout_hidden(const NsModelLayout *layout);

/* The index of the first hidden state of a stack. */
size_t ns_stack_hidden(const NsModelLayout *layout, size_t stack);

/* Selects a part for a forward pass; before the first part the sums are set to 0. */
void ns_worker_begin(const NsModelLayout *layout, NsWorker *w, const NsCall *call, size_t part);

/* Computes the logits from the tokens, and all sums except those of gradients. */
void ns_worker_forward(const NsModelLayout *layout, NsWorker *w, const NsCall *call);

/* Adds the loss of the part.  Replaces the logits by their gradients, unless the pass is forward
 * only. */
void ns_worker_loss(const NsModelLayout *layout, NsWorker *w, const NsCall *call, double smoothing);

/* Selects the current part: its sequences, their padding, and the shard with its activations. */
void ns_worker_select(const NsModelLayout *layout, NsWorker *w, const NsCall *call, size_t part);

/* Ensures that the activations of a layer of the current part are in memory: recomputes the layer
 * if they were not stored and another layer has been computed since.  Changes nothing else. */
void ns_worker_revisit(const NsModelLayout *layout, NsWorker *w, const NsCall *call, size_t layer);

/* The steps of the backward pass of the current part, which all workers take together
 * (core/model/gradients.h): the head, from the gradient of the logits to that of the output of the
 * last stack; then for every stack, from the last to the first, its final norm, its layers from the
 * last to the first, and its embedding.  The weights of the head and of the token embeddings are
 * matrices over the vocabulary: when all workers have taken the step before, each adds the
 * gradients of its rows from all shards. */
void ns_worker_backward_head(const NsModelLayout *layout, NsWorker *w, const NsCall *call);
void ns_worker_add_head(const NsModelLayout *layout, NsWorker *w, const NsCall *call, size_t part);
void ns_worker_backward_top(const NsModelLayout *layout, NsWorker *w, const NsCall *call,
                            size_t stack);
void ns_worker_backward_layer(const NsModelLayout *layout, NsWorker *w, const NsCall *call,
                              size_t layer);
void ns_worker_backward_embedding(const NsModelLayout *layout, NsWorker *w, const NsCall *call,
                                  size_t stack);
void ns_worker_add_embedding(const NsModelLayout *layout, NsWorker *w, const NsCall *call,
                             size_t stack);
