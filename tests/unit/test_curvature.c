/* Measuring curvature changes nothing else.  SPDX-License-Identifier: MIT
 *
 * Its values are checked in tests/gradient/test_curvature.c and tests/reference/check_curvature.py.
 */
#include "tests/unit/support.h"

#include <math.h>
#include <string.h>

static NsRun *run_new(const char *const *settings)
{
    return ns_test_run_new(
        "layers=3 d-model=12 heads=3 seq=7 batch=5 threads=2 eval-every=0 probe-every=0", settings);
}

static size_t count(NsRun *run, NsQuantity quantity)
{
    return ns_history_layout(run->history)->count[quantity];
}

static void test_curvature_leaves_no_trace(gconstpointer option)
{
    const char *every[] = {option, "dropout=0.1", "curvature-every=1", NULL};
    const char *never[] = {option, "dropout=0.1", "curvature-every=0", NULL};
    g_autoptr(NsRun) a = run_new(every);
    g_autoptr(NsRun) again = run_new(every);
    g_autoptr(NsRun) b = run_new(never);
    g_assert_cmpuint(count(b, NS_QUANTITY_SHARPNESS), ==, 0);
    for (int k = 0; k < 4; k++) {
        g_assert_true(ns_run_step(a) && ns_run_step(again) && ns_run_step(b));
        g_assert_true(isfinite(ns_test_value(a, NS_QUANTITY_SHARPNESS, 0)));
        g_assert_cmpfloat(ns_test_value(a, NS_QUANTITY_SHARPNESS, 0), ==,
                          ns_test_value(again, NS_QUANTITY_SHARPNESS, 0));
        g_assert_cmpfloat(ns_test_value(a, NS_QUANTITY_CRITICAL_RATE, 0), ==,
                          ns_test_value(again, NS_QUANTITY_CRITICAL_RATE, 0));
    }
    size_t bytes = ns_model_tensors(a->model)->size * sizeof(ns_real), n, m;
    NsModel *p = a->model, *q = b->model;
    g_assert_cmpint(memcmp(ns_model_weights(p), ns_model_weights(q), bytes), ==, 0);
    g_assert_cmpint(memcmp(ns_model_gradients(p), ns_model_gradients(q), bytes), ==, 0);
    const ns_real *x = ns_model_state(p, &n), *y = ns_model_state(q, &m);
    if (n) g_assert_cmpint(memcmp(x, y, n * sizeof *x), ==, 0);
    g_assert_cmpfloat(ns_history_step(a->history, 4)->probe_seconds, >, 0);
}

/* Curvature is measured at the first update and at multiples of its interval. */
static void test_curvature_rhythm(void)
{
    static const char *const settings[] = {"curvature-every=3", "optimizer=muon", NULL};
    g_autoptr(NsRun) run = run_new(settings);
    g_assert_cmpuint(count(run, NS_QUANTITY_RATE_SHARPNESS), ==, 0);
    for (int step = 0; step < 7; step++) {
        bool due = step == 1 || (step > 0 && step % 3 == 0);
        g_assert_true(due == isfinite(ns_test_value(run, NS_QUANTITY_SHARPNESS_RESIDUAL, 0)));
        g_assert_true(ns_run_step(run));
    }
}

/* The sharpness of layers is measured at the beginning and at multiples of its interval, changes
 * nothing else, and is at most that of all weights.  An encoder and a decoder are numbered
 * through. */
