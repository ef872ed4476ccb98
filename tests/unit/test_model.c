/* Placements, plans, and what a model promises in single precision.
 * SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/data/task.h"
#include "core/experiment/assignment.h"
#include "core/model/init.h"
#include "core/model/model.h"
#include "core/model/parameter_kind.h"
#include "core/ops/activation.h"
#include "core/ops/norm.h"

#include <math.h>
#include <string.h>

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
    static const NsChoices registries[] = {
        ns_norm_choice,    ns_activation_choice,  ns_init_choice,      ns_arch_choice,
        ns_switch_choice,  ns_toggle_choice,      ns_attention_choice, ns_positions_choice,
        ns_qk_norm_choice, ns_decay_scope_choice,
    };
    for (size_t k = 0; k < G_N_ELEMENTS(registries); k++)
        for (size_t i = 0; registries[k](i); i++) {
            g_assert_nonnull(registries[k](i)->label);
            g_assert_nonnull(registries[k](i)->purpose);
            g_assert_cmpint(ns_choices_find(registries[k], registries[k](i)->key), ==, (int)i);
        }
    g_assert_cmpint(ns_choices_find(ns_placement_choice, "depth-mup"), ==, 23);
    /* What older files say is still read, as what it meant. */
    g_assert_cmpint(ns_choices_find(ns_qk_norm_choice, "on"), ==, NS_QK_NORM_HEAD);
}

static NsWiring wiring(const char *placement, NsPosition position)
{
    return ns_placement_wiring(
        ns_placement((size_t)ns_choices_find(ns_placement_choice, placement)), &position);
}

/* The constants of DeepNorm, T-Fixup, SubLN and CompleteP in all three architectures, worked out by
 * hand from their papers' tables. */
static void test_constants(void)
{
    static const struct {
        const char *placement;
        NsPosition position;
        double a, init, b, lr, eps;
    } table[] = {
        {"deepnorm",
         {.decoder = true, .M = 18, .layers = 18},
         2.449489742783178,
         0.28867513459481287,
         1,
         1,
         1},
        {"deepnorm", {.N = 8, .layers = 8}, 2, 0.35355339059327373, 1, 1, 1},
        {"deepnorm", {.N = 16, .M = 1, .layers = 16}, 1.62, 0.435, 1, 1, 1},
        {"deepnorm",
         {.decoder = true, .N = 16, .M = 27, .layers = 27},
         3,
         0.23570226039551584,
         1,
         1,
         1},
        {"t-fixup", {.decoder = true, .M = 9, .layers = 9}, 1, 1 / 3.0, 1, 1, 1},
        {"t-fixup", {.N = 16, .layers = 16}, 1, 0.335, 1, 1, 1},
        {"subln", {.N = 12, .layers = 12}, 1, 1.782709687623856, 1, 1, 1},
        {"completep", {.layers = 8, .depth_ratio = 4}, 1, 1, 0.25, 1, 0.25},
        {"depth-mup", {.layers = 8, .depth_ratio = 4}, 1, 1, 0.5, 0.5, 0.5},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        NsWiring w = wiring(table[i].placement, table[i].position);
        g_assert_cmpfloat_with_epsilon(w.a, table[i].a, 1e-12);
        g_assert_cmpfloat_with_epsilon(w.init, table[i].init, 1e-12);
        g_assert_cmpfloat_with_epsilon(w.b, table[i].b, 1e-12);
        g_assert_cmpfloat_with_epsilon(w.lr, table[i].lr, 1e-12);
        g_assert_cmpfloat_with_epsilon(w.eps, table[i].eps, 1e-12);
    }
    /* Keel: the first sub-layer has no outer norm, the first layer no S. */
    NsPosition p = {.layers = 3, .sublayers = 6};
    g_assert_false(wiring("keel", p).out);
    p.sublayer = 1;
    g_assert_true(wiring("keel", p).out);
    g_assert_cmpfloat(wiring("keel", p).a, ==, 1);
    p.sublayer = 2;
    p.layer = 1;
    g_assert_cmpfloat(wiring("keel", p).a, ==, 6);
}

