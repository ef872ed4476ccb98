/* The residual sum of stream and branch, and sums of squares of its terms.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/real.h"

/* z = a x + b y, element by element; z may be x or y. */
void ns_residual_forward(ns_real *z, ns_real a, const ns_real *x, ns_real b, const ns_real *y,
                         size_t n);

/* y = k x; y may be x. */
void ns_scale(ns_real *y, ns_real k, const ns_real *x, size_t n);

/* y += k x. */
void ns_add_scaled(ns_real *y, ns_real k, const ns_real *x, size_t n);

/* y += x; returns the sum of the new y_i^2 (see ns_real_squares). */
double ns_add_squares(ns_real *y, const ns_real *x, size_t n);

/* y = k g x for each row.  x, y: [R, D]; g: [D]; y may be x. */
void ns_gain_forward(ns_real *y, ns_real k, const ns_real *g, const ns_real *x, size_t R, size_t D);

/* dg += k dy x, summed over the rows. */
void ns_gain_backward(ns_real *dg, ns_real k, const ns_real *dy, const ns_real *x, size_t R,
                      size_t D);

/* sum x_i y_i, in double. */
double ns_inner(const ns_real *x, const ns_real *y, size_t n);

/* sum g_i^2 x_i^2 over the rows. */
double ns_gain_squares(const ns_real *g, const ns_real *x, size_t R, size_t D);

/* Sums of squares where a branch joins the stream; 0 if not requested. */
typedef struct {
    double stream, branch; /* of the two terms */
    double sum;            /* of their sum */
} NsJointSquares;

enum { NS_SQUARES_STREAM = 1, NS_SQUARES_BRANCH = 2, NS_SQUARES_SUM = 4 };

/* z = a x + b y, element by element; z may be x or y.  Also returns those of the sums over i of (a
 * x_i)^2, (b y_i)^2 and z_i^2 that `asked` requests (NS_SQUARES_...), computed by ns_real_squares.
 * If a is 0, x is not read. */
NsJointSquares ns_join_streams(ns_real *z, ns_real a, const ns_real *x, ns_real b, const ns_real *y,
                               size_t n, unsigned asked);

/* Sums over the rows of a hidden state. */
typedef struct {
    double squares; /* sum over the rows of |x|^2 */
    double norms;   /* sum of |x| */
    double largest; /* max |x_i|; NaN if any x_i is NaN */
} NsRowSums;

/* Adds the rows of x [R, D] to the sums, which start as {0}; adds in double and in a fixed
 * order. */
void ns_row_sums_add(NsRowSums *sums, const ns_real *x, size_t R, size_t D);
