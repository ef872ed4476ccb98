/* SPDX-License-Identifier: MIT */
#include "core/ops/attention.h"

#include "core/ops/blas.h"
#include "core/ops/clones.h"

#include <math.h>
#include <string.h>

#ifdef NS_DOUBLE
#define ns_exp exp
#else
#define ns_exp expf
#endif

/* Row i of S sees the keys 0..i; the rest of the row becomes 0. */
NS_CLONES static void causal_softmax(ns_real *S, size_t T)
{
    for (size_t i = 0; i < T; i++, S += T) {
        ns_real max = S[0], sum = 0;
#pragma omp simd reduction(max : max)
        for (size_t j = 0; j <= i; j++) max = S[j] > max ? S[j] : max;
#pragma omp simd reduction(+ : sum)
        for (size_t j = 0; j <= i; j++) {
            S[j] = ns_exp(S[j] - max);
            sum += S[j];
        }
        ns_real scale = 1 / sum;
#pragma omp simd
        for (size_t j = 0; j <= i; j++) S[j] *= scale;
        memset(S + i + 1, 0, (T - i - 1) * sizeof *S);
    }
}

/* P = softmax(S), so dS = P (dP - sum_j dP_j P_j), in place of dP. */
NS_CLONES static void softmax_backward(ns_real *dP, const ns_real *P, size_t T)
{
    for (size_t i = 0; i < T; i++, dP += T, P += T) {
        ns_real dot = 0;
#pragma omp simd reduction(+ : dot)
        for (size_t j = 0; j <= i; j++) dot += dP[j] * P[j];
#pragma omp simd
        for (size_t j = 0; j <= i; j++) dP[j] = P[j] * (dP[j] - dot);
        memset(dP + i + 1, 0, (T - i - 1) * sizeof *dP);
    }
}

void ns_attention_forward(ns_real *o, ns_real *P, const ns_real *qkv, size_t B, size_t T, size_t D,
                          size_t H)
{
    size_t d = D / H;
    ns_real scale = (ns_real)(1 / sqrt((double)d));
    for (size_t b = 0; b < B; b++)
        for (size_t h = 0; h < H; h++) {
            const ns_real *Q = qkv + b * T * 3 * D + h * d, *K = Q + D, *V = K + D;
            ns_real *p = P + (b * H + h) * T * T;
            ns_gemm(&(NsGemm){.tb = true,
                              .M = T,
                              .N = T,
                              .K = d,
                              .alpha = scale,
                              .A = Q,
                              .lda = 3 * D,
                              .B = K,
                              .ldb = 3 * D,
                              .C = p,
                              .ldc = T});
            causal_softmax(p, T);
            ns_gemm(&(NsGemm){.M = T,
                              .N = d,
                              .K = T,
                              .alpha = 1,
                              .A = p,
                              .lda = T,
                              .B = V,
                              .ldb = 3 * D,
                              .C = o + b * T * D + h * d,
                              .ldc = D});
        }
}

void ns_attention_backward(ns_real *dqkv, ns_real *scratch, const ns_real *doutput,
                           const ns_real *qkv, const ns_real *P, size_t B, size_t T, size_t D,
                           size_t H)
{
    size_t d = D / H;
    ns_real scale = (ns_real)(1 / sqrt((double)d));
    for (size_t b = 0; b < B; b++)
        for (size_t h = 0; h < H; h++) {
            const ns_real *Q = qkv + b * T * 3 * D + h * d, *K = Q + D, *V = K + D;
            ns_real *dQ = dqkv + b * T * 3 * D + h * d, *dK = dQ + D, *dV = dK + D;
            const ns_real *p = P + (b * H + h) * T * T;
            const ns_real *dO = doutput + b * T * D + h * d;
            /* o = P V, so dV = P^T do and dP = do V^T. */
            ns_gemm(&(NsGemm){.ta = true,
                              .M = T,
                              .N = d,
                              .K = T,
                              .alpha = 1,
                              .A = p,
                              .lda = T,
                              .B = dO,
                              .ldb = D,
                              .C = dV,
                              .ldc = 3 * D});
            ns_gemm(&(NsGemm){.tb = true,
                              .M = T,
                              .N = T,
                              .K = d,
                              .alpha = 1,
                              .A = dO,
                              .lda = D,
                              .B = V,
                              .ldb = 3 * D,
                              .C = scratch,
                              .ldc = T});
            softmax_backward(scratch, p, T);
            /* S = scale Q K^T, so dQ = scale dS K and dK = scale dS^T Q. */
            ns_gemm(&(NsGemm){.M = T,
                              .N = d,
                              .K = T,
                              .alpha = scale,
                              .A = scratch,
                              .lda = T,
                              .B = K,
                              .ldb = 3 * D,
                              .C = dQ,
                              .ldc = 3 * D});
            ns_gemm(&(NsGemm){.ta = true,
                              .M = T,
                              .N = d,
                              .K = T,
                              .alpha = scale,
                              .A = scratch,
                              .lda = T,
                              .B = Q,
                              .ldb = 3 * D,
                              .C = dK,
                              .ldc = 3 * D});
        }
}
