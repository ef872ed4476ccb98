/* Curvature against the dense Hessian of a tiny model, in double.  SPDX-License-Identifier: MIT */
#include "core/experiment/param.h"
#include "core/probe/curvature.h"
#include "tests/gradient/case.h"
#include "tests/gradient/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The elements of all tensors in one vector of n, and back. */
static void gather(const NsTensorTable *table, double *to, const ns_real *arena)
{
    for (size_t i = 0; i < table->n; i++) {
        size_t n = ns_tensor_size(&table->tensors[i]);
        memcpy(to, arena + table->tensors[i].offset, n * sizeof *to);
        to += n;
    }
}

/* [n, n], by central differences of the gradient along every weight. */
static double *dense_hessian(NsCase *c)
{
    const NsTensorTable *table = ns_model_tensors(c->model);
    const double h = 1e-5;
    size_t n = table->elements, row = 0;
    double *H = g_new(double, n *n);
    g_autofree double *below = g_new(double, n);
    for (size_t k = 0; k < table->n; k++) {
        ns_real *w = ns_model_weights(c->model) + table->tensors[k].offset;
        for (size_t i = 0; i < ns_tensor_size(&table->tensors[k]); i++, row++) {
            ns_real before = w[i];
            w[i] = before - h;
            ns_model_measure(c->model, &c->batch, NULL);
            gather(table, below, ns_model_gradients(c->model));
            w[i] = before + h;
            ns_model_measure(c->model, &c->batch, NULL);
            gather(table, H + row * n, ns_model_gradients(c->model));
            w[i] = before;
            for (size_t j = 0; j < n; j++) H[row * n + j] = (H[row * n + j] - below[j]) / (2 * h);
        }
    }
    return H;
}

/* The largest eigenvalue of D A D, A [n, n] and D diagonal, and D times its eigenvector, by power
 * iteration on A plus a multiple of the identity that makes all eigenvalues positive. */
static double largest(const double *A, const double *D, size_t n, double *x)
{
    g_autofree double *y = g_new(double, n);
    double shift = 0, size = 0, value = 0;
    for (size_t i = 0; i < n; i++) x[i] = sin((double)i + 1);
    for (int k = 0; k < 800; k++) {
        double square = 0;
        for (size_t i = 0; i < n; i++) square += x[i] * x[i];
        double inner = 0, image = 0;
        for (size_t i = 0; i < n; i++) x[i] /= sqrt(square);
        for (size_t i = 0; i < n; i++) {
            y[i] = 0;
            for (size_t j = 0; j < n; j++) y[i] += D[i] * A[i * n + j] * D[j] * x[j];
            inner += x[i] * y[i];
            image += y[i] * y[i];
        }
        value = inner;
        size = MAX(size, sqrt(image));
        if (k < 50) {
            memcpy(x, y, n * sizeof *x); /* finds the largest magnitude */
            continue;
        }
        shift = size;
        for (size_t i = 0; i < n; i++) x[i] = y[i] + shift * x[i];
    }
    for (size_t i = 0; i < n; i++) x[i] *= D[i];
    return value;
}

static const char *const cases[] = {
    "placement=post activation=gelu",
    "placement=pre activation=gelu label-smoothing=0.1 z-loss=0.1",
    "placement=completep layers=4 activation=relu-squared optimizer=sgd",
    "placement=pre norm=rmsnorm activation=swiglu optimizer=radam threads=2",
    "placement=post kv-heads=1 positions=rotary d-model=12 heads=3",
    "placement=pre arch=encoder-decoder recompute=on threads=3",
};

static void test_eigenvalues(gconstpointer assignments)
{
    NsCase c;
    ns_case_init(&c, assignments, NULL);
    ns_case_stir(&c, 0.1);
    const NsTensorTable *table = ns_model_tensors(c.model);
    size_t n = table->elements;
    bool adam = ns_optimizer(c.settings.optimizer)->adam_moments;

    g_autofree double *H = dense_hessian(&c), *x = g_new(double, n), *root = g_new(double, n);
    g_autofree double *g = g_new(double, n);
    g_autofree ns_real *v = g_new0(ns_real, table->size);
    ns_model_measure(c.model, &c.batch, NULL);
    gather(table, g, ns_model_gradients(c.model));
    for (size_t i = 0; i < n; i++) root[i] = 1;
    double sharpness = largest(H, root, n, x);

    /* A step of plain descent, tilted along the eigenvector so that its slope is small: the loss is
     * quadratic up to where it returns to its start. */
    double along = 0, gg = 0, slope = 1e-4 * sharpness;
    for (size_t i = 0; i < n; i++) {
        along += g[i] * x[i];
        gg += g[i] * g[i];
    }
    for (size_t i = 0; i < n; i++) x[i] += (slope - along) / gg * g[i];
    double bend = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) bend += x[i] * H[i * n + j] * x[j];

    g_autoptr(GError) error = NULL;
    g_autoptr(NsCurvatureProbe) probe = ns_curvature_probe_new(c.model, &c.settings, &error);
    g_assert_no_error(error);
    ns_curvature_begin(probe, c.model);
    const int64_t step = 9;
    double lr = 1e-3, beta2 = c.settings.beta2, beta1 = c.settings.beta1;
    size_t at = 0;
    for (size_t k = 0; k < table->n; k++) {
        const NsTensor *t = &table->tensors[k];
        ns_real *w = ns_model_weights(c.model) + t->offset;
        for (size_t i = 0; i < ns_tensor_size(t); i++, at++) {
            w[i] -= lr * x[at];
            v[t->offset + i] = 0.01 + 0.02 * pow(sin((double)at), 2);
            double P = 1;
            if (adam)
                P = (1 - pow(beta1, (double)step)) *
                    (sqrt(v[t->offset + i] / (1 - pow(beta2, (double)step))) +
                     c.settings.eps * t->eps);
            if (g_str_equal(ns_optimizer(c.settings.optimizer)->choice.key, "radam"))
                P /= ns_radam_rectification(beta2, step);
            root[at] = sqrt(t->lr / P);
        }
    }
    g_autofree ns_real *after = g_memdup2(ns_model_weights(c.model), table->size * sizeof *after);
    NsCurvature found = ns_curvature_measure(
        probe, c.model, &c.batch,
        &(NsUpdate){.settings = &c.settings, .table = table, .v = v, .lr = lr, .step = step});
    g_assert_cmpint(memcmp(after, ns_model_weights(c.model), table->size * sizeof *after), ==, 0);

    double preconditioned = largest(H, root, n, x);
    g_test_message(
        "sharpness %g, expected %g; preconditioned %g, expected %g; rate %g, expected %g",
        found.sharpness, sharpness, found.preconditioned, preconditioned, found.critical_rate,
        2 * slope / bend);
    g_assert_cmpfloat(fabs(found.sharpness / sharpness - 1), <, 1e-3);
    g_assert_cmpfloat(fabs(found.preconditioned / preconditioned - 1), <, 1e-3);
    g_assert_cmpfloat(fabs(found.critical_rate / (2 * slope / bend) - 1), <, 0.05);
    ns_case_clear(&c);
}