static void test_curvature_of_layers(void)
{
    static const char *const every[] = {"arch=encoder-decoder", "task=copy",
                                        "layer-sharpness-every=2", "curvature-every=1", NULL};
    static const char *const never[] = {"arch=encoder-decoder", "task=copy", NULL};
    g_autoptr(NsRun) run = run_new(every);
    g_autoptr(NsRun) plain = run_new(never);
    g_assert_cmpuint(count(run, NS_QUANTITY_LAYER_SHARPNESS), ==, 6);
    g_assert_cmpuint(count(plain, NS_QUANTITY_LAYER_SHARPNESS), ==, 0);
    for (int step = 0; step < 5; step++) {
        double most = 0;
        for (size_t l = 0; l < 6; l++) {
            double value = ns_test_value(run, NS_QUANTITY_LAYER_SHARPNESS, l);
            g_assert_true(isfinite(value) == (step % 2 == 0));
            most = MAX(most, value);
        }
        g_assert_true(ns_run_step(run) && ns_run_step(plain));
        /* Of the update that follows, from the same weights and on the same batch. */
        double whole = ns_test_value(run, NS_QUANTITY_SHARPNESS, 0);
        g_test_message("step %d: %g of a layer, %g of all", step, most, whole);
        if (step % 2 == 0) g_assert_cmpfloat(most, <, 1.01 * whole);
        if (step % 2 == 0) g_assert_cmpfloat(most, >, 0.01 * whole);
    }
    size_t bytes = ns_model_tensors(run->model)->size * sizeof(ns_real);
    g_assert_cmpint(memcmp(ns_model_weights(run->model), ns_model_weights(plain->model), bytes), ==,
                    0);
}

/* The losses along an update are those of another model whose weights are moved along it. */
static void test_curvature_along(void)
{
    static const char *const every[] = {"curvature-every=1", NULL}, *const never[] = {NULL};
    g_autoptr(NsRun) run = run_new(every);
    g_autoptr(NsRun) before = run_new(never);
    g_autoptr(NsRun) after = run_new(never);
    NsLossAlong along;
    g_assert_false(ns_history_along(run->history, &along));
    for (int k = 0; k < 3; k++) {
        g_assert_true(ns_run_step(run) && ns_run_step(after));
        if (k < 2) g_assert_true(ns_run_step(before));
    }
    g_assert_true(ns_history_along(run->history, &along));
    g_assert_cmpint(along.step, ==, 3);
    g_assert_cmpfloat(along.lr, ==, run->lr);
    g_assert_cmpfloat(
        fabs(along.critical_rate / ns_test_value(run, NS_QUANTITY_CRITICAL_RATE, 0) - 1), <, 1e-6);
    const NsTensorTable *table = ns_model_tensors(before->model);
    ns_real *w = ns_model_weights(before->model), *to = ns_model_weights(after->model);
    g_autofree ns_real *from = g_memdup2(w, table->size * sizeof *w);
    double lowest = INFINITY;
    for (size_t i = 0; i < NS_ALONG_POINTS; i++) {
        double part = along.rate[i] / along.lr;
        for (size_t k = 0; k < table->n; k++)
            for (size_t j = 0; j < ns_tensor_size(&table->tensors[k]); j++) {
                size_t at = table->tensors[k].offset + j;
                w[at] = (ns_real)((double)from[at] + part * ((double)to[at] - (double)from[at]));
            }
        double loss = ns_model_plain_loss(before->model, &before->batch);
        g_test_message("rate %g: loss %.7g, %.7g", along.rate[i], along.loss[i], loss);
        g_assert_cmpfloat(fabs(along.loss[i] - loss), <, 1e-6);
        lowest = MIN(lowest, loss);
    }
    double first = MIN(along.lr, along.critical_rate / 64), last = 2 * along.critical_rate;
    g_assert_cmpfloat(along.rate[0], ==, 0);
    g_assert_cmpfloat(fabs(along.rate[1] / first - 1), <, 1e-9);
    g_assert_cmpfloat(fabs(along.rate[NS_ALONG_POINTS - 1] / last - 1), <, 1e-9);
    g_assert_cmpfloat(lowest, <, along.loss[0]);
    for (size_t i = 1; i < NS_ALONG_POINTS; i++)
        g_assert_true((along.loss[i] >= along.loss[0]) == (along.rate[i] > along.critical_rate));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/curvature/no-trace/batchnorm", "norm=batchnorm",
                         test_curvature_leaves_no_trace);
    g_test_add_data_func("/curvature/no-trace/sgd", "optimizer=sgd",
                         test_curvature_leaves_no_trace);
    g_test_add_func("/curvature/rhythm", test_curvature_rhythm);
    g_test_add_func("/curvature/layers", test_curvature_of_layers);
    g_test_add_func("/curvature/along", test_curvature_along);
    return g_test_run();
}
