/* SPDX-License-Identifier: MIT */
#include "core/probe/moments.h"

#include "core/ops/clones.h"

#include <math.h>

/* Ratios of n elements: sum of a, largest b.  A NaN reaches the sum. */
NS_CLONES static void ratios(double *sum, double *most, const ns_real *g, const ns_real *v,
                             const double scale[5], size_t n)
{
    double clip_sq = scale[0], old = scale[1], fresh = scale[2], unbias = scale[3],
           least = scale[4];
    double total = 0, peak = 0;
#pragma omp simd reduction(+ : total) reduction(max : peak)
    for (size_t i = 0; i < n; i++) {
        double square = clip_sq * (double)g[i] * (double)g[i];
        double after = old * (double)v[i] + fresh * square, before = unbias * (double)v[i];
        total += square / (after > least ? after : least);
        double spike = square / (before > least ? before : least);
        peak = spike > peak ? spike : peak;
    }
    *sum = total;
    *most = peak;
}

NsMomentRatios ns_moment_ratios(const NsMoments *m, const NsTensor *tensor)
{
    /* Never 0, so that what has no gradient and no moment counts as 0. */
    double least = fmax(m->eps * m->eps * tensor->eps * tensor->eps, 1e-300);
    double after = 1 - pow(m->beta2, (double)m->seen + 1),
           before = 1 - pow(m->beta2, (double)m->seen);
    const double scale[5] = {m->clip * m->clip, m->beta2 / after, (1 - m->beta2) / after,
                             m->seen > 0 ? 1 / before : 0, least};
    NsMomentRatios found = {.fresh = m->seen <= 0};
    ratios(&found.sum, &found.spike, m->g + tensor->offset, m->v + tensor->offset, scale,
           ns_tensor_size(tensor));
    if (isnan(found.sum)) found.spike = (double)NAN;
    return found;
}
