/* SPDX-License-Identifier: MIT */
#include "core/base/rng.h"

#include "core/base/clones.h"

#include <math.h>
#include <string.h>

#define TAU 6.283185307179586476925

void ns_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2])
{
    NsPhiloxBlock b =
        ns_philox_block((NsPhiloxBlock){counter[0], counter[1], counter[2], counter[3]}, key);
    out[0] = b.c0;
    out[1] = b.c1;
    out[2] = b.c2;
    out[3] = b.c3;
}

void ns_rng_init(NsRng *rng, uint64_t seed, uint64_t stream)
{
    *rng = (NsRng){
        .key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
        .counter = {0, 0, (uint32_t)stream, (uint32_t)(stream >> 32)},
        .used = 4,
    };
}

uint64_t ns_rng_stream(const char *name)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 0x100000001B3u;
    return hash;
}

static uint32_t next_u32(NsRng *rng)
{
    if (rng->used == 4) {
        ns_philox(rng->block, rng->counter, rng->key);
        if (++rng->counter[0] == 0) rng->counter[1]++;
        rng->used = 0;
    }
    return rng->block[rng->used++];
}

static uint64_t next_u64(NsRng *rng)
{
    uint64_t high = next_u32(rng);
    return high << 32 | next_u32(rng);
}

uint64_t ns_rng_below(NsRng *rng, uint64_t n)
{
    /* Values below 2^64 mod n would make the small remainders more likely. */
    uint64_t least = -n % n, draw;
    do draw = next_u64(rng);
    while (draw < least);
    return draw % n;
}

/* Uniform on (0, 1), from 52 of the 64 bits. */
static double uniform(uint64_t bits)
{
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

/* Box and Muller 1958. */
static double normal(uint64_t a, uint64_t b)
{
    double radius = sqrt(-2 * log(uniform(a)));
    return radius * cos(TAU * uniform(b));
}

double ns_rng_uniform(NsRng *rng)
{
    return uniform(next_u64(rng));
}

double ns_rng_normal(NsRng *rng)
{
    uint64_t a = next_u64(rng), b = next_u64(rng);
    return normal(a, b);
}

/* ---- Many at once ---- */

/* Number of blocks of a stream that are drawn at a time. */
#define CHUNK ((size_t)256)

/* Draws blocks first ... first + n - 1; a and b are their two halves. */
NS_CLONES(static, draw,
          (uint64_t *restrict a, uint64_t *restrict b, size_t n, size_t first, uint64_t seed,
           uint64_t stream),
          (a, b, n, first, seed, stream))
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t low = (uint32_t)stream, high = (uint32_t)(stream >> 32);
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        uint64_t at = first + i;
        NsPhiloxBlock block =
            ns_philox_block((NsPhiloxBlock){(uint32_t)at, (uint32_t)(at >> 32), low, high}, key);
        a[i] = (uint64_t)block.c0 << 32 | block.c1;
        b[i] = (uint64_t)block.c2 << 32 | block.c3;
    }
}

static inline double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The bits of 2^52 as a double; with an integer i < 2^52 in the low bits, they are those of 2^52 +
 * i. */
#define INTEGER (UINT64_C(0x433) << 52)

static inline double uniform_wide(uint64_t bits)
{
    return (double_of(bits >> 12 | INTEGER) - 0x1p52 + 0.5) * 0x1p-52;
}

/* log u for a positive normal u, with a relative error of 2^-44.  It is computed as power log 2 +
 * log m with m between 1 / sqrt(2) and sqrt(2), and log m as 2 artanh((m - 1) / (m + 1)). */
