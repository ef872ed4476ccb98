/* SPDX-License-Identifier: MIT */
#include "core/ops/embedding.h"

#include "core/ops/residual.h"

void ns_embedding_forward(ns_real *x, const int32_t *tokens, const ns_real *tok, const ns_real *pos,
                          size_t B, size_t T, size_t D)
{
    for (size_t b = 0; b < B; b++)
        for (size_t t = 0; t < T; t++)
            ns_residual_forward(x + (b * T + t) * D, 1, tok + (size_t)tokens[b * T + t] * D, 1,
                                pos + t * D, D);
}

void ns_embedding_backward(ns_real *dtok, ns_real *dpos, const ns_real *dx, const int32_t *tokens,
                           size_t B, size_t T, size_t D)
{
    for (size_t b = 0; b < B; b++)
        for (size_t t = 0; t < T; t++, dx += D) {
            ns_add_scaled(dtok + (size_t)tokens[b * T + t] * D, 1, dx, D);
            ns_add_scaled(dpos + t * D, 1, dx, D);
        }
}