static int by_size(gconstpointer a, gconstpointer b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of rate times preconditioned sharpness over the later steps of a run on one batch. */
static double settled(const char *assignments, double lr)
{
    enum { STEPS = 6000, FROM = 3000, EVERY = 100 };
    double seen[(STEPS - FROM) / EVERY];
    size_t n = 0;
    NsCase c;
    ns_case_init(&c, assignments, NULL);
    const NsTensorTable *table = ns_model_tensors(c.model);
    const NsOptimizer *optimizer = ns_optimizer(c.settings.optimizer);
    g_autofree ns_real *m = g_new0(ns_real, table->size), *v = g_new0(ns_real, table->size);
    g_autofree NsTensorUpdate *tensors = g_new0(NsTensorUpdate, table->n);
    g_autoptr(GError) error = NULL;
    g_autoptr(NsCurvatureProbe) probe = ns_curvature_probe_new(c.model, &c.settings, &error);
    g_assert_no_error(error);
    for (int64_t step = 1; step <= STEPS; step++) {
        const NsUpdate update = {.settings = &c.settings,
                                 .table = table,
                                 .w = ns_model_weights(c.model),
                                 .m = m,
                                 .v = v,
                                 .g = ns_model_gradients(c.model),
                                 .lr = lr,
                                 .step = step,
                                 .team = ns_model_team(c.model),
                                 .tensors = tensors};
        ns_model_measure(c.model, &c.batch, NULL);
        ns_curvature_begin(probe, c.model);
        optimizer->step(&update);
        if (step <= FROM || step % EVERY) continue;
        NsCurvature found = ns_curvature_measure(probe, c.model, &c.batch, &update);
        if (isfinite(found.preconditioned)) seen[n++] = lr * found.preconditioned;
    }
    ns_case_clear(&c);
    g_assert_cmpuint(n, >, G_N_ELEMENTS(seen) / 2);
    qsort(seen, n, sizeof *seen, by_size);
    g_test_message("%s, rate %g: %g to %g, median %g of %zu", assignments, lr, seen[0], seen[n - 1],
                   seen[n / 2], n);
    return seen[n / 2];
}

/* On one batch the curvature rises until the rate is at the edge, and stays there, whatever the
 * rate.  Cohen et al. 2021, arXiv 2103.00065; 2022, 2207.14484. */
static void test_settles(void)
{
#define SMALL " batch=4 seq=8 d-model=8 d-ff=16"
    static const char *const models[][2] = {
        {"placement=pre activation=gelu optimizer=sgd" SMALL,
         "placement=pre activation=gelu optimizer=adam beta2=0.99" SMALL},
        {"placement=post activation=gelu optimizer=sgd" SMALL,
         "placement=post activation=gelu optimizer=adam beta2=0.99" SMALL},
        {"placement=pre norm=rmsnorm activation=swiglu optimizer=sgd" SMALL,
         "placement=pre norm=rmsnorm activation=swiglu optimizer=adam beta2=0.99" SMALL}};
    for (size_t i = 0; i < G_N_ELEMENTS(models); i++) {
        for (double lr = 0.2; lr < 0.45; lr *= 2)
            g_assert_cmpfloat(fabs(settled(models[i][0], lr) / 2 - 1), <, 0.03);
        for (double lr = 1e-3; lr < 2e-2; lr *= 10)
            g_assert_cmpfloat(fabs(settled(models[i][1], lr) / 38 - 1), <, 0.15);
    }
}

static void test_edge(void)
{
    NsSettings s;
    ns_settings_init(&s);
    s.optimizer = 0;
    s.beta1 = 0.9;
    g_assert_cmpfloat(fabs(ns_curvature_edge(&s) - 38), <, 1e-9);
    s.optimizer = (unsigned)ns_choices_find(ns_optimizer_choice, "sgd");
    s.momentum = 0;
    g_assert_cmpfloat(fabs(ns_curvature_edge(&s) - 2), <, 1e-9);
    s.optimizer = (unsigned)ns_choices_find(ns_optimizer_choice, "muon");
    g_assert_true(isnan(ns_curvature_edge(&s)));
    ns_settings_clear(&s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = g_strdup_printf("/curvature/%s", cases[i]);
        g_test_add_data_func(path, cases[i], test_eigenvalues);
    }
    g_test_add_func("/curvature/edge", test_edge);
    g_test_add_func("/curvature/settles", test_settles);
    return g_test_run();
}
