/* The types that the code of a sub-layer shares.  SPDX-License-Identifier: MIT
 *
 * A sub-layer has a description that all threads share (NsSublayer), the activations that one shard
 * of the batch stores for backward (NsActivations), and the arguments of a pass (NsPass).  Internal
 * to core/model. */
#pragma once

#include "core/base/tensor.h"
#include "core/model/placement.h"
#include "core/ops/activation.h"
#include "core/ops/attention.h"
#include "core/ops/dropout.h"
#include "core/ops/norm.h"

/* Allocates pieces of an arena one after another; without a base it only counts. */
typedef struct {
    ns_real *base;
    size_t used;
} NsCursor;

/* Returns n elements on a cache line, or NULL while only counting. */
ns_real *ns_cursor_take(NsCursor *cursor, size_t n);

/* Returns where the next piece will begin, or NULL while only counting. */
ns_real *ns_cursor_at(const NsCursor *cursor);

/* A place for a norm of C features.  Its parameters are offsets into the weight arena; `running` is
 * an offset into the state. */
typedef struct {
    const NsNorm *norm; /* NULL if the place is empty */
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
    unsigned number;  /* numbered through all stacks; selects the random stream of its noise */
    double drop_path; /* probability that a sequence skips its branch */
    NsNormPlace in, mid, branch, out;
    NsNormPlace q, k, v; /* over the features of each head, or over all features */
    /* Offsets of the weights.  Self-attention: w_in is [D + 2 KV, D] (Q, K, V joined), and w_memory
     * is inside it.  Cross-attention: w_in is W_Q, w_memory is [2 KV, D] (K, V joined).  Uniform
     * attention has only V, in w_memory.  FFN: W_1 is in w_in, W_3 in w_gate.  W_O or W_2 is in
     * w_out. */
    size_t w_in, b_in, w_memory, b_memory, w_gate, w_out, b_out;
    size_t head_scale, branch_gain, stream_gain;
} NsSublayer;

/* The sizes of a shard of B sequences: R = B T rows of queries, RS = B S rows of keys. */
typedef struct {
    size_t B, T, S, R, RS, D, H, F;
    size_t KV; /* features of the keys of a token: D, or fewer with grouped queries */
    ns_real eps;
} NsShape;

/* The activations that forward stores for backward.  If a placement computes nothing at a point,
 * the pointer is that of the point before it. */
typedef struct {
    const ns_real *x;     /* [R, D] input, the output of the sub-layer below */
    const ns_real *layer; /* [R, D] input of its layer */
    ns_real *u;           /* [R, D], NULL if it is x */
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
    ns_real *mid;     /* [R, D] or [R, F] input of the last matrix */
    /* The memory of all of these except the inputs; empty if layers share that memory. */
    const ns_real *begin, *end;
} NsActivations;

/* Scratch memory of backward, shared by all sub-layers of a shard. */
typedef struct {
    ns_real *branch, *du; /* [R, D] */
    ns_real *skip;        /* [R, D] gradient of the layer's input through the extra skip */
    ns_real *hidden;      /* Q, K and V, or [R, F] */
    ns_real *gate;        /* [R, F] */
    ns_real *context;     /* [R, D] */
    ns_real *memory;      /* [RS, D] */
    ns_real *scores;      /* [T, S] */
} NsScratch;

/* The arguments of one pass of a shard through its sub-layers. */
typedef struct {
    const ns_real *weights; /* standardized if the settings require it */
    ns_real *gradients;     /* of the tensors from offset `origin` on; NULL in a forward pass */
    size_t origin;
    bool adds;      /* adds to the gradients of matrices instead of overwriting them */
    ns_real *state; /* running statistics */
    NsStatistics statistics;
    bool profiling; /* branch_sum is requested */
    bool noisy;
    NsNoise noise;
    double dropout;
    size_t first;                          /* the shard's first sequence in the batch */
    const int32_t *length, *memory_length; /* [B] tokens and source tokens */
    const bool *live, *memory_live;        /* [R], [RS] false for padding; NULL: no padding */
    const ns_real *memory;                 /* [RS, D] input of keys and values in cross-attention */
    ns_real *dmemory;                      /* its gradient, added to */
    ns_real *dual, *ddual;                 /* [R, D] second stream and its gradient, or NULL */
    /* Which units of ReLU are open, [layers][layer_gates]; NULL: those with a positive input.  They
     * are recorded instead of used if `records`. */
    bool *gates;
    size_t layer_gates;
    bool records;
    /* Decoding: the keys and values that attention reads, [B, S, ns_keys_width], or NULL; those of
     * self-attention for the new token are written at `position`. */
    ns_real *keys;
    size_t position;
    const ns_real
        *waves; /* [T, D / H] by which queries and keys are rotated (ns_rotate), or NULL */
} NsPass;

/* The cursors from which activations are allocated.  The activations that ns_sublayer_derive can
 * recompute, u and the hidden layer of an FFN, may be in memory that sub-layers share. */
typedef struct {
    NsCursor *retained, *u, *ffn;
} NsSources;

/* The arguments of a norm over R rows at this place. */
NsNormPass ns_norm_place_pass(const NsNormPlace *place, const NsPass *pass, ns_real *stats,
                              size_t R, ns_real eps);

/* The forward and backward of a norm at its place, with the parameters of the pass.  dx may be
 * dy. */
void ns_norm_place_forward(const NsNormPlace *place, const NsShape *shape, const NsPass *pass,
                           ns_real *y, ns_real *stats, const ns_real *x);
void ns_norm_place_backward(const NsNormPlace *place, const NsShape *shape, const NsPass *pass,
                            ns_real *dx, const ns_real *dy, const ns_real *x, ns_real *stats);

/* Where the gradient of the tensor at this offset is written. */
ns_real *ns_pass_gradient(const NsPass *pass, size_t offset);

/* The gradients of the parameters at this place. */
NsNormGradients ns_norm_place_gradients(const NsNormPlace *place, const NsPass *pass);

/* sum x_i^2 over the rows of x [R, D] that are not padding. */
double ns_live_squares(const NsShape *shape, const NsPass *pass, const ns_real *x);
