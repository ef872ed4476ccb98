/* SPDX-License-Identifier: MIT */
#include "core/ops/relu.h"

#include "core/ops/clones.h"

NS_CLONES void ns_relu_forward(ns_real *x, size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) x[i] = x[i] < 0 ? 0 : x[i];
}

NS_CLONES void ns_relu_backward(ns_real *dy, const ns_real *y, size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) dy[i] = y[i] > 0 ? dy[i] : 0;
}
