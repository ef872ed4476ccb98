/* Fills in a snapshot of tokens and attention heads.  SPDX-License-Identifier: MIT
 *
 * Internal to core/probe. */
#pragma once

#include "core/probe/activations.h"
#include "core/probe/token_snapshot.h"

/* Sets mean, tokens, beyond and count of the i-th of snapshot->states. */
void ns_token_snapshot_tokens(NsTokenSnapshot *snapshot, size_t i, const NsModel *model,
                              const NsStateSource *source);

/* Chooses the heads whose attention is stored, in a model with the given numbers of layers (of
 * which `first_stack` are in the first stack) and heads: all heads of evenly spread layers,
 * including the first and the last.  In an encoder-decoder also of the cross-attention. */
void ns_token_snapshot_choose(NsTokenSnapshot *snapshot, size_t layers, size_t heads,
                              size_t first_stack);

/* Stores the tokens of the first sequence of the batch. */
void ns_token_snapshot_sequence(NsTokenSnapshot *snapshot, const NsCorpus *corpus,
                                const NsBatch *batch);

/* Stores the first pair of the batch as text, and its translation by the model; NULL: none. */
void ns_token_snapshot_translation(NsTokenSnapshot *snapshot, const NsCorpus *corpus,
                                   const NsBatch *batch, const char *translation);

/* Copies the attention weights of a sub-layer into its maps.  Several threads may copy different
 * sub-layers at the same time. */
void ns_token_snapshot_attention(NsTokenSnapshot *snapshot, const NsModel *model, size_t sublayer);
