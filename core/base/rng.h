/* Counter-based random numbers.  SPDX-License-Identifier: MIT
 *
 * Philox 4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3").  A stream is
 * identified by (seed, stream) and can be opened anywhere without affecting any other: the initial
 * value of a tensor depends only on the seed and the tensor's name, and a batch only on the seed
 * and its number.  Therefore a tensor that two models share starts with the same values in both. */
#pragma once

#include "core/base/real.h"

typedef struct {
    uint32_t key[2];
    uint32_t counter[4];
    uint32_t block[4]; /* the output of the current counter */
    unsigned used;     /* number of words of `block` already returned */
} NsRng;

/* A block of Philox 4x32-10, exposed for its published test vectors. */
void ns_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);

/* The state of a block during its rounds: first the counter, at the end the output. */
typedef struct {
    uint32_t c0, c1, c2, c3;
} NsPhiloxBlock;

__attribute__((always_inline)) static inline NsPhiloxBlock
ns_philox_round(NsPhiloxBlock b, const uint32_t key[2], uint32_t round)
{
    uint64_t p0 = (uint64_t)0xD2511F53u * b.c0;
    uint64_t p1 = (uint64_t)0xCD9E8D57u * b.c2;
    return (NsPhiloxBlock){
        (uint32_t)(p1 >> 32) ^ b.c1 ^ (key[0] + round * 0x9E3779B9u), (uint32_t)p1,
        (uint32_t)(p0 >> 32) ^ b.c3 ^ (key[1] + round * 0xBB67AE85u), (uint32_t)p0};
}

/* A block of Philox 4x32-10, inline so that loops over counters are vectorized.  Unrolled by hand,
 * since an inner loop would prevent that. */
__attribute__((always_inline)) static inline NsPhiloxBlock ns_philox_block(NsPhiloxBlock b,
                                                                           const uint32_t key[2])
{
    b = ns_philox_round(ns_philox_round(b, key, 0), key, 1);
    b = ns_philox_round(ns_philox_round(b, key, 2), key, 3);
    b = ns_philox_round(ns_philox_round(b, key, 4), key, 5);
    b = ns_philox_round(ns_philox_round(b, key, 6), key, 7);
    return ns_philox_round(ns_philox_round(b, key, 8), key, 9);
}

void ns_rng_init(NsRng *rng, uint64_t seed, uint64_t stream);

/* Returns the stream number of a name (64-bit FNV-1a). */
uint64_t ns_rng_stream(const char *name);

/* Uniform on [0, n), without bias; n >= 1. */
uint64_t ns_rng_below(NsRng *rng, uint64_t n);

/* Uniform on the open interval (0, 1). */
double ns_rng_uniform(NsRng *rng);

/* Standard normal (Box and Muller 1958). */
double ns_rng_normal(NsRng *rng);

/* Fill x with elements first ... first + n - 1 of a new stream: the values of ns_rng_normal times
 * `std`, or the values of ns_rng_uniform scaled to the interval (-most, most).  Give the same bits
 * as calling those functions one by one, several times as fast.  Overwrite x: [n]. */
void ns_rng_fill_normal(ns_real *x, size_t n, size_t first, double std, uint64_t seed,
                        uint64_t stream);
void ns_rng_fill_uniform(ns_real *x, size_t n, size_t first, double most, uint64_t seed,
                         uint64_t stream);
