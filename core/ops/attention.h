/* Multi-head attention, between its projections.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/real.h"

/* For each sequence b and head h, with d features per head:
 *
 *     P = softmax(Q K^T / sqrt(d)) over the visible keys,   o = P V
 *
 * A key is visible if it is before key_length[b] and, in causal attention, not after the query.
 * Vaswani et al. 2017, eq. 1.  Uniform attention has P = 1 / (number of visible keys) and ignores Q
 * and K.  Grouped queries: of kv_heads heads of keys and values each serves the next H / kv_heads
 * heads of queries.  Ainslie et al. 2023, arXiv 2305.13245, 2.2.
 *
 * Q: [B T, H d]; K, V: [B S, kv_heads d], heads side by side, rows at the given strides.  P: [B, H,
 * T, S], 0 where a key is not visible.  o: [B T, H d] without gaps. */
typedef struct {
    size_t B, T, S, H, d;
    size_t kv_heads; /* a divisor of H; 0: H */
    bool causal, uniform;
    const int32_t *key_length; /* [B] in 1..S */
    const ns_real *Q, *K, *V;
    size_t q_stride, k_stride; /* elements from one row to the next; K and V share one */
} NsAttention;

/* Overwrites o and P; backward needs P. */
void ns_attention_forward(const NsAttention *a, ns_real *o, ns_real *P);

/* Gradients of Q, K and V, with the same strides, overwritten; uniform attention leaves dQ and dK
 * unchanged.  scratch: [T, S].  P is the output of forward. */
typedef struct {
    const ns_real *dO, *P;
    ns_real *dQ, *dK, *dV, *scratch;
} NsAttentionGradients;

void ns_attention_backward(const NsAttention *a, const NsAttentionGradients *d);
