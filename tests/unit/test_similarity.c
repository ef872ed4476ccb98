/* Similarity and spread of states whose answers are known.  SPDX-License-Identifier: MIT */
#include "core/probe/similarity.h"

#include <math.h>

static void close_to(double a, double b, double tolerance)
{
    if (fabs(a - b) <= tolerance * (fabs(b) + 1e-3)) return;
    g_test_message("%.9g is not %.9g", a, b);
    g_test_fail();
}

enum { TOKENS = 40, WIDTH = 6, STATES = 5 };

static void test_limits(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(3);
    static ns_real x[STATES][TOKENS * WIDTH];
    for (size_t t = 0; t < TOKENS; t++) {
        for (size_t k = 0; k < WIDTH; k++)
            x[0][t * WIDTH + k] = (ns_real)g_rand_double_range(random, -1, 1);
        const ns_real *a = &x[0][t * WIDTH];
        for (size_t k = 0; k < WIDTH; k += 2) {
            /* State 1: turned by a quarter, plane by plane.  State 2: turned by 0.3, made three
             * times as large, and moved. */
            ns_real *b = &x[1][t * WIDTH + k], *c = &x[2][t * WIDTH + k];
            b[0] = -a[k + 1];
            b[1] = a[k];
            double turn = 0.3 * (double)(k + 1);
            c[0] = (ns_real)(3 * (cos(turn) * (double)a[k] - sin(turn) * (double)a[k + 1]) + 7);
            c[1] = (ns_real)(3 * (sin(turn) * (double)a[k] + cos(turn) * (double)a[k + 1]) - 5);
            x[3][t * WIDTH + k] = 1; /* the same for every token */
        }
    }
    static const ns_real *rows[STATES * NS_SIMILARITY_TOKENS];
    static double norms[STATES * NS_SIMILARITY_TOKENS];
    for (size_t i = 0; i < STATES; i++)
        for (size_t t = 0; t < TOKENS; t++) rows[i * NS_SIMILARITY_TOKENS + t] = x[i] + t * WIDTH;
    g_autofree ns_real *scratch = g_new(ns_real, ns_similarity_scratch(STATES, TOKENS, WIDTH));
    const unsigned stack[STATES] = {0};
    g_autofree NsSimilarity *s = g_new0(NsSimilarity, 1);
    double participation[STATES];
    ns_similarity_measure(s, &(NsSimilarityInput){.n = STATES,
                                                  .D = WIDTH,
                                                  .stack = stack,
                                                  .tokens = {TOKENS, 0},
                                                  .rows = rows,
                                                  .scratch = scratch,
                                                  .norms = norms,
                                                  .participation = participation});
    /* Six directions that are alike, whatever the rotation and the scale; no variance. */
    g_assert_cmpfloat(participation[0], >, 5);
    g_assert_cmpfloat(participation[0], <, 6);
    close_to(participation[1], participation[0], 1e-4);
    close_to(participation[2], participation[0], 1e-4);
    g_assert_cmpfloat(participation[3], ==, 0);
    g_assert_cmpfloat(participation[4], ==, 0);
    close_to((double)s->value[NS_SIMILARITY_CKA][0], 1, 1e-6);
    close_to((double)s->value[NS_SIMILARITY_CKA][1], 1, 1e-5);
    close_to((double)s->value[NS_SIMILARITY_CKA][2], 1, 1e-5);
    close_to((double)s->value[NS_SIMILARITY_COSINE][0], 1, 1e-6);
    close_to((double)s->value[NS_SIMILARITY_COSINE][1], 0, 1e-5);
    g_assert_cmpfloat(s->value[NS_SIMILARITY_ANGLE][0], ==, 0);
    close_to((double)s->value[NS_SIMILARITY_ANGLE][1], 0.5, 1e-5);
    /* State 3 has no variance, state 4 no direction either. */
    g_assert_false(s->has[NS_SIMILARITY_CKA][3]);
    g_assert_true(s->has[NS_SIMILARITY_COSINE][3]);
    g_assert_false(s->has[NS_SIMILARITY_COSINE][4]);
    g_assert_false(s->has[NS_SIMILARITY_ANGLE][4]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/similarity/limits", test_limits);
    return g_test_run();
}
