/* The loss against plain loops in double; in both precisions.  SPDX-License-Identifier: MIT */
#include "core/base/rng.h"
#include "core/ops/cross_entropy.h"

#include <float.h>
#include <math.h>
#include <string.h>

#ifdef NS_DOUBLE
#define ROUNDING DBL_EPSILON
#else
#define ROUNDING ((double)FLT_EPSILON)
#endif

enum { R = 5, V = 8000 };

static const int32_t targets[R] = {0, 3, -1, 2, 0};

static void fill(ns_real *x, size_t n, double mean)
{
    NsRng rng;
    ns_rng_init(&rng, 7, 1);
    for (size_t i = 0; i < n; i++) x[i] = (ns_real)(mean + 3 * ns_rng_normal(&rng));
}

/* The loss and, in p, the softmax of one row. */
static NsCrossEntropy plain_row(const ns_real *x, size_t n, int32_t target, double smoothing,
                                double *p)
{
    double max = -INFINITY, exps = 0, total = 0, entropy = 0;
    for (size_t v = 0; v < n; v++) max = MAX(max, (double)x[v]);
    for (size_t v = 0; v < n; v++) exps += exp((double)x[v] - max);
    double logsumexp = max + log(exps);
    for (size_t v = 0; v < n; v++) {
        p[v] = exp((double)x[v] - logsumexp);
        total += logsumexp - (double)x[v];
        if (p[v] > 0) entropy -= p[v] * log(p[v]);
    }
    double nll = logsumexp - (double)x[target];
    return (NsCrossEntropy){.nll = nll,
                            .log_z = logsumexp,
                            .entropy = entropy,
                            .loss = (1 - smoothing) * nll + smoothing * total / (double)n};
}

static void check(size_t n, double mean, double smoothing, ns_real dscale)
{
    g_autofree ns_real *x = g_new(ns_real, R * n + 1);
    fill(x, R * n + 1, mean);
    g_autofree ns_real *d = g_memdup2(x, (R * n + 1) * sizeof *x);
    g_autofree double *p = g_new(double, n);
    NsCrossEntropy seen = ns_cross_entropy(d, targets, R, n, smoothing, 0, dscale), sum = {0};
    for (size_t r = 0; r < R; r++) {
        if (targets[r] < 0) {
            for (size_t v = 0; v < n && dscale != 0; v++) g_assert_cmpfloat(d[r * n + v], ==, 0);
            continue;
        }
        NsCrossEntropy row = plain_row(x + r * n, n, targets[r], smoothing, p);
        sum.nll += row.nll;
        sum.log_z += row.log_z;
        sum.entropy += row.entropy;
        sum.loss += row.loss;
        for (size_t v = 0; v < n && dscale != 0; v++) {
            double hit = v == (size_t)targets[r] ? 1 - smoothing : 0, scale = (double)dscale;
            double expected = scale * (p[v] - hit - smoothing / (double)n);
            double error = fabs((double)d[r * n + v] - expected);
            g_assert_cmpfloat(error, <=,
                              64 * ROUNDING * scale * (p[v] + hit + smoothing / (double)n));
        }
    }
    g_assert_cmpfloat(fabs(seen.nll - sum.nll), <=, 2 * ROUNDING * (R + sum.nll));
    g_assert_cmpfloat(fabs(seen.loss - sum.loss), <=, 2 * ROUNDING * (R + sum.loss));
    g_assert_cmpfloat(fabs(seen.log_z - sum.log_z), <=, 2 * ROUNDING * (R + fabs(sum.log_z)));
    if (dscale == 0)
        g_assert_cmpfloat(fabs(seen.entropy - sum.entropy), <=, 64 * ROUNDING * (R + sum.entropy));
    g_assert_cmpfloat(d[R * n], ==, x[R * n]);
    if (dscale == 0) g_assert_true(memcmp(x, d, (R * n + 1) * sizeof *x) == 0);
}

static void test_shapes(void)
{
    static const size_t sizes[] = {4, 5, 15, 16, 17, 31, 33, 63, 64, 65, 96, 512, 1001, V};
    for (size_t k = 0; k < G_N_ELEMENTS(sizes); k++)
        for (int smooth = 0; smooth < 2; smooth++) {
            check(sizes[k], 0, smooth ? 0.1 : 0, 1);
            check(sizes[k], 0, smooth ? 0.1 : 0, (ns_real)0.01);
            check(sizes[k], 0, smooth ? 0.1 : 0, 0);
        }
}

/* The same loss, wherever the logits lie: their differences are what a real can hold. */
static void test_far(void)
{
    enum { n = 37 };
    ns_real x[R * n], far[R * n];
    fill(x, R * n, 0);
    for (size_t i = 0; i < R * n; i++) {
        x[i] = (ns_real)(round(64 * (double)x[i]) / 64);
        far[i] = x[i] - 20000;
    }
    NsCrossEntropy near = ns_cross_entropy(x, targets, R, n, 0.1, 0, 1);
    NsCrossEntropy moved = ns_cross_entropy(far, targets, R, n, 0.1, 0, 1);
    g_assert_cmpfloat_with_epsilon(near.nll, moved.nll, 1e-9);
    g_assert_cmpfloat_with_epsilon(near.loss, moved.loss, 1e-9 + 20000 * 0.1 * ROUNDING * R);
    g_assert_true(memcmp(x, far, sizeof x) == 0);
}

/* A logit that is not finite is seen, wherever it is; the rows beside it are not touched by it. */
static void test_broken(void)
{
    enum { n = 37 };
    for (size_t at = 0; at < n; at++) {
        ns_real x[R * n];
        fill(x, R * n, 0);
        x[n + at] = at % 2 ? (ns_real)NAN : (ns_real)INFINITY;
        g_assert_true(isnan(ns_cross_entropy(x, targets, R, n, 0, 0, 1).nll));
        for (size_t i = 0; i < R * n; i++)
            if (at % 2) g_assert_true(isnan(x[i]) == (i / n == 1));
        for (size_t i = 0; i < n; i++) g_assert_true(isfinite(x[i]));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cross-entropy/shapes", test_shapes);
    g_test_add_func("/cross-entropy/far", test_far);
    g_test_add_func("/cross-entropy/broken", test_broken);
    return g_test_run();
}
