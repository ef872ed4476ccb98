/* Matrix products by OpenBLAS.  SPDX-License-Identifier: MIT
 *
 * The only file behind this header calls BLAS.  All matrices are row-major. */
#pragma once

#include "core/base/real.h"

#include <glib.h>
#include <stdbool.h>

/* Loads OpenBLAS; NS_ERROR_FILE where it is not installed, NS_ERROR_MEMORY where a limit leaves too
 * little address space for it.  Loading sets a variable of the environment for a moment. */
bool ns_blas_load(GError **error);

/* C = alpha A B + beta C + bias.  A: [M, K], B: [K, N], C: [M, N]; `ta`, `tb`: the matrix is stored
 * transposed.  ld*: elements from one stored row to the next.  bias: [N], added to every row, or
 * NULL. C is not read where beta is 0, nor are A and B where alpha is. */
typedef struct {
    bool ta, tb;
    size_t M, N, K;
    ns_real alpha, beta;
    const ns_real *A, *B;
    size_t lda, ldb, ldc;
    ns_real *C;
    const ns_real *bias;
} NsGemm;

/* The product of ns_gemm (core/ops/gemm.h) by OpenBLAS. */
void ns_gemm_openblas(const NsGemm *g);
