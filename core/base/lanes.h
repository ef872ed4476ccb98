/* Sums and maxima of rows.  SPDX-License-Identifier: MIT
 *
 * A reduction by `omp simd` adds its lanes up one by one in memory, which takes longer than the
 * rest of a short row.  So a row is summed in NS_LANES lanes, by a loop over them inside the one
 * over the row, which compilers keep in registers, and the lanes as a tree.  The order is the same
 * for every processor. */
#pragma once

#include "core/base/real.h"

enum { NS_LANES = 16 };

#define NS_LANES_INLINE static inline __attribute__((always_inline))

/* Sum of lanes.  They are overwritten. */
NS_LANES_INLINE double ns_lanes_sum(double *lane)
{
#pragma omp simd
    for (int l = 0; l < 8; l++) lane[l] += lane[l + 8];
#pragma omp simd
    for (int l = 0; l < 4; l++) lane[l] += lane[l + 4];
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

NS_LANES_INLINE ns_real ns_lanes_sum_real(ns_real *lane)
{
#pragma omp simd
    for (int l = 0; l < 8; l++) lane[l] += lane[l + 8];
#pragma omp simd
    for (int l = 0; l < 4; l++) lane[l] += lane[l + 4];
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

/* sum x_i y_i, in double; y may be x. */
NS_LANES_INLINE double ns_lanes_dot(const ns_real *x, const ns_real *y, size_t n)
{
    double lane[NS_LANES] = {0};
    size_t i = 0;
    for (; i + NS_LANES <= n; i += NS_LANES)
#pragma omp simd
        for (int l = 0; l < NS_LANES; l++)
            lane[l] += (double)x[i + (size_t)l] * (double)y[i + (size_t)l];
    int left = (int)(n - i);
    if (left)
#pragma omp simd
        for (int l = 0; l < NS_LANES; l++)
            lane[l] += l < left ? (double)x[i + (size_t)l] * (double)y[i + (size_t)l] : 0;
    return ns_lanes_sum(lane);
}

/* Largest of lanes, by the comparison a > b ? a : b.  They are overwritten. */
NS_LANES_INLINE ns_real ns_lanes_max(ns_real *lane)
{
#pragma omp simd
    for (int l = 0; l < 8; l++) lane[l] = lane[l] > lane[l + 8] ? lane[l] : lane[l + 8];
#pragma omp simd
    for (int l = 0; l < 4; l++) lane[l] = lane[l] > lane[l + 4] ? lane[l] : lane[l + 4];
    ns_real a = lane[0] > lane[2] ? lane[0] : lane[2], b = lane[1] > lane[3] ? lane[1] : lane[3];
    return a > b ? a : b;
}
