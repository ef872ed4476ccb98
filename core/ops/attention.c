/* SPDX-License-Identifier: MIT */
#include "core/ops/attention.h"

#include "core/base/clones.h"
#include "core/base/lanes.h"
#include "core/ops/gemm.h"
#include "core/ops/math.h"

#include <stdalign.h>

enum {
    /* Rows of a block where there are no kernels that say. */
    ROWS = 16,
    /* Keys are turned in pieces of at most so many features, and of as many keys as then fit. */
    FEATURES = 256,
    PANELS = (64 << 10) / sizeof(ns_real)
};

/* One head of one sequence.  Q, K, V, dO and o have the strides of their rows; P and dP: [T, S]. */
typedef struct {
    const NsGemmKernels *kernels; /* NULL where there are none */
    size_t T, S, d;
    size_t keys; /* those from here on are padding */
    bool causal;
    ns_real scale;
    size_t q_stride, k_stride, o_stride;
    const ns_real *Q, *K, *V;
    const ns_real *P;
    ns_real *weights, *o;           /* forward; weights is P */
    const ns_real *dO;              /* backward */
    ns_real *dQ, *dK, *dV, *scores; /* backward */
} Head;

static size_t visible(const Head *h, size_t i)
{
    return h->causal && i + 1 < h->keys ? i + 1 : h->keys;
}

/* n rows in blocks as even as they can be: a last one of two rows would cost as much as a whole. */
typedef struct {
    size_t n, blocks;
} Blocks;

static Blocks blocks_of(const Head *h, size_t n)
{
    size_t most = h->kernels ? h->kernels->rows : ROWS;
    return (Blocks){n, (n + most - 1) / most};
}

static size_t block_start(Blocks b, size_t i)
{
    return i * (b.n / b.blocks) + MIN(i, b.n % b.blocks);
}

/* Reals of a row that are worked on where n count. */
static size_t whole(const Head *h, size_t n)
{
    return MIN((n + NS_LANES - 1) / NS_LANES * NS_LANES, h->S);
}

/* The lanes of a row that start at j: in their place, or in a copy of those at the end of a row
 * that is not made of whole vectors. */
NS_LANES_INLINE ns_real *lanes_at(ns_real *row, size_t S, size_t j, ns_real *copy)
{
    return j + NS_LANES <= S ? row + j : copy;
}

/* Over what each row sees; the rest becomes 0, whatever it holds. */
NS_CLONES static void softmax(const Head *h, size_t first, size_t end)
{
    size_t S = h->S, ragged = S % NS_LANES;
    for (size_t i = first; i < end; i++) {
        ns_real *row = h->weights + i * S, copy[NS_LANES], lane[NS_LANES];
        size_t n = visible(h, i), N = whole(h, n);
        if (ragged) memcpy(copy, row + S - ragged, ragged * sizeof *row);

        for (int l = 0; l < NS_LANES; l++) lane[l] = -(ns_real)INFINITY;
        for (size_t j = 0; j < n; j += NS_LANES) {
            const ns_real *s = lanes_at(row, S, j, copy);
            int left = (int)(n - j);
#pragma omp simd
            for (int l = 0; l < NS_LANES; l++)
                lane[l] = l < left && s[l] > lane[l] ? s[l] : lane[l];
        }
        ns_real max = ns_lanes_max(lane);

        for (int l = 0; l < NS_LANES; l++) lane[l] = 0;
        for (size_t j = 0; j < n; j += NS_LANES) {
            ns_real *s = lanes_at(row, S, j, copy);
            int left = (int)(n - j);
#pragma omp simd
            for (int l = 0; l < NS_LANES; l++) {
                ns_real e = l < left ? ns_exp(s[l] - max) : 0;
                s[l] = e;
                lane[l] += e;
            }
        }
        ns_real scale = 1 / ns_lanes_sum_real(lane);
        for (size_t j = 0; j < n; j += NS_LANES) {
            ns_real *s = lanes_at(row, S, j, copy);
            int left = (int)(n - j);
#pragma omp simd
            for (int l = 0; l < NS_LANES; l++) s[l] = l < left ? s[l] * scale : 0;
        }
        if (ragged) memcpy(row + S - ragged, copy, ragged * sizeof *row);
        memset(row + N, 0, (S - N) * sizeof *row);
    }
}

