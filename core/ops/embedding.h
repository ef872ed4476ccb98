/* Token and position embeddings.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/real.h"

/* x[b, t] = tok[tokens[b, t]] + pos[t].  tokens: [B, T], tok: [V, D], pos: [T, D], x: [B, T, D],
 * overwritten. */
void ns_embedding_forward(ns_real *x, const int32_t *tokens, const ns_real *tok, const ns_real *pos,
                          size_t B, size_t T, size_t D);

/* dtok += and dpos +=. */
void ns_embedding_backward(ns_real *dtok, ns_real *dpos, const ns_real *dx, const int32_t *tokens,
                           size_t B, size_t T, size_t D);
