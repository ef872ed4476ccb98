/* SPDX-License-Identifier: MIT */
#include "core/ops/blas.h"

#include "core/ops/gemm.h"

#include <cblas.h>
#include <string.h>

void ns_blas_init(void)
{
    openblas_set_num_threads(1);
}

void ns_gemm(const NsGemm *g)
{
    const NsGemmKernels *kernels = ns_gemm_kernels(0);
    if (kernels)
        ns_gemm_tiled(kernels, g);
    else
        ns_gemm_openblas(g);
}

void ns_gemm_openblas(const NsGemm *g)
{
    if (!g->M || !g->N) return;
    enum CBLAS_TRANSPOSE ta = g->ta ? CblasTrans : CblasNoTrans;
    enum CBLAS_TRANSPOSE tb = g->tb ? CblasTrans : CblasNoTrans;
    blasint M = (blasint)g->M, N = (blasint)g->N, K = (blasint)g->K;
    blasint lda = (blasint)g->lda, ldb = (blasint)g->ldb, ldc = (blasint)g->ldc;
    ns_real beta = g->beta;
    if (g->bias && beta == 0) {
        for (size_t m = 0; m < g->M; m++) memcpy(g->C + m * g->ldc, g->bias, g->N * sizeof *g->C);
        beta = 1;
    }
#ifdef NS_DOUBLE
    cblas_dgemm(CblasRowMajor, ta, tb, M, N, K, g->alpha, g->A, lda, g->B, ldb, beta, g->C, ldc);
#else
    cblas_sgemm(CblasRowMajor, ta, tb, M, N, K, g->alpha, g->A, lda, g->B, ldb, beta, g->C, ldc);
#endif
    if (g->bias && g->beta != 0)
        for (size_t m = 0; m < g->M; m++)
            for (size_t n = 0; n < g->N; n++) g->C[m * g->ldc + n] += g->bias[n];
}
