/* Operators as one would write them down, for the benchmarks to be compared with: a loop a formula,
 * exponentials of the C library, OpenBLAS for every product.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/ops/activation.h"
#include "core/ops/attention.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/norm.h"
#include "core/ops/residual.h"

/* Each has the contract of its namesake in core/ops. */
void ns_plain_attention_forward(const NsAttention *a, ns_real *o, ns_real *P);
void ns_plain_attention_backward(const NsAttention *a, const NsAttentionGradients *g);
void ns_plain_layernorm_forward(const NsNormPass *p, ns_real *y, const ns_real *x);
void ns_plain_layernorm_backward(const NsNormPass *p, const NsNormGradients *d, ns_real *dx,
                                 const ns_real *dy, const ns_real *x);
void ns_plain_gelu_forward(ns_real *y, const ns_real *a, const ns_real *g, size_t n);
void ns_plain_gelu_backward(ns_real *da, ns_real *dg, const ns_real *dy, const ns_real *a,
                            const ns_real *g, size_t n);
void ns_plain_swiglu_forward(ns_real *y, const ns_real *a, const ns_real *g, size_t n);
NsCrossEntropy ns_plain_cross_entropy(ns_real *logits, const int32_t *targets, size_t R, size_t V,
                                      double smoothing, double z, ns_real dscale);
NsJointSquares ns_plain_join_streams(ns_real *z, ns_real a, const ns_real *x, ns_real b,
                                     const ns_real *y, size_t n, unsigned asked);
