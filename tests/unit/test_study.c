/* What a model looks like at initialization, over seeds.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/experiment/param.h"
#include "core/model/placement.h"
#include "core/study/initial.h"
#include "core/train/run.h"
#include "tests/unit/support.h"

#include <math.h>

#define SEEDS 3

static void study_settings(NsSettings *settings)
{
    ns_test_small_settings(settings);
    settings->seed = 11;
    settings->placement = (unsigned)ns_choices_find(ns_placement_choice, "pre");
}

/* Mean and sample standard deviation by their definitions. */
static void assert_spread(const double *x, size_t n, double mean, double sd)
{
    double expected = 0, squares = 0;
    for (size_t i = 0; i < n; i++) expected += x[i] / (double)n;
    for (size_t i = 0; i < n; i++) squares += (x[i] - expected) * (x[i] - expected);
    g_assert_cmpfloat_with_epsilon(mean, expected, 1e-12 * (1 + fabs(expected)));
    g_assert_cmpfloat_with_epsilon(sd, sqrt(squares / (double)(n - 1)), 1e-9);
}

static void test_spread(void)
{
    NsSettings settings;
    study_settings(&settings);
    g_autoptr(GError) error = NULL;
    g_autoptr(NsInitial) initial = ns_initial_new(&settings, NULL, SEEDS, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpint(settings.seed, ==, 11);
    g_assert_cmpint(initial->seeds, ==, SEEDS);

    const NsRecordLayout *layout = &initial->layout;
    double loss[SEEDS], grad[SEEDS];
    g_auto(NsValues) records = ns_values_new(SEEDS * layout->width);
    settings.probe_every = 1;
    for (size_t k = 0; k < SEEDS; k++) {
        settings.seed = 11 + (int64_t)k;
        g_autoptr(NsRun) run = ns_run_new(&settings, &error);
        g_assert_no_error(error);
        const NsHistory *history = run->history;
        loss[k] = ns_history_step(history, 0)->loss;
        grad[k] = ns_history_step(history, 0)->grad_norm;
        g_auto(NsValues) values = ns_values_new(layout->width);
        for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++) {
            if (layout->count[q] == 0) continue;
            ns_history_read(history, (NsQuantity)q, 0, values.value, NULL, values.has);
            for (size_t i = 0; i < layout->count[q]; i++)
                if (values.has[i])
                    ns_values_put(records, (layout->offset[q] + i) * SEEDS + k,
                                  (double)values.value[i]);
        }
    }
    assert_spread(loss, SEEDS, initial->loss_mean, initial->loss_sd);
    assert_spread(grad, SEEDS, initial->grad_mean, initial->grad_sd);
    g_assert_cmpfloat(initial->loss_sd, >, 0);
    for (size_t i = 0; i < layout->width; i++) {
        double values[SEEDS];
        size_t n = 0;
        for (size_t k = 0; k < SEEDS; k++)
            if (records.has[i * SEEDS + k]) values[n++] = (double)records.value[i * SEEDS + k];
        g_assert_cmpint(initial->measured[i], ==, (int64_t)n);
        if (n > 1) assert_spread(values, n, initial->mean[i], initial->sd[i]);
    }
    /* Expensive quantities too, though these settings ask a run for none. */
    static const NsQuantity expensive[] = {NS_QUANTITY_MEAN_GRAD_LAYER, NS_QUANTITY_TOKEN_COSINE,
                                           NS_QUANTITY_ENTROPY_ATTENTION};
    for (size_t i = 0; i < G_N_ELEMENTS(expensive); i++) {
        g_assert_cmpuint(layout->count[expensive[i]], >, 0);
        g_assert_cmpint(initial->measured[layout->offset[expensive[i]]], ==, SEEDS);
    }
    ns_settings_clear(&settings);
}

