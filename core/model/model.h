/* A Transformer: weights, forward, backward, measurement.  SPDX-License-Identifier: MIT
 *
 *     x_0 = N_emb(tok_emb[token] + position)                (N_emb if there is one)
 *     x_l = block_l(x_{l-1}),  l = 1..L                     (core/model/placement.h)
 *     loss = mean over targets of -log softmax(head N_final(x_L))[target]
 *
 * With segments, seg_emb[segment of the token] is added to the embedding.  With classes, a separate
 * head reads the hidden state of the first token of each sequence, and its mean loss over the
 * sequences that have a label is added.  Devlin et al. 2018, 3.1, without their pooling layer.
 *
 * With a second stream (ResiDual) the head reads x_L + N_final(D_L), where D_0 = x_0, D' = D + y.
 *
 * Attention is causal in a decoder, and bidirectional in an encoder.  In an encoder-decoder the
 * decoder's layers also attend to the output of the encoder, after the encoder's final norm if it
 * has one.  Layers are numbered through: the encoder's, then the decoder's.
 *
 * The batch is divided into contiguous shards of sequences, one for each thread.  Each shard goes
 * forward and backward with separate gradients, which are summed in a fixed order.  So the same
 * seed, build and thread count give the same bits, however many threads actually run
 * (core/base/team.h).
 *
 * Unless probes read activations after a step (probe-every is not 0), the model saves memory: if
 * activations are large, a thread processes its shard in parts, one after another, with memory for
 * one part; activations that are cheap to recompute from the input of a sub-layer are not stored.
 * The gradients have the same bits in all cases. */
#pragma once

#include "core/base/team.h"
#include "core/base/tensor.h"
#include "core/data/batch.h"
#include "core/model/measure.h"
#include "core/model/placement.h"
#include "core/model/plan.h"
#include "core/ops/dropout.h"
#include "core/settings/settings.h"

typedef struct NsModel NsModel;

/* The threads that share the work on a model; borrowed. */
NsTeam *ns_model_team(const NsModel *model);

/* Creates a model with initial weights drawn from settings->seed.  NULL with NS_ERROR_SETTING or
 * NS_ERROR_MEMORY. */
NsModel *ns_model_new(const NsSettings *settings, NsVocab vocab, GError **error);

/* The same, with a placement that is not in the registry (for tests). */
NsModel *ns_model_new_placed(const NsSettings *settings, const NsPlacement *placement,
                             NsVocab vocab, GError **error);
void ns_model_free(NsModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsModel, ns_model_free)

const NsTensorTable *ns_model_tensors(const NsModel *model);
size_t ns_model_layers(const NsModel *model);
size_t ns_model_source(const NsModel *model);      /* S; 0 without cross-attention */
ns_real *ns_model_weights(NsModel *model);         /* arena of the tensor table */
const ns_real *ns_model_gradients(NsModel *model); /* arena, of the last measure */

/* Draws the initial weights again, with the same bits. */
void ns_model_reset(NsModel *model);

/* Whether the placement requires ns_model_profile after a reset (Admin). */
bool ns_model_needs_profile(const NsModel *model);

/* Sets, in a forward pass with omega = 1, the placement's learned scales, separately in each stack:
 * omega_k = sqrt(1 + sum_{j<k} Var F_j), with Var over all features of all tokens that are not
 * padding.  Liu et al. 2020, section 4. */
void ns_model_profile(NsModel *model, const NsBatch *batch);

/* Forward and backward over one batch of the model's B, T and S.  Overwrites the gradients with
 * those of the mean loss, and returns the measurements.  `noise`: NULL for none.  A norm over the
 * batch uses the statistics of this batch; in a training step it also updates the running ones.  A
 * batch without targets has loss 0 and no gradient.  Allocates nothing. */
NsMeasure ns_model_measure(NsModel *model, const NsBatch *batch, const NsNoise *noise);

/* The loss that ns_model_measure returns without noise, by a forward-only pass: gradients and
 * running statistics do not change.  For finite differences. */
double ns_model_plain_loss(NsModel *model, const NsBatch *batch);

