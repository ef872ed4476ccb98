/* The kernels, for any width of vector.  SPDX-License-Identifier: MIT
 *
 * A file that includes this one has defined, for ns_real in vectors of one kind of processor:
 *   TARGET              the attributes that let a function use its instructions
 *   INLINE              the same, and inline the function into its caller
 *   Vector, Mask        the types
 *   LANES, ROWS, TALL   elements in a vector, rows of the tallest tile, and of one vector's width
 *   GROUP               elements in 128 bits
 *   V(op)               the intrinsic of that operation
 *   mask_of(n)          the mask of the first n lanes
 *   load(p, mask), store(p, mask, v)
 *   gather(p, k)        a vector of GROUP elements from each of the rows p[0], p[GROUP],
 *                       p[2 GROUP] ..., from column k on
 *   transpose_groups(v) transposes the GROUP x GROUP matrices that lie in v[0] ... v[GROUP - 1]
 */
#pragma once

#include "core/ops/gemm_tiled.h"

#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#define UNROLL_SOME _Pragma("clang loop unroll_count(4)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#define UNROLL_SOME _Pragma("GCC unroll 4")
#endif

/* The rows of A are addressed from two pointers, for which there are enough registers; otherwise
 * the compiler would use one pointer and load the offsets from the stack. */
#define HIDE(pointer) __asm__("" : "+r"(pointer))

/* Prefetches into the second-level cache. */
#define FETCH(address) __builtin_prefetch((const void *)(address), 0, 2)

/* Some processors without AVX-512 have slow masked stores, so `full` vectors avoid masks. */
INLINE Vector take(const ns_real *p, bool full, Mask mask)
{
    return full ? V(loadu)(p) : load(p, mask);
}

INLINE void put(ns_real *p, bool full, Mask mask, Vector v)
{
    if (full)
        V(storeu)(p, v);
    else
        store(p, mask, v);
}

/* C = alpha sum + beta C + bias for one vector of columns, which starts at column `at`. */
INLINE void finish(const NsGemmTile *t, size_t rows, size_t at, bool full, Mask mask,
                   Vector sum[][2], size_t v)
{
    Vector alpha = V(set1)(t->alpha), beta = V(set1)(t->beta);
    Vector start = t->bias ? take(t->bias + at, full, mask) : V(setzero)();
    ns_real *c = t->c + at;
    size_t c_row = t->c_stride;
    if (t->beta != 0) {
        UNROLL for (size_t m = 0; m < rows; m++)
        {
            Vector old = V(fmadd)(beta, take(c + m * c_row, full, mask), start);
            put(c + m * c_row, full, mask, V(fmadd)(alpha, sum[m][v], old));
        }
    } else {
        UNROLL for (size_t m = 0; m < rows; m++)
            put(c + m * c_row, full, mask, V(fmadd)(alpha, sum[m][v], start));
    }
}

/* Unrolled for constant `rows`, `vectors` and `across`, so that all of `sum` is in registers. */
INLINE void tile(const NsGemmTile *t, size_t rows, size_t vectors, bool across)
{
    size_t a_row = across ? 1 : t->a_stride, a_k = across ? t->a_stride : 1;
    size_t b_k = t->b_stride, K = t->K;
    const size_t half = (rows > ROWS ? TALL : ROWS) / 2, end = (vectors - 1) * LANES;
    const ns_real *a = t->a, *high = rows > half ? a + half * a_row : a, *b = t->b;
    HIDE(high);
    uintptr_t prefetch = t->prefetch;
    size_t prefetch_step = t->prefetch_step;
    bool full = t->columns == vectors * LANES;
    Mask last = mask_of(t->columns - end);
    Vector sum[TALL][2];
    UNROLL for (size_t m = 0; m < rows; m++)
    {
        sum[m][0] = V(setzero)();
        sum[m][1] = V(setzero)();
    }
    if (t->beta != 0 && K >= 128) { /* long enough to hide the reading of C */
        UNROLL for (size_t m = 0; m < rows; m++)
        {
            __builtin_prefetch(t->c + m * t->c_stride, 1);
            __builtin_prefetch(t->c + m * t->c_stride + end, 1);
        }
    }
    UNROLL_SOME
    for (size_t k = 0; k < K; k++, a += a_k, high += a_k, b += b_k, prefetch += prefetch_step) {
        FETCH(prefetch);
        Vector b0 = V(setzero)(), b1 = take(b + end, full, last);
        if (vectors > 1) b0 = V(loadu)(b);
        UNROLL for (size_t m = 0; m < rows; m++)
        {
            const ns_real *row = m < half ? a + m * a_row : high + (m - half) * a_row;
            Vector x = V(set1)(*row);
            if (vectors > 1) sum[m][0] = V(fmadd)(x, b0, sum[m][0]);
            sum[m][1] = V(fmadd)(x, b1, sum[m][1]);
        }
    }
    if (vectors > 1) finish(t, rows, 0, true, last, sum, 0);
    if (full)
        finish(t, rows, end, true, last, sum, 1);
    else
        finish(t, rows, end, false, last, sum, 1);
}

