/* SPDX-License-Identifier: MIT */
#include "core/base/squares.h"

#include "core/base/clones.h"
#include "core/base/vector_lanes.h"

#include <float.h>
#include <math.h>

/* A sum of at least this size is not affected by squares that underflow in ns_real. */
#define LEAST 0x1p-64

NS_CLONES_OF(static, double, in_double, (const ns_real *x, size_t n), (x, n))
{
    return ns_vector_lanes_dot(x, x, n);
}

double ns_real_squares_close(double squares, const ns_real *x, size_t n)
{
    return squares >= LEAST && squares <= DBL_MAX ? squares : in_double(x, n);
}

NS_CLONES_OF(extern, double, ns_real_squares, (const ns_real *x, size_t n), (x, n))
{
    double lane[NS_VECTOR_LANES] = {0};
    size_t i = 0;
    for (; i + NS_SQUARES_TERMS * NS_VECTOR_LANES <= n; i += NS_SQUARES_TERMS * NS_VECTOR_LANES) {
        ns_real sum[NS_VECTOR_LANES] = {0};
#pragma GCC unroll 8
        for (size_t t = 0; t < NS_SQUARES_TERMS; t++)
#pragma omp simd
            for (int l = 0; l < NS_VECTOR_LANES; l++) {
                ns_real v = x[i + t * NS_VECTOR_LANES + (size_t)l];
                sum[l] += v * v;
            }
#pragma omp simd
        for (int l = 0; l < NS_VECTOR_LANES; l++) lane[l] += (double)sum[l];
    }
    /* Short arrays are summed in double, which has the range for every input but is three times
     * slower. */
    if (!i) return ns_vector_lanes_dot(x, x, n);
    double squares = ns_real_squares_close(ns_vector_lanes_sum(lane), x, i);
    return i < n ? squares + ns_vector_lanes_dot(x + i, x + i, n - i) : squares;
}

double ns_real_norm(const ns_real *x, size_t n)
{
    return sqrt(ns_real_squares(x, n));
}
