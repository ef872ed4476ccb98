/* The whole model against finite differences, and its identities, in double.
 * SPDX-License-Identifier: MIT */
#include "core/model/model.h"
#include "core/model/role.h"
#include "core/ops/norm.h"
#include "tests/gradient/check.h"

#include <math.h>
#include <string.h>

#define VOCAB 11

typedef struct {
    NsModel *model;
    NsBatch batch;
} Case;

static double model_loss(void *data)
{
    Case *c = data;
    return ns_model_loss(c->model, &c->batch);
}

static void set(NsSettings *settings, const char *assignments)
{
    g_auto(GStrv) list = g_strsplit(assignments, " ", -1);
    for (size_t i = 0; list[i]; i++) {
        g_autoptr(GError) error = NULL;
        ns_settings_assign(settings, list[i], &error);
        g_assert_no_error(error);
    }
}

#define TINY "layers=3 d-model=8 heads=2 d-ff=11 seq=5 batch=3 threads=2 norm-eps=1e-5"

static Case case_new(NsSettings *settings, const NsPlacement *placement)
{
    g_autoptr(GError) error = NULL;
    Case c = {.model = ns_model_new_placed(settings, placement, VOCAB, &error)};
    g_assert_no_error(error);
    ns_batch_init(&c.batch, (size_t)settings->batch, (size_t)settings->seq);
    NsRng rng;
    ns_rng_init(&rng, 5, 0);
    for (size_t i = 0; i < c.batch.B * c.batch.T; i++) {
        c.batch.tokens[i] = (int32_t)ns_rng_below(&rng, VOCAB);
        c.batch.targets[i] = (int32_t)ns_rng_below(&rng, VOCAB);
    }
    return c;
}

static void case_clear(Case *c)
{
    ns_model_free(c->model);
    ns_batch_clear(&c->batch);
}

static void check_every_tensor(Case *c)
{
    const NsTensorTable *table = ns_model_tensors(c->model);
    ns_real *w = ns_model_weights(c->model);
    /* Away from the initial ones and zeros, where gains and biases would hide mistakes. */
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        g_autofree ns_real *noise = g_new(ns_real, ns_tensor_size(t));
        ns_fill_normal(noise, ns_tensor_size(t), 0.2, i);
        for (size_t j = 0; j < ns_tensor_size(t); j++) w[t->offset + j] += noise[j];
    }
    NsMeasure measure = ns_model_measure(c->model, &c->batch);
    g_assert_cmpfloat_with_epsilon(measure.loss, model_loss(c), 1e-12);
    g_autofree ns_real *g = g_memdup2(ns_model_gradients(c->model), table->size * sizeof *g);
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        ns_check_gradient(t->name, w + t->offset, g + t->offset, ns_tensor_size(t), 3, model_loss,
                          c);
    }
}

static void test_placement(gconstpointer data)
{
    const char *assignments = data;
    NsSettings settings;
    ns_settings_init(&settings);
    set(&settings, TINY);
    set(&settings, assignments);
    Case c = case_new(&settings, ns_placement(settings.placement));
    check_every_tensor(&c);
    case_clear(&c);
    ns_settings_clear(&settings);
}

/* Every place filled and every constant other than 1: what the registry's rows choose from. */
static void every_constant(NsCoefficients *c, unsigned sublayer, unsigned layers)
{
    *c = (NsCoefficients){
        .s = 0.7 + 0.1 * sublayer, .b = 1.3, .a = 0.9 - 0.05 * sublayer / layers, .init_gain = 0.8};
}