#define GEMM_KERNEL(name, rows, vectors, across)                                                   \
    TARGET static void name##_##rows(const NsGemmTile *t)                                          \
    {                                                                                              \
        tile(t, rows, vectors, across);                                                            \
    }
#define GEMM_NARROW(rows)                                                                          \
    GEMM_KERNEL(narrow, rows, 1, false)                                                            \
    GEMM_KERNEL(narrow_across, rows, 1, true)
#define GEMM_TILE(rows)                                                                            \
    GEMM_NARROW(rows)                                                                              \
    GEMM_KERNEL(wide, rows, 2, false)                                                              \
    GEMM_KERNEL(wide_across, rows, 2, true)

/* Number of columns of a panel (see NsGemmKernels.pack). */
enum { PANEL = 2 * LANES };

/* Transposes one vector of a panel: out[k * PANEL + j] = in[j * ld + k]. */
INLINE void transpose_vector(ns_real *out, const ns_real *in, size_t ld, size_t n, size_t K)
{
    const ns_real *row[LANES];
    for (size_t j = 0; j < LANES; j++) row[j] = in + (j < n ? j : n - 1) * ld;
    size_t k = 0;
    for (; k + GROUP <= K; k += GROUP, out += GROUP * PANEL) {
        Vector v[GROUP];
        UNROLL for (size_t i = 0; i < GROUP; i++) v[i] = gather(row + i, k);
        transpose_groups(v);
        UNROLL for (size_t i = 0; i < GROUP; i++) V(storeu)(out + i * PANEL, v[i]);
    }
    for (; k < K; k++, out += PANEL)
        for (size_t j = 0; j < LANES; j++) out[j] = row[j][k];
}

TARGET static void transpose(ns_real *out, const ns_real *in, size_t ld, size_t n, size_t K)
{
    for (size_t j = 0; j < n; j += LANES, in += LANES * ld)
        transpose_vector(out + j / PANEL * PANEL * K + j % PANEL, in, ld, MIN(LANES, n - j), K);
}

/* Copies row by row, not panel by panel: rows are contiguous in memory, so that the processor
 * prefetches them by itself. */
TARGET static void copy(ns_real *out, const ns_real *in, size_t ld, size_t n, size_t K)
{
    size_t full = n / PANEL * PANEL, left = n - full;
    Mask low = mask_of(MIN(left, LANES)), high = mask_of(left > LANES ? left - LANES : 0);
    for (size_t k = 0; k < K; k++, in += ld, out += PANEL) {
        ns_real *panel = out;
        for (size_t j = 0; j < full; j += PANEL, panel += PANEL * K) {
            V(storeu)(panel, V(loadu)(in + j));
            V(storeu)(panel + LANES, V(loadu)(in + j + LANES));
        }
        if (left) V(storeu)(panel, load(in + full, low));
        if (left > LANES) V(storeu)(panel + LANES, load(in + full + LANES, high));
    }
}
