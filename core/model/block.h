/* A sub-layer of a stack: the block equation, forward and backward.
 * SPDX-License-Identifier: MIT
 *
 *     u  = s N_in(x)
 *     y  = noise(b N_br(F(u)))        F: self-attention, cross-attention or a feed-forward network
 *     x' = N_out(a x + r + y)
 *
 * Internal to core/model. */
#pragma once

#include "core/model/sublayer.h"

/* Sums over the rows of a shard that are not padding. */
typedef struct {
    double stream, branch;         /* squares of a x and of y */
    double branch_sum;             /* of the elements of y */
    double skip_grad, branch_grad; /* squares */
    double grad;                   /* squares of the sum of these two */
    double sigma;                  /* sum over the live rows; NaN without a norm */
} NsSums;

/* Allocates the activations of a sub-layer with input x and output `out`, in a layer with input
 * `layer`. */
void ns_activations_take(NsActivations *a, const NsSublayer *s, const NsShape *shape,
                         const ns_real *x, const ns_real *layer, ns_real *out,
                         const NsSources *from);
void ns_scratch_take(NsScratch *scratch, const NsShape *shape, NsCursor *cursor);

/* Overwrites the activations; the result is a->out.  Fills in all sums except those of gradients,
 * unless `sums` is NULL. */
void ns_sublayer_forward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                         const NsPass *pass, NsSums *sums);

/* Recomputes u from x and, with `ffn`, the hidden layer of an FFN, with the same bits as forward.
 * Not for a norm over the batch, since its running statistics would count the batch twice. */
void ns_sublayer_derive(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                        const NsPass *pass, bool ffn);

/* d: [R, D], on entry the gradient of a->out, on return the gradient of a->x.  Fills in the sums of
 * gradients unless `sums` is NULL; sums->grad must be the sum of squares of d on entry. */
void ns_sublayer_backward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                          const NsScratch *scratch, const NsPass *pass, NsSums *sums, ns_real *d);
