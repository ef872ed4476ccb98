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

NS_CLONES void ns_gain_forward(ns_real *y, ns_real k, const ns_real *g, const ns_real *x, size_t R,
                               size_t D)
{
    for (size_t r = 0; r < R; r++, x += D, y += D) {
#pragma omp simd
        for (size_t i = 0; i < D; i++) y[i] = k * g[i] * x[i];
    }
}

NS_CLONES void ns_gain_backward(ns_real *dg, ns_real k, const ns_real *dy, const ns_real *x,
                                size_t R, size_t D)
{
    for (size_t r = 0; r < R; r++, x += D, dy += D) {
#pragma omp simd
        for (size_t i = 0; i < D; i++) dg[i] += k * dy[i] * x[i];
    }
}

NS_CLONES double ns_inner(const ns_real *x, const ns_real *y, size_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) sum += (double)x[i] * (double)y[i];
    return sum;
}

double ns_squares(const ns_real *x, size_t n)
{
    return ns_inner(x, x, n);
}

NS_CLONES double ns_gain_squares(const ns_real *g, const ns_real *x, size_t R, size_t D)
{
    double sum = 0;
    for (size_t r = 0; r < R; r++, x += D) {
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < D; i++) {
            double y = (double)g[i] * (double)x[i];
            sum += y * y;
        }
    }
    return sum;
}
