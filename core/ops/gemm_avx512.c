/* SPDX-License-Identifier: MIT */
#include "core/ops/gemm_tiled.h"

#ifdef NS_CLONES_X86

#include <immintrin.h>

#define TARGET NS_AVX512
#define INLINE TARGET static inline __attribute__((always_inline))

/* 28 sums, two vectors of B and one of A fill 31 of the 32 registers.  A tile one vector wide can
 * have more rows: 16 rows hold a whole short sequence. */
enum { LANES = 64 / sizeof(ns_real), GROUP = 16 / sizeof(ns_real), ROWS = 14, TALL = 16 };

#ifdef NS_DOUBLE
typedef __m512d Vector;
typedef __mmask8 Mask;
#define V(op) _mm512_##op##_pd
#else
typedef __m512 Vector;
typedef __mmask16 Mask;
#define V(op) _mm512_##op##_ps
#endif

INLINE Mask mask_of(size_t n)
{
    return (Mask)((1u << n) - 1);
}

INLINE Vector load(const ns_real *p, Mask mask)
{
    return V(maskz_loadu)(mask, p);
}

INLINE void store(ns_real *p, Mask mask, Vector v)
{
    V(mask_storeu)(p, mask, v);
}

/* In double, too, elements are moved by the single-precision instructions, which only copy bits. */
INLINE __m128 quarter(const ns_real *p)
{
    return _mm_loadu_ps((const float *)p);
}

INLINE Vector gather(const ns_real *const *p, size_t k)
{
    __m512 v = _mm512_castps128_ps512(quarter(p[0] + k));
    v = _mm512_insertf32x4(v, quarter(p[GROUP] + k), 1);
    v = _mm512_insertf32x4(v, quarter(p[2 * GROUP] + k), 2);
    v = _mm512_insertf32x4(v, quarter(p[3 * GROUP] + k), 3);
#ifdef NS_DOUBLE
    return _mm512_castps_pd(v);
#else
    return v;
#endif
}

INLINE void transpose_groups(Vector v[GROUP])
{
#ifdef NS_DOUBLE
    Vector low = _mm512_unpacklo_pd(v[0], v[1]);
    v[1] = _mm512_unpackhi_pd(v[0], v[1]);
    v[0] = low;
#else
    __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(v[0], v[1]));
    __m512d b = _mm512_castps_pd(_mm512_unpackhi_ps(v[0], v[1]));
    __m512d c = _mm512_castps_pd(_mm512_unpacklo_ps(v[2], v[3]));
    __m512d d = _mm512_castps_pd(_mm512_unpackhi_ps(v[2], v[3]));
    v[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
    v[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
    v[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
    v[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
#endif
}

#include "core/ops/gemm_kernel.h"

// clang-format off
GEMM_TILE(1) GEMM_TILE(2) GEMM_TILE(3) GEMM_TILE(4) GEMM_TILE(5) GEMM_TILE(6) GEMM_TILE(7)
GEMM_TILE(8) GEMM_TILE(9) GEMM_TILE(10) GEMM_TILE(11) GEMM_TILE(12) GEMM_TILE(13) GEMM_TILE(14)
GEMM_NARROW(15) GEMM_NARROW(16)

#define ALL(kind) kind##_1, kind##_2, kind##_3, kind##_4, kind##_5, kind##_6, kind##_7, \
                  kind##_8, kind##_9, kind##_10, kind##_11, kind##_12, kind##_13, kind##_14
#define TALLER(kind) ALL(kind), kind##_15, kind##_16
// clang-format on

const NsGemmKernels ns_gemm_avx512 = {
    .vector_lanes = LANES,
    .rows = ROWS,
    .tall = TALL,
    .prefetch_step = NS_PREFETCH_LINE,
    .tiles = {{{TALLER(narrow)}, {ALL(wide)}}, {{TALLER(narrow_across)}, {ALL(wide_across)}}},
    .pack = {copy, transpose},
};

#endif
