/* Singular values, alone and of the matrices of a model.  SPDX-License-Identifier: MIT */
#include "core/base/rng.h"
#include "core/probe/spectrum.h"
#include "tests/unit/support.h"

#include <math.h>
#include <string.h>

static void close_to(double a, double b, double tolerance)
{
    if (fabs(a - b) <= tolerance * (fabs(b) + 1e-3)) return;
    g_test_message("%.9g is not %.9g", a, b);
    g_test_fail();
}

/* The root of the largest eigenvalue of W^T W, by its powers. */
static double singular_value(const ns_real *w, size_t rows, size_t cols)
{
    g_autofree double *x = g_new(double, cols), *y = g_new0(double, cols);
    double size = 1;
    for (size_t j = 0; j < cols; j++) x[j] = 1 + (double)j / 7;
    for (int k = 0; k < 5000; k++) {
        memset(y, 0, cols * sizeof *y);
        for (size_t i = 0; i < rows; i++) {
            double sum = 0;
            for (size_t j = 0; j < cols; j++) sum += (double)w[i * cols + j] * x[j];
            for (size_t j = 0; j < cols; j++) y[j] += sum * (double)w[i * cols + j];
        }
        size = 0;
        for (size_t j = 0; j < cols; j++) size += y[j] * y[j];
        size = sqrt(size);
        for (size_t j = 0; j < cols; j++) x[j] = y[j] / size;
    }
    return sqrt(size);
}

static void test_run(void)
{
    static const struct {
        NsParameterKind parameter;
        NsQuantity weight, singular, stable_rank, cosine;
    } matrices[] = {
        {NS_PARAMETER_WQ, NS_QUANTITY_WEIGHT_WQ, NS_QUANTITY_SINGULAR_WQ,
         NS_QUANTITY_STABLE_RANK_WQ, NS_QUANTITY_GRAD_COSINE_WQ},
        {NS_PARAMETER_WK, NS_QUANTITY_WEIGHT_WK, NS_QUANTITY_SINGULAR_WK,
         NS_QUANTITY_STABLE_RANK_WK, NS_QUANTITY_GRAD_COSINE_WK},
        {NS_PARAMETER_WV, NS_QUANTITY_WEIGHT_WV, NS_QUANTITY_SINGULAR_WV,
         NS_QUANTITY_STABLE_RANK_WV, NS_QUANTITY_GRAD_COSINE_WV},
        {NS_PARAMETER_WO, NS_QUANTITY_WEIGHT_WO, NS_QUANTITY_SINGULAR_WO,
         NS_QUANTITY_STABLE_RANK_WO, NS_QUANTITY_GRAD_COSINE_WO},
        {NS_PARAMETER_W1, NS_QUANTITY_WEIGHT_W1, NS_QUANTITY_SINGULAR_W1,
         NS_QUANTITY_STABLE_RANK_W1, NS_QUANTITY_GRAD_COSINE_W1},
        {NS_PARAMETER_W2, NS_QUANTITY_WEIGHT_W2, NS_QUANTITY_SINGULAR_W2,
         NS_QUANTITY_STABLE_RANK_W2, NS_QUANTITY_GRAD_COSINE_W2},
    };
    static const char *const settings[] = {"layers=3", "d-model=12", "heads=3",       "seq=7",
                                           "batch=5",  "kv-heads=1", "probe-every=1", NULL};
    g_autoptr(NsRun) run = ns_test_run_new("", settings);
    for (int k = 0; k < 3; k++) g_assert_true(ns_run_step(run));
    const NsTensorTable *table = ns_model_tensors(run->model);
    size_t found = 0;
    for (size_t i = 0; i < table->n; i++)
        for (size_t k = 0; k < G_N_ELEMENTS(matrices); k++) {
            const NsTensor *t = &table->tensors[i];
            if (t->parameter != matrices[k].parameter) continue;
            const ns_real *w = ns_model_weights(run->model) + t->offset;
            const ns_real *g = ns_model_gradients(run->model) + t->offset;
            double ww = 0, gg = 0, gw = 0, singular = singular_value(w, t->rows, t->cols);
            for (size_t e = 0; e < ns_tensor_size(t); e++) {
                ww += (double)w[e] * (double)w[e];
                gg += (double)g[e] * (double)g[e];
                gw += (double)g[e] * (double)w[e];
            }
            size_t l = (size_t)t->layer;
            close_to(ns_test_value(run, matrices[k].weight, l), sqrt(ww), 1e-5);
            close_to(ns_test_value(run, matrices[k].singular, l), singular, 1e-4);
            close_to(ns_test_value(run, matrices[k].stable_rank, l), ww / (singular * singular),
                     2e-4);
            close_to(ns_test_value(run, matrices[k].cosine, l), gw / sqrt(ww * gg), 1e-5);
            found++;
        }
    g_assert_cmpuint(found, ==, 6 * ns_model_layers(run->model));
}

/* ---- Matrices whose answers are known ---- */

static double largest(const ns_real *w, size_t rows, size_t cols)
{
    g_autofree double *scratch = g_new(double, ns_singular_scratch(rows, cols));
    double value = -1;
    g_assert_true(ns_largest_singular_value(&value, w, rows, cols, scratch));
    return value;
}

static void test_known(void)
{
    enum { N = 5 };
    ns_real zero[N * N] = {0}, identity[N * N] = {0}, rank1[N * 3], broken[N] = {1, (ns_real)NAN};
    for (size_t i = 0; i < N; i++) identity[i * N + i] = 3;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < 3; j++) rank1[i * 3 + j] = (ns_real)(i + 1) * (ns_real)(j + 2);
    g_assert_cmpfloat(largest(zero, N, N), ==, 0);
    close_to(largest(identity, N, N), 3, 1e-6);
    close_to(largest(rank1, N, 3), sqrt(55.0 * 29.0), 1e-6);
    close_to(largest(identity, 1, 1), 3, 1e-6);
    g_assert_true(isnan(largest(broken, 1, N)));
}

/* The largest singular value of independent normal elements is near sqrt(rows) + sqrt(cols), so
 * that the stable rank of a square matrix is near a quarter of its size; the shape does not matter.
 */
static void test_random(void)
{
    enum { ROWS = 300, COLS = 150 };
    g_autofree ns_real *w = g_new(ns_real, ROWS * COLS), *turned = g_new(ns_real, ROWS * COLS);
    NsRng rng;
    ns_rng_init(&rng, 5, 1);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLS; j++)
            w[i * COLS + j] = turned[j * ROWS + i] = (ns_real)ns_rng_normal(&rng);
    double value = largest(w, ROWS, COLS);
    close_to(value, sqrt(ROWS) + sqrt(COLS), 0.05);
    close_to(value, singular_value(w, ROWS, COLS), 1e-4);
    close_to(largest(turned, COLS, ROWS), value, 1e-4);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_set_nonfatal_assertions();
    g_test_add_func("/spectrum/known", test_known);
    g_test_add_func("/spectrum/random", test_random);
    g_test_add_func("/spectrum/run", test_run);
    return g_test_run();
}
