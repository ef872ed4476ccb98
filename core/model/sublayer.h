/* What the code of a sub-layer shares.  SPDX-License-Identifier: MIT
 *
 * A sub-layer is a description (NsSublayer, shared by all threads), the activations that one shard
 * of the batch keeps for backward (NsActivations) and, in a call, what the shard sees around it
 * (NsPass).  Internal to core/model. */
#pragma once

#include "core/base/tensor.h"
#include "core/model/noise.h"
#include "core/model/placement.h"
#include "core/ops/activation.h"
#include "core/ops/attention.h"
#include "core/ops/norm.h"

/* Hands out pieces of an arena; without a base it only counts. */
typedef struct {
    ns_real *base;
    size_t used;
} NsCursor;

/* n elements on a cache line, or NULL while only counting. */
ns_real *ns_cursor_take(NsCursor *cursor, size_t n);

/* Where the next piece will begin, or NULL while only counting. */
ns_real *ns_cursor_at(const NsCursor *cursor);

/* A place for a norm of C features.  Parameters are offsets into the weight arena, `running` is one
 * into the state. */
typedef struct {
    const NsNorm *norm; /* NULL where the place is empty */
    size_t C;
    size_t gain, bias, alpha;
    size_t running;
} NsNormPlace;

typedef struct {
    NsSublayerKind kind;
    NsWiring c;
    bool causal, uniform;
    const NsActivation *activation;
    bool first, last; /* of its layer */
    size_t layer;     /* numbered through all stacks */
    unsigned number;  /* the same of the sub-layer; names its noise */
    double drop_path; /* chance to be dropped for a sequence */
    NsNormPlace in, mid, branch, out;
    NsNormPlace q, k, v; /* over the features of a head, or over all */
    /* Offsets of the weights.  Self-attention: w_in is [3 D, D] (Q, K, V joined) and w_memory lies
     * within it.  Cross-attention: w_in is W_Q and w_memory [2 D, D] (K, V joined).  Uniform
     * attention has only V, in w_memory.  FFN: W_1 in w_in, W_3 in w_gate.  W_O or W_2 in w_out. */
    size_t w_in, b_in, w_memory, b_memory, w_gate, w_out, b_out;
    size_t head_scale, branch_gain, stream_gain;
} NsSublayer;

/* Sizes that every call needs.  R = B T rows of T queries, RS = B S rows of S keys; B is that of
 * the shard. */
typedef struct {
    size_t B, T, S, R, RS, D, H, F;
    ns_real eps;
} NsShape;

/* What forward keeps for backward.  Pointers that a placement does not need alias their input. */
typedef struct {
    const ns_real *x;     /* [R, D] input, the output of the sub-layer below */
    const ns_real *layer; /* [R, D] input of its layer */
    ns_real *u;           /* [R, D], NULL where it is x */
    ns_real *f, *v;       /* [R, D] branch before and after its norm */
    ns_real *z, *out;     /* [R, D] */
    ns_real *stats_in, *stats_mid, *stats_branch, *stats_out;
    ns_real *stats_q, *stats_k, *stats_v;
    /* Attention: Q, K and V (ns_heads) before and after the norms on them.  FFN: [R, F] before and
     * after the activation. */
    ns_real *raw, *hidden;
    ns_real *gate;    /* FFN: [R, F] x W_3 */
    ns_real *P;       /* attention: [B, H, T, S] */
    ns_real *context; /* attention: [R, D] */
    ns_real *scaled;  /* attention: [R, D] context with its heads scaled */
    ns_real *mid;     /* [R, D] or [R, F] what the last matrix sees */
    /* Where all this lies, but for the inputs; empty where other layers' lie there, too. */
    const ns_real *begin, *end;
} NsActivations;

/* Scratch of backward, shared by all sub-layers of a shard. */
typedef struct {
    ns_real *branch, *du; /* [R, D] */
    ns_real *skip;        /* [R, D] the gradient that goes straight to the layer's input */
    ns_real *hidden;      /* Q, K and V, or [R, F] */
    ns_real *gate;        /* [R, F] */
    ns_real *context;     /* [R, D] */
    ns_real *memory;      /* [RS, D] */
    ns_real *scores;      /* [T, S] */
} NsScratch;

/* What a shard sees around its sub-layers in one call. */
typedef struct {
    const ns_real *weights; /* as they are used */
    ns_real *gradients;     /* from the tensor at `origin` on; NULL in a forward pass */
    size_t origin;
    bool adds;      /* to the gradients of matrices, which else are overwritten */
    ns_real *state; /* running statistics */
    NsStatistics statistics;
    bool profiling; /* branch_sum is wanted */
    bool noisy;
    NsNoise noise;
    double dropout;
    size_t first;                          /* of the shard's sequences in the batch */
    const int32_t *length, *memory_length; /* [B] tokens and source tokens */
    const bool *live, *memory_live;        /* [R], [RS] rows that are not padding; NULL: all */
    const ns_real *memory;                 /* [RS, D] what cross-attention looks at */
    ns_real *dmemory;                      /* its gradient, added to */
    ns_real *dual, *ddual;                 /* [R, D] second stream and its gradient, or NULL */
} NsPass;

/* Where activations are taken from; those that ns_sublayer_derive can bring back may come from
 * elsewhere: u, and of an FFN what lies between its products. */
typedef struct {
    NsCursor *kept, *u, *ffn;
} NsSources;

/* What a pass over R rows at this place needs. */
NsNormPass ns_norm_place_pass(const NsNormPlace *place, const NsPass *pass, ns_real *stats,
                              size_t R, ns_real eps);

/* A norm at its place, with the parameters from the pass.  dx may be dy. */
void ns_norm_place_forward(const NsNormPlace *place, const NsShape *shape, const NsPass *pass,
                           ns_real *y, ns_real *stats, const ns_real *x);
void ns_norm_place_backward(const NsNormPlace *place, const NsShape *shape, const NsPass *pass,
                            ns_real *dx, const ns_real *dy, const ns_real *x, ns_real *stats);

/* Where the gradient of what stands at this offset goes. */
ns_real *ns_pass_gradient(const NsPass *pass, size_t offset);

/* The gradients of the parameters at this place. */
NsNormGradients ns_norm_place_gradients(const NsNormPlace *place, const NsPass *pass);

/* sum x_i^2 over the rows of x [R, D] that are not padding. */
double ns_live_squares(const NsShape *shape, const NsPass *pass, const ns_real *x);
