/* SPDX-License-Identifier: MIT */
#include "core/ops/residual.h"

#include "core/base/clones.h"
#include "core/base/squares.h"
#include "core/base/vector_lanes.h"

#include <math.h>

NS_CLONES(extern, ns_residual_forward,
          (ns_real *z, ns_real a, const ns_real *x, ns_real b, const ns_real *y, size_t n),
          (z, a, x, b, y, n))
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) z[i] = a * x[i] + b * y[i];
}

NS_CLONES(extern, ns_scale, (ns_real *y, ns_real k, const ns_real *x, size_t n), (y, k, x, n))
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) y[i] = k * x[i];
}

NS_CLONES(extern, ns_add_scaled, (ns_real *y, ns_real k, const ns_real *x, size_t n), (y, k, x, n))
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) y[i] += k * x[i];
}

/* Elements that stay in the first-level cache between two passes over them. */
#define PIECE ((size_t)2048)

/* Elements whose squares are added in ns_real before the sum is added to a lane in double. */
enum { BLOCK = NS_SQUARES_TERMS * NS_VECTOR_LANES };

/* z = a x + b y over whole blocks, and at the same time the requested sums of squares of x, y and
 * z. */
NS_VECTOR_INLINE NsJointSquares join_blocks(ns_real *z, ns_real a, const ns_real *x, ns_real b,
                                            const ns_real *y, size_t n, const unsigned asked)
{
    double x_lane[NS_VECTOR_LANES] = {0}, y_lane[NS_VECTOR_LANES] = {0},
           z_lane[NS_VECTOR_LANES] = {0};
    for (size_t i = 0; i < n; i += BLOCK) {
        ns_real x_sum[NS_VECTOR_LANES] = {0}, y_sum[NS_VECTOR_LANES] = {0},
                z_sum[NS_VECTOR_LANES] = {0};
#pragma GCC unroll 8
        for (size_t t = i; t < i + BLOCK; t += NS_VECTOR_LANES)
#pragma omp simd
            for (int l = 0; l < NS_VECTOR_LANES; l++) {
                ns_real xl = x[t + (size_t)l], yl = y[t + (size_t)l], zl = a * xl + b * yl;
                z[t + (size_t)l] = zl;
                if (asked & NS_SQUARES_STREAM) x_sum[l] += xl * xl;
                if (asked & NS_SQUARES_BRANCH) y_sum[l] += yl * yl;
                if (asked & NS_SQUARES_SUM) z_sum[l] += zl * zl;
            }
#pragma omp simd
        for (int l = 0; l < NS_VECTOR_LANES; l++) {
            x_lane[l] += (double)x_sum[l];
            y_lane[l] += (double)y_sum[l];
            z_lane[l] += (double)z_sum[l];
        }
    }
    NsJointSquares squares = {0};
    if (asked & NS_SQUARES_STREAM) squares.stream = ns_vector_lanes_sum(x_lane);
    if (asked & NS_SQUARES_BRANCH) squares.branch = ns_vector_lanes_sum(y_lane);
    if (asked & NS_SQUARES_SUM) squares.sum = ns_vector_lanes_sum(z_lane);
    return squares;
}

typedef NsJointSquares Join(ns_real *z, ns_real a, const ns_real *x, ns_real b, const ns_real *y,
                            size_t n);

// clang-format off
#define JOIN(name, asked)                                                                          \
    NS_CLONES_OF(static, NsJointSquares, name,                                                     \
                 (ns_real *z, ns_real a, const ns_real *x, ns_real b, const ns_real *y, size_t n), \
                 (z, a, x, b, y, n))                                                               \
    {                                                                                              \
        return join_blocks(z, a, x, b, y, n, asked);                                               \
    }
// clang-format on

JOIN(join_stream, NS_SQUARES_STREAM)
JOIN(join_branch, NS_SQUARES_BRANCH)
JOIN(join_terms, NS_SQUARES_STREAM | NS_SQUARES_BRANCH)
JOIN(join_sum, NS_SQUARES_SUM)
JOIN(join_stream_sum, NS_SQUARES_STREAM | NS_SQUARES_SUM)
JOIN(join_branch_sum, NS_SQUARES_BRANCH | NS_SQUARES_SUM)
JOIN(join_all, NS_SQUARES_STREAM | NS_SQUARES_BRANCH | NS_SQUARES_SUM)

/* Indexed by the requested sums. */
static Join *const joins[] = {NULL,     join_stream,     join_branch,     join_terms,
                              join_sum, join_stream_sum, join_branch_sum, join_all};

/* ns_real_squares of x, given the sum of squares of its whole blocks. */
static double squares_of(double squares, const ns_real *x, size_t blocks, size_t rest)
{
    double sum = blocks ? ns_real_squares_close(squares, x, blocks) : 0;
    return rest ? sum + ns_real_squares(x + blocks, rest) : sum;
}

