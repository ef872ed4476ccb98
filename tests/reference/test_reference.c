/* Loss, every gradient tensor and ten Adam steps against PyTorch.  SPDX-License-Identifier: MIT
 *
 * make_fixtures.py wrote the reference values in double precision; this test is built in single and
 * in double. */
#include "core/model/model.h"
#include "core/train/optimizer.h"
#include "core/train/schedule.h"
#include "tests/reference/fixture.h"

#include <math.h>
#include <string.h>

#ifdef NS_DOUBLE
#define LIMIT 1e-9
#else
#define LIMIT 1e-4
#endif

typedef struct {
    const char *name;
    bool full; /* the fixture holds the weights after the steps, not their signature */
} Case;

static const Case cases[] = {
    {"post-layernorm", true},    {"post-rmsnorm", false},       {"pre-layernorm", false},
    {"pre-rmsnorm", false},      {"none-layernorm", false},     {"sandwich-layernorm", false},
    {"sandwich-rmsnorm", false}, {"deepnorm-layernorm", false},
};

typedef struct {
    Fixture start, expected;
    NsSettings settings;
    NsModel *model;
    NsBatch batch;
} Setup;

static void set_tokens(int32_t *tokens, const Fixture *fixture, const char *name, size_t n)
{
    g_autofree double *reals = fixture_reals(fixture, name, n);
    for (size_t i = 0; i < n; i++) tokens[i] = (int32_t)reals[i];
}

/* A model with the weights and the batch of start.safetensors. */
static void setup_init(Setup *setup, const char *name)
{
    g_autoptr(GError) error = NULL;
    fixture_open(&setup->start, "start");
    fixture_open(&setup->expected, name);

    ns_settings_init(&setup->settings);
    g_auto(GStrv) assignments = g_strsplit(fixture_metadata(&setup->expected, "settings"), " ", -1);
    for (char **i = assignments; *i; i++) {
        ns_settings_assign(&setup->settings, *i, &error);
        g_assert_no_error(error);
    }
    const size_t vocab =
        (size_t)g_ascii_strtoull(fixture_metadata(&setup->start, "vocab"), NULL, 10);
    setup->model = ns_model_new(&setup->settings, vocab, &error);
    g_assert_no_error(error);

    const NsTensorTable *table = ns_model_tensors(setup->model);
    ns_real *weights = ns_model_weights(setup->model);
    for (size_t t = 0; t < table->n; t++) {
        const NsTensor *tensor = &table->tensors[t];
        const size_t n = ns_tensor_size(tensor);
        g_autofree double *reals = fixture_reals(&setup->start, tensor->name, n);
        for (size_t i = 0; i < n; i++) weights[tensor->offset + i] = (ns_real)reals[i];
    }

    const size_t B = (size_t)setup->settings.batch, T = (size_t)setup->settings.seq;
    ns_batch_init(&setup->batch, B, T);
    set_tokens(setup->batch.tokens, &setup->start, "tokens", B * T);
    set_tokens(setup->batch.targets, &setup->start, "targets", B * T);
}

static void setup_clear(Setup *setup)
{
    ns_batch_clear(&setup->batch);
    ns_model_free(setup->model);
    ns_settings_clear(&setup->settings);
    fixture_clear(&setup->expected);
    fixture_clear(&setup->start);
}

static double *expected_reals(const Setup *setup, const char *prefix, const char *name, size_t n)
{
    g_autofree char *key = g_strconcat(prefix, name, NULL);
    return fixture_reals(&setup->expected, key, n);
}

static double expected_real(const Setup *setup, const char *name)
{
    g_autofree double *real = fixture_reals(&setup->expected, name, 1);
    return *real;
}

