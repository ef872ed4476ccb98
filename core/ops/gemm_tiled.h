/* Matrix products of our own.  SPDX-License-Identifier: MIT
 *
 * OpenBLAS copies both operands before it multiplies, which costs more than the product if a side
 * is 32 or 64. These kernels read operands in place where they can.  Callers use ns_gemm of gemm.h;
 * this header is for ns_gemm itself, for attention, whose products are triangular, for the tests
 * and for the benchmark. */
#pragma once

#include "core/base/clones.h"
#include "core/ops/blas.h"
#include "core/ops/prefetch.h"

/* A tile of C, small enough that all of it is kept in registers: C = alpha A B + beta C + bias.
 * A[m][k] is at a[m * stride + k], or at a[k * stride + m] for the kernels of `across`; B[k][n] at
 * b[k * b_stride + n]; C[m][n] at c[m * c_stride + n].  C is not read where beta is 0; bias:
 * [columns] or NULL. */
typedef struct {
    const ns_real *a, *b, *bias;
    ns_real *c;
    size_t a_stride, b_stride, c_stride;
    size_t K, columns;
    ns_real alpha, beta;
    /* What is fetched meanwhile, and bytes from one k to the next; filled in by ns_gemm_tile. */
    uintptr_t prefetch;
    size_t prefetch_step;
} NsGemmTile;

typedef void NsGemmKernel(const NsGemmTile *tile);

enum { NS_GEMM_MOST_ROWS = 16 };

/* The kernels for one set of instructions. */
typedef struct {
    size_t vector_lanes;  /* elements of a vector */
    size_t rows, tall;    /* of the tallest tile; of the tallest one vector wide */
    size_t prefetch_step; /* bytes that are prefetched for every k */
    /* [A across][more than one vector wide][rows - 1] */
    NsGemmKernel *tiles[2][2][NS_GEMM_MOST_ROWS];
    /* Packs n columns of K elements, in[k * ld + j] or, by the second of the two, in[j * ld + k],
     * into panels of W = 2 vector_lanes columns, one after the other: element k of column j goes to
     * out[(j / W) W K + k W + j % W].  Vectors are written whole; what they hold after n means
     * nothing. */
    void (*pack[2])(ns_real *out, const ns_real *in, size_t ld, size_t n, size_t K);
} NsGemmKernels;

/* Computes a tile of so many rows, and prefetches what this thread has asked for. */
static inline void ns_gemm_tile(const NsGemmKernels *kernels, NsGemmTile *t, size_t rows,
                                bool across)
{
    t->prefetch =
        ns_prefetch_take((t->K * kernels->prefetch_step + NS_PREFETCH_LINE - 1) / NS_PREFETCH_LINE);
    t->prefetch_step = t->prefetch ? kernels->prefetch_step : 0;
    if (!t->prefetch) t->prefetch = (uintptr_t)t->b; /* is there, and costs nothing */
    kernels->tiles[across][t->columns > kernels->vector_lanes][rows - 1](t);
}

/* Those for a set that is there; NULL for the portable one, which has none. */
const NsGemmKernels *ns_gemm_kernels(NsInstructions set);

/* The product of ns_gemm by these kernels.  Every element of C is summed in the order of k in
 * blocks that depend on K alone, so that its bits depend neither on where the matrices lie nor on M
 * and N. */
void ns_gemm_tiled(const NsGemmKernels *kernels, const NsGemm *g);

/* What ns_gemm_kernels returns, in files of their own. */
#ifdef NS_CLONES_X86
extern const NsGemmKernels ns_gemm_avx512, ns_gemm_avx2;
#endif
