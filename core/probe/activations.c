/* SPDX-License-Identifier: MIT */
#include "core/probe/activations.h"

#include "core/base/clones.h"
#include "core/base/squares.h"
#include "core/ops/gemm.h"

#include <math.h>
#include <string.h>

/* ---- Hidden states ---- */

void ns_states_find(NsStateSource *sources, const NsModel *model, size_t first)
{
    bool entered[2] = {false, false};
    for (size_t s = 0; s < ns_model_sublayers(model); s++) {
        NsActivationView view = ns_model_activation_view(model, 0, s);
        unsigned stack = view.layer >= first;
        /* The second stack has its own embedding, which is one more hidden state. */
        size_t before = view.layer + stack;
        if (!entered[stack]) sources[before] = (NsStateSource){s, true, stack};
        entered[stack] = true;
        if (view.last) sources[before + 1] = (NsStateSource){s, false, stack};
    }
}

NsStateView ns_state_view(const NsModel *model, const NsStateSource *source, size_t shard)
{
    NsActivationView view = ns_model_activation_view(model, shard, source->sublayer);
    return (NsStateView){.x = source->input ? view.x : view.out,
                         .B = view.B,
                         .T = view.T,
                         .D = view.D,
                         .length = view.length};
}

/* ---- Tokens ---- */

/* The mean cosine between two different tokens of one sequence of n tokens. */
static double sequence_cosine(const ns_real *x, size_t n, size_t D, double *sum)
{
    memset(sum, 0, D * sizeof *sum);
    double directions = 0;
    for (size_t t = 0; t < n; t++, x += D) {
        double norm = ns_real_norm(x, D);
        if (norm == 0) continue;
        directions++;
        double inverse = 1 / norm;
        for (size_t i = 0; i < D; i++) sum[i] += inverse * (double)x[i];
    }
    double square = 0;
    for (size_t i = 0; i < D; i++) square += sum[i] * sum[i];
    return (square - directions) / ((double)n * (double)(n - 1));
}

bool ns_token_cosine(double *cosine, const NsModel *model, const NsStateSource *source, double *sum)
{
    double total = 0;
    size_t sequences = 0;
    for (size_t shard = 0; shard < ns_model_shards(model); shard++) {
        NsStateView view = ns_state_view(model, source, shard);
        for (size_t b = 0; b < view.B; b++) {
            if (view.length[b] < 2) continue;
            total +=
                sequence_cosine(view.x + b * view.T * view.D, (size_t)view.length[b], view.D, sum);
            sequences++;
        }
    }
    *cosine = total / (double)sequences;
    return sequences > 0;
}

float ns_dead_units(const NsModel *model, size_t sublayer, ns_real *seen)
{
    size_t F = ns_model_activation_view(model, 0, sublayer).F;
    memset(seen, 0, F * sizeof *seen);
    for (size_t shard = 0; shard < ns_model_shards(model); shard++) {
        NsActivationView view = ns_model_activation_view(model, shard, sublayer);
        for (size_t b = 0; b < view.B; b++)
            for (size_t t = 0; t < (size_t)view.length[b]; t++) {
                const ns_real *unit = view.hidden + (b * view.T + t) * F;
                for (size_t f = 0; f < F; f++) seen[f] = unit[f] != 0 ? 1 : seen[f];
            }
    }
    size_t dead = 0;
    for (size_t f = 0; f < F; f++) dead += seen[f] > 0 ? 0 : 1;
    return (float)dead / (float)F;
}

/* Adds how many of |x_i| have bits below the limits. */
NS_CLONES(static, count_below,
          (size_t below[3], const int32_t limit[3], const ns_real *x, size_t n),
          (below, limit, x, n))
{
    const int32_t a = limit[0], b = limit[1], c = limit[2];
    uint32_t below_a = 0, below_b = 0, below_c = 0;
#pragma omp simd reduction(+ : below_a, below_b, below_c)
    for (size_t i = 0; i < n; i++) {
        float size = fabsf((float)x[i]);
        int32_t bits;
        memcpy(&bits, &size, sizeof bits);
        below_a += bits < a;
        below_b += bits < b;
        below_c += bits < c;
    }
    below[0] += below_a;
    below[1] += below_b;
    below[2] += below_c;
}

