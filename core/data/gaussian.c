/* Batches whose inputs are all different.  SPDX-License-Identifier: MIT */
#include "core/data/sampler.h"

static void make(const NsCorpus *corpus, NsRng *rng, NsBatch *batch)
{
    size_t n = batch->B * batch->T;
    for (size_t i = 0; i < n; i++) {
        batch->tokens[i] = (int32_t)i;
        batch->targets[i] = (int32_t)ns_rng_below(rng, corpus->V);
    }
    for (size_t i = 0; i < batch->B * batch->S; i++) batch->source[i] = (int32_t)(n + i);
    for (size_t b = 0; b < batch->B; b++) {
        batch->length[b] = (int32_t)batch->T;
        if (batch->S > 0) batch->source_length[b] = (int32_t)batch->S;
    }
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
