/* SPDX-License-Identifier: MIT */
#include "core/ops/cross_entropy.h"

#include "core/ops/clones.h"

#include <math.h>
#include <string.h>

NS_CLONES NsCrossEntropy ns_cross_entropy(ns_real *logits, const int32_t *targets, size_t R,
                                          size_t V, double smoothing, ns_real dscale)
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
        if (dscale == 0) continue;
#pragma omp simd
        for (size_t v = 0; v < V; v++)
            logits[v] = dscale * (ns_real)exp((double)logits[v] - logsumexp) - share;
        logits[targets[r]] -= hit;
    }
    return sum;
}
