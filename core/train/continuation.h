/* How a model continues a prompt.  SPDX-License-Identifier: MIT
 *
 * Each token of a text is drawn from the probabilities of the model at the setting `temperature`,
 * with the same random numbers at every step and in every lane, so that what differs comes from the
 * weights, and the same weights give the same text.  At temperature 0, in translations and in
 * answers the most probable token is taken, of equally probable ones the first.
 *
 * A decoder reads the prompt and then its own tokens, at most as many as its sequence has.  When
 * these are full, it continues from the second half of them.  The decoder of an encoder-decoder
 * writes one sequence; the prompt is the source. */
#pragma once

#include "core/data/corpus.h"
#include "core/model/model.h"
#include "core/probe/history.h"

/* Maximum number of tokens of a continuation. */
#define NS_CONTINUATION_TOKENS 48

/* Whether models of this corpus can continue a text: they have a decoder, and tokens have a text.
 */
bool ns_continuation_is_possible(const NsCorpus *corpus);

/* The tokens (int32_t, at least one) of a text.  If it is empty or has no token of the corpus,
 * those at the beginning of the held-out data.  Free with g_array_unref. */
GArray *ns_prompt_tokens(const NsCorpus *corpus, const NsSettings *settings, const char *text);

/* Writes the text of a prompt, or the end of it if it is longer.  Returns whether a space follows
 * before another word. */
bool ns_prompt_text(const NsCorpus *corpus, const GArray *prompt, char *text, size_t size);

/* Continues a prompt with a model of this corpus, which is not changed, and sets the prompt and the
 * text of the continuation.  In a task with an answer as many tokens as that has; otherwise
 * NS_CONTINUATION_TOKENS, or up to the end of a sentence.  A model that has diverged writes
 * nothing.  NS_ERROR_MEMORY. */
bool ns_continue(NsModel *model, const NsCorpus *corpus, const NsSettings *settings,
                 const GArray *prompt, NsContinuation *continuation, GError **error);

/* The most probable tokens after a text, and their probabilities. */
#define NS_NEXT_TOKENS 5
typedef struct {
    char text[NS_TOKEN_TEXT]; /* as in ns_corpus_token_text */
    double probability;
} NsNextToken;

/* Finds the most probable next tokens after the tokens of a prompt, the most probable first.
 * Returns their number; 0 with NS_ERROR_MEMORY, or without an error if the model has diverged. */
size_t ns_next_tokens(NsModel *model, const NsCorpus *corpus, const GArray *prompt,
                      NsNextToken next[NS_NEXT_TOKENS], GError **error);
