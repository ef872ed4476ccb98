/* The loss of a model without one of its layers.  SPDX-License-Identifier: MIT */
#include "tests/unit/support.h"

#include <math.h>
#include <string.h>

static NsRun *run_new(const char *const *settings)
{
    return ns_test_run_new(
        "layers=3 d-model=12 heads=3 seq=7 batch=5 threads=2 eval-every=0 probe-every=0", settings);
}

/* A layer of ReZero is the identity at first, and its removal changes nothing. */
static void test_identity_layers(void)
{
    static const char *const settings[] = {"placement=rezero", "ablation-every=1", NULL};
    g_autoptr(NsRun) run = run_new(settings);
    for (size_t l = 0; l < 3; l++)
        g_assert_cmpfloat(ns_test_value(run, NS_QUANTITY_LAYER_ABLATION, l), ==, 0);
    g_assert_true(ns_run_step(run));
    g_assert_cmpfloat(ns_test_value(run, NS_QUANTITY_LAYER_ABLATION, 0), !=, 0);
}

/* Sets the last maps of the branches of layers first to end - 1 to 0. */
static void silence(NsModel *model, NsLayerRange layers)
{
    static const char *const last[] = {"wo", "bo", "w2", "b2", NULL};
    const NsTensorTable *table = ns_model_tensors(model);
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        const char *role = strrchr(t->name, '.');
        if (role && t->layer >= (int)layers.first && t->layer < (int)layers.end &&
            g_strv_contains(last, role + 1))
            memset(ns_model_weights(model) + t->offset, 0, ns_tensor_size(t) * sizeof(ns_real));
    }
}

/* A layer of Pre-LN whose branches give 0 passes its input on, too.  The measurement leaves no
 * trace. */
static void test_removed(gconstpointer option)
{
    const char *every[] = {"placement=pre", "ablation-every=2", "dropout=0.1", option, NULL};
    const char *never[] = {"placement=pre", "ablation-every=0", "dropout=0.1", option, NULL};
    g_autoptr(NsRun) a = run_new(every);
    g_autoptr(NsRun) b = run_new(never);
    for (int k = 0; k < 4; k++) {
        g_assert_true(isfinite(ns_test_value(a, NS_QUANTITY_LAYER_ABLATION, 0)) == (k % 2 == 0));
        g_assert_true(ns_run_step(a));
        g_assert_true(ns_run_step(b));
    }
    NsModel *model = a->model;
    size_t n = ns_model_tensors(model)->size, L = ns_model_layers(model);
    ns_real *w = ns_model_weights(model);
    g_assert_cmpint(memcmp(w, ns_model_weights(b->model), n * sizeof *w), ==, 0);
    g_assert_cmpuint(ns_history_layout(b->history)->count[NS_QUANTITY_LAYER_ABLATION], ==, 0);
    double loss = ns_model_loss(model, &a->batch);
    g_autofree ns_real *all = g_memdup2(w, n * sizeof *w);
    for (size_t l = 0; l < L; l++) {
        bool encoder = g_str_equal(option, "arch=encoder-decoder") && l < L / 2;
        const struct {
            NsLayerRange layers;
            double measured;
        } removed[] = {
            {{l, l + 1}, loss + ns_test_value(a, NS_QUANTITY_LAYER_ABLATION, l)},
            {{l + 1, L}, ns_test_value(a, NS_QUANTITY_LOGIT_LENS, l)},
        };
        g_assert_true(isfinite(removed[1].measured) != encoder);
        for (size_t k = 0; k < (encoder ? 1 : 2); k++) {
            double without = ns_model_predict_without(model, &a->batch, removed[k].layers).loss;
            g_assert_cmpfloat_with_epsilon(removed[k].measured, without, 1e-6);
            silence(model, removed[k].layers);
            g_assert_cmpfloat(ns_model_loss(model, &a->batch), ==, without);
            memcpy(w, all, n * sizeof *w);
        }
    }
    g_assert_cmpfloat_with_epsilon(ns_test_value(a, NS_QUANTITY_LOGIT_LENS, L - 1), loss, 1e-6);
    NsPredicted predicted = ns_model_predict_without(model, &a->batch, (NsLayerRange){0, 0});
    g_assert_cmpfloat_with_epsilon(ns_test_value(a, NS_QUANTITY_LENS_ENTROPY, L - 1),
                                   predicted.entropy, 1e-6);
    g_assert_cmpfloat_with_epsilon(ns_test_value(a, NS_QUANTITY_LENS_LOG_Z, L - 1), predicted.log_z,
                                   1e-6);
    /* Without weights all logits are 0: a uniform prediction. */
    memset(w, 0, n * sizeof *w);
    NsPredicted uniform = ns_model_predict_without(model, &a->batch, (NsLayerRange){0, 0});
    g_assert_cmpfloat(uniform.loss, >, 1);
    g_assert_cmpfloat_with_epsilon(uniform.entropy, uniform.loss, 1e-6);
    g_assert_cmpfloat_with_epsilon(uniform.log_z, uniform.loss, 1e-6);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ablation/identity", test_identity_layers);
    g_test_add_data_func("/ablation/decoder", "arch=decoder", test_removed);
    g_test_add_data_func("/ablation/encoder-decoder", "arch=encoder-decoder", test_removed);
    g_test_add_data_func("/ablation/recompute", "recompute=on", test_removed);
    return g_test_run();
}
