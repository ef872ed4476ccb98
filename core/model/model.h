/* A decoder-only Transformer: weights, forward, backward, measurement.
 * SPDX-License-Identifier: MIT
 *
 *     x_0 = N_emb(tok_emb[token] + pos_emb[position])       (N_emb where there is one)
 *     x_l = block_l(x_{l-1}),  l = 1..L                     (core/model/placement.h)
 *     loss = mean over positions of -log softmax(head N_final(x_L))[target]
 *
 * The batch is divided over threads into contiguous shards of sequences.  Each thread runs forward
 * and backward of its whole shard with gradients of its own; these are then summed in a fixed
 * order, so that the same seed, build and thread count give the same bits. */
#pragma once

#include "core/base/tensor.h"
#include "core/data/batch.h"
#include "core/model/placement.h"
#include "core/model/settings.h"

typedef struct NsModel NsModel;

/* What a run will take, before anything is allocated. */
typedef struct {
    size_t parameters;       /* elements */
    size_t weight_bytes;     /* weights */
    size_t gradient_bytes;   /* gradients, one arena a thread and the sum */
    size_t moment_bytes;     /* Adam's two moments */
    size_t activation_bytes; /* kept for backward, all threads */
    size_t total_bytes;
    double gflop_per_step; /* forward and backward, matrix products only */
    unsigned threads;      /* that will share a batch */
} NsPlan;

NsPlan ns_model_plan(const NsSettings *settings, size_t vocab);

/* NS_ERROR_MEMORY with the numbers if the plan exceeds what the machine has free. */
bool ns_plan_check(const NsPlan *plan, GError **error);

/* What forward and backward saw, all at the present weights.  The arrays belong to the model and
 * stay valid until the next call.  Means are over all tokens of the batch. */
typedef struct {
    double loss;               /* nats a token */
    const double *hidden_sq;   /* [L + 1] mean |x_l|^2, l = 0..L */
    const double *hidden_norm; /* [L + 1] mean |x_l| */
    double final_sq;           /* the same after the final norm; NaN without one */
    double final_norm;
} NsMeasure;

/* NULL with NS_ERROR_SETTING or NS_ERROR_MEMORY.  The weights are drawn from settings->seed. */
NsModel *ns_model_new(const NsSettings *settings, size_t vocab, GError **error);

/* The same with a placement that is not in the registry (tests). */
NsModel *ns_model_new_placed(const NsSettings *settings, const NsPlacement *placement, size_t vocab,
                             GError **error);
void ns_model_free(NsModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsModel, ns_model_free)

const NsTensorTable *ns_model_tensors(const NsModel *model);
size_t ns_model_layers(const NsModel *model);
ns_real *ns_model_weights(NsModel *model);         /* arena of the tensor table */
const ns_real *ns_model_gradients(NsModel *model); /* arena: of the loss of the last measure */

/* Draws the initial weights again, the same ones bit for bit. */
void ns_model_reset(NsModel *model);

/* Forward and backward over one batch of the model's B and T: overwrites the gradients with those
 * of the mean loss, and returns what was seen.  Allocates nothing. */
NsMeasure ns_model_measure(NsModel *model, const NsBatch *batch);

/* Forward only: the mean loss in nats a token. */
double ns_model_loss(NsModel *model, const NsBatch *batch);
