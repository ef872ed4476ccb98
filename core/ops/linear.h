/* The affine map of rows.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/real.h"

#include <stdbool.h>

/* From R rows of I features to R rows of O. */
typedef struct {
    size_t R, I, O;
    const ns_real *w, *b; /* [O, I]; [O] or NULL */
} NsLinear;

/* y = x w^T + b, row by row.  x: [R, I], y: [R, O], overwritten. */
void ns_linear_forward(const NsLinear *map, ns_real *y, const ns_real *x);

/* What the gradients are written to. */
typedef struct {
    ns_real *dx;      /* overwritten; NULL to leave it out */
    ns_real *dw, *db; /* added to; NULL to leave dw out, and where there is no b */
    bool over;        /* overwrites dw and db, which need not hold numbers before */
} NsLinearGradients;

/* dx = dy w, dw = dy^T x, db = column sums of dy.  x is the input of forward. */
void ns_linear_backward(const NsLinear *map, const NsLinearGradients *to, const ns_real *dy,
                        const ns_real *x);
