/* SPDX-License-Identifier: MIT */
#include "core/ops/gemm_tiled.h"

#include <stdalign.h>
#include <string.h>

/* All sizes are in elements. */
enum {
    DEPTH = 256,                           /* rows of B that are packed at a time */
    BLOCK = (512 << 10) / sizeof(ns_real), /* of packed B, which stays in the second-level cache */
    SMALL = (32 << 10) / sizeof(ns_real),  /* of packed B, which stays in the first-level cache */
    NEAR = (32 << 10) / sizeof(ns_real),   /* of B for each lane, up to which it is read in place */
    FAR = 2048 / sizeof(ns_real),          /* row stride from which a transposed A is packed */
    ALIAS = 4096 / sizeof(ns_real),        /* row stride at which rows share a set of the cache */
    MOST_LANES = 64 / sizeof(ns_real),
};

const NsGemmKernels *ns_gemm_kernels(NsInstructions set)
{
#ifdef NS_CLONES_X86
    if (set == NS_INSTRUCTIONS_AVX512) return &ns_gemm_avx512;
    if (set == NS_INSTRUCTIONS_AVX2) return &ns_gemm_avx2;
#else
    (void)set;
#endif
    return NULL;
}

/* Rows k0 ... k0 + K of B times the matching columns of A, for columns n0 ... n0 + N of C. */
typedef struct {
    const NsGemmKernels *kernels;
    const NsGemm *g;
    size_t k0, K, n0, N;
} Part;

/* `packed`: space for the packed part of B, or NULL to read B in place; `rows`: the same for a tile
 * of A. */
static void multiply(const Part *p, ns_real *packed, ns_real *rows)
{
    const NsGemm *g = p->g;
    const NsGemmKernels *kernels = p->kernels;
    size_t vector_lanes = kernels->vector_lanes, width = 2 * vector_lanes;
    if (packed) {
        const ns_real *b = g->B + (g->tb ? p->n0 * g->ldb + p->k0 : p->k0 * g->ldb + p->n0);
        kernels->pack[g->tb](packed, b, g->ldb, p->N, p->K);
    }
    NsGemmTile t = {.b_stride = packed ? width : g->ldb,
                    .c_stride = g->ldc,
                    .K = p->K,
                    .alpha = g->alpha,
                    .beta = p->k0 ? 1 : g->beta};
    t.a_stride = !rows ? g->lda : g->ta ? width : p->K;
    size_t tiles = (g->M + kernels->rows - 1) / kernels->rows;
    for (size_t i = 0, m = 0; i < tiles; i++) {
        size_t height = g->M / tiles + (i < g->M % tiles);
        t.a = g->ta ? g->A + p->k0 * g->lda + m : g->A + m * g->lda + p->k0;
        if (rows && g->ta) kernels->pack[0](rows, t.a, g->lda, height, p->K);
        for (size_t r = 0; rows && !g->ta && r < height; r++)
            memcpy(rows + r * p->K, t.a + r * g->lda, p->K * sizeof *rows);
        if (rows) t.a = rows;
        for (size_t n = 0; n < p->N; n += width) {
            size_t at = p->n0 + n;
            t.columns = MIN(width, p->N - n);
            t.b = packed ? packed + n * p->K : g->B + p->k0 * g->ldb + at;
            t.c = g->C + m * g->ldc + at;
            t.bias = g->bias && !p->k0 ? g->bias + at : NULL;
            ns_gemm_tile(kernels, &t, height, g->ta);
        }
        m += height;
    }
}

/* A separate function, so that a small product does not touch a large stack frame. */
G_GNUC_NO_INLINE static void multiply_small(const Part *p)
{
    alignas(64) ns_real packed[SMALL];
    multiply(p, packed, NULL);
}

G_GNUC_NO_INLINE static void multiply_large(const NsGemmKernels *kernels, const NsGemm *g, size_t K)
{
    alignas(64) ns_real packed[BLOCK];
    alignas(64) ns_real rows[DEPTH * 2 * MOST_LANES];
    size_t width = 2 * kernels->vector_lanes;
    size_t blocks = K ? (K + DEPTH - 1) / DEPTH : 1, depth = (K + blocks - 1) / blocks;
    size_t columns = depth ? BLOCK / depth / width * width : g->N;
    bool near = !g->tb && K * g->ldb <= NEAR * kernels->vector_lanes && g->ldb % ALIAS != 0;
    bool far = g->lda % ALIAS == 0 || (g->ta && g->lda >= FAR && !near);
    for (size_t n = 0; n < g->N; n += columns)
        for (size_t b = 0, k = 0; b < blocks; b++, k += depth) {
            Part p = {kernels, g, k, MIN(depth, K - k), n, MIN(columns, g->N - n)};
            multiply(&p, near ? NULL : packed, far && p.N > 4 * width ? rows : NULL);
        }
}

void ns_gemm_tiled(const NsGemmKernels *kernels, const NsGemm *g)
{
    if (!g->M || !g->N) return;
    size_t K = g->alpha == 0 ? 0 : g->K;
    size_t width = 2 * kernels->vector_lanes, panels = (g->N + width - 1) / width;
    Part all = {kernels, g, 0, K, 0, g->N};
    if (!g->tb && K <= DEPTH && K * g->ldb <= 4 * SMALL)
        multiply(&all, NULL, NULL);
    else if (K <= DEPTH && K * panels * width <= SMALL)
        multiply_small(&all);
    else
        multiply_large(kernels, g, K);
}
