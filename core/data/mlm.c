/* Batches of masked segments.  SPDX-License-Identifier: MIT */
#include "core/data/sampler.h"

#include <string.h>

/* [CLS], and [SEP] after each segment. */
#define SPECIAL NS_MLM_SPECIAL

/* Two segments in the tokens of a corpus. */
typedef struct {
    const uint16_t *first, *second;
    size_t n_first, n_second;
} Segments;

void ns_segments_write(NsBatch *batch, size_t b, size_t V, const uint16_t *first, size_t n_first,
                       const uint16_t *second, size_t n_second)
{
    size_t T = batch->T, space = T - SPECIAL;
    while (n_first + n_second > space) *(n_first > n_second ? &n_first : &n_second) -= 1;
    int32_t *tokens = batch->tokens + b * T, *at = tokens;
    *at++ = (int32_t)V + 1;
    for (size_t i = 0; i < n_first; i++) *at++ = first[i];
    *at++ = (int32_t)V + 2;
    batch->second[b] = (int32_t)(at - tokens);
    for (size_t i = 0; i < n_second; i++) *at++ = second[i];
    *at++ = (int32_t)V + 2;
    batch->length[b] = (int32_t)(at - tokens);
    for (size_t t = (size_t)batch->length[b]; t < T; t++) tokens[t] = 0;
    for (size_t t = 0; t < T; t++) batch->targets[b * T + t] = NS_NO_TARGET;
    batch->labels[b] = NS_NO_TARGET;
}

/* ---- Segments of a text ---- */

/* The training or the held-out part of a corpus: a range of tokens, or of pairs. */
typedef struct {
    size_t begin, end; /* indices of tokens, or of pairs */
} Part;

static Part part_of(const NsCorpus *corpus, bool training)
{
    if (corpus->pairs)
        return training ? (Part){0, corpus->n_train_pairs}
                        : (Part){corpus->n_train_pairs, corpus->n_pairs};
    return training ? (Part){0, corpus->n_train} : (Part){corpus->n_train, corpus->n};
}

/* The number of places at which the first segment of a sequence can begin. */
static size_t places(const NsCorpus *corpus, Part part, const NsBatch *batch)
{
    return part.end - part.begin - (corpus->pairs ? 0 : batch->T);
}

static Segments segments_at(const NsCorpus *corpus, size_t at, const NsBatch *batch)
{
    if (corpus->pairs) {
        const NsPair *pair = &corpus->pairs[at];
        return (Segments){corpus->tokens + pair->source, corpus->tokens + pair->target,
                          pair->source_length - 1, pair->target_length - 1}; /* without line ends */
    }
    size_t space = batch->T - SPECIAL, half = (space + 1) / 2;
    const uint16_t *from = corpus->tokens + at;
    return (Segments){from, from + half, half, space - half};
}

/* Writes sequence b, whose first segment begins at the given place of the part. */
static void take(const NsCorpus *corpus, Part part, size_t place, NsRng *rng, NsBatch *batch,
                 size_t b)
{
    Segments segments = segments_at(corpus, part.begin + place, batch);
    bool follows = !corpus->next_sentence || ns_rng_below(rng, 2);
    if (!follows) {
        size_t elsewhere = ns_rng_below(rng, places(corpus, part, batch));
        Segments others = segments_at(corpus, part.begin + elsewhere, batch);
        segments.second = others.second;
        segments.n_second = others.n_second;
    }
    ns_segments_write(batch, b, corpus->V, segments.first, segments.n_first, segments.second,
                      segments.n_second);
    if (corpus->next_sentence) batch->labels[b] = follows;
    size_t at = b * batch->T;
    ns_mask_tokens(batch->tokens + at, batch->targets + at, (size_t)batch->length[b], corpus->V,
                   rng);
}

static void train(const NsCorpus *corpus, uint64_t data_seed, uint64_t index, NsBatch *batch)
{
    NsRng rng;
    ns_rng_init(&rng, data_seed, ns_rng_stream("mlm") + index);
    Part part = part_of(corpus, true);
    for (size_t b = 0; b < batch->B; b++)
        take(corpus, part, ns_rng_below(&rng, places(corpus, part, batch)), &rng, batch, b);
}

/* Takes places that are spread evenly over the held-out part. */
static void validate(const NsCorpus *corpus, size_t index, size_t count, NsBatch *batch)
{
    NsRng rng;
    ns_rng_init(&rng, corpus->data_seed, ns_rng_stream("held-out mlm") + index);
    Part part = part_of(corpus, false);
    size_t all = count * batch->B;
    for (size_t b = 0; b < batch->B; b++)
        take(corpus, part, (index * batch->B + b) * places(corpus, part, batch) / all, &rng, batch,
             b);
}

static NsVocab vocab(const NsCorpus *corpus, const NsSettings *settings)
{
    (void)settings;
    return (NsVocab){.in = corpus->V + SPECIAL,
                     .out = corpus->V,
                     .segments = 2,
                     .classes = corpus->next_sentence ? 2 : 0};
}

const NsSampler ns_mlm_sampler = {.special[NS_ARCH_ENCODER] = NS_MASK_SYMBOL,
                                  .further = {NS_CLASS_SYMBOL, NS_SEPARATOR_SYMBOL},
                                  .vocab = vocab,
                                  .train = train,
                                  .validate = validate};
