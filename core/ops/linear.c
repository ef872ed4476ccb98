/* SPDX-License-Identifier: MIT */
#include "core/ops/linear.h"

#include "core/base/clones.h"
#include "core/base/vector_lanes.h"
#include "core/ops/gemm.h"

void ns_linear_forward(const NsLinear *map, ns_real *y, const ns_real *x)
{
    ns_gemm(&(NsGemm){.tb = true,
                      .M = map->R,
                      .N = map->O,
                      .K = map->I,
                      .alpha = 1,
                      .A = x,
                      .lda = map->I,
                      .B = map->w,
                      .ldb = map->I,
                      .C = y,
                      .ldc = map->O,
                      .bias = map->b});
}

/* Number of columns whose sums stay in registers. */
enum { COLUMNS = 2 * NS_VECTOR_LANES };

/* Adds the sums of a few columns of x to `sum`, or overwrites `sum` with them. */
NS_VECTOR_INLINE void sum_columns(ns_real *sum, bool add, const ns_real *x, size_t R, size_t C,
                                  size_t columns)
{
    ns_real total[COLUMNS] = {0};
    for (size_t r = 0; r < R; r++)
#pragma omp simd
        for (size_t c = 0; c < columns; c++) total[c] += x[r * C + c];
    for (size_t c = 0; c < columns; c++) sum[c] = add ? sum[c] + total[c] : total[c];
}

/* Adds the sums of all columns of x to `sum`, or overwrites `sum` with them. */
NS_CLONES(static, sum_rows,
          (ns_real *sum, bool add, const ns_real *x, size_t R, size_t C), (sum, add, x, R, C))
{
    size_t c = 0;
    for (; c + COLUMNS <= C; c += COLUMNS) sum_columns(sum + c, add, x + c, R, C, COLUMNS);
    if (c < C) sum_columns(sum + c, add, x + c, R, C, C - c);
}

/* y = x w^T + b, so dw = dy^T x, db = 1^T dy, dx = dy w. */
void ns_linear_backward(const NsLinear *map, const NsLinearGradients *to, const ns_real *dy,
                        const ns_real *x)
{
    size_t R = map->R, I = map->I, O = map->O;
    if (to->dw)
        ns_gemm(&(NsGemm){.ta = true,
                          .M = O,
                          .N = I,
                          .K = R,
                          .alpha = 1,
                          .beta = !to->over,
                          .A = dy,
                          .lda = O,
                          .B = x,
                          .ldb = I,
                          .C = to->dw,
                          .ldc = I});
    if (to->db) sum_rows(to->db, !to->over, dy, R, O);
    if (!to->dx) return;
    ns_gemm(&(NsGemm){.M = R,
                      .N = I,
                      .K = O,
                      .alpha = 1,
                      .A = dy,
                      .lda = O,
                      .B = map->w,
                      .ldb = I,
                      .C = to->dx,
                      .ldc = I});
}
