/* Multi-head causal self-attention, between its projections.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/real.h"

/* For each sequence b and head h, with d = D / H features a head:
 *
 *     P = softmax(Q K^T / sqrt(d)) over the keys j <= i,   o = P V
 *
 * qkv: [B, T, 3 D], the rows Q, K, V side by side, heads within each; P: [B, H, T, T] (0 above the
 * diagonal) and o: [B, T, D] are overwritten; P is kept for backward.  Vaswani et al. 2017, eq. 1.
 */
void ns_attention_forward(ns_real *o, ns_real *P, const ns_real *qkv, size_t B, size_t T, size_t D,
                          size_t H);

/* dqkv: [B, T, 3 D], overwritten; scratch: [T, T].  qkv and P are those of forward. */
void ns_attention_backward(ns_real *dqkv, ns_real *scratch, const ns_real *doutput,
                           const ns_real *qkv, const ns_real *P, size_t B, size_t T, size_t D,
                           size_t H);