/* P = softmax(s), so ds = P (dP - sum_j dP_j P_j), in place of dP.  P as it was rounded sums to
 * nearly 1: divided by that, ds sums to 0, as it should, and the gradient of b_K is not made of
 * what is left. */
NS_CLONES static void softmax_backward(const Head *h, size_t first, size_t end)
{
    size_t S = h->S, ragged = S % NS_LANES;
    for (size_t i = first; i < end; i++) {
        ns_real *row = h->scores + i * S, copy[NS_LANES], p_copy[NS_LANES];
        ns_real lane[NS_LANES] = {0}, mass[NS_LANES] = {0};
        const ns_real *p_row = h->P + i * S;
        size_t n = visible(h, i), N = whole(h, n);
        if (ragged) {
            memcpy(copy, row + S - ragged, ragged * sizeof *row);
            memcpy(p_copy, p_row + S - ragged, ragged * sizeof *row);
        }
        for (size_t j = 0; j < n; j += NS_LANES) {
            const ns_real *d = lanes_at(row, S, j, copy);
            const ns_real *p = j + NS_LANES <= S ? p_row + j : p_copy;
            int left = (int)(n - j);
#pragma omp simd
            for (int l = 0; l < NS_LANES; l++) {
                ns_real seen = l < left ? p[l] : 0, gradient = l < left ? d[l] : 0;
                lane[l] += gradient * seen;
                mass[l] += seen;
            }
        }
        ns_real dot = ns_lanes_sum_real(lane) / ns_lanes_sum_real(mass);
        for (size_t j = 0; j < n; j += NS_LANES) {
            ns_real *d = lanes_at(row, S, j, copy);
            const ns_real *p = j + NS_LANES <= S ? p_row + j : p_copy;
            int left = (int)(n - j);
#pragma omp simd
            for (int l = 0; l < NS_LANES; l++) d[l] = l < left ? p[l] * (d[l] - dot) : 0;
        }
        if (ragged) memcpy(row + S - ragged, copy, ragged * sizeof *row);
        memset(row + N, 0, (S - N) * sizeof *row);
    }
}

static void uniform(const Head *h)
{
    for (size_t i = 0; i < h->T; i++) {
        ns_real *row = h->weights + i * h->S;
        size_t n = visible(h, i);
        for (size_t j = 0; j < h->S; j++) row[j] = j < n ? 1 / (ns_real)n : 0;
    }
}

/* C = alpha A B for at most one block of rows, B read where it lies. */
static void multiply(const Head *h, const NsGemm *g)
{
    if (!h->kernels) {
        ns_gemm(g);
        return;
    }
    size_t lanes = h->kernels->lanes, width = 2 * lanes;
    NsGemmTile t = {.a = g->A,
                    .a_stride = g->lda,
                    .b_stride = g->ldb,
                    .c_stride = g->ldc,
                    .K = g->K,
                    .alpha = g->alpha};
    for (size_t n = 0; n < g->N; n += width) {
        t.columns = MIN(width, g->N - n);
        t.b = g->B + n;
        t.c = g->C + n;
        ns_gemm_tile(h->kernels, &t, g->M, g->ta);
    }
}

/* Keys and features of Y that are turned, so that a vector holds one feature of many keys: panels
 * of two vectors of keys, [features, 2 lanes], one after the other. */
typedef struct {
    size_t first, keys, feature, features;
    ns_real *panels;
} Piece;

/* C = alpha X Y^T of every row with the keys that some row of its block sees, added to what C has
 * from earlier features. */
typedef struct {
    const ns_real *X, *Y;
    size_t x_stride, y_stride;
    ns_real alpha;
    ns_real *C;
    void (*finish)(const Head *h, size_t first, size_t end); /* a block of rows, while it is warm */
} Scores;

