/* Matrix products.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/ops/blas.h"

/* Loads OpenBLAS on a processor for which this program has no kernels.  Fails with NS_ERROR_FILE if
 * OpenBLAS is not installed, and with NS_ERROR_MEMORY if a limit leaves too little address space.
 * Must be called before any product, by main while the program has a single thread, because loading
 * changes an environment variable for a moment. */
bool ns_gemm_init(GError **error);

/* C = alpha A B + beta C + bias (see NsGemm).  The same call gives the same bits every time.
 * Cannot fail. */
void ns_gemm(const NsGemm *g);
