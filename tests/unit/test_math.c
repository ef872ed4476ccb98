/* Elementary functions and the activations made of them, against the C library in double.
 * SPDX-License-Identifier: MIT */
#include "core/ops/activation.h"
#include "core/ops/math.h"

#include <float.h>

/* The distance from |x| to the next real. */
static double ulp(double x)
{
    float size = fabsf((float)x);
    return (double)nextafterf(size, INFINITY) - (double)size;
}

typedef double (*Reference)(double x);

/* A few hundred thousand of all real numbers within -limit..limit: of every exponent and both
 * signs. */
static void check(const char *what, float (*f)(float), Reference reference, float limit,
                  double ulps)
{
    double worst = 0;
    float at = 0;
    for (uint64_t v = 0; v < UINT64_C(1) << 32; v += 9973) {
        uint32_t bits = (uint32_t)v;
        float x;
        memcpy(&x, &bits, sizeof x);
        if (!(fabsf(x) <= limit)) continue;
        double expected = reference((double)x);
        float seen = f(x);
        if (isinf((float)expected)) {
            g_assert_cmpfloat(seen, ==, (float)expected);
            continue;
        }
        double error = fabs((double)seen - expected) / ulp(expected);
        if (!(error <= worst)) {
            worst = error;
            at = x;
        }
    }
    g_test_message("%s: %.2f ulp at %.9g", what, worst, (double)at);
    g_assert_cmpfloat(worst, <=, ulps);
}

static float exp_of(float x)
{
    return ns_exp(x);
}

static float tanh_of(float x)
{
    return ns_tanh(x);
}

static float mills_of(float x)
{
    return ns_mills(fabsf(x));
}

static double mills(double x)
{
    return erfc(fabs(x) * sqrt(0.5)) / 2 * exp(x * x / 2);
}

static void test_functions(void)
{
    check("exp", exp_of, exp, FLT_MAX, 2);
    check("tanh", tanh_of, tanh, FLT_MAX, 3);
    check("mills", mills_of, mills, 6, 4);
    check("mills", mills_of, mills, 15, 8);
}

/* 1 / x and 1 / sqrt(x) to 1.2e-6 of them, for x of every exponent that they are made for. */
static void test_reciprocals(void)
{
    double worst = 0, worst_root = 0;
    for (uint64_t v = 0; v < UINT64_C(1) << 31; v += 997) {
        uint32_t bits = (uint32_t)v;
        float x;
        memcpy(&x, &bits, sizeof x);
        if (x >= 0x1p-126F && x <= 0x1p125F)
            worst = fmax(worst, fabs((double)ns_reciprocal(x) * (double)x - 1));
        if (x >= 0x1p-126F && x <= 0x1p126F)
            worst_root =
                fmax(worst_root, fabs((double)ns_reciprocal_root(x) * sqrt((double)x) - 1));
    }
    g_test_message("1 / x: %.3g, 1 / sqrt(x): %.3g", worst, worst_root);
    g_assert_cmpfloat(worst, <=, 1.2e-6);
    g_assert_cmpfloat(worst_root, <=, 1.2e-6);
    g_assert_true(isnan(ns_reciprocal(NAN)) && isnan(ns_reciprocal_root(NAN)));
}

static void test_limits(void)
{
    g_assert_cmpfloat(exp_of(0), ==, 1);
    g_assert_cmpfloat(exp_of(-INFINITY), ==, 0);
    g_assert_true(isinf(exp_of(INFINITY)));
    g_assert_cmpfloat(tanh_of(INFINITY), ==, 1);
    g_assert_cmpfloat(tanh_of(-INFINITY), ==, -1);
    g_assert_cmpfloat(mills_of(0), ==, 0.5F);
    g_assert_true(isfinite(mills_of(INFINITY)));
    /* Every bit pattern of a NaN that could pass for a number after an integer operation. */
    for (uint32_t k = 0; k < 1u << 23; k += 997) {
        uint32_t bits = 0x7F800001u + k;
        float x;
        memcpy(&x, &bits, sizeof x);
        g_assert_true(isnan(exp_of(x)) && isnan(tanh_of(x)) && isnan(mills_of(x)));
    }
}

static double relu(double a)
{
    return MAX(a, 0);
}

static double gelu(double a)
{
    return a * erfc(-a * sqrt(0.5)) / 2;
}

