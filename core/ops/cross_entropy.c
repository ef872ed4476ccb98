/* SPDX-License-Identifier: MIT */
#include "core/ops/cross_entropy.h"

#include "core/base/clones.h"
#include "core/base/vector_lanes.h"
#include "core/ops/math.h"

/* Classes that are summed in single precision: four per vector lane, so that the sum is rounded no
 * more than its terms. */
enum { BLOCK = 4 * NS_VECTOR_LANES };

typedef struct {
    ns_real max;
    double exps, total; /* sum_v exp(logit_v - max) and sum_v logit_v */
    double tilt;        /* sum_v exp(logit_v - max) (logit_v - max); 0 if the row is overwritten */
} RowSums;

NS_VECTOR_INLINE void max_vector(const ns_real *x, int left, ns_real *lane)
{
#pragma omp simd
    for (int l = 0; l < NS_VECTOR_LANES; l++) lane[l] = l < left && x[l] > lane[l] ? x[l] : lane[l];
}

/* If `keep`, x becomes exp(x - max); otherwise exp(x - max) (x - max) is added to tilt. */
NS_VECTOR_INLINE void exp_lanes(ns_real *x, int left, ns_real max, bool keep, ns_real *exps,
                                ns_real *total, ns_real *tilt)
{
#pragma omp simd
    for (int l = 0; l < NS_VECTOR_LANES; l++) {
        ns_real v = l < left ? x[l] : 0, e = l < left ? ns_exp(v - max) : 0;
        exps[l] += e;
        total[l] += v;
        if (!keep && l < left) tilt[l] += e * (v - max);
        if (keep && l < left) x[l] = e;
    }
}

NS_VECTOR_INLINE RowSums sum_row(ns_real *x, size_t V, bool keep)
{
    ns_real lane[NS_VECTOR_LANES];
    size_t v = 0;
    for (int l = 0; l < NS_VECTOR_LANES; l++) lane[l] = -(ns_real)INFINITY;
    for (; v + NS_VECTOR_LANES <= V; v += NS_VECTOR_LANES) max_vector(x + v, NS_VECTOR_LANES, lane);
    if (v < V) max_vector(x + v, (int)(V - v), lane);
    RowSums sums = {.max = ns_vector_lanes_max(lane)};

    double exps[NS_VECTOR_LANES] = {0}, total[NS_VECTOR_LANES] = {0}, tilt[NS_VECTOR_LANES] = {0};
    for (size_t start = 0; start < V; start += BLOCK) {
        ns_real few_exps[NS_VECTOR_LANES] = {0}, few[NS_VECTOR_LANES] = {0};
        ns_real few_tilt[NS_VECTOR_LANES] = {0};
        size_t end = MIN(start + BLOCK, V);
        for (v = start; v + NS_VECTOR_LANES <= end; v += NS_VECTOR_LANES)
            exp_lanes(x + v, NS_VECTOR_LANES, sums.max, keep, few_exps, few, few_tilt);
        if (v < end) exp_lanes(x + v, (int)(end - v), sums.max, keep, few_exps, few, few_tilt);
#pragma omp simd
        for (int l = 0; l < NS_VECTOR_LANES; l++) {
            exps[l] += (double)few_exps[l];
            total[l] += (double)few[l];
            tilt[l] += (double)few_tilt[l];
        }
    }
    sums.exps = ns_vector_lanes_sum(exps);
    sums.total = ns_vector_lanes_sum(total);
    sums.tilt = ns_vector_lanes_sum(tilt);
    return sums;
}

/* With log softmax(x)_v = x_v - max x - log sum_u exp(x_u - max x), nll = -log softmax(x)_target
 * and dx_v = (1 + 2 z log Z) softmax(x)_v - (1 - smoothing) [v = target] - smoothing / V. */
NS_CLONES_OF(extern, NsCrossEntropy, ns_cross_entropy,
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
        double logit = (double)logits[targets[r]];
        RowSums row = dscale != 0 ? sum_row(logits, V, true) : sum_row(logits, V, false);
        double logsumexp = (double)row.max + log(row.exps), nll = logsumexp - logit;
        sum.nll += nll;
        sum.log_z += logsumexp;
        sum.loss += (1 - smoothing) * nll + smoothing * (logsumexp - row.total / (double)V);
        sum.loss += z * logsumexp * logsumexp;
        if (dscale == 0) {
            sum.entropy += log(row.exps) - row.tilt / row.exps;
            continue;
        }
        ns_real scale = (ns_real)((double)dscale / row.exps * (1 + 2 * z * logsumexp));
#pragma omp simd
        for (size_t v = 0; v < V; v++) logits[v] = logits[v] * scale - share;
        logits[targets[r]] -= hit;
    }
    return sum;
}