/* What papers make depend on the depth. */
static void test_depth(void)
{
    /* Touvron et al. 2021, 3: the start of LayerScale. */
    static const struct {
        unsigned layers;
        double start;
    } scales[] = {{1, 0.1}, {18, 0.1}, {19, 1e-5}, {24, 1e-5}, {25, 1e-6}, {48, 1e-6}};
    for (size_t i = 0; i < G_N_ELEMENTS(scales); i++) {
        NsPosition p = {.layers = scales[i].layers};
        g_assert_cmpfloat(wiring("layerscale", p).gain_start, ==, scales[i].start);
    }
    /* Li et al. 2024, 3: Mix-LN has floor(L / 4) layers of Post-LN; 3 of 12 in its scripts. */
    static const unsigned mixes[][2] = {{1, 0}, {3, 0}, {4, 1}, {6, 1}, {7, 1}, {8, 2}, {12, 3}};
    for (size_t i = 0; i < G_N_ELEMENTS(mixes); i++) {
        unsigned post = 0;
        for (unsigned l = 0; l < mixes[i][0]; l++)
            post += wiring("mix-ln", (NsPosition){.layer = l, .layers = mixes[i][0]}).out;
        g_assert_cmpuint(post, ==, mixes[i][1]);
    }
    /* takase/b2t_connection: every matrix of a layer times L^(-1/2). */
    NsWiring b2t = wiring("b2t", (NsPosition){.layers = 16});
    g_assert_cmpfloat(b2t.init, ==, 0.25);
    g_assert_cmpfloat(b2t.init_qk, ==, 0.25);
    g_assert_cmpfloat(wiring("deepnorm", (NsPosition){.M = 18, .layers = 18}).init_qk, ==, 1);
}

