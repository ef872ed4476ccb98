/* One sub-layer of the stack: the block equation, forward and backward.
 * SPDX-License-Identifier: MIT
 *
 *     u  = s N_in(x)
 *     y  = b N_br(F(u))          F: self-attention, or W_2 ReLU(W_1 u + b_1) + b_2
 *     x' = N_out(a x + y)
 *
 * A sub-layer is a description (NsSublayer, shared by all threads) and the activations that one
 * shard of the batch keeps for backward (NsActivations).  Internal to core/model. */
#pragma once

#include "core/base/tensor.h"
#include "core/model/placement.h"
#include "core/ops/norm.h"

/* Hands out pieces of an arena; without a base it only counts. */
typedef struct {
    ns_real *base;
    size_t used;
} NsCursor;

/* n reals on a cache line, or NULL while only counting. */
ns_real *ns_cursor_take(NsCursor *cursor, size_t n);

/* A place for a norm.  Parameters are offsets into the weight arena. */
typedef struct {
    const NsNorm *norm; /* NULL where the place is empty */
    size_t gain, bias;
} NsNormPlace;

typedef enum { NS_ATTENTION, NS_FFN } NsSublayerKind;

typedef struct {
    NsSublayerKind kind;
    NsNormPlace in, branch, out;
    NsCoefficients c;
    /* Offsets of the weights.  Attention: w_in is [3 D, D] (Q, K, V joined) and w_out is W_O.  FFN:
     * W_1 and W_2. */
    size_t w_in, b_in, w_out, b_out;
} NsSublayer;

/* Sizes that every call needs.  R = B T rows; B is that of the shard. */
typedef struct {
    size_t B, T, R, D, H, F;
    ns_real eps;
} NsShape;

/* What forward keeps for backward.  Pointers that a placement does not need alias their input. */
typedef struct {
    const ns_real *x;     /* [R, D] input, the output of the sub-layer below */
    ns_real *u, *z, *out; /* [R, D] */
    ns_real *f;           /* [R, D] branch before its norm */
    ns_real *stats_in, *stats_branch, *stats_out; /* [R, 2] */
    ns_real *hidden;                              /* attention: [R, 3 D] Q K V; FFN: [R, F] */
    ns_real *P;                                   /* attention: [B, H, T, T] */
    ns_real *context;                             /* attention: [R, D] */
} NsActivations;

/* Scratch of backward, shared by all sub-layers of a shard. */
typedef struct {
    ns_real *branch, *du; /* [R, D] */
    ns_real *hidden;      /* [R, max(3 D, F)] */
    ns_real *scores;      /* [T, T] */
} NsScratch;

/* Takes the activations of a sub-layer whose input is x. */
void ns_activations_take(NsActivations *a, const NsSublayer *s, const NsShape *shape,
                         const ns_real *x, NsCursor *cursor);
void ns_scratch_take(NsScratch *scratch, const NsShape *shape, NsCursor *cursor);

/* Overwrites the activations; the result is a->out. */
void ns_sublayer_forward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                         const ns_real *weights);

/* d: [R, D], on entry the gradient of a->out, on return that of a->x.  Adds to `gradients`, an
 * arena with the offsets of `weights`. */
void ns_sublayer_backward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                          const NsScratch *scratch, const ns_real *weights, ns_real *gradients,
                          ns_real *d);

/* A norm at its place, with the parameters from an arena. */
void ns_norm_place_forward(const NsNormPlace *place, ns_real *y, ns_real *stats, const ns_real *x,
                           const ns_real *weights, const NsShape *shape);
void ns_norm_place_backward(const NsNormPlace *place, ns_real *dx, NsInto into, const ns_real *dy,
                            const ns_real *x, const ns_real *stats, const ns_real *weights,
                            ns_real *gradients, const NsShape *shape);
