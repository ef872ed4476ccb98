/* Vector lanes: sums and maxima of rows.  SPDX-License-Identifier: MIT
 *
 * A reduction by `omp simd` adds its lanes one by one in memory, which takes longer than the rest
 * of a short row.  So a row is summed in NS_VECTOR_LANES lanes, by a loop over the lanes inside the
 * loop over the row, which compilers keep in registers; the lanes are then added as a tree.  The
 * order is the same on every processor. */
#pragma once

#include "core/base/real.h"

#include <string.h>

enum { NS_VECTOR_LANES = 16 };

#define NS_VECTOR_INLINE static inline __attribute__((always_inline))

/* Sum of the lanes, which are overwritten. */
NS_VECTOR_INLINE double ns_vector_lanes_sum(double *lane)
{
#pragma omp simd
    for (int l = 0; l < 8; l++) lane[l] += lane[l + 8];
#pragma omp simd
    for (int l = 0; l < 4; l++) lane[l] += lane[l + 4];
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

/* sum x_i y_i, in double; y may be x. */
NS_VECTOR_INLINE double ns_vector_lanes_dot(const ns_real *x, const ns_real *y, size_t n)
{
    double lane[NS_VECTOR_LANES] = {0};
    size_t i = 0;
    for (; i + NS_VECTOR_LANES <= n; i += NS_VECTOR_LANES)
#pragma omp simd
        for (int l = 0; l < NS_VECTOR_LANES; l++)
            lane[l] += (double)x[i + (size_t)l] * (double)y[i + (size_t)l];
    int left = (int)(n - i);
    if (left)
#pragma omp simd
        for (int l = 0; l < NS_VECTOR_LANES; l++)
            lane[l] += l < left ? (double)x[i + (size_t)l] * (double)y[i + (size_t)l] : 0;
    return ns_vector_lanes_sum(lane);
}

/* Maximum of the lanes, by the comparison a > b ? a : b.  The lanes are overwritten. */
NS_VECTOR_INLINE ns_real ns_vector_lanes_max(ns_real *lane)
{
#pragma omp simd
    for (int l = 0; l < 8; l++) lane[l] = lane[l] > lane[l + 8] ? lane[l] : lane[l + 8];
#pragma omp simd
    for (int l = 0; l < 4; l++) lane[l] = lane[l] > lane[l + 4] ? lane[l] : lane[l + 4];
    ns_real a = lane[0] > lane[2] ? lane[0] : lane[2], b = lane[1] > lane[3] ? lane[1] : lane[3];
    return a > b ? a : b;
}

/* Number of rows that are reduced at the same time, so that their sums overlap in the pipeline; the
 * bits are the same as for each row alone. */
enum { NS_VECTOR_ROWS = 4 };

typedef ns_real NsVectorFour __attribute__((vector_size(4 * sizeof(ns_real))));

/* across[k][r] = lane[r][k] of the first four lanes. */
NS_VECTOR_INLINE void ns_vector_lanes_transpose(ns_real across[4][NS_VECTOR_ROWS],
                                                ns_real lane[NS_VECTOR_ROWS][NS_VECTOR_LANES])
{
    NsVectorFour row[NS_VECTOR_ROWS];
    for (int r = 0; r < NS_VECTOR_ROWS; r++) memcpy(&row[r], lane[r], sizeof *row);
    NsVectorFour a = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
    NsVectorFour b = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
    NsVectorFour c = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
    NsVectorFour d = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    row[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    row[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    row[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    row[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
    memcpy(across, row, sizeof row);
}

/* Sums of the lanes of each row.  The lanes are overwritten. */
NS_VECTOR_INLINE void ns_vector_lanes_sum_rows(ns_real sum[NS_VECTOR_ROWS],
                                               ns_real lane[NS_VECTOR_ROWS][NS_VECTOR_LANES])
{
    for (int r = 0; r < NS_VECTOR_ROWS; r++)
#pragma omp simd
        for (int l = 0; l < 8; l++) lane[r][l] += lane[r][l + 8];
    for (int r = 0; r < NS_VECTOR_ROWS; r++)
#pragma omp simd
        for (int l = 0; l < 4; l++) lane[r][l] += lane[r][l + 4];
    ns_real a[4][NS_VECTOR_ROWS];
    ns_vector_lanes_transpose(a, lane);
#pragma omp simd
    for (int r = 0; r < NS_VECTOR_ROWS; r++) sum[r] = (a[0][r] + a[2][r]) + (a[1][r] + a[3][r]);
}

/* Maxima of the lanes of each row, as by ns_vector_lanes_max.  The lanes are overwritten. */
NS_VECTOR_INLINE void ns_vector_lanes_max_rows(ns_real max[NS_VECTOR_ROWS],
                                               ns_real lane[NS_VECTOR_ROWS][NS_VECTOR_LANES])
{
    for (int r = 0; r < NS_VECTOR_ROWS; r++)
#pragma omp simd
        for (int l = 0; l < 8; l++)
            lane[r][l] = lane[r][l] > lane[r][l + 8] ? lane[r][l] : lane[r][l + 8];
    for (int r = 0; r < NS_VECTOR_ROWS; r++)
#pragma omp simd
        for (int l = 0; l < 4; l++)
            lane[r][l] = lane[r][l] > lane[r][l + 4] ? lane[r][l] : lane[r][l + 4];
    ns_real a[4][NS_VECTOR_ROWS];
    ns_vector_lanes_transpose(a, lane);
#pragma omp simd
    for (int r = 0; r < NS_VECTOR_ROWS; r++) {
        ns_real b = a[0][r] > a[2][r] ? a[0][r] : a[2][r];
        ns_real c = a[1][r] > a[3][r] ? a[1][r] : a[3][r];
        max[r] = b > c ? b : c;
    }
}
