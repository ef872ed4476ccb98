/* Incremental decoding: the logits of one position after another.  SPDX-License-Identifier: MIT
 *
 * The encoder reads its sources once.  Each position then costs one row through every layer, since
 * the keys and values of self-attention are cached from earlier positions, and those of
 * cross-attention are computed once.  The logits equal those of a forward pass over the whole
 * sequence up to rounding. Norms over the batch use their running statistics; dropout and
 * stochastic depth are off. */
#pragma once

#include "core/model/model.h"

typedef struct NsDecoder NsDecoder;

/* Creates a decoder for up to `sequences` at a time, each with `beam` rows that are decoded in
 * parallel.  Uses the current weights; the model must neither change nor be freed before the
 * decoder is freed.  The model must have a decoder.  NULL with NS_ERROR_MEMORY. */
NsDecoder *ns_decoder_new(NsModel *model, size_t sequences, size_t beam, GError **error);
void ns_decoder_free(NsDecoder *decoder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsDecoder, ns_decoder_free)

/* Number of sentences of up to `source` tokens that one thread should translate at a time. */
size_t ns_decoder_together(size_t source);

/* Sentences that the encoder reads in one pass. */
typedef struct {
    size_t n, S; /* S: at most the `source` of ns_decoder_size; the longest length is enough */
    const int32_t *tokens; /* [n, S], 0 from the length on */
    const int32_t *length; /* [n] in 1..S */
} NsSourceBatch;

/* Reads n sources, which are borrowed until the next call, and moves to position 0.  Without an
 * encoder only n is used. */
void ns_decoder_begin(NsDecoder *decoder, const NsSourceBatch *source);

/* Reads the token of every row, [n beam], and moves to the next position, of which there are
 * `positions` in ns_decoder_size.  Returns the logits of the next token, [n beam, V], valid until
 * the next call. */
const ns_real *ns_decoder_step(NsDecoder *decoder, const int32_t *tokens);

/* Makes row r continue from what row parent[r] has read so far.  Both must belong to the same
 * sequence. */
void ns_decoder_reorder(NsDecoder *decoder, const size_t *parent);

typedef struct {
    size_t positions;       /* T, the maximum number of decoded tokens */
    size_t source;          /* S, 0 without an encoder */
    size_t vocabulary;      /* V */
    size_t beam, sequences; /* sequences: n of the last ns_decoder_begin */
} NsDecoderSize;

NsDecoderSize ns_decoder_size(const NsDecoder *decoder);