static void test_block_equation(void)
{
    for (unsigned places = 0; places < 8; places++)
        for (size_t norm = 0; ns_norm(norm); norm++) {
            NsPlacement placement = {.choice = {.key = "test"},
                                     .norm_in = places & 1,
                                     .norm_branch = places & 2,
                                     .norm_out = places & 4,
                                     .final_norm = true,
                                     .embedding_norm = true,
                                     .coefficients = every_constant};
            NsSettings settings;
            ns_settings_init(&settings);
            set(&settings, TINY " layers=2");
            settings.norm = (unsigned)norm;
            Case c = case_new(&settings, &placement);
            check_every_tensor(&c);
            case_clear(&c);
            ns_settings_clear(&settings);
        }
}

/* <gradient of the tensor, the tensor> */
static double along(NsModel *model, const char *name)
{
    const NsTensor *t = ns_tensor_find(ns_model_tensors(model), name);
    g_assert_nonnull(t);
    return ns_dot(ns_model_gradients(model) + t->offset, ns_model_weights(model) + t->offset,
                  ns_tensor_size(t));
}

/* A ReLU network without biases is homogeneous in W_1 and in W_2 alike: <dW_1, W_1> = <dW_2, W_2>.
 * Behind a norm its scale does not matter at all: both are 0. */
static void test_identities(void)
{
    static const char *const placements[] = {"pre", "post", "none", "sandwich"};
    for (size_t k = 0; k < G_N_ELEMENTS(placements); k++) {
        NsSettings settings;
        ns_settings_init(&settings);
        set(&settings, TINY " norm-eps=0");
        g_assert_true(ns_settings_set(&settings, "placement", placements[k], NULL));
        Case c = case_new(&settings, ns_placement(settings.placement));
        ns_model_measure(c.model, &c.batch);
        for (int l = 0; l < 3; l++) {
            g_autofree char *w1 = g_strdup_printf("blk%d.ffn.w1", l);
            g_autofree char *w2 = g_strdup_printf("blk%d.ffn.w2", l);
            g_assert_cmpfloat_with_epsilon(along(c.model, w1), along(c.model, w2), 1e-12);
            if (g_str_equal(placements[k], "sandwich"))
                g_assert_cmpfloat_with_epsilon(along(c.model, w1), 0, 1e-12);
            else
                g_assert_cmpfloat(fabs(along(c.model, w1)), >, 1e-6);
        }
        case_clear(&c);
        ns_settings_clear(&settings);
    }
}

/* Post-LN's hidden state has |x|^2 = d after every layer. */
static void test_post_hidden_norm(void)
{
    NsSettings settings;
    ns_settings_init(&settings);
    set(&settings, TINY " norm-eps=0");
    Case c = case_new(&settings, ns_placement(settings.placement));
    NsMeasure measure = ns_model_measure(c.model, &c.batch);
    for (int l = 0; l <= 3; l++) {
        g_assert_cmpfloat_with_epsilon(measure.hidden_sq[l], 8, 1e-9);
        g_assert_cmpfloat_with_epsilon(measure.hidden_norm[l], sqrt(8), 1e-9);
    }
    g_assert_true(isnan(measure.final_sq));
    case_clear(&c);
    ns_settings_clear(&settings);
}

/* The gradient of a batch is the mean of the gradients of its halves; a model whose batch is not
 * divided sees the same. */
