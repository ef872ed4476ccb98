/* Matrix products.  SPDX-License-Identifier: MIT
 *
 * The only file behind this header calls BLAS.  All matrices are row-major. */
#pragma once

#include "core/base/real.h"

/* Makes every product run on the calling thread alone; called once before any other. */
void ns_blas_init(void);

/* C = alpha A B + beta C.  A: [M, K], B: [K, N], C: [M, N]; `ta`, `tb`: the matrix is stored
 * transposed. ld*: reals from one stored row to the next. */
typedef struct {
    bool ta, tb;
    size_t M, N, K;
    ns_real alpha, beta;
    const ns_real *A, *B;
    size_t lda, ldb, ldc;
    ns_real *C;
} NsGemm;

void ns_gemm(const NsGemm *g);