static void test_mixtures(void)
{
    static const struct {
        const char *mixture;
        unsigned layers;
        const char *says[8];
    } table[] = {
        {"post*3,pre*9", 4, {"post", "pre", "pre", "pre"}},
        {"post*1,pre*1", 5, {"post", "post", "post", "pre", "pre"}},
        {"rezero", 2, {"rezero", "rezero"}},
        {" post , pre * 2 ", 6, {"post", "post", "pre", "pre", "pre", "pre"}},
        {"x' = N(x + F(x)) * 1, pre", 2, {"N(x + F(x))", "pre"}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
        for (unsigned l = 0; l < table[i].layers; l++) {
            const NsPlacement *p = ns_mixture_at(table[i].mixture, l, table[i].layers, NULL);
            g_assert_nonnull(p);
            g_assert_cmpstr(p->choice.key, ==, table[i].says[l]);
        }
    static const char *const wrong[] = {
        "",         "middle",     "post*",          "post*0",
        "post*x",   "post,,pre",  "residual*2,pre", "post*99999999999999999999",
        "x+x",      "N(x)",       "x+F(x",          "N(N(x)+F(x))",
        "F(F(x))",  "x+F(N(2x))", "x+N(2F(x))",     "2N(x+F(x))",
        "x+F(x)+x", "x+F(x))",    "y+F(x)",         "(+"};
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(ns_mixture_at(wrong[i], 0, 4, &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    }
}

/* A formula has the wiring of the row that its paper writes so. */
static void test_formulas(void)
{
    static const struct {
        const char *formula, *placement;
    } table[] = {
        {"N(x + F(x))", "post"}, {"x + F(N(x))", "pre"},         {"F(N(x)) + x", "pre"},
        {"x + F(x)", "none"},    {"x + N(F(N(x)))", "sandwich"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        const NsPlacement *typed = ns_mixture_at(table[i].formula, 0, 1, NULL);
        const NsPlacement *row =
            ns_placement((size_t)ns_choices_find(ns_placement_choice, table[i].placement));
        NsWiring a = ns_placement_wiring(typed, &(NsPosition){.layers = 1, .sublayers = 2});
        NsWiring b = ns_placement_wiring(row, &(NsPosition){.layers = 1, .sublayers = 2});
        g_assert_true(memcmp(&a, &b, sizeof a) == 0);
        g_assert_true(typed->final_norm == row->final_norm);
    }
    /* No final norm where the last operation of a layer is a norm. */
    g_assert_false(ns_mixture_at("N(F(x))", 0, 1, NULL)->final_norm);
    g_assert_true(ns_mixture_at("N(F(x)) + x", 0, 1, NULL)->final_norm);
    g_autoptr(GString) deep = g_string_new(NULL);
    for (int i = 0; i < 1000000; i++) g_string_append(deep, "F(");
    g_assert_null(ns_mixture_at(deep->str, 0, 1, NULL));
    g_assert_null(ns_mixture_at("1e999 x + F(x)", 0, 1, NULL));
    const NsPlacement *typed = ns_mixture_at("N(2 x + 0.5 N(F(0.25N(x))))", 0, 1, NULL);
    NsWiring c = ns_placement_wiring(typed, &(NsPosition){.layers = 1, .sublayers = 2});
    g_assert_true(c.in && c.branch && c.out && !typed->final_norm);
    g_assert_cmpfloat(c.a, ==, 2);
    g_assert_cmpfloat(c.b, ==, 0.5);
    g_assert_cmpfloat(c.s, ==, 0.25);
    g_assert_true(typed == ns_mixture_at("N(2x+0.5N(F(0.25N(x))))", 0, 1, NULL));
    NsSettings settings;
    ns_settings_init(&settings);
    g_assert_true(ns_settings_set(&settings, "placement", "x + F(N(x))", NULL));
    g_assert_cmpstr(settings.mixture, ==, "x + F(N(x))");
    g_assert_true(ns_settings_set(&settings, "placement", "pre", NULL));
    g_assert_cmpstr(settings.mixture, ==, "");
    ns_settings_clear(&settings);
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

static const NsVocab vocab = {.in = 20, .out = 20};

static void fill(NsBatch *batch, const NsSettings *settings)
{
    ns_batch_init(batch, (size_t)settings->batch, (size_t)settings->seq,
                  (size_t)ns_settings_source_seq(settings));
    for (size_t i = 0; i < batch->B * batch->S; i++) batch->source[i] = (int32_t)(i % 7);
    for (size_t i = 0; i < batch->B * batch->T; i++) {
        batch->tokens[i] = (int32_t)(i * i) % (int32_t)vocab.in;
        batch->targets[i] = (int32_t)(i * i + 3 * i) % (int32_t)vocab.in;
    }
}

/* Which tensors there are where the kind of norm is the placement's own, and where it is chosen. */
static void test_own_norm(void)
{
    static const struct {
        const char *settings;
        bool gain, bias; /* of the first norm */
    } table[] = {
        {"placement=post", true, false},
        {"placement=keel", true, true},
        {"placement=olmo2", true, true},
        {"placement=peri", true, true},
        {"placement=hybridnorm", true, true},
        {"placement=ln-scaling", true, true},
        {"placement=mix-ln", true, true},
        {"placement=sandwich", true, false},
        {"placement=keel norm=layernorm", true, false},
        {"placement=post norm=rmsnorm", true, true},
        {"placement=keel norm=none", false, true},
        {"mixture=keel,post", true, true},
        {"mixture=post,keel", true, false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        NsSettings settings = tiny("post");
        g_assert_true(ns_settings_assign_all(&settings, table[i].settings, NULL));
        g_autoptr(NsModel) model = ns_model_new(&settings, vocab, NULL);
        const NsTensorTable *tensors = ns_model_tensors(model);
        g_test_message("%s", table[i].settings);
        g_assert_true((ns_tensor_find(tensors, "blk0.norm1.gain") != NULL) == table[i].gain);
        g_assert_true((ns_tensor_find(tensors, "blk0.norm1.bias") == NULL) == table[i].bias);
        ns_settings_clear(&settings);
    }
}

/* The features that a norm on queries, keys or values has parameters for; d = 16, 2 heads. */
static void test_qk_norm(void)
{
    static const struct {
        const char *settings;
        size_t q, k, v;
    } table[] = {
        {"placement=pre", 0, 0, 0},
        {"placement=pre qk-norm=head", 8, 8, 0},
        {"placement=pre qk-norm=on", 8, 8, 0},
        {"placement=pre qk-norm=full", 16, 16, 0},
        {"placement=olmo2", 16, 16, 0},
        {"placement=olmo2 qk-norm=head", 8, 8, 0},
        {"placement=olmo2 qk-norm=off", 0, 0, 0},
        {"placement=hybridnorm", 8, 8, 8},
        {"placement=hybridnorm-star", 8, 8, 8},
        {"placement=hybridnorm qk-norm=full", 16, 16, 8},
        {"placement=hybridnorm norm=batchnorm", 16, 16, 16},
        {"placement=pre norm=batchnorm qk-norm=head", 16, 16, 0},
        {"placement=olmo2 norm=none", 0, 0, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        NsSettings settings = tiny("post");
        g_assert_true(ns_settings_assign_all(&settings, table[i].settings, NULL));
        g_autoptr(NsModel) model = ns_model_new(&settings, vocab, NULL);
        const char *const names[] = {"blk1.attn.q_norm.gain", "blk1.attn.k_norm.gain",
                                     "blk1.attn.v_norm.gain"};
        const size_t sizes[] = {table[i].q, table[i].k, table[i].v};
        for (size_t k = 0; k < G_N_ELEMENTS(names); k++) {
            const NsTensor *tensor = ns_tensor_find(ns_model_tensors(model), names[k]);
            g_assert_cmpuint(tensor ? tensor->rows : 0, ==, sizes[k]);
        }
        ns_settings_clear(&settings);
    }
}

static void test_names(void)
{
    NsSettings settings = tiny("pre");
    g_autoptr(NsModel) model = ns_model_new(&settings, vocab, NULL);
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

/* A source with a vocabulary of its own has an embedding of its own, whatever is tied. */
static void test_separate_vocabularies(void)
{
    static const NsVocab apart = {.in = 20, .out = 19, .source = 30};
    for (int tied = 0; tied < 2; tied++) {
        NsSettings settings = tiny("pre");
        g_assert_true(ns_settings_assign(&settings, "arch=encoder-decoder", NULL));
        g_assert_true(
            ns_settings_assign(&settings, tied ? "tie-embeddings=on" : "tie-embeddings=off", NULL));
        g_autoptr(NsModel) model = ns_model_new(&settings, apart, NULL);
        const NsTensorTable *tensors = ns_model_tensors(model);
        const NsTensor *source = ns_tensor_find(tensors, "enc.tok_emb");
        const NsTensor *target = ns_tensor_find(tensors, "dec.tok_emb");
        g_assert_cmpuint(source->rows, ==, 30);
        g_assert_cmpuint(target->rows, ==, 20);
        g_assert_true(!source->decay && target->decay == tied);
        g_assert_true((ns_tensor_find(tensors, "head") == NULL) == tied);
        g_assert_null(ns_tensor_find(tensors, "tok_emb"));
        ns_settings_clear(&settings);
    }
}

/* Both stacks, numbered through; cross-attention; what a placement and an option add. */
static void test_names_of_both(void)
{
    NsSettings settings = tiny("pre");
    g_autoptr(GError) error = NULL;
    static const char *const assignments[] = {
        "arch=encoder-decoder",
        "layers=2",
        "decoder-layers=3",
        "source-seq=5",
        "norm=dyt",
        "activation=swiglu",
        "qk-norm=head",
        "mixture=pre*2,normformer,rezero,layerscale,admin",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(assignments); i++)
        g_assert_true(ns_settings_assign(&settings, assignments[i], &error));
    g_autoptr(NsModel) model = ns_model_new(&settings, vocab, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(ns_model_layers(model), ==, 5);
    static const struct {
        const char *name;
        size_t rows, cols;
        int layer;
        NsParameterKind parameter;
    } table[] = {
        {"enc.tok_emb", 20, 16, -1, NS_PARAMETER_TOK_EMB},
        {"enc.pos_emb", 5, 16, -1, NS_PARAMETER_POS_EMB},
        {"dec.pos_emb", 8, 16, -1, NS_PARAMETER_POS_EMB},
        {"enc.blk1.attn.wq", 16, 16, 1, NS_PARAMETER_WQ},
        {"dec.blk0.attn.wq", 16, 16, 2, NS_PARAMETER_WQ},
        {"dec.blk2.cross.wk", 16, 16, 4, NS_PARAMETER_CROSS_WK},
        {"dec.blk2.cross.bo", 16, 0, 4, NS_PARAMETER_CROSS_BO},
        {"dec.blk0.cross_norm.alpha", 1, 0, 2, NS_PARAMETER_CROSS_NORM_ALPHA},
        {"dec.blk0.cross.q_norm.gain", 8, 0, 2, NS_PARAMETER_CROSS_Q_NORM_GAIN},
        {"dec.blk1.ffn.w3", 64, 16, 3, NS_PARAMETER_W3},
        {"dec.blk1.cross.head_scale", 2, 0, 3, NS_PARAMETER_CROSS_HEAD_SCALE},
        {"dec.blk1.ffn.mid_norm.gain", 64, 0, 3, NS_PARAMETER_MID_NORM2_GAIN},
        {"enc.blk1.branch_gain", 1, 0, 1, NS_PARAMETER_LAYER_GAIN},
        {"dec.blk2.attn.branch_gain", 16, 0, 4, NS_PARAMETER_BRANCH_GAIN1},
        {"enc.final_norm.gain", 16, 0, -1, NS_PARAMETER_FINAL_NORM_GAIN},
        {"dec.final_norm.bias", 16, 0, -1, NS_PARAMETER_FINAL_NORM_BIAS},
        {"head", 20, 16, -1, NS_PARAMETER_HEAD},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        const NsTensor *t = ns_tensor_find(ns_model_tensors(model), table[i].name);
        if (!t) g_error("there is no tensor %s", table[i].name);
        g_assert_cmpuint(t->rows, ==, table[i].rows);
        g_assert_cmpuint(t->cols, ==, table[i].cols);
        g_assert_cmpint(t->layer, ==, table[i].layer);
        g_assert_cmpuint(t->parameter, ==, table[i].parameter);
    }
    ns_settings_clear(&settings);

    settings = tiny("post");
    settings.arch = NS_ARCH_ENCODER_DECODER;
    settings.tie_embeddings = NS_TOGGLE_ON;
    g_autoptr(NsModel) tied = ns_model_new(&settings, vocab, NULL);
    g_assert_nonnull(ns_tensor_find(ns_model_tensors(tied), "tok_emb"));
    g_assert_null(ns_tensor_find(ns_model_tensors(tied), "dec.tok_emb"));
    g_assert_null(ns_tensor_find(ns_model_tensors(tied), "head"));
    g_assert_null(ns_model_new(&settings, (NsVocab){.in = 20, .out = 21}, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    ns_settings_clear(&settings);
}

/* The standard deviation that a matrix is drawn with, and the range of a uniform one. */
static void test_initializers(void)
{
    static const struct {
        const char *init;
        double wq, wo, w1; /* at width 16, FFN 64, 3 layers */
        bool uniform;
    } table[] = {
        {"xavier-normal", 0.25, 0.25, 0.15811388300841897, false},
        {"xavier-uniform", 0.25, 0.25, 0.15811388300841897, true},
        {"kaiming-normal", 0.35355339059327373, 0.35355339059327373, 0.35355339059327373, false},
        {"kaiming-uniform", 0.35355339059327373, 0.35355339059327373, 0.35355339059327373, true},
        {"normal", 0.02, 0.02, 0.02, false},
        {"gpt2", 0.02, 0.02 / 2.449489742783178, 0.02, false},
        {"deepnorm", 0.25, 0.25 * 0.45180100180492244, 0.15811388300841897 * 0.45180100180492244,
         false},
        {"t-fixup", 0.25, 0.25 * 0.4386913376508308, 0.15811388300841897 * 0.4386913376508308,
         false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        NsSettings settings = tiny("pre");
        g_assert_true(ns_settings_set(&settings, "init", table[i].init, NULL));
        settings.init_scale = 2;
        g_autoptr(NsModel) model = ns_model_new(&settings, vocab, NULL);
        const NsTensorTable *tensors = ns_model_tensors(model);
        const NsTensor *w1 = ns_tensor_find(tensors, "blk1.ffn.w1");
        g_assert_cmpfloat_with_epsilon(ns_tensor_find(tensors, "blk2.attn.wq")->std,
                                       2 * table[i].wq, 1e-12);
        g_assert_cmpfloat_with_epsilon(ns_tensor_find(tensors, "blk2.attn.wo")->std,
                                       2 * table[i].wo, 1e-12);
        g_assert_cmpfloat_with_epsilon(w1->std, 2 * table[i].w1, 1e-12);
        const ns_real *w = ns_model_weights(model) + w1->offset;
        double squares = 0, largest = 0;
        for (size_t k = 0; k < ns_tensor_size(w1); k++) {
            squares += (double)w[k] * (double)w[k];
            largest = MAX(largest, fabs((double)w[k]));
        }
        double n = (double)ns_tensor_size(w1), std = sqrt(squares / n);
        g_assert_cmpfloat(fabs(std / w1->std - 1), <, 5 / sqrt(2 * n));
        g_assert_true(table[i].uniform == (largest <= sqrt(3) * w1->std));
        ns_settings_clear(&settings);
    }
}

/* Both embeddings: usual ones, those of an initializer, of T-Fixup, and those that are a head, too.
 */
static void test_embeddings(void)
{
    static const struct {
        const char *assignment;
        double token, position; /* at width 16, 3 layers */
    } table[] = {
        {"placement=pre", 1, 0.1},
        {"init=gpt2", 0.02, 0.02},
        {"placement=t-fixup", 0.25 * 0.4386913376508308, 0.25 * 0.4386913376508308},
        {"init=t-fixup", 0.25 * 0.4386913376508308, 0.25 * 0.4386913376508308},
        {"tie-embeddings=on", 0.25, 0.025},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        NsSettings settings = tiny("post");
        g_assert_true(ns_settings_assign(&settings, table[i].assignment, NULL));
        g_autoptr(NsModel) model = ns_model_new(&settings, vocab, NULL);
        const NsTensorTable *tensors = ns_model_tensors(model);
        g_assert_cmpfloat_with_epsilon(ns_tensor_find(tensors, "tok_emb")->std, table[i].token,
                                       1e-12);
        g_assert_cmpfloat_with_epsilon(ns_tensor_find(tensors, "pos_emb")->std, table[i].position,
                                       1e-12);
        ns_settings_clear(&settings);
    }
}

/* Depth-muP's factors stand at every tensor of its layers, weight decay at matrices alone. */
static void test_factors(void)
{
    NsSettings settings = tiny("depth-mup");
    settings.layers = 8;
    g_autoptr(NsModel) model = ns_model_new(&settings, vocab, NULL);
    const NsTensorTable *tensors = ns_model_tensors(model);
    for (size_t i = 0; i < tensors->n; i++) {
        const NsTensor *t = &tensors->tensors[i];
        double factor = t->layer >= 0 ? 0.5 : 1;
        g_assert_cmpfloat_with_epsilon(t->lr, factor, 1e-12);
        g_assert_cmpfloat_with_epsilon(t->eps, factor, 1e-12);
        g_assert_true(t->decay ==
                      (t->cols > 0 && (t->layer >= 0 || t->parameter == NS_PARAMETER_HEAD)));
    }
    ns_settings_clear(&settings);
}

static void check_same_bits(const NsSettings *settings)
{
    NsBatch batch;
    fill(&batch, settings);
    g_autoptr(NsModel) a = ns_model_new(settings, vocab, NULL);
    g_autoptr(NsModel) b = ns_model_new(settings, vocab, NULL);
    size_t bytes = ns_model_tensors(a)->size * sizeof(ns_real);
    const NsNoise noise = {.training = true, .seed = 3, .step = 8};
    NsMeasure seen = ns_model_measure(a, &batch, &noise);
    g_assert_cmpfloat(seen.loss, ==, ns_model_measure(b, &batch, &noise).loss);
    g_assert_true(memcmp(ns_model_gradients(a), ns_model_gradients(b), bytes) == 0);
    double loss = ns_model_loss(a, &batch);
    g_assert_cmpfloat(loss, ==, ns_model_loss(a, &batch));
    g_assert_cmpfloat_with_epsilon(ns_model_measure(a, &batch, NULL).nll, loss, 1e-12);

    ns_model_weights(a)[0] += 1;
    ns_model_reset(a);
    g_assert_true(memcmp(ns_model_weights(a), ns_model_weights(b), bytes) == 0);
    ns_batch_clear(&batch);
}

static void test_same_bits(void)
{
    for (unsigned arch = 0; ns_arch_choice(arch); arch++)
        for (size_t p = 0; ns_placement(p); p++) {
            NsSettings settings = tiny(ns_placement(p)->choice.key);
            settings.arch = arch;
            settings.dropout = 0.1;
            settings.drop_path = 0.2;
            check_same_bits(&settings);
            ns_settings_clear(&settings);
        }
}

/* Lanes that differ in the placement share the initial value of every tensor that both have. */
static void test_shared_start(void)
{
    NsSettings post = tiny("post"), pre = tiny("pre");
    g_autoptr(NsModel) a = ns_model_new(&post, vocab, NULL);
    g_autoptr(NsModel) b = ns_model_new(&pre, vocab, NULL);
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
    g_assert_cmpuint(shared, ==, ns_model_tensors(a)->n); /* Pre-LN has a final norm beside them */
    ns_settings_clear(&post);
    ns_settings_clear(&pre);
}

static void test_plan(void)
{
    NsSettings settings = tiny("post");
    NsPlan plan = ns_model_plan(&settings, vocab);
    g_autoptr(NsModel) model = ns_model_new(&settings, vocab, NULL);
    g_assert_cmpuint(plan.parameters, ==, ns_model_tensors(model)->elements);
    g_assert_cmpuint(plan.threads, ==, 2);
    g_assert_true(ns_plan_check(&plan, NULL));

    settings.layers = 10000;
    settings.d_model = 8192;
    settings.batch = 4096;
    plan = ns_model_plan(&settings, vocab);
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
    fill(&batch, &settings);
    g_autoptr(NsModel) model = ns_model_new(&settings, vocab, NULL);
    const NsTensor *w1 = ns_tensor_find(ns_model_tensors(model), "blk1.ffn.w1");
    ns_model_weights(model)[w1->offset] = NAN;
    NsMeasure measure = ns_model_measure(model, &batch, NULL);
    g_assert_true(isnan(measure.loss));
    g_assert_true(isfinite(measure.hidden[1].sq));
    g_assert_false(isfinite(measure.hidden[2].sq));
    g_assert_true(isfinite(measure.hidden[1].max));
    g_assert_true(isnan(measure.hidden[2].max));
    g_assert_true(isnan(measure.hidden[0].grad));
    ns_batch_clear(&batch);
    ns_settings_clear(&settings);
}

/* The rules of μP for Adam (Yang et al. 2022, table 8), at a quarter of the width of the model. */
static void test_base_width(void)
{
    static const struct {
        const char *name;
        double std, lr, eps; /* in units of a model of the base width */
    } table[] = {
        {"tok_emb", 1, 1, 1},
        {"pos_emb", 1, 1, 1},
        {"blk2.attn.wq", 0.5, 0.25, 0.25},
        {"blk2.ffn.w2", 0.5, 0.25, 0.25},
        {"blk2.ffn.b1", 1, 1, 1},
        {"blk0.norm1.gain", 1, 1, 1},
        {"head", 0.25, 0.25, 1},
    };
    NsSettings settings = tiny("pre"), narrow = tiny("pre");
    settings.base_width = narrow.d_model = 4;
    g_autoptr(NsModel) wide = ns_model_new(&settings, vocab, NULL);
    g_autoptr(NsModel) base = ns_model_new(&narrow, vocab, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        const NsTensor *t = ns_tensor_find(ns_model_tensors(wide), table[i].name);
        const NsTensor *b = ns_tensor_find(ns_model_tensors(base), table[i].name);
        g_assert_cmpfloat_with_epsilon(t->std, table[i].std * b->std, 1e-12);
        g_assert_cmpfloat_with_epsilon(t->lr, table[i].lr, 1e-12);
        g_assert_cmpfloat_with_epsilon(t->eps, table[i].eps, 1e-12);
    }
    ns_settings_clear(&settings);
    ns_settings_clear(&narrow);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/model/registries", test_registries);
    g_test_add_func("/model/constants", test_constants);
    g_test_add_func("/registries/depth", test_depth);
    g_test_add_func("/model/own-norm", test_own_norm);
    g_test_add_func("/model/qk-norm", test_qk_norm);
    g_test_add_func("/model/mixtures", test_mixtures);
    g_test_add_func("/model/formulas", test_formulas);
    g_test_add_func("/model/base-width", test_base_width);
    g_test_add_func("/model/names", test_names);
    g_test_add_func("/model/names-of-both", test_names_of_both);
    g_test_add_func("/model/separate-vocabularies", test_separate_vocabularies);
    g_test_add_func("/model/initializers", test_initializers);
    g_test_add_func("/model/embeddings", test_embeddings);
    g_test_add_func("/model/factors", test_factors);
    g_test_add_func("/model/same-bits", test_same_bits);
    g_test_add_func("/model/shared-start", test_shared_start);
    g_test_add_func("/model/plan", test_plan);
    g_test_add_func("/model/not-finite", test_not_finite);
    return g_test_run();
}