static void test_batch_additivity(void)
{
    NsSettings settings;
    ns_settings_init(&settings);
    set(&settings, TINY " placement=pre batch=4 threads=1");
    Case whole = case_new(&settings, ns_placement(settings.placement));
    set(&settings, "threads=3");
    Case divided = case_new(&settings, ns_placement(settings.placement));
    set(&settings, "batch=2 threads=1");
    Case half = case_new(&settings, ns_placement(settings.placement));

    double loss = ns_model_measure(whole.model, &whole.batch).loss;
    g_assert_cmpfloat_with_epsilon(loss, ns_model_measure(divided.model, &whole.batch).loss, 1e-12);
    size_t n = ns_model_tensors(whole.model)->size, tokens = half.batch.B * half.batch.T;
    g_autofree ns_real *sum = g_new0(ns_real, n);
    double losses = 0;
    for (size_t h = 0; h < 2; h++) {
        memcpy(half.batch.tokens, whole.batch.tokens + h * tokens, tokens * sizeof(int32_t));
        memcpy(half.batch.targets, whole.batch.targets + h * tokens, tokens * sizeof(int32_t));
        losses += ns_model_measure(half.model, &half.batch).loss / 2;
        for (size_t i = 0; i < n; i++) sum[i] += ns_model_gradients(half.model)[i] / 2;
    }
    g_assert_cmpfloat_with_epsilon(loss, losses, 1e-12);
    for (size_t i = 0; i < n; i++) {
        ns_real g = ns_model_gradients(whole.model)[i];
        g_assert_cmpfloat_with_epsilon(g, sum[i], 1e-12);
        g_assert_cmpfloat_with_epsilon(g, ns_model_gradients(divided.model)[i], 1e-12);
    }
    case_clear(&whole);
    case_clear(&divided);
    case_clear(&half);
    ns_settings_clear(&settings);
}

/* What a position computes does not depend on later tokens.  With the head's weights zero all
 * logits are equal, and row v of the head's gradient is the sum of all hidden states over V less
 * those whose target is v.  Rows 3 and 5 (never a target) differ by the hidden states whose target
 * is 3. */
static void first_positions(Case *c, const NsTensor *head, double *sum)
{
    ns_model_measure(c->model, &c->batch);
    const ns_real *g = ns_model_gradients(c->model) + head->offset;
    for (size_t i = 0; i < head->cols; i++)
        sum[i] = (double)g[5 * head->cols + i] - (double)g[3 * head->cols + i];
}

static void test_causality(void)
{
    NsSettings settings;
    ns_settings_init(&settings);
    set(&settings, TINY " batch=1 threads=1 placement=pre");
    Case c = case_new(&settings, ns_placement(settings.placement));
    const NsTensor *head = ns_tensor_find(ns_model_tensors(c.model), "head");
    memset(ns_model_weights(c.model) + head->offset, 0, ns_tensor_size(head) * sizeof(ns_real));
    size_t last = c.batch.T - 1;
    for (size_t t = 0; t < last; t++) c.batch.targets[t] = 3;
    c.batch.targets[last] = 4;
    double before[8], after[8], moved = 0;

    c.batch.tokens[last] = 0;
    first_positions(&c, head, before);
    c.batch.tokens[last] = 1;
    first_positions(&c, head, after);
    for (size_t i = 0; i < 8; i++) g_assert_cmpfloat_with_epsilon(before[i], after[i], 1e-14);

    /* An earlier token does matter to what follows it. */
    c.batch.tokens[0] = c.batch.tokens[0] == 0 ? 1 : 0;
    first_positions(&c, head, after);
    for (size_t i = 0; i < 8; i++) moved += fabs(before[i] - after[i]);
    g_assert_cmpfloat(moved, >, 1e-3);
    case_clear(&c);
    ns_settings_clear(&settings);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t p = 0; ns_placement(p); p++)
        for (size_t n = 0; ns_norm(n); n++) {
            const char *placement = ns_placement(p)->choice.key, *norm = ns_norm(n)->choice.key;
            char *path = g_strdup_printf("/model/%s/%s", placement, norm);
            char *settings = g_strdup_printf("placement=%s norm=%s", placement, norm);
            g_test_add_data_func_full(path, settings, test_placement, g_free);
            g_free(path);
        }
    g_test_add_data_func("/model/switches", "placement=pre final-norm=off embedding-norm=on",
                         test_placement);
    g_test_add_func("/model/block-equation", test_block_equation);
    g_test_add_func("/model/identities", test_identities);
    g_test_add_func("/model/post-hidden-norm", test_post_hidden_norm);
    g_test_add_func("/model/batch-additivity", test_batch_additivity);
    g_test_add_func("/model/causality", test_causality);
    return g_test_run();
}
