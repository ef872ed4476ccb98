/* Batches of windows of a text.  SPDX-License-Identifier: MIT */
#include "core/data/sampler.h"

#include <math.h>

/* Devlin et al. 2018, appendix A.1. */
#define MASKED 0.15
#define SHOW_MASK 80 /* percent of the targets */
#define SHOW_OTHER 10

/* Tokens of a window; each part of a text has at least one more. */
static size_t span(const NsBatch *batch)
{
    return batch->S + batch->T;
}

/* Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S. */
void ns_mask_tokens(int32_t *tokens, int32_t *targets, size_t n, size_t V, NsRng *rng)
{
    size_t left = 0;
    for (size_t t = 0; t < n; t++) {
        targets[t] = NS_NO_TARGET;
        if (tokens[t] < (int32_t)V) left++;
    }
    size_t wanted = (size_t)MAX(1, lround(MASKED * (double)left));
    for (size_t t = 0; t < n; t++) {
        if (tokens[t] >= (int32_t)V || ns_rng_below(rng, left--) >= wanted) continue;
        wanted--;
        targets[t] = tokens[t];
        uint64_t show = ns_rng_below(rng, 100);
        if (show < SHOW_MASK)
            tokens[t] = (int32_t)V;
        else if (show < SHOW_MASK + SHOW_OTHER)
            tokens[t] = (int32_t)ns_rng_below(rng, V);
    }
}

/* Makes sequence b from the window that begins at `start`.  `masks` draws the masked tokens of an
 * encoder. */
static void take_window(const NsCorpus *corpus, size_t start, NsRng *masks, NsBatch *batch,
                        size_t b)
{
    size_t T = batch->T, S = batch->S, V = corpus->V;
    const uint16_t *from = corpus->tokens + start;
    int32_t *tokens = batch->tokens + b * T, *targets = batch->targets + b * T;
    batch->length[b] = (int32_t)T;
    switch (corpus->arch) {
    case NS_ARCH_ENCODER:
        for (size_t t = 0; t < T; t++) tokens[t] = from[t];
        ns_mask_tokens(tokens, targets, T, V, masks);
        break;
    case NS_ARCH_ENCODER_DECODER:
        for (size_t s = 0; s < S; s++) batch->source[b * S + s] = from[s];
        batch->source_length[b] = (int32_t)S;
        for (size_t t = 0; t < T; t++) {
            tokens[t] = t > 0 ? from[S + t - 1] : (int32_t)V;
            targets[t] = from[S + t];
        }
        break;
    default:
        for (size_t t = 0; t < T; t++) {
            tokens[t] = from[t];
            targets[t] = from[t + 1];
        }
        break;
    }
}

/* The windows are the same for every architecture of the same span. */
static void train(const NsCorpus *corpus, uint64_t data_seed, uint64_t index, NsBatch *batch)
{
    NsRng starts, masks;
    ns_rng_init(&starts, data_seed, ns_rng_stream("batch") + index);
    ns_rng_init(&masks, data_seed, ns_rng_stream("mask") + index);
    for (size_t b = 0; b < batch->B; b++)
        take_window(corpus, ns_rng_below(&starts, corpus->n_train - span(batch)), &masks, batch, b);
}

static void validate(const NsCorpus *corpus, size_t index, size_t count, NsBatch *batch)
{
    NsRng masks;
    ns_rng_init(&masks, corpus->data_seed, ns_rng_stream("held-out mask") + index);
    size_t last = corpus->n - corpus->n_train - span(batch) - 1; /* start of the last window */
    size_t windows = count * batch->B;
    for (size_t b = 0; b < batch->B; b++) {
        size_t window = index * batch->B + b;
        size_t start = windows > 1 ? window * last / (windows - 1) : 0;
        take_window(corpus, corpus->n_train + start, &masks, batch, b);
    }
}

const NsSampler ns_text_sampler = {.special[NS_ARCH_ENCODER] = NS_MASK_SYMBOL,
                                   .special[NS_ARCH_ENCODER_DECODER] = NS_BEGIN_SYMBOL,
                                   .train = train,
                                   .validate = validate};
