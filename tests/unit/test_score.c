/* How well a guess matches a measurement.  SPDX-License-Identifier: MIT */
#include "core/study/score.h"

#include <glib.h>
#include <math.h>

static NsScore score_of(const double *guess, const double *measured, size_t n)
{
    NsScore score;
    g_assert_true(ns_score(&score, guess, measured, n));
    return score;
}

static void test_exact(void)
{
    const double measured[] = {1, 3, 2, 8};
    NsScore score = score_of(measured, measured, 4);
    g_assert_cmpfloat_with_epsilon(score.rank, 1, 1e-12);
    g_assert_cmpfloat_with_epsilon(score.factor, 1, 1e-12);
}

/* Shape and size are judged apart. */
static void test_shape_and_size(void)
{
    const double measured[] = {1, 2, 4, 8}, twice[] = {2, 4, 8, 16}, mixed[] = {2, 1, 8, 4};
    const double falling[] = {8, 4, 2, 1};
    g_assert_cmpfloat_with_epsilon(score_of(twice, measured, 4).rank, 1, 1e-12);
    g_assert_cmpfloat_with_epsilon(score_of(twice, measured, 4).factor, 2, 1e-12);
    g_assert_cmpfloat_with_epsilon(score_of(mixed, measured, 4).factor, 2, 1e-12);
    g_assert_cmpfloat_with_epsilon(score_of(falling, measured, 4).rank, -1, 1e-12);
    /* 1 - 6 sum d^2 / (n (n^2 - 1)), of ranks 1 0 3 2 beside 0 1 2 3. */
    g_assert_cmpfloat_with_epsilon(score_of(mixed, measured, 4).rank, 1 - 6 * 4 / 60.0, 1e-12);
}

/* Pearson's correlation of the ranks 1 2.5 2.5 5 4 and 2 1 3.5 3.5 5. */
static void test_ties(void)
{
    const double a[] = {1, 2, 2, 5, 4}, b[] = {3, 1, 4, 4, 9};
    g_assert_cmpfloat_with_epsilon(score_of(a, b, 5).rank, 0.60526315789473684, 1e-12);
}

static void test_flat(void)
{
    const double flat[] = {2, 2, 2}, measured[] = {1, 2, 4};
    NsScore score = score_of(flat, measured, 3);
    g_assert_true(isnan(score.rank));
    g_assert_cmpfloat_with_epsilon(score.factor, pow(2, 2 / 3.0), 1e-12);
}

static void test_refused(void)
{
    const double good[] = {1, 2};
    const double bad[][2] = {{0, 1}, {-1, 1}, {1, (double)NAN}, {1, (double)INFINITY}};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        NsScore score = {.rank = 7};
        g_assert_false(ns_score(&score, bad[i], good, 2));
        g_assert_false(ns_score(&score, good, bad[i], 2));
        g_assert_cmpfloat(score.rank, ==, 7);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/score/exact", test_exact);
    g_test_add_func("/score/shape-and-size", test_shape_and_size);
    g_test_add_func("/score/ties", test_ties);
    g_test_add_func("/score/flat", test_flat);
    g_test_add_func("/score/refused", test_refused);
    return g_test_run();
}
