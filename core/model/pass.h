/* One shard's way through the model and back.  SPDX-License-Identifier: MIT
 *
 * Internal to core/model.  Calls on different workers may run at the same time. */
#pragma once

#include "core/model/gradients.h"
#include "core/ops/cross_entropy.h"

/* A worker's way down a stack. */
typedef struct {
    NsPass pass;
    double squares;      /* of the gradient that travels down */
    double *hidden_grad; /* where those of the present hidden state belong */
} NsDescent;

/* One of the shares into which the batch is divided, in parts, each of which has a shard of its
 * own, or all of them the same one after the other. */
typedef struct {
    NsShard *shards, *shard; /* [layout->kept]; that of the present part */
    NsShard pass;            /* for calls that go forward alone */
    size_t first, part;      /* of its sequences in the batch; the present part, from 0 */
    ns_real *activations;
    NsGradients *gradients; /* shared by all */
    unsigned number;        /* of this worker */
    NsDescent down;
    bool *live[NS_STACKS_MAX];  /* [R] rows of each stack of the part that are not padding */
    bool padded[NS_STACKS_MAX]; /* whether any is */
    /* Sums over its tokens that are not padding, of all parts so far. */
    NsCrossEntropy loss;
    NsSums *sums;                                               /* [sublayers] */
    double *hidden_sq, *hidden_norm, *hidden_max, *hidden_grad; /* [hidden]; grad: squares */
    double final_sq, final_norm;
} NsWorker;

/* What all workers see. */
typedef struct {
    const NsBatch *batch;
    const ns_real *weights;   /* as they are used */
    const ns_real *sinusoids; /* [T, D] of the longest stack, or NULL */
    ns_real *state;
    NsStatistics statistics;
    NsNoise noise;
    bool profiling;
    bool measuring; /* the sums are wanted */
    bool passing;   /* forward alone: nothing is kept, and nothing that was kept is touched */
} NsCall;

/* Hidden states that a model has: one more than layers in every stack. */
size_t ns_model_layout_hidden(const NsModelLayout *layout);

/* Where those of a stack begin. */
size_t ns_stack_hidden(const NsModelLayout *layout, size_t stack);

/* Turns to one of the parts; before the first one, the sums that will be taken become 0. */
void ns_worker_begin(const NsModelLayout *layout, NsWorker *w, const NsCall *call, size_t part);

/* From the tokens to the logits, with every sum but the gradients'. */
void ns_worker_forward(const NsModelLayout *layout, NsWorker *w, const NsCall *call);

/* The loss; with dscale other than 0 the logits become their gradient times it. */
void ns_worker_loss(const NsModelLayout *layout, NsWorker *w, const NsCall *call, double smoothing,
                    ns_real dscale);

/* Selects a part as the present one: its sequences, their padding, and the shard where its
 * activations will be, or still are. */
void ns_worker_select(const NsModelLayout *layout, NsWorker *w, const NsCall *call, size_t part);

/* Runs a layer of the present part forward again, for its activations alone; nothing else changes.
 * Where they are all kept, or were the last to be computed, it has nothing to do. */
void ns_worker_revisit(const NsModelLayout *layout, NsWorker *w, const NsCall *call, size_t layer);

/* Backward through the present part, in four steps, with the workers in step (ns_gradients_span):
 * from the gradient of the logits to that of the top of the last stack; then for every stack, from
 * the last one, its final norm, its layers from the top, and its embedding. */
void ns_worker_backward_head(const NsModelLayout *layout, NsWorker *w, const NsCall *call);
void ns_worker_backward_top(const NsModelLayout *layout, NsWorker *w, const NsCall *call,
                            size_t stack);
void ns_worker_backward_layer(const NsModelLayout *layout, NsWorker *w, const NsCall *call,
                              size_t layer);
void ns_worker_backward_embedding(const NsModelLayout *layout, NsWorker *w, const NsCall *call,
                                  size_t stack);