static inline double log_wide(double u)
{
    uint64_t bits = bits_of(u);
    double power = double_of(bits >> 52 | INTEGER) - (0x1p52 + 1023);
    double m = double_of((bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(0x3FF) << 52);
    bool large = m > M_SQRT2;
    m = large ? 0.5 * m : m;
    power = large ? power + 1 : power;
    double s = (m - 1) / (m + 1), z = s * s;
    double series = 1.0 / 13 + z * (1.0 / 15);
    series = 1.0 / 9 + z * (1.0 / 11 + z * series);
    series = 1.0 / 5 + z * (1.0 / 7 + z * series);
    return power * M_LN2 + 2 * s * (1 + z * (1.0 / 3 + z * series));
}

/* cos(2 pi u) for u in (0, 1), with an error of 2^-44.  u is reduced to within 1/8 of a multiple of
 * 1/4; then the series of cos or sin is used. */
static inline double cos_wide(double u)
{
    double quarter = 4 * u + 0x1.8p52 - 0x1.8p52;
    double x = TAU * (u - 0.25 * quarter), z = x * x;
    double even = 1.0 / 479001600 - z * (1.0 / 87178291200);
    even = 1.0 / 40320 - z * (1.0 / 3628800 - z * even);
    even = 1 - z * (1.0 / 2 - z * (1.0 / 24 - z * (1.0 / 720 - z * even)));
    double odd = 1.0 / 362880 - z * (1.0 / 39916800 - z * (1.0 / 6227020800));
    odd = x * (1 - z * (1.0 / 6 - z * (1.0 / 120 - z * (1.0 / 5040 - z * odd))));
    bool sine = quarter == 1 || quarter == 3, negative = quarter == 1 || quarter == 2;
    double value = sine ? odd : even;
    return negative ? -value : value;
}

/* An upper bound, with a large safety factor, on the difference between these two functions and
 * those of the C library, relative to the radius. */
#define MARGIN 0x1p-40

/* x[i] = std normal(a[i], b[i]).  doubt[i] is nonzero if an error within the margin could change
 * x[i]. */
NS_CLONES(static, normals,
          (ns_real *restrict x, uint64_t *restrict doubt, const uint64_t *restrict a,
           const uint64_t *restrict b, double std, size_t n),
          (x, doubt, a, b, std, n))
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double radius = sqrt(-2 * log_wide(uniform_wide(a[i])));
        double y = radius * cos_wide(uniform_wide(b[i])), margin = MARGIN * radius;
        ns_real low = (ns_real)(std * (y - margin)), high = (ns_real)(std * (y + margin));
        x[i] = low;
        doubt[i] = low != high;
    }
}

void ns_rng_fill_normal(ns_real *x, size_t n, size_t first, double std, uint64_t seed,
                        uint64_t stream)
{
    uint64_t a[CHUNK], b[CHUNK], doubt[CHUNK];
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t m = MIN(CHUNK, n - start);
        draw(a, b, m, first + start, seed, stream);
        normals(x + start, doubt, a, b, std, m);
        for (size_t i = 0; i < m; i++)
            if (doubt[i]) x[start + i] = (ns_real)(std * normal(a[i], b[i]));
    }
}

NS_CLONES(static, stretch,
          (ns_real *restrict x, const uint64_t *restrict bits, double most, size_t n),
          (x, bits, most, n))
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) x[i] = (ns_real)(most * (2 * uniform_wide(bits[i]) - 1));
}

void ns_rng_fill_uniform(ns_real *x, size_t n, size_t first, double most, uint64_t seed,
                         uint64_t stream)
{
    uint64_t a[CHUNK], b[CHUNK], bits[2 * CHUNK];
    size_t done = 0;
    while (done < n) {
        /* A block holds two numbers; the first one may come before element `first`. */
        size_t skipped = (first + done) % 2, m = MIN(2 * CHUNK - skipped, n - done);
        draw(a, b, CHUNK, (first + done) / 2, seed, stream);
        for (size_t i = 0; i < CHUNK; i++) {
            bits[2 * i] = a[i];
            bits[2 * i + 1] = b[i];
        }
        stretch(x + done, bits + skipped, most, m);
        done += m;
    }
}
