/* Translating sentences.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/corpus.h"
#include "core/model/model.h"

typedef struct {
    const uint16_t *tokens;
    size_t length; /* at least 1, with the token that ends a sentence */
} NsSentence;

typedef struct {
    size_t beam;           /* 1: greedy */
    double length_penalty; /* alpha of core/model/beam.h */
} NsTranslating;

/* A translation has at most so many tokens more than its source.  Vaswani et al. 2017, 6.1. */
#define NS_TRANSLATION_MORE 50

/* The translations of n sentences by a model of this corpus of pairs, which stays unchanged, on the
 * threads of its team.  Of a source that is longer than the model's the beginning is translated.
 * lines: [n], each to be freed with g_free.  NS_ERROR_MEMORY. */
bool ns_translate(NsModel *model, const NsCorpus *corpus, const NsTranslating *how,
                  const NsSentence *sentences, size_t n, char **lines, GError **error);

/* The BLEU score of the greedy translations of at most so many pairs that are held out, evenly
 * spaced.  NS_ERROR_MEMORY. */
bool ns_translate_held_out(NsModel *model, const NsCorpus *corpus, size_t most, double *bleu,
                           GError **error);

/* The greedy translation of a sentence with its end; NULL where there is no memory.  Free with
 * g_free. */
char *ns_translate_sentence(NsModel *model, const NsCorpus *corpus, const int32_t *tokens,
                            size_t length);
