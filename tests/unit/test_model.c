/* Settings, placements, plans, and what a model promises in single precision.
 * SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/model/model.h"
#include "core/model/role.h"
#include "core/ops/norm.h"

#include <locale.h>
#include <math.h>
#include <string.h>

static void test_settings_round_trip(void)
{
    NsSettings a, b;
    ns_settings_init(&a);
    ns_settings_init(&b);
    static const char *const changes[] = {"placement=pre",  "layers=1e2", "lr=0.1",
                                          "norm-eps=1e-12", "seed=7",     "text=/a b/c",
                                          "final-norm=on"};
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++)
        g_assert_true(ns_settings_assign(&a, changes[i], NULL));
    g_assert_cmpint(a.layers, ==, 100);
    for (size_t i = 0; ns_param(i); i++) {
        const NsParam *p = ns_param(i);
        g_assert_true(ns_settings_is_default(&b, p));
        g_autofree char *text = ns_settings_get(&a, p);
        g_assert_true(ns_settings_set(&b, p->key, text, NULL));
        g_autofree char *again = ns_settings_get(&b, p);
        g_assert_cmpstr(text, ==, again);
        if (p->type == NS_PARAM_REAL)
            g_assert_true(memcmp((char *)&a + p->offset, (char *)&b + p->offset, 8) == 0);
    }
    g_assert_true(ns_settings_assign(&b, "lr=1e2", NULL));
    g_autofree char *hundred = ns_settings_get(&b, ns_param_find("lr"));
    g_assert_cmpstr(hundred, ==, "100");
    g_autofree char *line = ns_settings_line(&a, false);
    g_assert_cmpstr(line, ==,
                    "placement=pre layers=100 final-norm=on norm-eps=1e-12 lr=0.1 task=text "
                    "text='/a b/c' seed=7");
    ns_settings_clear(&a);
    ns_settings_clear(&b);
}

static void test_settings_refused(void)
{
    static const struct {
        const char *assignment, *says;
    } table[] = {
        {"layer=3", "layers"},
        {"layers=0", "between 1 and 10000"},
        {"layers=2.5", "whole number"},
        {"layers=many", "no number"},
        {"layers=", "no number"},
        {"lr=nan", "no number"},
        {"lr=-1", "between 0 and 100"},
        {"lr=1,5", "no number"},
        {"placement=middle", "post, pre, none"},
        {"layers", "key=value"},
    };
    NsSettings settings;
    ns_settings_init(&settings);
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_false(ns_settings_assign(&settings, table[i].assignment, &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
        g_assert_nonnull(strstr(error->message, table[i].says));
    }
    g_assert_cmpint(settings.layers, ==, 6);

    g_autoptr(GError) error = NULL;
    settings.heads = 5;
    g_assert_false(ns_settings_check(&settings, &error));
    g_assert_nonnull(strstr(error->message, "5 heads"));
    g_clear_error(&error);
    settings.heads = 4;
    g_assert_true(ns_settings_set(&settings, "task", "text", NULL));
    g_assert_false(ns_settings_check(&settings, &error));
    g_assert_nonnull(strstr(error->message, "text=PATH"));
    ns_settings_clear(&settings);
}

/* Numbers in files and on command lines do not follow the user's language. */
static void test_settings_locale(void)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        g_test_skip("the locale de_DE.UTF-8 is not installed");
        return;
    }
    NsSettings settings;
    ns_settings_init(&settings);
    g_assert_true(ns_settings_assign(&settings, "lr=0.25", NULL));
    g_autofree char *text = ns_settings_get(&settings, ns_param_find("lr"));
    g_assert_cmpstr(text, ==, "0.25");
    ns_settings_clear(&settings);
    setlocale(LC_ALL, "C");
}

