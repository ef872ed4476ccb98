/* Token and position embeddings.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/real.h"

typedef struct {
    size_t B, T, D;
    ns_real scale; /* of the token embedding: sqrt(D) in Vaswani et al. 2017, 3.4, or 1 */
} NsEmbeddingShape;

/* x[b, t] = scale tok[tokens[b, t]] + pos[t].  tokens: [B, T], tok: [V, D], pos: [T, D] or NULL, x:
 * [B, T, D], overwritten. */
void ns_embedding_forward(ns_real *x, const int32_t *tokens, const ns_real *tok, const ns_real *pos,
                          const NsEmbeddingShape *shape);

/* Adds the gradient of the token embedding to dtok, only for the tokens in [first, first + n); dtok
 * points to the row of token `first`. */
void ns_embedding_backward(ns_real *dtok, size_t first, size_t n, const ns_real *dx,
                           const int32_t *tokens, const NsEmbeddingShape *shape);

/* Adds the sum of dx over the sequences to dpos. */
void ns_positions_backward(ns_real *dpos, const ns_real *dx, size_t B, size_t T, size_t D);

/* x[b, t] += seg[0] before position second[b], seg[1] from there on.  second: [B] in 0..T; seg: [2,
 * D]; x: [B, T, D].  Devlin et al. 2018, section 3. */
void ns_segments_forward(ns_real *x, const int32_t *second, const ns_real *seg, size_t B, size_t T,
                         size_t D);

/* Adds the sum of dx over the positions of each segment to dseg. */
void ns_segments_backward(ns_real *dseg, const ns_real *dx, const int32_t *second, size_t B,
                          size_t T, size_t D);

/* pos[t, 2 i] = sin(t / 10000^(2 i / D)), pos[t, 2 i + 1] = cos of the same.  pos: [T, D],
 * overwritten.  Vaswani et al. 2017, 3.5. */
void ns_sinusoids(ns_real *pos, size_t T, size_t D);

/* Rows of `heads` heads of h features each, `stride` elements apart; row r is at position r % T.
 * waves: [T, h] of ns_sinusoids. */
typedef struct {
    size_t rows, T, heads, h, stride;
    const ns_real *waves;
} NsRotary;

/* Rotates the pairs (x[i], x[i + h / 2]) of every head by the angle t / 10000^(2 i / h), or by its
 * negative, which is the inverse and the gradient.  h must be even.  Su et al. 2021, arXiv
 * 2104.09864, eq. 34, with the pairs of GPT-NeoX and Llama. */
void ns_rotate(ns_real *x, const NsRotary *shape, bool back);