static double gelu_tanh(double a)
{
    return a * (1 + tanh(sqrt(2 / G_PI) * (a + 0.044715 * a * a * a))) / 2;
}

static double silu(double a)
{
    return a / (1 + exp(-a));
}

static double relu_slope(double a)
{
    return a > 0;
}

static double gelu_slope(double a)
{
    return erfc(-a * sqrt(0.5)) / 2 + a * exp(-a * a / 2) / sqrt(2 * G_PI);
}

static double gelu_tanh_slope(double a)
{
    double root = sqrt(2 / G_PI), t = tanh(root * (a + 0.044715 * a * a * a));
    return (1 + t) / 2 + a * (1 - t * t) * root * (1 + 3 * 0.044715 * a * a) / 2;
}

static double silu_slope(double a)
{
    double s = 1 / (1 + exp(-a));
    return s * (1 + a * (1 - s));
}

static double relu_squared(double a)
{
    return a > 0 ? a * a : 0;
}

static double relu_squared_slope(double a)
{
    return a > 0 ? 2 * a : 0;
}

/* Every activation, forward and backward, to some rounding errors of its size; n is not a multiple
 * of anything. */
static void test_activations(void)
{
    enum { N = 2017 };
    static const struct {
        const char *key;
        Reference f, slope;
        double rounding, of_slope; /* relative, absolute */
    } table[] = {{"relu", relu, relu_slope, 2e-6, 1e-6},
                 {"gelu", gelu, gelu_slope, 2e-6, 1e-6},
                 /* The exponent, up to 25, is itself rounded a few times. */
                 {"gelu-tanh", gelu_tanh, gelu_tanh_slope, 1e-5, 4e-6},
                 {"swiglu", silu, silu_slope, 2e-6, 1e-6},
                 {"relu-squared", relu_squared, relu_squared_slope, 2e-6, 4e-6}};
    for (size_t i = 0; ns_activation(i); i++)
        g_assert_cmpstr(ns_activation(i)->choice.key, ==, table[i].key);
    float a[N], g[N], y[N], da[N], dg[N];
    for (size_t k = 0; k < G_N_ELEMENTS(table); k++) {
        const NsActivation *f =
            ns_activation((size_t)ns_choices_find(ns_activation_choice, table[k].key));
        for (size_t i = 0; i < N; i++) {
            a[i] = ((float)i - 1008) / 168; /* -6..6 */
            g[i] = 1 + (float)(i % 7);
            da[i] = 2;
        }
        f->forward(y, a, f->gated ? g : NULL, N);
        f->backward(da, f->gated ? dg : NULL, da, f->keeps ? a : y, f->gated ? g : NULL, N);
        for (size_t i = 0; i < N; i++) {
            double x = (double)a[i], gate = f->gated ? (double)g[i] : 1;
            double plain = table[k].f(x), slope = 2 * gate * table[k].slope(x);
            g_assert_cmpfloat(fabs((double)y[i] - gate * plain), <=,
                              table[k].rounding * gate * fabs(plain));
            g_assert_cmpfloat(fabs((double)da[i] - slope), <=, table[k].of_slope * gate);
            if (f->gated)
                g_assert_cmpfloat(fabs((double)dg[i] - 2 * plain), <=, 2e-6 * fabs(plain));
        }
    }
}

/* What breaks stays broken, at any place of a vector. */
static void test_broken_activations(void)
{
    enum { N = 37 };
    for (size_t k = 0; ns_activation(k); k++)
        for (size_t at = 0; at < N; at++) {
            float a[N] = {0}, g[N], y[N];
            for (size_t i = 0; i < N; i++) g[i] = 1;
            a[at] = NAN;
            ns_activation(k)->forward(y, a, g, N);
            for (size_t i = 0; i < N; i++) g_assert_true(isnan(y[i]) == (i == at));
            a[at] = INFINITY;
            ns_activation(k)->forward(y, a, g, N);
            g_assert_true(isinf(y[at]) && y[at] > 0);
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/math/functions", test_functions);
    g_test_add_func("/math/reciprocals", test_reciprocals);
    g_test_add_func("/math/limits", test_limits);
    g_test_add_func("/math/activations", test_activations);
    g_test_add_func("/math/broken-activations", test_broken_activations);
    return g_test_run();
}