/* The measurements of ns_model_measure besides the losses: everything (the default); only the
 * squares of gradients, which clipping needs; or nothing.  The other fields of NsMeasure keep their
 * old values. The benchmark uses this to find the cost of measuring. */
typedef enum { NS_MEASURING_ALL, NS_MEASURING_GRADIENTS, NS_MEASURING_LOSS } NsMeasuring;
void ns_model_set_measuring(NsModel *model, NsMeasuring measuring);

/* Makes ns_model_measure record which units of ReLU are open, or hold them as recorded for the same
 * batch whatever their input is, so that the loss is smooth and finite differences of its gradient
 * are the Hessian.  gates: [ns_plan_gates], borrowed; NULL, the default: ReLU as usual. */
void ns_model_set_gates(NsModel *model, bool *gates, bool record);

/* Forward only, without noise and with running statistics.  Returns the mean negative
 * log-likelihood in nats per target; 0 without targets. */
double ns_model_loss(NsModel *model, const NsBatch *batch);

/* Of the predictions, means over the targets, in nats.  An entropy of 0 is a certain prediction,
 * ln V a uniform one. */
typedef struct {
    double loss;    /* as ns_model_loss */
    double entropy; /* of the predicted distribution */
    double log_z;   /* log of the normalizer of its softmax */
} NsPredicted;

/* The same if these layers pass their input on unchanged. */
NsPredicted ns_model_predict_without(NsModel *model, const NsBatch *batch, NsLayerRange layers);

/* Forward only, under the same conditions as ns_model_loss.  Finds the class with the largest logit
 * at the first token of each sequence.  answers: [B]. */
void ns_model_answers(NsModel *model, const NsBatch *batch, int32_t *answers);

/* Whether the activations of all layers are in memory after ns_model_measure, if probe-every is not
 * 0.  With recompute, only one layer has all its activations in memory, the others only their input
 * and output. */
bool ns_model_keeps(const NsModel *model);

/* Recomputes the activations of a layer as in the last ns_model_measure; they are valid until the
 * next call.  Batch and weights must not have changed, and probe-every must not be 0. */
void ns_model_revisit(NsModel *model, size_t layer);

/* The activations of one sub-layer in one shard after ns_model_measure, for probes.  A shard is a
 * thread's share of the batch, or a part of it.  Borrowed until the next call; a pointer is NULL if
 * the sub-layer has no such activation.  If ns_model_keeps is false, only x of a layer's first
 * sub-layer and `out` of its last one are valid; ns_model_revisit restores the others.  If
 * probe-every is 0, only the sizes are valid. */
typedef struct {
    NsSublayerKind kind;
    size_t layer; /* numbered through all layers, from 0 */
    bool last;    /* its output is the hidden state after the layer */
    bool causal;
    size_t first;   /* the shard's first sequence in the batch */
    size_t B, T, S; /* sequences, queries, keys */
    size_t D, H, F;
    size_t group;                       /* heads of queries that share keys and values */
    const int32_t *length, *key_length; /* [B] */
    const ns_real *x;                   /* [B T, D] input */
    const ns_real *u;                   /* [B T, D] input of F */
    const ns_real *out;                 /* [B T, D] output */
    const ns_real *Q, *K, *V;           /* after any norm on them */
    size_t q_stride, k_stride; /* elements from one token to the next, for Q, and for K and V */
    const ns_real *P;          /* [B, H, T, S] attention weights */
    const ns_real *hidden;     /* [B T, F] FFN after the activation */
    const ns_real *mid;        /* [B T, D], of the FFN [B T, F]: input of the last matrix of F */
} NsActivationView;

size_t ns_model_shards(const NsModel *model); /* in the order of the batch */
size_t ns_model_sublayers(const NsModel *model);
NsActivationView ns_model_activation_view(const NsModel *model, size_t shard, size_t sublayer);

/* The state of a model besides its weights: the running statistics of norms over the batch, n
 * elements.  Checkpoints store it. */
ns_real *ns_model_state(NsModel *model, size_t *n);