/* z = a x + b y for a piece, and the requested sums of squares.  If z overwrites x or y, the
 * squares of that input are computed first. */
static NsJointSquares join_piece(ns_real *z, ns_real a, const ns_real *x, ns_real b,
                                 const ns_real *y, size_t n, unsigned asked)
{
    NsJointSquares squares = {0}, sums = {0};
    if (z == x && asked & NS_SQUARES_STREAM) squares.stream = ns_real_squares(x, n);
    if (z == y && asked & NS_SQUARES_BRANCH) squares.branch = ns_real_squares(y, n);
    asked &= ~((z == x ? NS_SQUARES_STREAM : 0U) | (z == y ? NS_SQUARES_BRANCH : 0U));
    size_t blocks = asked ? n / BLOCK * BLOCK : 0, rest = n - blocks;
    if (blocks) sums = joins[asked](z, a, x, b, y, blocks);
    if (asked & NS_SQUARES_STREAM) squares.stream = squares_of(sums.stream, x, blocks, rest);
    if (asked & NS_SQUARES_BRANCH) squares.branch = squares_of(sums.branch, y, blocks, rest);
    if (rest) ns_residual_forward(z + blocks, a, x + blocks, b, y + blocks, rest);
    if (asked & NS_SQUARES_SUM) squares.sum = squares_of(sums.sum, z, blocks, rest);
    return squares;
}

double ns_add_squares(ns_real *y, const ns_real *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i += PIECE)
        sum += join_piece(y + i, 1, y + i, 1, x + i, MIN(PIECE, n - i), NS_SQUARES_SUM).sum;
    return sum;
}

NS_CLONES(extern, ns_gain_forward,
          (ns_real *y, ns_real k, const ns_real *g, const ns_real *x, size_t R, size_t D),
          (y, k, g, x, R, D))
{
    for (size_t r = 0; r < R; r++, x += D, y += D) {
#pragma omp simd
        for (size_t i = 0; i < D; i++) y[i] = k * g[i] * x[i];
    }
}

NS_CLONES(extern, ns_gain_backward,
          (ns_real *dg, ns_real k, const ns_real *dy, const ns_real *x, size_t R, size_t D),
          (dg, k, dy, x, R, D))
{
    for (size_t r = 0; r < R; r++, x += D, dy += D) {
#pragma omp simd
        for (size_t i = 0; i < D; i++) dg[i] += k * dy[i] * x[i];
    }
}

NS_CLONES_OF(extern, double, ns_inner, (const ns_real *x, const ns_real *y, size_t n), (x, y, n))
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) sum += (double)x[i] * (double)y[i];
    return sum;
}

NS_CLONES_OF(extern, double, ns_gain_squares,
             (const ns_real *g, const ns_real *x, size_t R, size_t D), (g, x, R, D))
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
        if (joined) {
            NsJointSquares piece = join_piece(z + i, a, x + i, b, y + i, m, asked);
            squares.stream += piece.stream;
            squares.branch += piece.branch;
            squares.sum += piece.sum;
            continue;
        }
        if (asked & NS_SQUARES_BRANCH) squares.branch += ns_real_squares(y + i, m);
        ns_scale(z + i, b, y + i, m);
        if (asked & NS_SQUARES_SUM) squares.sum += ns_real_squares(z + i, m);
    }
    squares.stream *= (double)a * (double)a;
    squares.branch *= (double)b * (double)b;
    return squares;
}

/* Adds the first `left` elements of a vector at x. */
NS_VECTOR_INLINE void take_vector(const ns_real *x, int left, double *sum, ns_real *largest)
{
#pragma omp simd
    for (int l = 0; l < NS_VECTOR_LANES; l++) {
        ns_real v = l < left ? x[l] : 0, size = v < 0 ? -v : v;
        largest[l] = size > largest[l] ? size : largest[l];
        sum[l] += (double)v * (double)v;
    }
}

NS_CLONES(extern, ns_row_sums_add,
          (NsRowSums *sums, const ns_real *x, size_t R, size_t D), (sums, x, R, D))
{
    double squares = 0, norms = 0;
    ns_real largest_lane[NS_VECTOR_LANES] = {0};
    for (size_t r = 0; r < R; r++, x += D) {
        double lane[NS_VECTOR_LANES] = {0};
        size_t i = 0;
        for (; i + NS_VECTOR_LANES <= D; i += NS_VECTOR_LANES)
            take_vector(x + i, NS_VECTOR_LANES, lane, largest_lane);
        if (i < D) take_vector(x + i, (int)(D - i), lane, largest_lane);
        double sum = ns_vector_lanes_sum(lane);
        squares += sum;
        norms += sqrt(sum);
    }
    ns_real largest = ns_vector_lanes_max(largest_lane);
    sums->squares += squares;
    sums->norms += norms;
    if (isnan(sums->squares))
        sums->largest = (double)NAN;
    else if ((double)largest > sums->largest)
        sums->largest = (double)largest;
}
