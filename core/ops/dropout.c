/* SPDX-License-Identifier: MIT */
#include "core/ops/dropout.h"

#include "core/base/clones.h"
#include "core/base/rng.h"

/* Separates this noise from every random stream of the same seed. */
#define NOISE UINT32_C(0x6E6F6973)

enum { BLOCKS = 16, WORDS = 4 * BLOCKS };

/* Computes BLOCKS blocks starting with block `first`.  words[w][l] is word w of block l, the layout
 * that vector code needs. */
NS_CLONES(static, draw,
          (uint32_t words[4][BLOCKS], const NsNoiseKey *key, uint32_t first), (words, key, first))
{
    const uint32_t philox_key[2] = {
        (uint32_t)key->seed,
        (uint32_t)(key->seed >> 32) ^ (uint32_t)(key->step >> 32) ^ NOISE,
    };
#pragma omp simd
    for (uint32_t l = 0; l < BLOCKS; l++) {
        NsPhiloxBlock block = ns_philox_block(
            (NsPhiloxBlock){first + l, key->sequence, key->place, (uint32_t)key->step}, philox_key);
        words[0][l] = block.c0;
        words[1][l] = block.c1;
        words[2][l] = block.c2;
        words[3][l] = block.c3;
    }
}

/* Words below this value drop the element. */
static uint32_t threshold(double rate)
{
    return (uint32_t)(rate * 0x1p32);
}

/* Element i uses word i % 4 of block i / 4. */
NS_CLONES(extern, ns_dropout,
          (ns_real *x, size_t n, double rate, const NsNoiseKey *key), (x, n, rate, key))
{
    uint32_t below = threshold(rate);
    ns_real scale = (ns_real)(1 / (1 - rate));
    for (size_t start = 0; start < n; start += WORDS) {
        uint32_t words[4][BLOCKS];
        ns_real factor[WORDS];
        draw(words, key, (uint32_t)(start / 4));
#pragma omp simd
        for (int l = 0; l < BLOCKS; l++)
            for (int w = 0; w < 4; w++) factor[4 * l + w] = words[w][l] < below ? 0 : scale;
        size_t count = MIN(WORDS, n - start);
#pragma omp simd
        for (size_t i = 0; i < count; i++) x[start + i] = factor[i] > 0 ? x[start + i] * scale : 0;
    }
}

double ns_drop_path(double rate, const NsNoiseKey *key)
{
    uint32_t words[4][BLOCKS];
    draw(words, key, UINT32_MAX);
    return words[0][0] < threshold(rate) ? 0 : 1 / (1 - rate);
}