static void test_registries(void)
{
    for (size_t i = 0; ns_placement_choice(i); i++) {
        const NsChoice *c = ns_placement_choice(i);
        g_assert_nonnull(c->label);
        g_assert_nonnull(c->formula);
        g_assert_nonnull(c->purpose);
        g_assert_cmpint(ns_choices_find(ns_placement_choice, c->key), ==, (int)i);
    }
    for (size_t i = 0; ns_param(i); i++) {
        g_assert_nonnull(ns_param(i)->help);
        g_assert_true(ns_param_find(ns_param(i)->key) == ns_param(i));
    }
    /* DeepNorm, decoder-only, 18 layers: alpha = 36^(1/4), beta = 144^(-1/4). */
    const NsPlacement *deepnorm =
        ns_placement((size_t)ns_choices_find(ns_placement_choice, "deepnorm"));
    NsCoefficients c = ns_placement_coefficients(deepnorm, 3, 18);
    g_assert_cmpfloat_with_epsilon(c.a, 2.449489742783178, 1e-12);
    g_assert_cmpfloat_with_epsilon(c.init_gain, 0.28867513459481287, 1e-12);
}

static NsSettings tiny(const char *placement)
{
    NsSettings settings;
    ns_settings_init(&settings);
    g_assert_true(ns_settings_set(&settings, "placement", placement, NULL));
    settings.layers = 3;
    settings.d_model = 16;
    settings.heads = 2;
    settings.seq = 8;
    settings.batch = 6;
    settings.threads = 2;
    return settings;
}

static void fill(NsBatch *batch, const NsSettings *settings, int32_t vocab)
{
    ns_batch_init(batch, (size_t)settings->batch, (size_t)settings->seq);
    for (size_t i = 0; i < batch->B * batch->T; i++) {
        batch->tokens[i] = (int32_t)(i * i) % vocab;
        batch->targets[i] = (int32_t)(i * i + 3 * i) % vocab;
    }
}

static void test_names(void)
{
    NsSettings settings = tiny("pre");
    g_autoptr(NsModel) model = ns_model_new(&settings, 20, NULL);
    static const struct {
        const char *name;
        size_t rows, cols;
    } table[] = {
        {"tok_emb", 20, 16},        {"pos_emb", 8, 16},         {"head", 20, 16},
        {"blk0.attn.wq", 16, 16},   {"blk2.attn.wo", 16, 16},   {"blk1.attn.bk", 16, 0},
        {"blk0.ffn.w1", 64, 16},    {"blk0.ffn.w2", 16, 64},    {"blk2.ffn.b1", 64, 0},
        {"blk0.norm1.gain", 16, 0}, {"blk2.norm2.bias", 16, 0}, {"final_norm.gain", 16, 0},
    };
    const NsTensorTable *tensors = ns_model_tensors(model);
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        const NsTensor *t = ns_tensor_find(tensors, table[i].name);
        g_assert_nonnull(t);
        g_assert_cmpuint(t->rows, ==, table[i].rows);
        g_assert_cmpuint(t->cols, ==, table[i].cols);
    }
    g_assert_null(ns_tensor_find(tensors, "emb_norm.gain"));
    /* Q, K and V follow one another without a gap. */
    size_t q = ns_tensor_find(tensors, "blk1.attn.wq")->offset;
    g_assert_cmpuint(ns_tensor_find(tensors, "blk1.attn.wk")->offset, ==, q + 256);
    g_assert_cmpuint(ns_tensor_find(tensors, "blk1.attn.wv")->offset, ==, q + 512);
    ns_settings_clear(&settings);
}

