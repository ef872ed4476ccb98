/* How well a guess matches a measurement.  SPDX-License-Identifier: MIT */
#include "core/study/statistics.h"

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

/* Student's t against closed forms: tan(pi c / 2) for one degree of freedom, c sqrt(2 / (1 - c^2))
 * for two; and against tables. */
static void test_student(void)
{
    static const struct {
        double freedom, t95, t99;
    } rows[] = {{1, 12.70620474, 63.65674116}, {2, 4.30265273, 9.92484320},
                {3, 3.18244631, 5.84090931},   {5, 2.57058184, 4.03214298},
                {10, 2.22813885, 3.16927267},  {30, 2.04227246, 2.74999565},
                {120, 1.97993041, 2.61742107}, {1e6, 1.95996635, 2.57583423}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        double v = rows[i].freedom;
        g_assert_cmpfloat_with_epsilon(ns_student_quantile(0.95, v), rows[i].t95, 1e-7);
        g_assert_cmpfloat_with_epsilon(ns_student_quantile(0.99, v), rows[i].t99, 1e-7);
        g_assert_cmpfloat_with_epsilon(ns_student_tail(rows[i].t95, v), 0.05, 1e-8);
    }
    for (double c = 0.01; c < 1; c += 0.01) {
        double one = tan(G_PI / 2 * c), two = c * sqrt(2 / (1 - c * c));
        g_assert_cmpfloat_with_epsilon(ns_student_quantile(c, 1) / one, 1, 1e-10);
        g_assert_cmpfloat_with_epsilon(ns_student_quantile(c, 2) / two, 1, 1e-10);
    }
    double between = ns_student_quantile(0.95, 1.5);
    g_assert_true(between > rows[1].t95 && between < rows[0].t95);
    g_assert_cmpfloat(ns_student_tail(0, 3), ==, 1);
    g_assert_cmpfloat(ns_student_tail(INFINITY, 3), ==, 0);
}

static void test_moments(void)
{
    static const double values[] = {3, 5, 3, 5};
    g_assert_cmpfloat_with_epsilon(ns_moments(values, 4).reach, 3.18244631 * sqrt(1 / 3.0), 1e-7);
    NsMoments moments = ns_moments((const double[]){1, 2, 6}, 3);
    g_assert_cmpfloat_with_epsilon(moments.mean, 3, 1e-12);
    g_assert_cmpfloat_with_epsilon(moments.sd, sqrt(7), 1e-12);
    moments = ns_moments((const double[]){7}, 1);
    g_assert_cmpfloat(moments.mean, ==, 7);
    g_assert_cmpfloat(moments.sd, ==, 0);
    g_assert_true(isnan(moments.reach));
}

/* Anscombe's first data (1973): y = 3.0001 + 0.5001 x, with a standard error of 0.1179. */
static void test_fit(void)
{
    static const double x[] = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
    static const double y[] = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
    NsFit fit;
    g_assert_true(ns_fit_line(&fit, x, y, 11));
    g_assert_cmpfloat_with_epsilon(fit.slope, 0.5001, 1e-4);
    g_assert_cmpfloat_with_epsilon(fit.at, 3.0001, 1e-4);
    g_assert_cmpfloat_with_epsilon(fit.reach, 2.262 * 0.1179, 1e-3);
    g_assert_true(ns_fit_line(&fit, x, y, 2));
    g_assert_true(isnan(fit.reach));
    g_assert_false(ns_fit_line(&fit, x, y, 1));
    g_assert_false(ns_fit_line(&fit, (const double[]){2, 2, 2}, y, 3));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/score/exact", test_exact);
    g_test_add_func("/score/shape-and-size", test_shape_and_size);
    g_test_add_func("/score/ties", test_ties);
    g_test_add_func("/score/flat", test_flat);
    g_test_add_func("/score/refused", test_refused);
    g_test_add_func("/score/student", test_student);
    g_test_add_func("/score/moments", test_moments);
    g_test_add_func("/score/fit", test_fit);
    return g_test_run();
}
