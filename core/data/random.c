/* Batches of random tokens.  SPDX-License-Identifier: MIT */
#include "core/data/sampler.h"

#include <string.h>

static void draw(int32_t *symbols, size_t n, size_t V, NsRng *rng)
{
    for (size_t i = 0; i < n; i++) symbols[i] = (int32_t)ns_rng_below(rng, V);
}

static void make(const NsCorpus *corpus, NsRng *rng, NsBatch *batch, size_t b)
{
    size_t T = batch->T, S = batch->S;
    int32_t *tokens = batch->tokens + b * T, *targets = batch->targets + b * T;
    draw(tokens, T, corpus->V, rng);
    /* An encoder sees the next token, so its targets are drawn independently. */
    bool next = corpus->arch != NS_ARCH_ENCODER;
    if (next) memcpy(targets, tokens + 1, (T - 1) * sizeof *targets);
    draw(next ? targets + T - 1 : targets, next ? 1 : T, corpus->V, rng);
    batch->length[b] = (int32_t)T;
    if (S == 0) return;
    draw(batch->source + b * S, S, corpus->V, rng);
    batch->source_length[b] = (int32_t)S;
}

const NsSampler ns_random_sampler = {
    .stream = "random", .held_out_stream = "held-out random", .make = make};
