/* Batches in which every position has an input symbol of its own.  SPDX-License-Identifier: MIT */
#include "core/data/sampler.h"

static void make(const NsCorpus *corpus, NsRng *rng, NsBatch *batch, size_t b)
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

static NsVocab vocab(const NsCorpus *corpus, const NsSettings *settings)
{
    int64_t inputs =
        ns_settings_batch(settings) * (settings->seq + ns_settings_source_seq(settings));
    return (NsVocab){.in = (size_t)inputs, .out = corpus->V};
}

const NsSampler ns_gaussian_sampler = {.nameless = true,
                                       .vocab = vocab,
                                       .stream = "gaussian",
                                       .held_out_stream = "held-out gaussian",
                                       .make = make};
