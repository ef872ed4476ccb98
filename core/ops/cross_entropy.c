/* SPDX-License-Identifier: MIT */
#include "core/ops/cross_entropy.h"

#include "core/ops/clones.h"

#include <math.h>

NS_CLONES double ns_cross_entropy(ns_real *logits, const int32_t *targets, size_t R, size_t V,
                                  ns_real dscale)
{
    double loss = 0;
    for (size_t r = 0; r < R; r++, logits += V) {
        ns_real max = logits[0];
#pragma omp simd reduction(max : max)
        for (size_t v = 0; v < V; v++) max = logits[v] > max ? logits[v] : max;
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t v = 0; v < V; v++) sum += exp((double)(logits[v] - max));
        double logsumexp = (double)max + log(sum);
        loss += logsumexp - (double)logits[targets[r]];
        if (dscale == 0) continue;
#pragma omp simd
        for (size_t v = 0; v < V; v++)
            logits[v] = dscale * (ns_real)exp((double)logits[v] - logsumexp);
        logits[targets[r]] -= dscale;
    }
    return loss;
}
