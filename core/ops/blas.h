/* Matrix products by OpenBLAS.  SPDX-License-Identifier: MIT
 *
 * The only file behind this header calls BLAS.  All matrices are row-major. */
#pragma once

#include "core/base/real.h"

#include <glib.h>
#include <stdbool.h>

/* Loads OpenBLAS.  Fails with NS_ERROR_FILE if it is not installed, and with NS_ERROR_MEMORY if a
 * limit leaves too little address space.  Loading changes an environment variable for a moment. */
bool ns_blas_load(GError **error);

/* C = alpha A B + beta C + bias.  A: [M, K], B: [K, N], C: [M, N]; `ta` and `tb`: the matrix is
 * stored transposed.  lda, ldb, ldc: elements from one stored row to the next.  bias: [N], added to
 * every row, or NULL.  C is not read if beta is 0; A and B are not read if alpha is 0. */
typedef struct {
    bool ta, tb;
    size_t M, N, K;
    ns_real alpha, beta;
    const ns_real *A, *B;
    size_t lda, ldb, ldc;
    ns_real *C;
    const ns_real *bias;
} NsGemm;

/* Same as ns_gemm (core/ops/gemm.h), computed by OpenBLAS. */
void ns_gemm_openblas(const NsGemm *g);
