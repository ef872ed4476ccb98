/* SPDX-License-Identifier: MIT */
#include "core/ops/embedding.h"

#include "core/ops/residual.h"

#include <math.h>

void ns_embedding_forward(ns_real *x, const int32_t *tokens, const ns_real *tok, const ns_real *pos,
                          const NsEmbeddingShape *shape)
{
    size_t T = shape->T, D = shape->D;
    for (size_t i = 0; i < shape->B * T; i++, x += D) {
        const ns_real *token = tok + (size_t)tokens[i] * D;
        if (pos)
            ns_residual_forward(x, shape->scale, token, 1, pos + i % T * D, D);
        else
            ns_scale(x, shape->scale, token, D);
    }
}

void ns_embedding_backward(ns_real *dtok, size_t first, size_t n, const ns_real *dx,
                           const int32_t *tokens, const NsEmbeddingShape *shape)
{
    size_t D = shape->D;
    for (size_t r = 0; r < shape->B * shape->T; r++, dx += D) {
        size_t token = (size_t)tokens[r];
        if (token >= first && token - first < n)
            ns_add_scaled(dtok + (token - first) * D, shape->scale, dx, D);
    }
}

void ns_positions_backward(ns_real *dpos, const ns_real *dx, size_t B, size_t T, size_t D)
{
    for (size_t b = 0; b < B; b++) ns_add_scaled(dpos, 1, dx + b * T * D, T * D);
}

void ns_segments_forward(ns_real *x, const int32_t *second, const ns_real *seg, size_t B, size_t T,
                         size_t D)
{
    for (size_t b = 0; b < B; b++)
        for (size_t t = 0; t < T; t++, x += D)
            ns_add_scaled(x, 1, t < (size_t)second[b] ? seg : seg + D, D);
}

void ns_segments_backward(ns_real *dseg, const ns_real *dx, const int32_t *second, size_t B,
                          size_t T, size_t D)
{
    for (size_t b = 0; b < B; b++)
        for (size_t t = 0; t < T; t++, dx += D)
            ns_add_scaled(t < (size_t)second[b] ? dseg : dseg + D, 1, dx, D);
}

void ns_sinusoids(ns_real *pos, size_t T, size_t D)
{
    for (size_t i = 0; i < D; i++) {
        double rate = pow(10000, -(double)(i - i % 2) / (double)D);
        for (size_t t = 0; t < T; t++)
            pos[t * D + i] = (ns_real)(i % 2 ? cos((double)t * rate) : sin((double)t * rate));
    }
}

void ns_rotate(ns_real *x, const NsRotary *shape, bool back)
{
    size_t half = shape->h / 2;
    for (size_t r = 0; r < shape->rows; r++)
        for (size_t k = 0; k < shape->heads; k++) {
            const ns_real *wave = shape->waves + r % shape->T * shape->h;
            ns_real *a = x + r * shape->stride + k * shape->h, *b = a + half;
            for (size_t i = 0; i < half; i++) {
                ns_real sine = back ? -wave[2 * i] : wave[2 * i], cosine = wave[2 * i + 1];
                ns_real first = a[i] * cosine - b[i] * sine;
                b[i] = a[i] * sine + b[i] * cosine;
                a[i] = first;
            }
        }
}
