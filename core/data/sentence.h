/* Sentences as tokens of a corpus of pairs, and back.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/corpus.h"

/* The token that ends a sentence; corpus->V begins one. */
int32_t ns_sentence_end(const NsCorpus *corpus);

/* The tokens (uint16_t) of a line, with the end; of a source those of ns_corpus_source.  Characters
 * without a token are left out and counted in *left_out.  The line is UTF-8 and has no line end. */
GArray *ns_sentence_encode(const NsCorpus *corpus, const char *line, size_t *left_out);

/* The line of n tokens without the end; words are one space apart.  Free with g_free. */
char *ns_sentence_text(const NsCorpus *corpus, const int32_t *tokens, size_t n);
