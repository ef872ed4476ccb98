/* Batches of windows of a text, and of masked segments.  SPDX-License-Identifier: MIT */
#include "core/data/sampler.h"

#include <math.h>
#include <string.h>

/* Devlin et al. 2018, appendix A.1. */
#define MASKED 0.15
#define SHOW_MASK 80 /* percent of the targets */
#define SHOW_OTHER 10

/* Tokens of a window; each part of a text has at least one more. */
static size_t span(const NsBatch *batch)
{
    return batch->S + batch->T;
}

/* Masks n tokens of a text in place.  Special tokens, V and above, are never masked; of the others
 * exactly 15 %, at least one, are drawn uniformly.  They become targets, and each is replaced by
 * the mask symbol V with a probability of 80 %, by a random token with 10 %, and unchanged with
 * 10 %.  Devlin et al. 2018, arXiv 1810.04805, appendix A.1; Knuth, The Art of Computer Programming
 * 2, 3.4.2, algorithm S. */
static void mask_tokens(int32_t *tokens, int32_t *targets, size_t n, size_t V, NsRng *rng)
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
        mask_tokens(tokens, targets, T, V, masks);
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

/* ---- Two segments ---- */

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
    mask_tokens(batch->tokens + at, batch->targets + at, (size_t)batch->length[b], corpus->V, rng);
}

static void train_segments(const NsCorpus *corpus, uint64_t data_seed, uint64_t index,
                           NsBatch *batch)
{
    NsRng rng;
    ns_rng_init(&rng, data_seed, ns_rng_stream("mlm") + index);
    Part part = part_of(corpus, true);
    for (size_t b = 0; b < batch->B; b++)
        take(corpus, part, ns_rng_below(&rng, places(corpus, part, batch)), &rng, batch, b);
}

/* Takes places that are spread evenly over the held-out part. */
static void validate_segments(const NsCorpus *corpus, size_t index, size_t count, NsBatch *batch)
{
    NsRng rng;
    ns_rng_init(&rng, corpus->data_seed, ns_rng_stream("held-out mlm") + index);
    Part part = part_of(corpus, false);
    size_t all = count * batch->B;
    for (size_t b = 0; b < batch->B; b++)
        take(corpus, part, (index * batch->B + b) * places(corpus, part, batch) / all, &rng, batch,
             b);
}

static NsVocab segment_vocab(const NsCorpus *corpus, const NsSettings *settings)
{
    (void)settings;
    return (NsVocab){.in = corpus->V + SPECIAL,
                     .out = corpus->V,
                     .segments = 2,
                     .classes = corpus->next_sentence ? 2 : 0};
}

const NsSampler ns_mlm_sampler = {.special[NS_ARCH_ENCODER] = NS_MASK_SYMBOL,
                                  .further = {NS_CLASS_SYMBOL, NS_SEPARATOR_SYMBOL},
                                  .vocab = segment_vocab,
                                  .train = train_segments,
                                  .validate = validate_segments};
