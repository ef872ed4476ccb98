/* SPDX-License-Identifier: MIT */
#include "core/ops/linear.h"

#include "core/base/clones.h"
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

/* A cache line. */
enum { LINE = 64 / sizeof(ns_real) };

typedef ns_real Line __attribute__((vector_size(64), aligned(sizeof(ns_real)), may_alias));

/* Unrolled for a constant number of lines, whose sums are then in registers. */
__attribute__((always_inline)) static inline void
sum_lines(ns_real *sum, bool add, const ns_real *x, size_t R, size_t C, size_t lines)
{
    Line total[4] = {0};
    for (size_t r = 0; r < R; r++) {
        const Line *row = (const Line *)(const void *)(x + r * C);
        for (size_t i = 0; i < lines; i++) total[i] += row[i];
    }
    Line *out = (Line *)(void *)sum;
    for (size_t i = 0; i < lines; i++) {
        if (add) total[i] += out[i];
        out[i] = total[i];
    }
}

/* Adds the sum of the rows to `sum`, or overwrites it with that. */
NS_CLONES(static, sum_rows,
          (ns_real *sum, bool add, const ns_real *x, size_t R, size_t C), (sum, add, x, R, C))
{
    size_t c = 0;
    for (; c + 4 * LINE <= C; c += 4 * LINE) sum_lines(sum + c, add, x + c, R, C, 4);
    for (; c + LINE <= C; c += LINE) sum_lines(sum + c, add, x + c, R, C, 1);
    for (; c < C; c++) {
        ns_real total = 0;
        for (size_t r = 0; r < R; r++) total += x[r * C + c];
        sum[c] = add ? sum[c] + total : total;
    }
}

/* y = x w^T + b, so dw = dy^T x, db = 1^T dy, dx = dy w. */
void ns_linear_backward(const NsLinear *map, const NsLinearGradients *to, const ns_real *dy,
                        const ns_real *x)
{
    size_t R = map->R, I = map->I, O = map->O;
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
