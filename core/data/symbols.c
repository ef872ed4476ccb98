/* Batches of generated symbols, with answers to them or without.  SPDX-License-Identifier: MIT */
#include "core/data/sampler.h"

#include <stdlib.h>
#include <string.h>

static void copy(int32_t *answer, const int32_t *symbols, size_t n)
{
    memcpy(answer, symbols, n * sizeof *answer);
}

static void reverse(int32_t *answer, const int32_t *symbols, size_t n)
{
    for (size_t i = 0; i < n; i++) answer[i] = symbols[n - 1 - i];
}

static int compare(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

static void sort(int32_t *answer, const int32_t *symbols, size_t n)
{
    memcpy(answer, symbols, n * sizeof *answer);
    qsort(answer, n, sizeof *answer, compare);
}

static void draw(const NsCorpus *corpus, int32_t *symbols, size_t n, NsRng *rng)
{
    for (size_t i = 0; i < n; i++) symbols[i] = (int32_t)ns_rng_below(rng, corpus->V);
}

/* The inputs of a decoder with n targets: the special symbol V, then the targets without the last.
 */
static void shift_right(const NsCorpus *corpus, int32_t *tokens, const int32_t *targets, size_t n)
{
    tokens[0] = (int32_t)corpus->V;
    memcpy(tokens + 1, targets, (n - 1) * sizeof *tokens);
}

static void make(const NsCorpus *corpus, NsRng *rng, NsBatch *batch, size_t b)
{
    void (*answer)(int32_t *, const int32_t *, size_t) = corpus->sampler->answer;
    size_t T = batch->T, S = batch->S, most = T;
    if (corpus->arch == NS_ARCH_ENCODER_DECODER) most = MIN(S, T);
    if (corpus->arch == NS_ARCH_DECODER) most = T / 2;
    size_t least = (most + 1) / 2;
    size_t n = least + ns_rng_below(rng, most - least + 1);
    int32_t *tokens = batch->tokens + b * T, *targets = batch->targets + b * T;
    memset(tokens, 0, T * sizeof *tokens);
    for (size_t t = 0; t < T; t++) targets[t] = NS_NO_TARGET;

    switch (corpus->arch) {
    case NS_ARCH_ENCODER:
        draw(corpus, tokens, n, rng);
        answer(targets, tokens, n);
        batch->length[b] = (int32_t)n;
        break;
    case NS_ARCH_ENCODER_DECODER: {
        int32_t *source = batch->source + b * S;
        memset(source, 0, S * sizeof *source);
        draw(corpus, source, n, rng);
        batch->source_length[b] = (int32_t)n;
        answer(targets, source, n);
        shift_right(corpus, tokens, targets, n);
        batch->length[b] = (int32_t)n;
        break;
    }
    default:
        draw(corpus, tokens, n, rng);
        answer(targets + n, tokens, n);
        shift_right(corpus, tokens + n, targets + n, n);
        batch->length[b] = (int32_t)(2 * n);
        break;
    }
}

#define SAMPLER(transform)                                                                         \
    {                                                                                              \
        .special[NS_ARCH_DECODER] = NS_SEPARATOR,                                                  \
        .special[NS_ARCH_ENCODER_DECODER] = NS_BEGIN_SYMBOL, .stream = "symbols",                  \
        .held_out_stream = "held-out symbols", .make = make, .answer = transform                   \
    }
const NsSampler ns_copy_sampler = SAMPLER(copy);
const NsSampler ns_reverse_sampler = SAMPLER(reverse);
const NsSampler ns_sort_sampler = SAMPLER(sort);

/* ---- Random tokens ---- */

static void make_random(const NsCorpus *corpus, NsRng *rng, NsBatch *batch, size_t b)
{
    size_t T = batch->T, S = batch->S;
    int32_t *tokens = batch->tokens + b * T, *targets = batch->targets + b * T;
    draw(corpus, tokens, T, rng);
    /* An encoder sees the next token, so its targets are drawn independently. */
    bool next = corpus->arch != NS_ARCH_ENCODER;
    if (next) memcpy(targets, tokens + 1, (T - 1) * sizeof *targets);
    draw(corpus, next ? targets + T - 1 : targets, next ? 1 : T, rng);
    batch->length[b] = (int32_t)T;
    if (S == 0) return;
    draw(corpus, batch->source + b * S, S, rng);
    batch->source_length[b] = (int32_t)S;
}

const NsSampler ns_random_sampler = {
    .stream = "random", .held_out_stream = "held-out random", .make = make_random};

/* ---- An input symbol of its own for every position ---- */

static void make_inputs(const NsCorpus *corpus, NsRng *rng, NsBatch *batch, size_t b)
{
    size_t T = batch->T, S = batch->S;
    for (size_t i = b * T; i < (b + 1) * T; i++) {
        batch->tokens[i] = (int32_t)i;
        batch->targets[i] = (int32_t)ns_rng_below(rng, corpus->V);
    }
    batch->length[b] = (int32_t)T;
    for (size_t i = b * S; i < (b + 1) * S; i++) batch->source[i] = (int32_t)(batch->B * T + i);
    if (S > 0) batch->source_length[b] = (int32_t)S;
}

static NsVocab vocab_of_inputs(const NsCorpus *corpus, const NsSettings *settings)
{
    int64_t inputs =
        ns_settings_batch(settings) * (settings->seq + ns_settings_source_seq(settings));
    return (NsVocab){.in = (size_t)inputs, .out = corpus->V};
}

const NsSampler ns_gaussian_sampler = {.nameless = true,
                                       .vocab = vocab_of_inputs,
                                       .stream = "gaussian",
                                       .held_out_stream = "held-out gaussian",
                                       .make = make_inputs};
