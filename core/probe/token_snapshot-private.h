/* Filling a snapshot of tokens and heads in.  SPDX-License-Identifier: MIT
 *
 * Internal to core/probe. */
#pragma once

#include "core/probe/states.h"
#include "core/probe/token_snapshot.h"

/* Of the i-th of snapshot->states: writes mean, tokens, beyond and count. */
void ns_token_snapshot_tokens(NsTokenSnapshot *snapshot, size_t i, const NsModel *model,
                              const NsStateSource *source);

/* Chooses the heads whose attention is kept, of a model with so many layers (`first_stack` of them
 * in the first stack) and heads; the layers evenly spread, the first and the last included.  Behind
 * an encoder every layer of the decoder has cross-attention, too. */
void ns_token_snapshot_choose(NsTokenSnapshot *snapshot, size_t layers, size_t heads,
                              size_t first_stack);

/* Writes down the tokens of the first sequence of the batch. */
void ns_token_snapshot_sequence(NsTokenSnapshot *snapshot, const NsCorpus *corpus,
                                const NsBatch *batch);

/* Writes down the first pair of the batch as text, and its translation; NULL: there is none. */
void ns_token_snapshot_translation(NsTokenSnapshot *snapshot, const NsCorpus *corpus,
                                   const NsBatch *batch, const char *translation);

/* Copies the weights of an attention sub-layer into the maps that are of it.  Sub-layers may be
 * copied at once by several threads. */
void ns_token_snapshot_attention(NsTokenSnapshot *snapshot, const NsModel *model, size_t sublayer);
