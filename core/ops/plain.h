/* The formulas of the kernels as the papers have them: one row or element, in double.
 * SPDX-License-Identifier: MIT
 *
 * Each is defined above its kernel in norm.c, attention.c and gemm.c, which computes the same for
 * many rows at once; the tests compare the two.  Adam's is in core/optim/elementwise.c. */
#pragma once

#include "core/ops/blas.h"

/* n values that share their statistics: the features of a token, or a feature of all tokens. */
typedef struct {
    size_t n;
    const double *x, *gain, *bias; /* [n]; bias: NULL for none */
    double eps;
    bool centered; /* false: the mean is taken as 0 (RMSNorm) */
} NsPlainNorm;

/* Overwrites y: [n]. */
void ns_plain_norm(const NsPlainNorm *p, double *y);

/* Overwrites dx and the terms of dgain, [n]; those of dbias are dy. */
void ns_plain_norm_backward(const NsPlainNorm *p, const double *dy, double *dx, double *dgain);

/* Overwrites p: [n], which may be z. */
void ns_plain_softmax(double *p, const double *z, size_t n);

/* Overwrites dz: [n], which may be dp. */
void ns_plain_softmax_backward(double *dz, const double *p, const double *dp, size_t n);

/* A query of one head, and the n keys and values that it sees. */
typedef struct {
    size_t n, d;
    const double *q, *k, *v; /* [d], [n, d], [n, d] */
} NsPlainQuery;

/* Overwrites p: [n], and o: [d]. */
void ns_plain_attend(const NsPlainQuery *a, double *p, double *o);

/* Overwrites dq: [d], and ds: [n]; adds to dk and dv, since every query that sees a key does.  p
 * and dO: the weights, and the gradient of o. */
void ns_plain_attend_backward(const NsPlainQuery *a, const double *p, const double *dO, double *ds,
                              double *dq, double *dk, double *dv);

/* Returns element (m, n) of the product, before it is stored. */
double ns_plain_gemm(const NsGemm *g, size_t m, size_t n);
