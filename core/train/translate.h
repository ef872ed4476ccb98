/* Translates sentences.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/corpus.h"
#include "core/model/model.h"

typedef struct {
    const uint16_t *tokens;
    size_t length; /* at least 1, including the token that ends a sentence */
} NsSentence;

typedef struct {
    size_t beam;           /* 1: greedy */
    double length_penalty; /* alpha of core/model/beam.h */
} NsTranslating;

/* A translation has at most this many tokens more than its source.  Vaswani et al. 2017, 6.1. */
#define NS_TRANSLATION_MORE 50

/* Translates n sentences with a model of this corpus of pairs, on the threads of its team; the
 * model is not changed.  A source that is too long for the model is cut.  lines: [n], each to be
 * freed with g_free.  NS_ERROR_MEMORY. */
bool ns_translate(NsModel *model, const NsCorpus *corpus, const NsTranslating *how,
                  const NsSentence *sentences, size_t n, char **lines, GError **error);

/* The BLEU score of the greedy translations of at most `most` evenly spread held-out pairs.
 * NS_ERROR_MEMORY. */
bool ns_translate_held_out(NsModel *model, const NsCorpus *corpus, size_t most, double *bleu,
                           GError **error);

/* The greedy translation of a sentence, which includes its end token; NULL if there is no memory.
 * Free with g_free. */
char *ns_translate_sentence(NsModel *model, const NsCorpus *corpus, const int32_t *tokens,
                            size_t length);
