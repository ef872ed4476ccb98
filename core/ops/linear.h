/* The affine map of rows.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/real.h"

/* y = x w^T + b, row by row.  x: [R, I], w: [O, I], b: [O] or NULL, y: [R, O], overwritten. */
void ns_linear_forward(ns_real *y, const ns_real *x, const ns_real *w, const ns_real *b, size_t R,
                       size_t I, size_t O);

/* dx = dy w (overwritten; NULL to leave it out), dw += dy^T x, db += column sums of dy (NULL where
 * there is no b).  x is the input of forward. */
void ns_linear_backward(ns_real *dx, ns_real *dw, ns_real *db, const ns_real *dy, const ns_real *x,
                        const ns_real *w, size_t R, size_t I, size_t O);

/* The same, but overwrites dw and db, which need not hold numbers before. */
void ns_linear_backward_over(ns_real *dx, ns_real *dw, ns_real *db, const ns_real *dy,
                             const ns_real *x, const ns_real *w, size_t R, size_t I, size_t O);
