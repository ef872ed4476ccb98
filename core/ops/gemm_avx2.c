/* SPDX-License-Identifier: MIT */
#include "core/ops/gemm_tiled.h"

#ifdef NS_CLONES_X86

#include <immintrin.h>

#define TARGET NS_AVX2
#define INLINE TARGET static inline __attribute__((always_inline))

/* 12 sums, two vectors of B and one of A fill 15 of the 16 registers. */
enum { LANES = 32 / sizeof(ns_real), GROUP = 16 / sizeof(ns_real), ROWS = 6, TALL = ROWS };

typedef __m256i Mask;
#ifdef NS_DOUBLE
typedef __m256d Vector;
#define V(op) _mm256_##op##_pd
#else
typedef __m256 Vector;
#define V(op) _mm256_##op##_ps
#endif

INLINE Mask mask_of(size_t n)
{
    static const int bits[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    size_t words = sizeof(ns_real) / sizeof *bits;
    return _mm256_loadu_si256((const __m256i *)(const void *)(bits + 8 - n * words));
}

INLINE Vector load(const ns_real *p, Mask mask)
{
    return V(maskload)(p, mask);
}

INLINE void store(ns_real *p, Mask mask, Vector v)
{
    V(maskstore)(p, mask, v);
}

/* In double, too, elements are moved by the single-precision instructions, which only copy bits. */
INLINE __m128 half(const ns_real *p)
{
    return _mm_loadu_ps((const float *)p);
}

INLINE Vector gather(const ns_real *const *p, size_t k)
{
    __m256 v = _mm256_castps128_ps256(half(p[0] + k));
    v = _mm256_insertf128_ps(v, half(p[GROUP] + k), 1);
#ifdef NS_DOUBLE
    return _mm256_castps_pd(v);
#else
    return v;
#endif
}

INLINE void transpose_groups(Vector v[GROUP])
{
#ifdef NS_DOUBLE
    Vector low = _mm256_unpacklo_pd(v[0], v[1]);
    v[1] = _mm256_unpackhi_pd(v[0], v[1]);
    v[0] = low;
#else
    __m256d a = _mm256_castps_pd(_mm256_unpacklo_ps(v[0], v[1]));
    __m256d b = _mm256_castps_pd(_mm256_unpackhi_ps(v[0], v[1]));
    __m256d c = _mm256_castps_pd(_mm256_unpacklo_ps(v[2], v[3]));
    __m256d d = _mm256_castps_pd(_mm256_unpackhi_ps(v[2], v[3]));
    v[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, c));
    v[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, c));
    v[2] = _mm256_castpd_ps(_mm256_unpacklo_pd(b, d));
    v[3] = _mm256_castpd_ps(_mm256_unpackhi_pd(b, d));
#endif
}

#include "core/ops/gemm_kernel.h"

// clang-format off
GEMM_TILE(1) GEMM_TILE(2) GEMM_TILE(3) GEMM_TILE(4) GEMM_TILE(5) GEMM_TILE(6)

#define ALL(kind) {kind##_1, kind##_2, kind##_3, kind##_4, kind##_5, kind##_6}
// clang-format on

const NsGemmKernels ns_gemm_avx2 = {
    .vector_lanes = LANES,
    .rows = ROWS,
    .tall = TALL,
    .prefetch_step = NS_PREFETCH_LINE / 4, /* a tile is about a quarter of an AVX-512 tile */
    .tiles = {{ALL(narrow), ALL(wide)}, {ALL(narrow_across), ALL(wide_across)}},
    .pack = {copy, transpose},
};

#endif
