/* The branch F of a sub-layer: attention or a feed-forward network.  SPDX-License-Identifier: MIT
 *
 * Internal to core/model. */
#pragma once

#include "core/model/sublayer.h"

/* Q, K and V as the joined products write them, side by side in one array. */
typedef struct {
    ns_real *Q, *K, *V;
    size_t q_stride, k_stride;
} NsHeads;

NsHeads ns_heads(const NsSublayer *s, const NsShape *shape, ns_real *base);

/* The keys and values of a token, side by side: 2 D, or D where attention is uniform. */
size_t ns_keys_width(const NsSublayer *s, size_t D);

/* Decoding: computes the keys and values of cross-attention to pass->memory into pass->keys.  A
 * shape of as many rows of keys as the memory has, and no queries. */
void ns_branch_read_memory(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                           const NsPass *pass);

/* take: takes the activations of the branch.  forward: a->f = F(u).  derive: computes the hidden
 * layer of an FFN again.  backward: scratch->du from df, the gradient of a->f. */
void ns_branch_take(NsActivations *a, const NsSublayer *s, const NsShape *shape,
                    const NsSources *from);
void ns_branch_forward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                       const NsPass *pass);
void ns_branch_derive(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                      const NsPass *pass);
void ns_branch_backward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                        const NsScratch *scratch, const NsPass *pass, const ns_real *df);
