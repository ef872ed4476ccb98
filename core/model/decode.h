/* Decoding: the logits of one position after another.  SPDX-License-Identifier: MIT
 *
 * The encoder reads its sources once.  A position then costs one row through every layer: the keys
 * and values of self-attention are kept from the positions before, and those of cross-attention are
 * computed once.  The logits are those of a forward pass over the whole sequence, up to rounding.
 * Norms over the batch use their running statistics; nothing is noisy. */
#pragma once

#include "core/model/model.h"

typedef struct NsDecoder NsDecoder;

/* For up to `sequences` at a time, each with `beam` rows that are continued side by side.  Reads
 * the weights as they are now; the model must stay and be unchanged until the decoder is freed.
 * NULL with NS_ERROR_MEMORY.  The model must have a decoder. */
NsDecoder *ns_decoder_new(NsModel *model, size_t sequences, size_t beam, GError **error);
void ns_decoder_free(NsDecoder *decoder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsDecoder, ns_decoder_free)

/* Sentences of up to `source` tokens that one thread translates together. */
size_t ns_decoder_together(size_t source);

/* Sentences that an encoder reads together. */
typedef struct {
    size_t n, S;           /* S: at most ns_decoder_source, and as long as the longest will do */
    const int32_t *tokens; /* [n, S], 0 at and after the length */
    const int32_t *length; /* [n] in 1..S */
} NsSourceBatch;

/* Reads n sources, borrowed until the next call, and goes to the position 0.  Without an encoder
 * only n is read. */
void ns_decoder_begin(NsDecoder *decoder, const NsSourceBatch *source);

/* Reads the token of every row, [n beam], and goes on by a position, of which there are
 * ns_decoder_positions.  Returns the logits of what follows, [n beam, V], until the next call. */
const ns_real *ns_decoder_step(NsDecoder *decoder, const int32_t *tokens);

/* Row r goes on from what row parent[r] has read so far.  Both belong to the same sequence. */
void ns_decoder_reorder(NsDecoder *decoder, const size_t *parent);

size_t ns_decoder_positions(const NsDecoder *decoder); /* T, the most that can be decoded */
size_t ns_decoder_source(const NsDecoder *decoder);    /* S, 0 without an encoder */
size_t ns_decoder_vocabulary(const NsDecoder *decoder);
size_t ns_decoder_beam(const NsDecoder *decoder);
size_t ns_decoder_sequences(const NsDecoder *decoder); /* n of the last ns_decoder_begin */
