/* SPDX-License-Identifier: MIT */
#include "core/ops/linear.h"

#include "core/ops/blas.h"
#include "core/ops/clones.h"

#include <string.h>

void ns_linear_forward(ns_real *y, const ns_real *x, const ns_real *w, const ns_real *b, size_t R,
                       size_t I, size_t O)
{
    if (b)
        for (size_t r = 0; r < R; r++) memcpy(y + r * O, b, O * sizeof *y);
    ns_gemm(&(NsGemm){.tb = true,
                      .M = R,
                      .N = O,
                      .K = I,
                      .alpha = 1,
                      .beta = b ? 1 : 0,
                      .A = x,
                      .lda = I,
                      .B = w,
                      .ldb = I,
                      .C = y,
                      .ldc = O});
}

NS_CLONES static void add_columns(ns_real *sum, const ns_real *x, size_t R, size_t C)
{
    for (size_t r = 0; r < R; r++) {
        const ns_real *row = x + r * C;
#pragma omp simd
        for (size_t c = 0; c < C; c++) sum[c] += row[c];
    }
}

void ns_linear_backward(ns_real *dx, ns_real *dw, ns_real *db, const ns_real *dy, const ns_real *x,
                        const ns_real *w, size_t R, size_t I, size_t O)
{
    /* y = x w^T + b, so dw = dy^T x, db = 1^T dy, dx = dy w. */
    ns_gemm(&(NsGemm){.ta = true,
                      .M = O,
                      .N = I,
                      .K = R,
                      .alpha = 1,
                      .beta = 1,
                      .A = dy,
                      .lda = O,
                      .B = x,
                      .ldb = I,
                      .C = dw,
                      .ldc = I});
    if (db) add_columns(db, dy, R, O);
    if (!dx) return;
    ns_gemm(&(NsGemm){.M = R,
                      .N = I,
                      .K = O,
                      .alpha = 1,
                      .A = dy,
                      .lda = O,
                      .B = w,
                      .ldb = I,
                      .C = dx,
                      .ldc = I});
}
