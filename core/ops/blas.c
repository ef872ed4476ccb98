/* SPDX-License-Identifier: MIT */
#include "core/ops/blas.h"

#include <cblas.h>

void ns_blas_init(void)
{
    openblas_set_num_threads(1);
}

void ns_gemm(const NsGemm *g)
{
    enum CBLAS_TRANSPOSE ta = g->ta ? CblasTrans : CblasNoTrans;
    enum CBLAS_TRANSPOSE tb = g->tb ? CblasTrans : CblasNoTrans;
    blasint M = (blasint)g->M, N = (blasint)g->N, K = (blasint)g->K;
    blasint lda = (blasint)g->lda, ldb = (blasint)g->ldb, ldc = (blasint)g->ldc;
#ifdef NS_DOUBLE
    cblas_dgemm(CblasRowMajor, ta, tb, M, N, K, g->alpha, g->A, lda, g->B, ldb, g->beta, g->C, ldc);
#else
    cblas_sgemm(CblasRowMajor, ta, tb, M, N, K, g->alpha, g->A, lda, g->B, ldb, g->beta, g->C, ldc);
#endif
}
