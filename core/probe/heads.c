/* SPDX-License-Identifier: MIT */
#include "core/probe/heads.h"

#include "core/ops/gemm.h"
#include "core/probe/states.h"

#include <math.h>

typedef struct {
    double entropy, first;
    size_t queries;
    double logit;
} HeadSums;

static double entropy(const ns_real *P, size_t n)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        if (P[j] != 0) sum -= (double)P[j] * log((double)P[j]);
    return sum / log((double)n);
}

static void add_logit(HeadSums *sums, const NsActivationView *view, size_t b, size_t h,
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
            if (size > sums->logit || isnan(size)) sums->logit = size;
        }
    }
}

void ns_heads_measure(NsHeadMeasure *heads, const NsModel *model, size_t sublayer, ns_real *scratch)
{
    size_t H = ns_model_activation_view(model, 0, sublayer).H;
    for (size_t h = 0; h < H; h++) {
        HeadSums sums = {0};
        bool logits = false;
        for (size_t shard = 0; shard < ns_model_shards(model); shard++) {
            NsActivationView view = ns_model_activation_view(model, shard, sublayer);
            logits = view.Q && view.K;
            for (size_t b = 0; b < view.B; b++) {
                for (size_t t = 0; t < (size_t)view.length[b]; t++) {
                    size_t n = ns_visible_keys(&view, b, t);
                    if (n < 2) continue;
                    const ns_real *P = view.P + ((b * view.H + h) * view.T + t) * view.S;
                    sums.entropy += entropy(P, n);
                    sums.first += (double)P[0];
                    sums.queries++;
                }
                if (logits) add_logit(&sums, &view, b, h, scratch);
            }
        }
        heads[h] = (NsHeadMeasure){
            .has_entropy = sums.queries > 0,
            .entropy = (float)(sums.entropy / (double)sums.queries),
            .first = (float)(sums.first / (double)sums.queries),
            .has_logit = logits,
            .logit = (float)sums.logit,
        };
    }
}
