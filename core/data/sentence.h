/* Sentences as tokens of a corpus of pairs, and back.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/corpus.h"

/* The token that ends a sentence: the line end.  (Token corpus->V begins one.) */
int32_t ns_sentence_end(const NsCorpus *corpus);

/* The tokens (uint16_t) of a line, followed by ns_sentence_end; pass ns_corpus_source for a source
 * sentence.  Characters without a token are left out and counted in *left_out.  The line is UTF-8
 * and has no line end.  Free with g_array_unref. */
GArray *ns_sentence_encode(const NsCorpus *corpus, const char *line, size_t *left_out);

/* The text of n tokens, which do not include the sentence end; words are separated by one space.
 * Free with g_free. */
char *ns_sentence_text(const NsCorpus *corpus, const int32_t *tokens, size_t n);
