/* Where a branch joins the stream, against plain loops; in both precisions.
 * SPDX-License-Identifier: MIT */
#include "core/base/rng.h"
#include "core/base/squares.h"
#include "core/ops/residual.h"

#include <float.h>
#include <math.h>
#include <string.h>

#ifdef NS_DOUBLE
#define ROUNDING DBL_EPSILON
#else
#define ROUNDING ((double)FLT_EPSILON)
#endif

enum { N = 300, ALL = NS_SQUARES_STREAM | NS_SQUARES_BRANCH | NS_SQUARES_SUM };

static void fill(ns_real *x, size_t n, uint64_t stream)
{
    NsRng rng;
    ns_rng_init(&rng, 5, stream);
    for (size_t i = 0; i < n; i++) x[i] = (ns_real)ns_rng_normal(&rng);
}

static void assert_near(double seen, double expected)
{
    g_assert_cmpfloat(fabs(seen - expected), <=, 16 * ROUNDING * fabs(expected));
}

static void check_join(ns_real a, ns_real b, size_t n, size_t shift)
{
    ns_real x[N + 4], y[N + 4], z[N + 4];
    fill(x, N + 4, 1);
    fill(y, N + 4, 2);
    fill(z, N + 4, 3);
    ns_real before = z[shift + n];
    NsJointSquares seen = ns_join_streams(z + shift, a, x + shift, b, y + shift, n, ALL);
    NsJointSquares plain = {0};
    for (size_t i = shift; i < shift + n; i++) {
        double p = (double)a * (double)x[i], q = (double)b * (double)y[i];
        plain.stream += p * p;
        plain.branch += q * q;
        plain.sum += (double)z[i] * (double)z[i];
        g_assert_cmpfloat(fabs((double)z[i] - p - q), <=, 4 * ROUNDING * (fabs(p) + fabs(q)));
    }
    assert_near(seen.stream, plain.stream);
    assert_near(seen.branch, plain.branch);
    assert_near(seen.sum, plain.sum);
    g_assert_cmpfloat(z[shift + n], ==, before);

    /* In place, and the same bits. */
    NsJointSquares again = ns_join_streams(x + shift, a, x + shift, b, y + shift, n, ALL);
    g_assert_cmpfloat(again.stream, ==, seen.stream);
    g_assert_cmpfloat(again.branch, ==, seen.branch);
    g_assert_cmpfloat(again.sum, ==, seen.sum);
    for (size_t i = shift; i < shift + n; i++) g_assert_cmpfloat(x[i], ==, z[i]);
    fill(x, N + 4, 1);
    again = ns_join_streams(y + shift, a, x + shift, b, y + shift, n, ALL);
    g_assert_cmpfloat(again.stream, ==, seen.stream);
    g_assert_cmpfloat(again.branch, ==, seen.branch);
    g_assert_cmpfloat(again.sum, ==, seen.sum);
    for (size_t i = shift; i < shift + n; i++) g_assert_cmpfloat(y[i], ==, z[i]);
}

/* What is not asked for is left out, and changes nothing else. */
static void test_join_asked(void)
{
    ns_real x[N], y[N], z[N], again[N];
    fill(x, N, 1);
    fill(y, N, 2);
    NsJointSquares all = ns_join_streams(z, 2, x, 3, y, N, ALL);
    for (unsigned asked = 0; asked < ALL; asked++) {
        NsJointSquares seen = ns_join_streams(again, 2, x, 3, y, N, asked);
        g_assert_cmpfloat(seen.stream, ==, asked & NS_SQUARES_STREAM ? all.stream : 0);
        g_assert_cmpfloat(seen.branch, ==, asked & NS_SQUARES_BRANCH ? all.branch : 0);
        g_assert_cmpfloat(seen.sum, ==, asked & NS_SQUARES_SUM ? all.sum : 0);
        g_assert_true(memcmp(z, again, sizeof z) == 0);
    }
}

static void test_join(void)
{
    for (size_t n = 0; n < N; n += n < 40 ? 1 : 37)
        for (size_t shift = 0; shift < 3; shift++) {
            check_join(1, 1, n, shift);
            check_join((ns_real)0.7, (ns_real)-1.3, n, shift);
            check_join(0, 1, n, shift);
        }
}