static void turn(const Head *h, const Scores *s, const Piece *p)
{
    size_t lanes = h->kernels->lanes, width = 2 * lanes;
    const ns_real *y = s->Y + p->first * s->y_stride + p->feature;
    for (size_t j = 0; j < p->keys; j += lanes)
        h->kernels->pack[1](p->panels + j / width * width * p->features + j % width, width,
                            y + j * s->y_stride, s->y_stride, MIN(lanes, p->keys - j), p->features);
}

static void score_block(const Head *h, const Scores *s, const Piece *p, size_t first, size_t end)
{
    size_t lanes = h->kernels->lanes, width = 2 * lanes, seen = whole(h, visible(h, end - 1));
    NsGemmTile t = {.a = s->X + first * s->x_stride + p->feature,
                    .a_stride = s->x_stride,
                    .b_stride = width,
                    .c_stride = h->S,
                    .K = p->features,
                    .alpha = s->alpha,
                    .beta = p->feature ? 1 : 0};
    size_t keys = seen > p->first ? MIN(seen - p->first, p->keys) : 0;
    for (size_t j = 0; j < keys; j += width) {
        t.columns = MIN(width, keys - j);
        t.b = p->panels + j * p->features;
        t.c = s->C + first * h->S + p->first + j;
        ns_gemm_tile(h->kernels, &t, end - first, false);
    }
}

static void score_by_kernels(const Head *h, const Scores *s)
{
    alignas(64) ns_real panels[PANELS];
    size_t width = 2 * h->kernels->lanes, features = MIN(h->d, FEATURES);
    size_t keys = PANELS / features / width * width, all = whole(h, h->keys);
    Blocks rows = blocks_of(h, h->T);
    for (size_t k = 0; k < all; k += keys)
        for (size_t c = 0; c < h->d; c += features) {
            Piece p = {k, MIN(keys, all - k), c, MIN(features, h->d - c), panels};
            bool last = k + keys >= all && c + features >= h->d;
            turn(h, s, &p);
            for (size_t i = 0; i < rows.blocks; i++) {
                size_t first = block_start(rows, i), end = block_start(rows, i + 1);
                score_block(h, s, &p, first, end);
                if (last) s->finish(h, first, end);
            }
        }
}

static void score(const Head *h, const Scores *s)
{
    if (h->kernels) {
        score_by_kernels(h, s);
        return;
    }
    Blocks rows = blocks_of(h, h->T);
    for (size_t i = 0; i < rows.blocks; i++) {
        size_t first = block_start(rows, i), end = block_start(rows, i + 1);
        ns_gemm(&(NsGemm){.tb = true,
                          .M = end - first,
                          .N = visible(h, end - 1),
                          .K = h->d,
                          .alpha = s->alpha,
                          .A = s->X + first * s->x_stride,
                          .lda = s->x_stride,
                          .B = s->Y,
                          .ldb = s->y_stride,
                          .C = s->C + first * h->S,
                          .ldc = h->S});
        s->finish(h, first, end);
    }
}

/* o = P V */
static void mix(const Head *h, size_t first, size_t end)
{
    multiply(h, &(NsGemm){.M = end - first,
                          .N = h->d,
                          .K = visible(h, end - 1),
                          .alpha = 1,
                          .A = h->weights + first * h->S,
                          .lda = h->S,
                          .B = h->V,
                          .ldb = h->k_stride,
                          .C = h->o + first * h->o_stride,
                          .ldc = h->o_stride});
}

static void finish_forward(const Head *h, size_t first, size_t end)
{
    softmax(h, first, end);
    mix(h, first, end);
}

/* s = scale Q K^T, so dQ = scale ds K. */
static void finish_backward(const Head *h, size_t first, size_t end)
{
    softmax_backward(h, first, end);
    multiply(h, &(NsGemm){.M = end - first,
                          .N = h->d,
                          .K = visible(h, end - 1),
                          .alpha = h->scale,
                          .A = h->scores + first * h->S,
                          .lda = h->S,
                          .B = h->K,
                          .ldb = h->k_stride,
                          .C = h->dQ + first * h->q_stride,
                          .ldc = h->q_stride});
}

