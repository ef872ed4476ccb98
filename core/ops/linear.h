/* The affine map of rows.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/real.h"

#include <stdbool.h>

/* A map from R rows of I features to R rows of O features. */
typedef struct {
    size_t R, I, O;
    const ns_real *w, *b; /* [O, I]; [O] or NULL */
} NsLinear;

/* y = x w^T + b for each row.  x: [R, I]; y: [R, O], overwritten. */
void ns_linear_forward(const NsLinear *map, ns_real *y, const ns_real *x);

/* Where the gradients are written. */
typedef struct {
    ns_real *dx;      /* overwritten; NULL to omit it */
    ns_real *dw, *db; /* added to; dw is NULL to omit it, db also if there is no b */
    bool over;        /* overwrites dw and db instead; they may be uninitialized */
} NsLinearGradients;

/* dx = dy w, dw = dy^T x, db = column sums of dy.  x is the input of forward. */
void ns_linear_backward(const NsLinear *map, const NsLinearGradients *to, const ns_real *dy,
                        const ns_real *x);
