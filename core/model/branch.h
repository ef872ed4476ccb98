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
