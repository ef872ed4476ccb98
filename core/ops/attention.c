/* SPDX-License-Identifier: MIT */
#include "core/ops/attention.h"

#include "core/ops/blas.h"
#include "core/ops/clones.h"
#include "core/ops/math.h"

#include <string.h>

/* Query i sees the first `keys` keys, or as many of them as causality allows. */
static size_t visible(const NsAttention *a, size_t i, size_t keys)
{
    return a->causal && i + 1 < keys ? i + 1 : keys;
}

/* Over the first n of a row; the rest becomes 0. */
NS_CLONES static void softmax(ns_real *row, size_t n, size_t S)
{
    ns_real max = row[0], sum = 0;
#pragma omp simd reduction(max : max)
    for (size_t j = 0; j < n; j++) max = row[j] > max ? row[j] : max;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++) {
        row[j] = ns_exp(row[j] - max);
        sum += row[j];
    }
    ns_real scale = 1 / sum;
#pragma omp simd
    for (size_t j = 0; j < n; j++) row[j] *= scale;
    memset(row + n, 0, (S - n) * sizeof *row);
}

static void uniform(ns_real *row, size_t n, size_t S)
{
    for (size_t j = 0; j < S; j++) row[j] = j < n ? 1 / (ns_real)n : 0;
}

/* P = softmax(s), so ds = P (dP - sum_j dP_j P_j), in place of dP. */
NS_CLONES static void softmax_backward(ns_real *dP, const ns_real *P, size_t n, size_t S)
{
    ns_real dot = 0;
#pragma omp simd reduction(+ : dot)
    for (size_t j = 0; j < n; j++) dot += dP[j] * P[j];
#pragma omp simd
    for (size_t j = 0; j < n; j++) dP[j] = P[j] * (dP[j] - dot);
    memset(dP + n, 0, (S - n) * sizeof *dP);
}

static ns_real logit_scale(const NsAttention *a)
{
    return (ns_real)(1 / sqrt((double)a->d));
}

void ns_attention_forward(const NsAttention *a, ns_real *o, ns_real *P)
{
    size_t T = a->T, S = a->S, d = a->d, D = a->H * d;
    for (size_t b = 0; b < a->B; b++)
        for (size_t h = 0; h < a->H; h++) {
            size_t query = b * T * a->q_stride + h * d, key = b * S * a->k_stride + h * d;
            size_t keys = (size_t)a->key_length[b];
            ns_real *p = P + (b * a->H + h) * T * S;
            if (!a->uniform)
                ns_gemm(&(NsGemm){.tb = true,
                                  .M = T,
                                  .N = S,
                                  .K = d,
                                  .alpha = logit_scale(a),
                                  .A = a->Q + query,
                                  .lda = a->q_stride,
                                  .B = a->K + key,
                                  .ldb = a->k_stride,
                                  .C = p,
                                  .ldc = S});
            for (size_t i = 0; i < T; i++)
                (a->uniform ? uniform : softmax)(p + i * S, visible(a, i, keys), S);
            ns_gemm(&(NsGemm){.M = T,
                              .N = d,
                              .K = S,
                              .alpha = 1,
                              .A = p,
                              .lda = S,
                              .B = a->V + key,
                              .ldb = a->k_stride,
                              .C = o + b * T * D + h * d,
                              .ldc = D});
        }
}

void ns_attention_backward(const NsAttention *a, const NsAttentionGradients *g)
{
    size_t T = a->T, S = a->S, d = a->d, D = a->H * d;
    for (size_t b = 0; b < a->B; b++)
        for (size_t h = 0; h < a->H; h++) {
            size_t query = b * T * a->q_stride + h * d, key = b * S * a->k_stride + h * d;
            size_t keys = (size_t)a->key_length[b];
            const ns_real *p = g->P + (b * a->H + h) * T * S;
            const ns_real *dO = g->dO + b * T * D + h * d;
            /* o = P V, so dV = P^T do and dP = do V^T. */
            ns_gemm(&(NsGemm){.ta = true,
                              .M = S,
                              .N = d,
                              .K = T,
                              .alpha = 1,
                              .A = p,
                              .lda = S,
                              .B = dO,
                              .ldb = D,
                              .C = g->dV + key,
                              .ldc = a->k_stride});
            if (a->uniform) continue;
            ns_gemm(&(NsGemm){.tb = true,
                              .M = T,
                              .N = S,
                              .K = d,
                              .alpha = 1,
                              .A = dO,
                              .lda = D,
                              .B = a->V + key,
                              .ldb = a->k_stride,
                              .C = g->scratch,
                              .ldc = S});
            for (size_t i = 0; i < T; i++)
                softmax_backward(g->scratch + i * S, p + i * S, visible(a, i, keys), S);
            /* s = scale Q K^T, so dQ = scale ds K and dK = scale ds^T Q. */
            ns_gemm(&(NsGemm){.M = T,
                              .N = d,
                              .K = S,
                              .alpha = logit_scale(a),
                              .A = g->scratch,
                              .lda = S,
                              .B = a->K + key,
                              .ldb = a->k_stride,
                              .C = g->dQ + query,
                              .ldc = a->q_stride});
            ns_gemm(&(NsGemm){.ta = true,
                              .M = S,
                              .N = d,
                              .K = T,
                              .alpha = logit_scale(a),
                              .A = g->scratch,
                              .lda = S,
                              .B = a->Q + query,
                              .ldb = a->q_stride,
                              .C = g->dK + key,
                              .ldc = a->k_stride});
        }
}