/* A stream that is cut off has no say, even where it is not finite; one that is not, has. */
static void test_join_broken(void)
{
    ns_real x[3] = {1, NAN, INFINITY}, y[3] = {3, 4, 0}, z[3];
    NsJointSquares cut = ns_join_streams(z, 0, x, 1, y, 3, ALL);
    g_assert_cmpfloat(cut.stream, ==, 0);
    g_assert_cmpfloat(cut.branch, ==, 25);
    g_assert_cmpfloat(cut.sum, ==, 25);
    NsJointSquares joint = ns_join_streams(z, 1, x, 1, y, 3, ALL);
    g_assert_true(isnan(joint.stream) && isnan(joint.sum));
    g_assert_cmpfloat(joint.branch, ==, 25);
    g_assert_true(z[0] > 3 && isnan(z[1]) && isinf(z[2]));
    g_assert_true(isnan(ns_join_streams(z, (ns_real)NAN, y, 1, y, 3, ALL).stream));
}

/* Squares for which a real has no room. */
static void test_join_range(void)
{
    static const double scales[] = {1e-25, 1e25};
    ns_real x[N], y[N], z[N];
    for (size_t k = 0; k < G_N_ELEMENTS(scales); k++)
        for (size_t n = 1; n < N; n += 37) {
            double scale = scales[k];
            fill(x, N, 1);
            fill(y, N, 2);
            NsJointSquares one = ns_join_streams(z, 1, x, 1, y, n, ALL);
            for (size_t i = 0; i < n; i++) {
                x[i] = (ns_real)(scale * (double)x[i]);
                y[i] = (ns_real)(scale * (double)y[i]);
            }
            NsJointSquares seen = ns_join_streams(z, 1, x, 1, y, n, ALL);
            assert_near(seen.stream, scale * scale * one.stream);
            assert_near(seen.branch, scale * scale * one.branch);
            assert_near(seen.sum, scale * scale * one.sum);
            assert_near(ns_add_squares(y, x, n), scale * scale * one.sum);
        }
}

/* Adds what ns_add_scaled adds, and sees what is then there. */
static void test_add_squares(void)
{
    enum { MOST = 5000 };
    ns_real x[MOST], y[MOST], z[MOST];
    for (size_t n = 0; n < MOST; n += n < 40 ? 1 : 311) {
        fill(x, MOST, 1);
        fill(y, MOST, 2);
        memcpy(z, y, sizeof z);
        double seen = ns_add_squares(y, x, n);
        ns_add_scaled(z, 1, x, n);
        g_assert_true(memcmp(y, z, sizeof z) == 0);
        assert_near(seen, ns_real_squares(z, n));
    }
}

static void test_rows(void)
{
    enum { R = 5 };
    ns_real x[R * N];
    fill(x, R * N, 1);
    for (size_t D = 1; D < N; D += D < 40 ? 1 : 37) {
        NsRowSums seen = {0}, plain = {0};
        ns_row_sums_add(&seen, x, 2, D);
        ns_row_sums_add(&seen, x + 2 * D, R - 2, D);
        for (size_t r = 0; r < R; r++) {
            double sum = 0;
            for (size_t i = 0; i < D; i++) {
                double v = (double)x[r * D + i];
                sum += v * v;
                plain.largest = MAX(plain.largest, fabs(v));
            }
            plain.squares += sum;
            plain.norms += sqrt(sum);
        }
        assert_near(seen.squares, plain.squares);
        assert_near(seen.norms, plain.norms);
        g_assert_cmpfloat(seen.largest, ==, plain.largest);
    }
}

/* A NaN and an infinity are seen, wherever in a row they are, and not forgotten. */
static void test_rows_broken(void)
{
    enum { D = 37 };
    ns_real x[2 * D], good[D];
    fill(good, D, 2);
    for (size_t at = 0; at < 2 * D; at++) {
        fill(x, 2 * D, 1);
        x[at] = -INFINITY;
        NsRowSums sums = {0};
        ns_row_sums_add(&sums, x, 2, D);
        g_assert_true(isinf(sums.squares) && isinf(sums.norms) && isinf(sums.largest));
        x[at] = NAN;
        ns_row_sums_add(&sums, x, 2, D);
        ns_row_sums_add(&sums, good, 1, D);
        g_assert_true(isnan(sums.squares) && isnan(sums.norms) && isnan(sums.largest));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/residual/join", test_join);
    g_test_add_func("/residual/join-asked", test_join_asked);
    g_test_add_func("/residual/join-broken", test_join_broken);
    g_test_add_func("/residual/join-range", test_join_range);
    g_test_add_func("/residual/add-squares", test_add_squares);
    g_test_add_func("/residual/rows", test_rows);
    g_test_add_func("/residual/rows-broken", test_rows_broken);
    return g_test_run();
}