/* Finds the values bit by bit: positive floats have the order of their bits, read as an integer. */
void ns_token_sizes(float sizes[3], const NsModel *model, size_t sublayer, NsPlace place)
{
    int32_t bits[3] = {0};
    for (int32_t bit = 1 << 30; bit; bit >>= 1) {
        const int32_t limit[] = {bits[0] | bit, bits[1] | bit, bits[2] | bit};
        size_t below[3] = {0}, n = 0;
        for (size_t shard = 0; shard < ns_model_shards(model); shard++) {
            NsActivationView view = ns_model_activation_view(model, shard, sublayer);
            const ns_real *x = place == NS_PLACE_INPUT    ? view.x
                               : place == NS_PLACE_BRANCH ? view.u
                                                          : view.mid;
            size_t width = place == NS_PLACE_LAST && view.kind == NS_FFN ? view.F : view.D;
            for (size_t b = 0; b < view.B; b++, x += view.T * width) {
                count_below(below, limit, x, (size_t)view.length[b] * width);
                n += (size_t)view.length[b] * width;
            }
        }
        const size_t rank[] = {(n + 1) / 2, n - n / 100, n};
        for (int k = 0; k < 3; k++)
            if (below[k] < rank[k]) bits[k] = limit[k];
    }
    memcpy(sizes, bits, sizeof bits);
}

/* ---- Attention heads ---- */

static double entropy(const ns_real *P, size_t n)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        if (P[j] != 0) sum -= (double)P[j] * log((double)P[j]);
    return sum / log((double)n);
}

/* Raises *largest to the largest |logit| of a head over the pairs of a sequence. */
static void look_at_logits(double *largest, const NsActivationView *view, size_t b, size_t h,
                           ns_real *scores)
{
    size_t width = view->D / view->H, T = (size_t)view->length[b], S = (size_t)view->key_length[b];
    ns_gemm(&(NsGemm){.tb = true,
                      .M = T,
                      .N = S,
                      .K = width,
                      .alpha = (ns_real)(1 / sqrt((double)width)),
                      .A = view->Q + b * view->T * view->q_stride + h * width,
                      .lda = view->q_stride,
                      .B = view->K + b * view->S * view->k_stride + h / view->group * width,
                      .ldb = view->k_stride,
                      .C = scores,
                      .ldc = S});
    for (size_t t = 0; t < T; t++) {
        const ns_real *row = scores + t * S;
        for (size_t j = 0; j < ns_visible_keys(view, b, t); j++) {
            double size = fabs((double)row[j]);
            if (size > *largest || isnan(size)) *largest = size;
        }
    }
}

void ns_heads_measure(NsHeadMeasure *heads, const NsModel *model, size_t sublayer, ns_real *scratch)
{
    size_t H = ns_model_activation_view(model, 0, sublayer).H;
    for (size_t h = 0; h < H; h++) {
        double entropies = 0, firsts = 0, logit = 0;
        size_t queries = 0;
        bool logits = false;
        for (size_t shard = 0; shard < ns_model_shards(model); shard++) {
            NsActivationView view = ns_model_activation_view(model, shard, sublayer);
            logits = view.Q && view.K;
            for (size_t b = 0; b < view.B; b++) {
                for (size_t t = 0; t < (size_t)view.length[b]; t++) {
                    size_t n = ns_visible_keys(&view, b, t);
                    if (n < 2) continue;
                    const ns_real *P = view.P + ((b * view.H + h) * view.T + t) * view.S;
                    entropies += entropy(P, n);
                    firsts += (double)P[0];
                    queries++;
                }
                if (logits) look_at_logits(&logit, &view, b, h, scratch);
            }
        }
        heads[h] = (NsHeadMeasure){
            .has_entropy = queries > 0,
            .entropy = (float)(entropies / (double)queries),
            .first = (float)(firsts / (double)queries),
            .has_logit = logits,
            .logit = (float)logit,
        };
    }
}
