/* Matrix products.  SPDX-License-Identifier: MIT
 *
 * The only file behind this header calls BLAS.  All matrices are row-major. */
#pragma once

#include "core/base/real.h"

/* Makes every product run on the calling thread alone; called once before any other. */
void ns_blas_init(void);

/* C = alpha A B + beta C + bias.  A: [M, K], B: [K, N], C: [M, N]; `ta`, `tb`: the matrix is stored
 * transposed.  ld*: reals from one stored row to the next.  bias: [N], added to every row, or NULL.
 * C is not read where beta is 0, nor are A and B where alpha is. */
typedef struct {
    bool ta, tb;
    size_t M, N, K;
    ns_real alpha, beta;
    const ns_real *A, *B;
    size_t lda, ldb, ldc;
    ns_real *C;
    const ns_real *bias;
} NsGemm;

/* The same call gives the same bits every time.  Cannot fail. */
void ns_gemm(const NsGemm *g);
