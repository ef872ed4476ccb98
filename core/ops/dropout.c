/* SPDX-License-Identifier: MIT */
#include "core/ops/dropout.h"

#include "core/base/rng.h"

/* Keeps this noise apart from every stream of the same seed. */
#define NOISE UINT32_C(0x6E6F6973)

static void draw(uint32_t out[4], const NsNoiseKey *key, uint32_t block)
{
    const uint32_t counter[4] = {block, key->sequence, key->place, (uint32_t)key->step};
    const uint32_t philox_key[2] = {
        (uint32_t)key->seed,
        (uint32_t)(key->seed >> 32) ^ (uint32_t)(key->step >> 32) ^ NOISE,
    };
    ns_philox(out, counter, philox_key);
}

/* Words below this drop. */
static uint32_t threshold(double rate)
{
    return (uint32_t)(rate * 0x1p32);
}

void ns_dropout(ns_real *x, size_t n, double rate, const NsNoiseKey *key)
{
    uint32_t below = threshold(rate);
    ns_real scale = (ns_real)(1 / (1 - rate));
    for (size_t i = 0; i < n; i += 4) {
        uint32_t words[4];
        draw(words, key, (uint32_t)(i / 4));
        for (size_t j = 0; j < 4 && i + j < n; j++)
            x[i + j] = words[j] < below ? 0 : x[i + j] * scale;
    }
}

double ns_drop_path(double rate, const NsNoiseKey *key)
{
    uint32_t words[4];
    draw(words, key, UINT32_MAX);
    return words[0] < threshold(rate) ? 0 : 1 / (1 - rate);
}
