/* SPDX-License-Identifier: MIT */
#include "core/ops/residual.h"

#include "core/base/clones.h"
#include "core/base/lanes.h"

#include <math.h>

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

/* Elements that stay in the first cache from one pass over them to the next. */
#define PIECE ((size_t)2048)

double ns_add_squares(ns_real *y, const ns_real *x, size_t n)
{
    double squares = 0;
    for (size_t i = 0; i < n; i += PIECE) {
        size_t m = MIN(PIECE, n - i);
        ns_add_scaled(y + i, 1, x + i, m);
        squares += ns_real_squares(y + i, m);
    }
    return squares;
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

NsJointSquares ns_join_streams(ns_real *z, ns_real a, const ns_real *x, ns_real b, const ns_real *y,
                               size_t n, unsigned asked)
{
    bool joined = a < 0 || a > 0 || isnan(a);
    if (!joined) asked &= ~(unsigned)NS_SQUARES_STREAM;
    NsJointSquares squares = {0};
    for (size_t i = 0; i < n; i += PIECE) {
        size_t m = MIN(PIECE, n - i);
        if (asked & NS_SQUARES_STREAM) squares.stream += ns_real_squares(x + i, m);
        if (asked & NS_SQUARES_BRANCH) squares.branch += ns_real_squares(y + i, m);
        if (joined)
            ns_residual_forward(z + i, a, x + i, b, y + i, m);
        else
            ns_scale(z + i, b, y + i, m);
        if (asked & NS_SQUARES_SUM) squares.sum += ns_real_squares(z + i, m);
    }
    squares.stream *= (double)a * (double)a;
    squares.branch *= (double)b * (double)b;
    return squares;
}

/* The `left` elements from x on. */
NS_LANES_INLINE void take_lanes(const ns_real *x, int left, double *sum, ns_real *largest)
{
#pragma omp simd
    for (int l = 0; l < NS_LANES; l++) {
        ns_real v = l < left ? x[l] : 0, size = v < 0 ? -v : v;
        largest[l] = size > largest[l] ? size : largest[l];
        sum[l] += (double)v * (double)v;
    }
}

NS_CLONES void ns_row_sums_add(NsRowSums *sums, const ns_real *x, size_t R, size_t D)
{
    double squares = 0, norms = 0;
    ns_real largest_lane[NS_LANES] = {0};
    for (size_t r = 0; r < R; r++, x += D) {
        double lane[NS_LANES] = {0};
        size_t i = 0;
        for (; i + NS_LANES <= D; i += NS_LANES) take_lanes(x + i, NS_LANES, lane, largest_lane);
        if (i < D) take_lanes(x + i, (int)(D - i), lane, largest_lane);
        double sum = ns_lanes_sum(lane);
        squares += sum;
        norms += sqrt(sum);
    }
    ns_real largest = ns_lanes_max(largest_lane);
    sums->squares += squares;
    sums->norms += norms;
    if (isnan(sums->squares))
        sums->largest = (double)NAN;
    else if ((double)largest > sums->largest)
        sums->largest = (double)largest;
}
