/* The branch F of a sub-layer: attention or a feed-forward network.  SPDX-License-Identifier: MIT
 *
 * Internal to core/model. */
#pragma once

#include "core/model/sublayer.h"

/* Q, K and V as the joined products write them, interleaved in one array. */
typedef struct {
    ns_real *Q, *K, *V;
    size_t q_stride, k_stride;
} NsHeads;

NsHeads ns_heads(const NsSublayer *s, const NsShape *shape, ns_real *base);

/* Elements of the keys and values of a token: 2 KV, or KV for uniform attention, which has no
 * keys. */
size_t ns_keys_width(const NsSublayer *s, size_t KV);

/* Decoding: computes the keys and values of cross-attention from pass->memory into pass->keys.  The
 * shape must have no queries and as many rows of keys as the memory. */
void ns_branch_read_memory(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                           const NsPass *pass);

/* ns_branch_take allocates the activations of the branch.  ns_branch_forward computes a->f = F(u).
 * ns_branch_derive recomputes the hidden layer of an FFN.  ns_branch_backward computes scratch->du
 * from df, the gradient of a->f. */
void ns_branch_take(NsActivations *a, const NsSublayer *s, const NsShape *shape,
                    const NsSources *from);
void ns_branch_forward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                       const NsPass *pass);
void ns_branch_derive(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                      const NsPass *pass);
void ns_branch_backward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                        const NsScratch *scratch, const NsPass *pass, const ns_real *df);
