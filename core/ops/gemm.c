/* SPDX-License-Identifier: MIT */
#include "core/ops/gemm.h"

#include "core/ops/gemm_tiled.h"

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
