/* SPDX-License-Identifier: MIT */
#include "core/ops/gemm.h"

#include "core/ops/gemm_tiled.h"
#include "core/ops/plain.h"

/* C_mn = alpha sum_k A_mk B_kn + beta C_mn + bias_n */
double ns_plain_gemm(const NsGemm *g, size_t m, size_t n)
{
    double sum = 0, old = g->beta != 0 ? (double)g->C[m * g->ldc + n] : 0;
    for (size_t k = 0; k < g->K && g->alpha != 0; k++)
        sum += (double)(g->ta ? g->A[k * g->lda + m] : g->A[m * g->lda + k]) *
               (double)(g->tb ? g->B[n * g->ldb + k] : g->B[k * g->ldb + n]);
    return (double)g->alpha * sum + (double)g->beta * old + (double)(g->bias ? g->bias[n] : 0);
}

bool ns_gemm_init(GError **error)
{
    return ns_gemm_kernels(ns_instructions()) || ns_blas_load(error);
}

void ns_gemm(const NsGemm *g)
{
    const NsGemmKernels *kernels = ns_gemm_kernels(ns_instructions());
    if (kernels)
        ns_gemm_tiled(kernels, g);
    else
        ns_gemm_openblas(g);
}