/* dY = alpha W^T X, key by key over the queries that see it; W: [T, S], X: [T, d], dY: [S, d]. */
static void gather(const Head *h, ns_real *dY, ns_real alpha, const ns_real *W, const ns_real *X,
                   size_t x_stride)
{
    size_t keys = h->causal ? MIN(h->keys, h->T) : h->keys;
    Blocks blocks = blocks_of(h, keys);
    for (size_t i = 0; i < blocks.blocks; i++) {
        size_t first = block_start(blocks, i), end = block_start(blocks, i + 1);
        size_t query = h->causal ? first : 0;
        multiply(h, &(NsGemm){.ta = true,
                              .M = end - first,
                              .N = h->d,
                              .K = h->T - query,
                              .alpha = alpha,
                              .A = W + query * h->S + first,
                              .lda = h->S,
                              .B = X + query * x_stride,
                              .ldb = x_stride,
                              .C = dY + first * h->k_stride,
                              .ldc = h->k_stride});
    }
    for (size_t j = keys; j < h->S; j++) memset(dY + j * h->k_stride, 0, h->d * sizeof *dY);
}

/* Head h of sequence b. */
static Head head_of(const NsAttention *a, size_t b, size_t h)
{
    size_t query = b * a->T * a->q_stride + h * a->d, key = b * a->S * a->k_stride + h * a->d;
    return (Head){.kernels = ns_gemm_kernels(0),
                  .T = a->T,
                  .S = a->S,
                  .d = a->d,
                  .keys = (size_t)a->key_length[b],
                  .causal = a->causal,
                  .scale = (ns_real)(1 / sqrt((double)a->d)),
                  .q_stride = a->q_stride,
                  .k_stride = a->k_stride,
                  .o_stride = a->H * a->d,
                  .Q = a->uniform ? NULL : a->Q + query,
                  .K = a->uniform ? NULL : a->K + key,
                  .V = a->V + key};
}

void ns_attention_forward(const NsAttention *a, ns_real *o, ns_real *P)
{
    for (size_t b = 0; b < a->B; b++)
        for (size_t i = 0; i < a->H; i++) {
            Head h = head_of(a, b, i);
            h.weights = P + (b * a->H + i) * a->T * a->S;
            h.o = o + b * a->T * h.o_stride + i * a->d;
            if (!a->uniform) {
                score(&h, &(Scores){.X = h.Q,
                                    .Y = h.K,
                                    .x_stride = h.q_stride,
                                    .y_stride = h.k_stride,
                                    .alpha = h.scale,
                                    .C = h.weights,
                                    .finish = finish_forward});
                continue;
            }
            uniform(&h);
            Blocks rows = blocks_of(&h, h.T);
            for (size_t k = 0; k < rows.blocks; k++)
                mix(&h, block_start(rows, k), block_start(rows, k + 1));
        }
}

void ns_attention_backward(const NsAttention *a, const NsAttentionGradients *g)
{
    for (size_t b = 0; b < a->B; b++)
        for (size_t i = 0; i < a->H; i++) {
            Head h = head_of(a, b, i);
            size_t query = b * a->T * a->q_stride + i * a->d;
            size_t key = b * a->S * a->k_stride + i * a->d;
            h.P = g->P + (b * a->H + i) * a->T * a->S;
            h.dO = g->dO + b * a->T * h.o_stride + i * a->d;
            h.dV = g->dV + key;
            /* o = P V, so dV = P^T dO and dP = dO V^T. */
            gather(&h, h.dV, 1, h.P, h.dO, h.o_stride);
            if (a->uniform) continue;
            h.dQ = g->dQ + query;
            h.dK = g->dK + key;
            h.scores = g->scratch;
            score(&h, &(Scores){.X = h.dO,
                                .Y = h.V,
                                .x_stride = h.o_stride,
                                .y_stride = h.k_stride,
                                .alpha = 1,
                                .C = h.scores,
                                .finish = finish_backward});
            gather(&h, h.dK, h.scale, h.scores, h.Q, h.q_stride);
        }
}
