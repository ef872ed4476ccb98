/* Matrix products by our own kernels.  SPDX-License-Identifier: MIT
 *
 * OpenBLAS copies both operands before it multiplies, which costs more than the product if a side
 * is 32 or 64.  These kernels read operands in place where they can.  Callers use ns_gemm of
 * gemm.h; this header is for ns_gemm itself, for attention, whose products are triangular, for the
 * tests and for the benchmark. */
#pragma once

#include "core/base/clones.h"
#include "core/ops/blas.h"
#include "core/ops/prefetch.h"

/* A tile of C, small enough to stay in registers: C = alpha A B + beta C + bias.  C is not read if
 * beta is 0; bias: [columns] or NULL.  The elements are at:
 *
 *     A[m][k]: a[m * a_stride + k], or a[k * a_stride + m] for the kernels with `across`
 *     B[k][n]: b[k * b_stride + n]
 *     C[m][n]: c[m * c_stride + n] */
typedef struct {
    const ns_real *a, *b, *bias;
    ns_real *c;
    size_t a_stride, b_stride, c_stride;
    size_t K, columns;
    ns_real alpha, beta;
    /* Address to prefetch during the product, and bytes that it advances per k; ns_gemm_tile sets
     * both. */
    uintptr_t prefetch;
    size_t prefetch_step;
} NsGemmTile;

typedef void NsGemmKernel(const NsGemmTile *tile);

enum { NS_GEMM_MOST_ROWS = 16 };

/* The kernels for one set of instructions. */
typedef struct {
    size_t vector_lanes;  /* elements of a vector */
    size_t rows, tall;    /* rows of the tallest tile; of the tallest tile one vector wide */
    size_t prefetch_step; /* bytes to prefetch per k */
    /* [A across][more than one vector wide][rows - 1] */
    NsGemmKernel *tiles[2][2][NS_GEMM_MOST_ROWS];
    /* Packs n columns of K elements into panels of W = 2 vector_lanes columns, one after the other:
     * element k of column j goes to out[(j / W) W K + k W + j % W].  It is read from in[k * ld + j]
     * by pack[0] and from in[j * ld + k] by pack[1].  Whole vectors are written; columns from n on
     * hold no defined values. */
    void (*pack[2])(ns_real *out, const ns_real *in, size_t ld, size_t n, size_t K);
} NsGemmKernels;

/* Computes a tile with this number of rows, and prefetches memory that this thread registered. */
static inline void ns_gemm_tile(const NsGemmKernels *kernels, NsGemmTile *t, size_t rows,
                                bool across)
{
    t->prefetch =
        ns_prefetch_take((t->K * kernels->prefetch_step + NS_PREFETCH_LINE - 1) / NS_PREFETCH_LINE);
    t->prefetch_step = t->prefetch ? kernels->prefetch_step : 0;
    if (!t->prefetch) t->prefetch = (uintptr_t)t->b; /* valid and cached */
    kernels->tiles[across][t->columns > kernels->vector_lanes][rows - 1](t);
}

/* Returns the kernels for an available instruction set; NULL for the portable one, which has
 * none. */
const NsGemmKernels *ns_gemm_kernels(NsInstructions set);

/* Same as ns_gemm, computed by these kernels.  Every element of C is summed in the order of k, in
 * blocks that depend only on K; so its bits depend neither on the addresses of the matrices nor on
 * M and N. */
void ns_gemm_tiled(const NsGemmKernels *kernels, const NsGemm *g);

/* The kernels that ns_gemm_kernels returns, each defined in its own file. */
#ifdef NS_CLONES_X86
extern const NsGemmKernels ns_gemm_avx512, ns_gemm_avx2;
#endif