static void test_one_seed(void)
{
    NsSettings settings;
    study_settings(&settings);
    g_autoptr(GError) error = NULL;
    g_autoptr(NsInitial) initial = ns_initial_new(&settings, NULL, 1, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_true(isfinite(initial->loss_mean));
    g_assert_cmpfloat(initial->loss_sd, ==, 0);
    for (size_t i = 0; i < initial->layout.width; i++) g_assert_cmpfloat(initial->sd[i], ==, 0);
    ns_settings_clear(&settings);
}

static bool stop_at(void *data, NsInitial *so_far, int64_t of)
{
    g_autoptr(NsInitial) initial = so_far;
    g_assert_cmpint(of, ==, SEEDS);
    return initial->seeds < *(int64_t *)data;
}

/* Ended early, it is what it would have been of so few. */
static void test_ended(void)
{
    NsSettings settings;
    study_settings(&settings);
    g_autoptr(GError) error = NULL;
    for (int64_t seeds = 1; seeds < SEEDS; seeds++) {
        g_autoptr(NsInitial) ended =
            ns_initial_new(&settings, NULL, SEEDS, stop_at, &seeds, &error);
        g_assert_no_error(error);
        g_autoptr(NsInitial) whole = ns_initial_new(&settings, NULL, seeds, NULL, NULL, &error);
        g_assert_no_error(error);
        g_autofree char *of_ended = ns_initial_json(ended, &settings);
        g_autofree char *of_whole = ns_initial_json(whole, &settings);
        g_assert_cmpint(ended->seeds, ==, seeds);
        g_assert_cmpstr(of_ended, ==, of_whole);
    }
    ns_settings_clear(&settings);
}

static void test_refused(void)
{
    NsSettings settings;
    study_settings(&settings);
    settings.seed = (int64_t)ns_param_find("seed")->most - 1;
    const int64_t wrong[] = {0, -1, INT64_MIN, 3, INT64_MAX};
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(ns_initial_new(&settings, NULL, wrong[i], NULL, NULL, &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    }
    g_autoptr(GError) error = NULL;
    g_autoptr(NsInitial) initial = ns_initial_new(&settings, NULL, 2, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_nonnull(initial);

    settings.heads = 3;
    g_assert_null(ns_initial_new(&settings, NULL, 2, NULL, NULL, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    ns_settings_clear(&settings);
}

/* The norm of the mean gradient lies below the mean of the norms. */
static void test_mean_gradient(void)
{
    NsSettings settings;
    study_settings(&settings);
    g_autoptr(GError) error = NULL;
    double before = INFINITY;
    for (int64_t batches = 1; batches <= 16; batches *= 4) {
        settings.probe_batches = batches;
        g_autoptr(NsInitial) initial = ns_initial_new(&settings, NULL, 1, NULL, NULL, &error);
        g_assert_no_error(error);
        double norm = initial->mean[initial->layout.offset[NS_QUANTITY_MEAN_GRAD_W2]];
        g_assert_cmpfloat(norm, <, before);
        before = norm;
    }
    ns_settings_clear(&settings);
}

static void assert_member(JsonObject *object, const char *key, unsigned length, double first)
{
    JsonObject *spread = json_object_get_object_member(object, key);
    JsonArray *mean = json_object_get_array_member(spread, "mean");
    JsonArray *sd = json_object_get_array_member(spread, "sd");
    g_assert_cmpuint(json_array_get_length(mean), ==, length);
    g_assert_cmpuint(json_array_get_length(sd), ==, length);
    g_assert_true(json_array_get_double_element(mean, 0) == first);
}

static void test_json(void)
{
    NsSettings settings;
    study_settings(&settings);
    g_autoptr(GError) error = NULL;
    g_autoptr(NsInitial) initial = ns_initial_new(&settings, NULL, SEEDS, NULL, NULL, &error);
    g_assert_no_error(error);
    g_autofree char *text = ns_initial_json(initial, &settings);
    g_autoptr(JsonNode) node = ns_test_parse(text);

    JsonObject *object = json_node_get_object(node);
    g_assert_cmpint(json_object_get_int_member(object, "layers"), ==, 2);
    g_assert_cmpint(json_object_get_int_member(object, "seeds"), ==, SEEDS);
    JsonObject *loss = json_object_get_object_member(object, "loss");
    g_assert_true(json_object_get_double_member(loss, "mean") == initial->loss_mean);
    g_assert_true(json_object_get_double_member(loss, "sd") == initial->loss_sd);

    const size_t *offset = initial->layout.offset;
    JsonObject *grad = json_object_get_object_member(object, "grad_norm");
    assert_member(grad, "wq", 2, initial->mean[offset[NS_QUANTITY_GRAD_WQ]]);
    assert_member(grad, "w2", 2, initial->mean[offset[NS_QUANTITY_GRAD_W2]]);
    assert_member(object, "hidden_norm", 3, initial->mean[offset[NS_QUANTITY_HIDDEN_NORM]]);
    assert_member(object, "mean_grad_layer", 2, initial->mean[offset[NS_QUANTITY_MEAN_GRAD_LAYER]]);
    JsonObject *heads = json_object_get_object_member(object, "head_attention_entropy");
    JsonArray *of_layer =
        json_array_get_array_element(json_object_get_array_member(heads, "mean"), 1);
    g_assert_cmpuint(json_array_get_length(of_layer), ==, 2);
    g_assert_true(json_array_get_double_element(of_layer, 1) ==
                  initial->mean[offset[NS_QUANTITY_HEAD_ENTROPY_ATTENTION] + 3]);
    g_assert_false(json_object_has_member(object, "branch_ratio_cross"));
    JsonObject *total = json_object_get_object_member(grad, "total");
    g_assert_true(json_object_get_double_member(total, "mean") == initial->grad_mean);
    JsonObject *final = json_object_get_object_member(object, "final_hidden_norm");
    g_assert_true(json_object_get_double_member(final, "mean") ==
                  initial->mean[offset[NS_QUANTITY_FINAL_NORM]]);
    ns_settings_clear(&settings);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/study/initial/spread", test_spread);
    g_test_add_func("/study/initial/one-seed", test_one_seed);
    g_test_add_func("/study/initial/refused", test_refused);
    g_test_add_func("/study/initial/ended", test_ended);
    g_test_add_func("/study/initial/mean-gradient", test_mean_gradient);
    g_test_add_func("/study/initial/json", test_json);
    return g_test_run();
}
