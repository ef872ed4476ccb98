/* SPDX-License-Identifier: MIT */
#include "core/ops/residual.h"

#include "core/ops/clones.h"

NS_CLONES void ns_residual_forward(ns_real *z, ns_real a, const ns_real *x, ns_real b,
                                   const ns_real *y, size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) z[i] = a * x[i] + b * y[i];
}

NS_CLONES void ns_scale(ns_real *y, ns_real k, const ns_real *x, size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) y[i] = k * x[i];
}

NS_CLONES void ns_add_scaled(ns_real *y, ns_real k, const ns_real *x, size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) y[i] += k * x[i];
}
