/* Matrix products.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/ops/blas.h"

/* Loads OpenBLAS where this processor has no kernels of our own; NS_ERROR_FILE where it is not
 * installed, NS_ERROR_MEMORY where a limit leaves too little address space for it.  Called before
 * any product, and first by the main of a program, while that has one thread, since loading sets a
 * variable of the environment for a moment. */
bool ns_gemm_init(GError **error);

/* The same call gives the same bits every time.  Cannot fail. */
void ns_gemm(const NsGemm *g);
