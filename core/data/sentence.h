/* Texts as tokens of a corpus, and back.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/corpus.h"

/* The tokens (uint16_t) of a UTF-8 text, for a corpus of characters or of subwords.  Characters
 * without a token are left out and counted in *left_out; the text of a special symbol is that
 * symbol.  Free with g_array_unref. */
GArray *ns_text_encode(const NsCorpus *corpus, const char *text, size_t *left_out);

/* Appends the text of n tokens.  *space, false before the first token, is whether the word before
 * them has ended, so that a text can be appended in parts.  The bytes of a byte-level encoding may
 * end within a character. */
void ns_tokens_append(const NsCorpus *corpus, const int32_t *tokens, size_t n, bool *space,
                      GString *text);

/* ---- Sentences of a corpus of pairs ---- */

/* The token that ends a sentence: the line end.  (Token corpus->V begins one.) */
int32_t ns_sentence_end(const NsCorpus *corpus);

/* ns_text_encode of a line, followed by ns_sentence_end; pass ns_corpus_source for a source
 * sentence.  The line has no line end. */
GArray *ns_sentence_encode(const NsCorpus *corpus, const char *line, size_t *left_out);

/* The text of n tokens, which do not include the sentence end; words are separated by one space.
 * Free with g_free. */
char *ns_sentence_text(const NsCorpus *corpus, const int32_t *tokens, size_t n);