static double norm(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

static void check(const char *name, double error, double scale)
{
    if (!(error <= LIMIT * scale)) {
        g_test_message("%s: relative error %.2e is above %.0e", name, error / scale, LIMIT);
        g_test_fail();
    }
}

/* |x - y| for a tensor of an arena. */
static double distance(const ns_real *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += ((double)x[i] - y[i]) * ((double)x[i] - y[i]);
    return sqrt(sum);
}

/* One vector added to all keys shifts every score of a query alike, and softmax does not see it:
 * the gradient of a key bias is zero, and what comes out is rounding, to be held against a gradient
 * that is not zero. */
static bool is_key_bias(const char *name)
{
    return g_str_has_suffix(name, ".bk");
}

static double gradient_scale(const Setup *setup, const NsTensor *tensor)
{
    g_autofree char *name = g_strdup(tensor->name);
    if (is_key_bias(name)) name[strlen(name) - 1] = 'q';
    const size_t n = ns_tensor_size(tensor);
    g_autofree double *reals = expected_reals(setup, "grad.", name, n);
    return norm(reals, n);
}

static void test_gradients(gconstpointer data)
{
    const Case *c = data;
    Setup setup = {0};
    setup_init(&setup, c->name);

    const NsMeasure measure = ns_model_measure(setup.model, &setup.batch);
    const double loss = expected_real(&setup, "loss");
    check("loss", fabs(measure.loss - loss), loss);

    const NsTensorTable *table = ns_model_tensors(setup.model);
    g_assert_cmpuint(table->n, ==, fixture_count(&setup.expected, "grad."));
    const ns_real *gradients = ns_model_gradients(setup.model);
    for (size_t t = 0; t < table->n; t++) {
        const NsTensor *tensor = &table->tensors[t];
        const size_t n = ns_tensor_size(tensor);
        g_autofree double *expected = expected_reals(&setup, "grad.", tensor->name, n);
        check(tensor->name, distance(gradients + tensor->offset, expected, n),
              gradient_scale(&setup, tensor));
    }
    setup_clear(&setup);
}

static void take_steps(Setup *setup, int64_t steps)
{
    const NsTensorTable *table = ns_model_tensors(setup->model);
    const NsAdam adam = {
        .beta1 = setup->settings.beta1, .beta2 = setup->settings.beta2, .eps = setup->settings.eps};
    ns_real *m = ns_real_new(table->size, "moments", NULL);
    ns_real *v = ns_real_new(table->size, "moments", NULL);
    g_autofree double *weight_sq = g_new(double, table->n);
    g_autofree double *update_sq = g_new(double, table->n);
    for (int64_t step = 1; step <= steps; step++) {
        ns_model_measure(setup->model, &setup->batch);
        ns_adam_step(&adam, table, ns_model_weights(setup->model), m, v,
                     ns_model_gradients(setup->model), ns_schedule_lr(&setup->settings, step), step,
                     1, weight_sq, update_sq);
    }
    ns_real_free(m);
    ns_real_free(v);
}

/* Norm and weighted sum of a tensor, as make_fixtures.py writes them. */
static void check_signature(const Setup *setup, const NsTensor *tensor, const ns_real *w)
{
    g_autofree double *expected = expected_reals(setup, "after.", tensor->name, 2);
    double sum = 0;
    const size_t n = ns_tensor_size(tensor);
    for (size_t i = 0; i < n; i++) sum += (double)w[i] * cos(0.7 * (double)i + 0.3);
    check(tensor->name, fabs(ns_real_norm(w, n) - expected[0]), expected[0]);
    check(tensor->name, fabs(sum - expected[1]), expected[0]);
}

static void test_steps(gconstpointer data)
{
    const Case *c = data;
    Setup setup = {0};
    setup_init(&setup, c->name);
    take_steps(&setup, g_ascii_strtoll(fixture_metadata(&setup.expected, "steps"), NULL, 10));

    const double loss = expected_real(&setup, "after.loss");
    check("loss", fabs(ns_model_loss(setup.model, &setup.batch) - loss), loss);
    const NsTensorTable *table = ns_model_tensors(setup.model);
    for (size_t t = 0; t < table->n; t++) {
        const NsTensor *tensor = &table->tensors[t];
        const ns_real *w = ns_model_weights(setup.model) + tensor->offset;
        /* Adam divides by the size of a gradient, so in single precision it walks along with the
         * rounding in one that is zero. */
        if (sizeof(ns_real) == sizeof(float) && is_key_bias(tensor->name)) continue;
        if (c->full) {
            const size_t n = ns_tensor_size(tensor);
            g_autofree double *expected = expected_reals(&setup, "after.", tensor->name, n);
            check(tensor->name, distance(w, expected, n), norm(expected, n));
        } else {
            check_signature(&setup, tensor, w);
        }
    }
    setup_clear(&setup);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *gradients = g_strconcat("/reference/gradients/", cases[i].name, NULL);
        g_autofree char *steps = g_strconcat("/reference/steps/", cases[i].name, NULL);
        g_test_add_data_func(gradients, &cases[i], test_gradients);
        g_test_add_data_func(steps, &cases[i], test_steps);
    }
    return g_test_run();
}