static void test_same_bits(void)
{
    for (size_t p = 0; ns_placement(p); p++) {
        NsSettings settings = tiny(ns_placement(p)->choice.key);
        NsBatch batch;
        fill(&batch, &settings, 20);
        g_autoptr(NsModel) a = ns_model_new(&settings, 20, NULL);
        g_autoptr(NsModel) b = ns_model_new(&settings, 20, NULL);
        size_t bytes = ns_model_tensors(a)->size * sizeof(ns_real);
        double loss = ns_model_measure(a, &batch).loss;
        g_assert_cmpfloat(loss, ==, ns_model_measure(b, &batch).loss);
        g_assert_true(memcmp(ns_model_gradients(a), ns_model_gradients(b), bytes) == 0);
        g_assert_cmpfloat_with_epsilon(loss, ns_model_loss(a, &batch), 1e-12);

        ns_model_weights(a)[0] += 1;
        ns_model_reset(a);
        g_assert_true(memcmp(ns_model_weights(a), ns_model_weights(b), bytes) == 0);
        ns_batch_clear(&batch);
        ns_settings_clear(&settings);
    }
}

/* Lanes that differ in the placement share the initial value of every tensor that both have. */
static void test_shared_start(void)
{
    NsSettings post = tiny("post"), pre = tiny("pre");
    g_autoptr(NsModel) a = ns_model_new(&post, 20, NULL);
    g_autoptr(NsModel) b = ns_model_new(&pre, 20, NULL);
    size_t shared = 0;
    for (size_t i = 0; i < ns_model_tensors(a)->n; i++) {
        const NsTensor *t = &ns_model_tensors(a)->tensors[i];
        const NsTensor *u = ns_tensor_find(ns_model_tensors(b), t->name);
        if (!u) continue;
        size_t bytes = ns_tensor_size(t) * sizeof(ns_real);
        g_assert_true(
            memcmp(ns_model_weights(a) + t->offset, ns_model_weights(b) + u->offset, bytes) == 0);
        shared++;
    }
    g_assert_cmpuint(shared, ==, ns_model_tensors(a)->n - 2); /* all but the embedding norm */
    ns_settings_clear(&post);
    ns_settings_clear(&pre);
}

static void test_plan(void)
{
    NsSettings settings = tiny("post");
    NsPlan plan = ns_model_plan(&settings, 20);
    g_autoptr(NsModel) model = ns_model_new(&settings, 20, NULL);
    g_assert_cmpuint(plan.parameters, ==, ns_model_tensors(model)->elements);
    g_assert_cmpuint(plan.threads, ==, 2);
    g_assert_true(ns_plan_check(&plan, NULL));

    settings.layers = 10000;
    settings.d_model = 8192;
    settings.batch = 4096;
    plan = ns_model_plan(&settings, 20);
    g_autoptr(GError) error = NULL;
    g_assert_false(ns_plan_check(&plan, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_MEMORY);
    ns_settings_clear(&settings);
}

/* A weight that is not finite shows in the loss and in every gradient it reaches; nothing hides it.
 */
static void test_not_finite(void)
{
    NsSettings settings = tiny("pre");
    NsBatch batch;
    fill(&batch, &settings, 20);
    g_autoptr(NsModel) model = ns_model_new(&settings, 20, NULL);
    const NsTensor *w1 = ns_tensor_find(ns_model_tensors(model), "blk1.ffn.w1");
    ns_model_weights(model)[w1->offset] = NAN;
    NsMeasure measure = ns_model_measure(model, &batch);
    g_assert_true(isnan(measure.loss));
    g_assert_true(isfinite(measure.hidden_sq[1]));
    g_assert_false(isfinite(measure.hidden_sq[2]));
    ns_batch_clear(&batch);
    ns_settings_clear(&settings);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/settings/round-trip", test_settings_round_trip);
    g_test_add_func("/settings/refused", test_settings_refused);
    g_test_add_func("/settings/locale", test_settings_locale);
    g_test_add_func("/model/registries", test_registries);
    g_test_add_func("/model/names", test_names);
    g_test_add_func("/model/same-bits", test_same_bits);
    g_test_add_func("/model/shared-start", test_shared_start);
    g_test_add_func("/model/plan", test_plan);
    g_test_add_func("/model/not-finite", test_not_finite);
    return g_test_run();
}
