/* SPDX-License-Identifier: MIT */
#include "core/base/rng.h"

#include <math.h>
#include <string.h>

#define TAU 6.283185307179586476925

void ns_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0;
        uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        uint32_t n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = n0;
        c2 = n2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
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

uint32_t ns_rng_u32(NsRng *rng)
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
    uint64_t high = ns_rng_u32(rng);
    return high << 32 | ns_rng_u32(rng);
}

uint64_t ns_rng_below(NsRng *rng, uint64_t n)
{
    /* The values below 2^64 mod n would make the small remainders likelier. */
    uint64_t least = -n % n, draw;
    do draw = next_u64(rng);
    while (draw < least);
    return draw % n;
}

double ns_rng_uniform(NsRng *rng)
{
    return ((double)(next_u64(rng) >> 12) + 0.5) * 0x1p-52;
}

double ns_rng_normal(NsRng *rng)
{
    double radius = sqrt(-2 * log(ns_rng_uniform(rng)));
    return radius * cos(TAU * ns_rng_uniform(rng));
}
