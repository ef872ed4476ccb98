/* SPDX-License-Identifier: MIT */
#include "tests/bench/plain.h"

#include "core/base/clones.h"
#include "core/ops/blas.h"
#include "core/ops/gemm_tiled.h"

#include <math.h>
#include <string.h>

/* Query i sees the first `keys` keys, or as many of them as causality allows. */
static size_t visible(const NsAttention *a, size_t i, size_t keys)
{
    return a->causal && i + 1 < keys ? i + 1 : keys;
}

/* Over the first n of a row; the rest becomes 0. */
NS_CLONES(static, softmax, (ns_real *row, size_t n, size_t S), (row, n, S))
{
    ns_real max = row[0], sum = 0;
#pragma omp simd reduction(max : max)
    for (size_t j = 0; j < n; j++) max = row[j] > max ? row[j] : max;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++) {
        row[j] = expf(row[j] - max);
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
NS_CLONES(static, softmax_backward,
          (ns_real *dP, const ns_real *P, size_t n, size_t S), (dP, P, n, S))
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

void ns_plain_attention_forward(const NsAttention *a, ns_real *o, ns_real *P)
{
    size_t T = a->T, S = a->S, d = a->d, D = a->H * d;
    for (size_t b = 0; b < a->B; b++)
        for (size_t h = 0; h < a->H; h++) {
            size_t query = b * T * a->q_stride + h * d, key = b * S * a->k_stride + h * d;
            size_t keys = (size_t)a->key_length[b];
            ns_real *p = P + (b * a->H + h) * T * S;
            if (!a->uniform)
                ns_gemm_openblas(&(NsGemm){.tb = true,
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
            ns_gemm_openblas(&(NsGemm){.M = T,
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

void ns_plain_attention_backward(const NsAttention *a, const NsAttentionGradients *g)
{
    size_t T = a->T, S = a->S, d = a->d, D = a->H * d;
    for (size_t b = 0; b < a->B; b++)
        for (size_t h = 0; h < a->H; h++) {
            size_t query = b * T * a->q_stride + h * d, key = b * S * a->k_stride + h * d;
            size_t keys = (size_t)a->key_length[b];
            const ns_real *p = g->P + (b * a->H + h) * T * S;
            const ns_real *dO = g->dO + b * T * D + h * d;
            /* o = P V, so dV = P^T do and dP = do V^T. */
            ns_gemm_openblas(&(NsGemm){.ta = true,
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
            ns_gemm_openblas(&(NsGemm){.tb = true,
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
            ns_gemm_openblas(&(NsGemm){.M = T,
                                       .N = d,
                                       .K = S,
                                       .alpha = logit_scale(a),
                                       .A = g->scratch,
                                       .lda = S,
                                       .B = a->K + key,
                                       .ldb = a->k_stride,
                                       .C = g->dQ + query,
                                       .ldc = a->q_stride});
            ns_gemm_openblas(&(NsGemm){.ta = true,
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

/* LayerNorm: y = gain (x - mean) / sigma + bias, sigma^2 = mean (x - mean)^2 + eps.
 * stats = (mean, 1 / sigma).  Ba, Kiros, Hinton 2016, eq. 4. */
NS_CLONES(extern, ns_plain_layernorm_forward,
          (const NsNormPass *p, ns_real *y, const ns_real *x), (p, y, x))
{
    size_t C = p->C;
    const ns_real *gain = p->gain, *bias = p->bias;
    ns_real *stats = p->stats;
    for (size_t r = 0; r < p->R; r++, x += C, y += C, stats += 2) {
        double sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t c = 0; c < C; c++) sum += (double)x[c];
        double mean = sum / (double)C;
#pragma omp simd reduction(+ : squares)
        for (size_t c = 0; c < C; c++) squares += ((double)x[c] - mean) * ((double)x[c] - mean);
        ns_real m = (ns_real)mean;
        ns_real rsigma = (ns_real)(1 / sqrt(squares / (double)C + (double)p->eps));
#pragma omp simd
        for (size_t c = 0; c < C; c++) y[c] = (x[c] - m) * rsigma * gain[c] + bias[c];
        stats[0] = m;
        stats[1] = rsigma;
    }
}

/* With xhat = (x - mean) / sigma and g = dy gain: dx = (g - mean(g) - xhat mean(g xhat)) / sigma.
 */
NS_CLONES(extern, ns_plain_layernorm_backward,
          (const NsNormPass *p, const NsNormGradients *d, ns_real *dx, const ns_real *dy,
           const ns_real *x),
          (p, d, dx, dy, x))
{
    size_t C = p->C;
    const ns_real *gain = p->gain, *stats = p->stats;
    ns_real *dgain = d->gain, *dbias = d->bias;
    for (size_t r = 0; r < p->R; r++, x += C, dy += C, dx += C, stats += 2) {
        ns_real m = stats[0], rsigma = stats[1];
        double sum_g = 0, sum_gx = 0;
#pragma omp simd reduction(+ : sum_g, sum_gx)
        for (size_t c = 0; c < C; c++) {
            ns_real xhat = (x[c] - m) * rsigma;
            ns_real g = dy[c] * gain[c];
            dgain[c] += dy[c] * xhat;
            dbias[c] += dy[c];
            sum_g += (double)g;
            sum_gx += (double)g * (double)xhat;
        }
        ns_real mean_g = (ns_real)(sum_g / (double)C), mean_gx = (ns_real)(sum_gx / (double)C);
#pragma omp simd
        for (size_t c = 0; c < C; c++)
            dx[c] = (dy[c] * gain[c] - mean_g - (x[c] - m) * rsigma * mean_gx) * rsigma;
    }
}

#define ROOT_HALF ((ns_real)0.70710678118654752440)
#define ROOT_HALF_PI ((ns_real)0.39894228040143267794) /* 1 / sqrt(2 pi) */

/* a Phi(a), Phi the distribution function of the standard normal. */
NS_CLONES(extern, ns_plain_gelu_forward,
          (ns_real *y, const ns_real *a, const ns_real *g, size_t n), (y, a, g, n))
{
    (void)g;
    for (size_t i = 0; i < n; i++) y[i] = a[i] * (1 + erff(a[i] * ROOT_HALF)) / 2;
}

/* Phi(a) + a phi(a) */
NS_CLONES(extern, ns_plain_gelu_backward,
          (ns_real *da, ns_real *dg, const ns_real *dy, const ns_real *a, const ns_real *g,
           size_t n),
          (da, dg, dy, a, g, n))
{
    (void)dg;
    (void)g;
    for (size_t i = 0; i < n; i++) {
        ns_real below = (1 + erff(a[i] * ROOT_HALF)) / 2;
        da[i] = dy[i] * (below + a[i] * ROOT_HALF_PI * expf(-a[i] * a[i] / 2));
    }
}

/* SiLU(a) g, SiLU(a) = a / (1 + exp(-a)). */
NS_CLONES(extern, ns_plain_swiglu_forward,
          (ns_real *y, const ns_real *a, const ns_real *g, size_t n), (y, a, g, n))
{
    for (size_t i = 0; i < n; i++) y[i] = a[i] / (1 + expf(-a[i])) * g[i];
}

NS_CLONES_OF(extern, NsCrossEntropy, ns_plain_cross_entropy,
             (ns_real *logits, const int32_t *targets, size_t R, size_t V, double smoothing,
              double z, ns_real dscale),
             (logits, targets, R, V, smoothing, z, dscale))
{
    NsCrossEntropy sum = {0};
    ns_real share = dscale * (ns_real)(smoothing / (double)V);
    ns_real hit = dscale * (ns_real)(1 - smoothing);
    for (size_t r = 0; r < R; r++, logits += V) {
        if (targets[r] < 0) {
            if (dscale != 0) memset(logits, 0, V * sizeof *logits);
            continue;
        }
        ns_real max = logits[0];
#pragma omp simd reduction(max : max)
        for (size_t v = 0; v < V; v++) max = logits[v] > max ? logits[v] : max;
        double exps = 0, total = 0;
#pragma omp simd reduction(+ : exps, total)
        for (size_t v = 0; v < V; v++) {
            exps += exp((double)(logits[v] - max));
            total += (double)logits[v];
        }
        double logsumexp = (double)max + log(exps);
        double nll = logsumexp - (double)logits[targets[r]];
        sum.nll += nll;
        sum.loss += (1 - smoothing) * nll + smoothing * (logsumexp - total / (double)V);
        sum.loss += z * logsumexp * logsumexp;
        if (dscale == 0) continue;
#pragma omp simd
        for (size_t v = 0; v < V; v++)
            logits[v] =
                dscale * (ns_real)((1 + 2 * z * logsumexp) * exp((double)logits[v] - logsumexp)) -
                share;
        logits[targets[r]] -= hit;
    }
    return sum;
}

NsJointSquares ns_plain_join_streams(ns_real *z, ns_real a, const ns_real *x, ns_real b,
                                     const ns_real *y, size_t n, unsigned asked)
{
    (void)asked;
    NsJointSquares squares = {.stream = (double)(a * a) * ns_inner(x, x, n),
                              .branch = (double)(b * b) * ns_inner(y, y, n)};
    ns_residual_forward(z, a, x, b, y, n);
    squares.sum = ns_inner(z, z, n);
    return squares;
}
