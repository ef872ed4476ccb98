/* Batches of sentences and their translations.  SPDX-License-Identifier: MIT */
#include "core/data/pair_lengths.h"
#include "core/data/sampler.h"

#include <string.h>

static void copy(int32_t *to, const uint16_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] = from[i];
}

static void take_pair(const NsCorpus *corpus, const NsPair *pair, NsBatch *batch, size_t b)
{
    size_t T = batch->T, S = batch->S, n = pair->target_length;
    int32_t *tokens = batch->tokens + b * T, *targets = batch->targets + b * T;
    int32_t *source = batch->source + b * S;
    memset(source, 0, S * sizeof *source);
    memset(tokens, 0, T * sizeof *tokens);
    for (size_t t = n; t < T; t++) targets[t] = NS_NO_TARGET;
    copy(source, ns_corpus_source(corpus)->tokens + pair->source, pair->source_length);
    copy(targets, corpus->tokens + pair->target, n);
    tokens[0] = (int32_t)corpus->V;
    copy(tokens + 1, corpus->tokens + pair->target, n - 1);
    batch->source_length[b] = (int32_t)pair->source_length;
    batch->length[b] = (int32_t)n;
}

/* Draws pairs of similar length. */
static void train_group(const NsCorpus *corpus, NsRng *rng, NsBatch *batch)
{
    NsPairGroup group = ns_pair_lengths_draw(corpus->lengths, batch->room, rng);
    batch->B = group.B;
    batch->T = group.T;
    batch->S = group.S;
    for (size_t b = 0; b < batch->B; b++) {
        size_t i = group.first + ns_rng_below(rng, group.n);
        take_pair(corpus, &corpus->pairs[ns_pair_lengths_pair(corpus->lengths, i)], batch, b);
    }
}

static void train(const NsCorpus *corpus, uint64_t data_seed, uint64_t index, NsBatch *batch)
{
    NsRng rng;
    ns_rng_init(&rng, data_seed, ns_rng_stream("pairs") + index);
    if (batch->room) {
        train_group(corpus, &rng, batch);
        return;
    }
    for (size_t b = 0; b < batch->B; b++)
        take_pair(corpus, &corpus->pairs[ns_rng_below(&rng, corpus->n_train_pairs)], batch, b);
}

/* Takes pairs that are spread evenly over the held-out ones. */
static void validate(const NsCorpus *corpus, size_t index, size_t count, NsBatch *batch)
{
    size_t held_out = corpus->n_pairs - corpus->n_train_pairs, all = count * batch->B;
    for (size_t b = 0; b < batch->B; b++) {
        size_t at = (index * batch->B + b) * held_out / all;
        take_pair(corpus, &corpus->pairs[corpus->n_train_pairs + at], batch, b);
    }
}

const NsSampler ns_pairs_sampler = {
    .special[NS_ARCH_ENCODER_DECODER] = NS_BEGIN_SYMBOL, .train = train, .validate = validate};
