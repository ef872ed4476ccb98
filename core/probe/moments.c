/* SPDX-License-Identifier: MIT
 *
 * Every step reads every gradient here, so the ratios are taken in single precision, at one
 * division for both: with a = max(v', eps^2), b = max(v, eps^2) and t = g / (a b), they are g b t
 * and g a t. What that has to be careful about is the range.  Moments and gradients are counted in
 * units that keep a b above 2^-124; the largest a b says afterwards whether one was too large, or
 * whether a t that was too small could be seen in the sum.  Then, which at the usual eps takes
 * gradients beyond 1e9 or a fall from large ones to nearly nothing, the elements are seen again in
 * double. */
#include "core/probe/moments.h"

#include "core/ops/clones.h"

#include <float.h>
#include <math.h>

/* eps in units, at least. */
#define LEAST_EPS 0x1p-31

/* Below these, single precision does not have the range for units or for the factor. */
#define LEAST_NARROW_EPS 1e-25
#define LEAST_NARROW_CLIP 1e-30

NsMomentScale ns_moment_scale(const NsMoments *m)
{
    double after = 1 - pow(m->beta2, (double)m->seen + 1),
           before = 1 - pow(m->beta2, (double)m->seen);
    NsMomentScale scale = {
        .clip_sq = m->clip * m->clip,
        .old = m->beta2 / after,
        .fresh = (1 - m->beta2) / after,
        .unbias = m->seen > 0 ? 1 / before : 0,
        /* Never 0, so that what has no gradient and no moment counts as 0. */
        .least = fmax(m->eps * m->eps, 1e-300),
    };
    double unit = fmin(1, m->eps / LEAST_EPS);
    scale.can_be_narrow = m->eps >= LEAST_NARROW_EPS && m->clip >= LEAST_NARROW_CLIP;
    if (!scale.can_be_narrow) return scale;
    scale.unit_sq = unit * unit;
    scale.factor = (ns_real)(m->clip / unit);
    scale.narrow[0] = (ns_real)(scale.old / scale.unit_sq);
    scale.narrow[1] = (ns_real)scale.fresh;
    scale.narrow[2] = (ns_real)(scale.unbias / scale.unit_sq);
    scale.narrow[3] = (ns_real)(scale.least / scale.unit_sq);
    return scale;
}

/* `largest`: of a b. */
__attribute__((always_inline)) static inline NsMomentRatios
narrow_span(const NsMomentScale *c, const ns_real *g, const ns_real *v, size_t n, ns_real *largest,
            const bool squared)
{
    const ns_real factor = c->factor, old = c->narrow[0], fresh = c->narrow[1];
    const ns_real unbias = c->narrow[2], least = c->narrow[3];
    double square = 0, sum = 0;
    ns_real most = 0, spike = 0;
#pragma omp simd reduction(+ : square, sum) reduction(max : most, spike)
    for (size_t i = 0; i < n; i++) {
        ns_real x = factor * g[i];
        ns_real a = old * v[i] + fresh * (x * x), b = unbias * v[i];
        a = a > least ? a : least;
        b = b > least ? b : least;
        ns_real product = a * b, t = x / product;
        ns_real ratio = x * (a * t);
        if (squared) square += (double)g[i] * (double)g[i];
        sum += (double)x * (double)(b * t);
        spike = ratio > spike ? ratio : spike;
        most = product > most ? product : most;
    }
    *largest = most;
    return (NsMomentRatios){square, sum, (double)spike};
}

NS_CLONES static NsMomentRatios narrow(const NsMomentScale *c, const ns_real *g, const ns_real *v,
                                       size_t n, ns_real *largest)
{
    return narrow_span(c, g, v, n, largest, false);
}

NS_CLONES static NsMomentRatios narrow_squared(const NsMomentScale *c, const ns_real *g,
                                               const ns_real *v, size_t n, ns_real *largest)
{
    return narrow_span(c, g, v, n, largest, true);
}

NS_CLONES static NsMomentRatios wide(const NsMomentScale *c, const ns_real *g, const ns_real *v,
                                     size_t n)
{
    const double clip_sq = c->clip_sq, old = c->old, fresh = c->fresh, unbias = c->unbias;
    const double least = c->least;
    double total = 0, sum = 0, spike = 0;
#pragma omp simd reduction(+ : total, sum) reduction(max : spike)
    for (size_t i = 0; i < n; i++) {
        double square = (double)g[i] * (double)g[i];
        double x = clip_sq * square, a = old * (double)v[i] + fresh * x, b = unbias * (double)v[i];
        double ratio = x / (b > least ? b : least);
        total += square;
        sum += x / (a > least ? a : least);
        spike = ratio > spike ? ratio : spike;
    }
    return (NsMomentRatios){total, sum, spike};
}

/* Whether single precision has lost nothing that can be seen.  A t below FLT_MIN counts as 0, and
 * with it elements whose x / unit is below `largest` times that. */
static bool is_exact(const NsMomentScale *c, double sum, double largest, size_t n)
{
    if (largest <= 1) return true;
    double unseen = 2 * (double)FLT_MIN * largest;
    return (double)n * unseen * unseen / (double)c->narrow[3] <= 1e-6 * sum;
}

NsMomentRatios ns_moment_ratios(const NsMomentScale *c, const ns_real *g, const ns_real *v,
                                size_t n, bool squared)
{
    NsMomentRatios found = {0};
    ns_real largest = 0;
    if (c->can_be_narrow) found = (squared ? narrow_squared : narrow)(c, g, v, n, &largest);
    if (!c->can_be_narrow || !is_exact(c, found.sum, (double)largest, n)) found = wide(c, g, v, n);
    if (isnan(found.sum)) found.spike = (double)NAN;
    return found;
}
