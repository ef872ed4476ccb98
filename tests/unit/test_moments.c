/* Gradients beside their moments, against plain sums in double, over the whole range of single
 * precision.  SPDX-License-Identifier: MIT */
#include "core/base/flush.h"
#include "core/probe/moments.h"

#include <float.h>
#include <math.h>

#define N 1003

typedef struct {
    ns_real g[N], v[N];
} Elements;

/* Gradients of about the size g, moments of about the square of v; some of both are 0. */
static void make(Elements *e, double g, double v)
{
    for (int i = 0; i < N; i++) {
        double spread = exp(2 * sin((double)i * 0.7));
        e->g[i] = i % 13 ? (ns_real)(g * spread * cos((double)i)) : 0;
        double moment = v * v * (1.1 + sin((double)i));
        /* As a step would have stored it. */
        e->v[i] = i % 11 && moment >= (double)FLT_MIN ? (ns_real)moment : 0;
    }
}

static NsMomentRatios plain(const Elements *e, const NsMoments *m)
{
    NsMomentRatios found = {0};
    double least = fmax(m->eps * m->eps, 1e-300), k = (double)m->seen;
    for (int i = 0; i < N; i++) {
        double g = (double)e->g[i], x = m->clip * g, v = (double)e->v[i];
        double after = (m->beta2 * v + (1 - m->beta2) * x * x) / (1 - pow(m->beta2, k + 1));
        double before = m->seen ? v / (1 - pow(m->beta2, k)) : 0;
        found.square += g * g;
        found.sum += x * x / fmax(after, least);
        found.spike = fmax(found.spike, x * x / fmax(before, least));
    }
    return found;
}

/* To 2e-6 of itself.  Values whose root a record cannot hold need only be as small. */
static void close_to(double x, double expected, double held)
{
    if (fabs(expected) < held) expected = x < held ? x : expected;
    if (isinf(expected) && isinf(x)) return;
    if (!(fabs(x - expected) <= 2e-6 * fabs(expected))) {
        g_test_message("%.9g, expected %.9g", x, expected);
        g_test_fail();
    }
}

static void compare(const Elements *e, const NsMoments *m)
{
    NsMomentScale scale = ns_moment_scale(m);
    uint64_t mode = ns_flush_begin();
    NsMomentRatios both = ns_moment_ratios(&scale, e->g, e->v, N, true);
    NsMomentRatios ratios = ns_moment_ratios(&scale, e->g, e->v, N, false);
    ns_flush_end(mode);
    NsMomentRatios expected = plain(e, m);
    /* A spike beyond single precision is infinite in a record. */
    if (expected.spike > (double)FLT_MAX) expected.spike = (double)INFINITY;
    if (both.spike > (double)FLT_MAX) both.spike = (double)INFINITY;
    close_to(both.square, expected.square, 0);
    close_to(both.sum, expected.sum, 1e-70);
    close_to(both.spike, expected.spike, 1e-37);
    g_assert_cmpfloat(ratios.sum, ==, both.sum);
    if (isfinite(both.spike)) g_assert_cmpfloat(ratios.spike, ==, both.spike);
}

/* Sizes of gradients and of what went before them, small and large, alike and not. */
static void test_range(void)
{
    static const double sizes[] = {1e-34, 1e-30, 1e-22, 1e-18, 1e-12, 1e-8, 1e-4, 1, 30, 1e5};
    static const double epsilons[] = {0, 1e-30, 1e-24, 1e-18, 1e-12, 1e-10, 1e-8, 1e-4, 1};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        for (size_t j = 0; j < G_N_ELEMENTS(sizes); j++)
            for (size_t k = 0; k < G_N_ELEMENTS(epsilons); k++) {
                Elements e;
                make(&e, sizes[i], sizes[j]);
                for (int64_t seen = 0; seen < 3000; seen += 7 + 900 * seen / 7) {
                    NsMoments m = {.clip = 1, .beta2 = 0.98, .eps = epsilons[k], .seen = seen};
                    compare(&e, &m);
                    m.beta2 = 0.999;
                    /* What is clipped to below the least normal number is 0. */
                    m.clip = sizes[i] < 1e-30 ? 0.3 : 0.3e-4;
                    compare(&e, &m);
                }
            }
}

/* Moments that single precision cannot multiply, and gradients that it cannot square. */
static void test_huge(void)
{
    static const double sizes[] = {1e8, 1e10, 1e15, 1e18};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        for (size_t j = 0; j < G_N_ELEMENTS(sizes); j++) {
            Elements e;
            make(&e, sizes[i], sizes[j]);
            const NsMoments m = {.clip = 1, .beta2 = 0.98, .eps = 1e-8, .seen = 9};
            compare(&e, &m);
            make(&e, 1e-20, sizes[j]); /* a fall from there */
            compare(&e, &m);
            make(&e, sizes[i] * 1e18, sizes[j]);
            compare(&e, &m);
            make(&e, 1e35, 1e-5); /* clipped by a factor that is not normal */
            const NsMoments clipped = {.clip = 1e-40, .beta2 = 0.98, .eps = 1e-8, .seen = 9};
            compare(&e, &clipped);
        }
}

static void test_zero(void)
{
    Elements e = {0};
    const NsMoments m = {.clip = 1, .beta2 = 0.98, .eps = 0, .seen = 9};
    compare(&e, &m);
    make(&e, 0, 1e6);
    compare(&e, &m);
    NsMomentScale scale = ns_moment_scale(&m);
    NsMomentRatios found = ns_moment_ratios(&scale, e.g, e.v, N, true);
    g_assert_true(found.sum == 0 && found.spike == 0 && found.square == 0);
}

static void test_not_finite(void)
{
    static const double values[] = {(double)NAN, (double)INFINITY};
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
        Elements e;
        make(&e, 1e-3, 1e-3);
        e.g[700] = (ns_real)values[i];
        NsMomentScale scale =
            ns_moment_scale(&(NsMoments){.clip = 1, .beta2 = 0.98, .eps = 1e-8, .seen = 9});
        NsMomentRatios found = ns_moment_ratios(&scale, e.g, e.v, N, true);
        g_assert_true(!isfinite(found.square) && isnan(found.sum) && isnan(found.spike));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/moments/range", test_range);
    g_test_add_func("/moments/huge", test_huge);
    g_test_add_func("/moments/zero", test_zero);
    g_test_add_func("/moments/not-finite", test_not_finite);
    return g_test_run();
}
