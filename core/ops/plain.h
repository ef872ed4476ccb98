/* The formulas of the kernels as the papers have them: one row, in double.
 * SPDX-License-Identifier: MIT
 *
 * Each is defined above its kernel in norm.c and attention.c, which computes the same for many rows
 * at once; the tests compare the two. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
