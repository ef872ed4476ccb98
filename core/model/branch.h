/* The branch F of a sub-layer: attention or a feed-forward network.  SPDX-License-Identifier: MIT
 *
 * Internal to core/model. */
#pragma once

#include "core/model/sublayer.h"

/* Q, K and V within one piece of memory, laid out as the joined products write them. */
typedef struct {
    ns_real *Q, *K, *V;
    size_t q_stride, k_stride;
} NsHeads;

NsHeads ns_heads(const NsSublayer *s, const NsShape *shape, ns_real *base);

/* a->f = F(u), what an FFN has between its products once more, and scratch->du from the gradient of
 * a->f. */
void ns_branch_take(NsActivations *a, const NsSublayer *s, const NsShape *shape,
                    const NsSources *from);
void ns_branch_forward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                       const NsPass *pass);
void ns_branch_derive(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                      const NsPass *pass);
void ns_branch_backward(const NsSublayer *s, const NsShape *shape, const NsActivations *a,
                        const NsScratch *scratch, const NsPass *pass, const ns_real *df);
