/* Gradients beside their moments, of every size that single precision has.
 * SPDX-License-Identifier: MIT */
#include "core/optim/optimizer.h"

#include <math.h>

/* One tensor for every size of a moment: a vector, and what is left over from one. */
enum { SIZE = 19, TENSORS = 254, SMALLEST = -126 };

#define BETA2 0.98
#define STEP 3

/* The root of what divides is kept between 2^-63 and 2^63. */
static double kept(double square, double eps)
{
    return fmin(fmax(square, fmax(eps * eps, 0x1p-126)), 0x1p126);
}

static double corrected(double v, int age)
{
    return v / (1 - pow(BETA2, age));
}

/* Of gradients of 2^size and moments of 2^moment: whether what a real is too small for is too small
 * to count. */
static bool is_exact(int size, int moment, double eps)
{
    return size > -40 || moment > -90 || eps > 0x1p-50;
}

/* A root below 2^-160 may be 0, and one above 2^87 infinite: no record of the step could hold their
 * squares. */
static void assert_ratio(const char *what, int size, int moment, double x, double expected)
{
    bool large = expected > 0x1p174;
    if (large ? x > 0x1p173 : fabs(x - expected) <= fmax(3e-6 * expected, 0x1p-320)) return;
    g_test_message("%s of a gradient of 2^%d, moment of 2^%d: %.9g, expected %.9g", what, size,
                   moment, x, expected);
    g_test_fail();
}

/* All gradients are of 2^size and more, and the moments of the k-th tensor of 2^(SMALLEST + k). */
static void compare(const NsTensorTable *table, ns_real *arenas[4], int size, double eps)
{
    ns_real *w = arenas[0], *m = arenas[1], *v = arenas[2], *g = arenas[3];
    NsTensorUpdate seen[TENSORS];
    double expected_sum[TENSORS] = {0}, expected_most[TENSORS] = {0};
    for (int k = 0; k < TENSORS; k++)
        for (size_t i = 0; i < SIZE; i++) {
            size_t at = table->tensors[k].offset + i;
            double mantissa = 1 + (double)((i * 7 + (size_t)k) % SIZE) / SIZE;
            w[at] = m[at] = 0;
            v[at] = (ns_real)ldexp(1 + (double)i / SIZE, SMALLEST + k);
            g[at] = (ns_real)((i % 2 ? -1 : 1) * ldexp(mantissa, size));
            double square = (double)g[at] * (double)g[at], old = (double)v[at];
            double after = BETA2 * old + (1 - BETA2) * square;
            expected_sum[k] += square / kept(corrected(after, STEP), eps);
            double score = square / kept(corrected(old, STEP - 1), eps);
            expected_most[k] = fmax(expected_most[k], score);
        }
    const NsSettings settings = {.beta1 = 0.9, .beta2 = BETA2, .eps = eps};
    ns_optimizer(0)->step(&(NsUpdate){.settings = &settings,
                                      .table = table,
                                      .w = w,
                                      .m = m,
                                      .v = v,
                                      .g = g,
                                      .lr = 1e-3,
                                      .step = STEP,
                                      .tensors = seen,
                                      .ratios = true});
    for (int k = 0; k < TENSORS; k++) {
        int moment = SMALLEST + k;
        if (is_exact(size, moment, eps))
            assert_ratio("mean square", size, moment, seen[k].ratio_sum, expected_sum[k]);
        assert_ratio("largest square", size, moment, seen[k].ratio_max, expected_most[k]);
    }
}

static void test_sizes(void)
{
    static const double epsilons[] = {0, 0x1p-45, 1e-8, 1};
    NsTensorTable table = {0};
    for (int k = 0; k < TENSORS; k++)
        ns_tensor_table_add(
            &table, (NsTensor){.name = "v", .layer = 0, .rows = SIZE, .lr = 1, .eps = 1}, false);
    ns_real *arenas[4];
    for (int i = 0; i < 4; i++) arenas[i] = ns_real_new(table.size, "arena", NULL);
    for (size_t e = 0; e < G_N_ELEMENTS(epsilons); e++)
        for (int size = -126; size < 88; size++) compare(&table, arenas, size, epsilons[e]);
    for (int i = 0; i < 4; i++) ns_real_free(arenas[i]);
    ns_tensor_table_clear(&table);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ratios/sizes", test_sizes);
    return g_test_run();
}
