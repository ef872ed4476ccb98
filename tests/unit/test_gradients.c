/* How gradients are summed over the shards of a batch, and what is kept for them.
 * SPDX-License-Identifier: MIT */
#include "core/base/real.h"
#include "core/base/squares.h"
#include "core/experiment/assignment.h"
#include "core/model/model.h"
#include "core/ops/norm.h"

#include <math.h>
#include <string.h>

static const NsVocab vocab = {.in = 20, .out = 20};

typedef struct {
    NsSettings settings;
    NsBatch batch;
    NsModel *model;
    NsMeasure seen;
} Case;

static void set(NsSettings *settings, const char *changes)
{
    g_auto(GStrv) all = g_strsplit(changes, " ", -1);
    for (size_t i = 0; all[i] && *all[i]; i++)
        g_assert_true(ns_settings_assign(settings, all[i], NULL));
}

/* A batch, some of which is padding. */
static void fill(NsBatch *batch, size_t B, size_t T, size_t S)
{
    ns_batch_init(batch, B, T, S);
    for (size_t i = 0; i < B * S; i++) batch->source[i] = (int32_t)(i % 7);
    for (size_t i = 0; i < B * T; i++) {
        batch->tokens[i] = (int32_t)(i * i) % 20;
        batch->targets[i] = (int32_t)(i * i + 3 * i) % 20;
    }
    batch->length[1] = 4;
    for (size_t t = 4; t < T; t++) batch->targets[T + t] = -1;
}

/* `changes` are assignments with spaces between them. */
static void case_init(Case *c, const char *changes)
{
    NsSettings *s = &c->settings;
    ns_settings_init(s);
    set(s, "layers=5 d-model=16 heads=2 seq=7 batch=6 threads=2");
    set(s, changes);
    fill(&c->batch, (size_t)ns_settings_batch(s), (size_t)s->seq,
         (size_t)ns_settings_source_seq(s));
    g_autoptr(GError) error = NULL;
    c->model = ns_model_new(s, vocab, &error);
    g_assert_no_error(error);
}

static void case_measure(Case *c)
{
    const NsNoise noise = {.training = true, .seed = 3, .step = 8};
    c->seen = ns_model_measure(c->model, &c->batch, &noise);
}

static void case_clear(Case *c)
{
    ns_model_free(c->model);
    ns_batch_clear(&c->batch);
    ns_settings_clear(&c->settings);
}

/* The numbers of all hidden states, or of all sub-layers, one after another. */
static size_t numbers_of_hidden(const NsMeasure *seen)
{
    return seen->n_hidden * sizeof *seen->hidden / sizeof(double);
}

static size_t numbers_of_sublayers(const NsMeasure *seen)
{
    return seen->n_sublayers * sizeof *seen->sublayers / sizeof(double);
}

static void same(const double *a, const double *b, size_t n)
{
    g_assert_true(memcmp(a, b, n * sizeof *a) == 0);
}

/* What is measured and what is learnt, bit for bit. */
static void assert_same(Case *a, Case *b)
{
    size_t state, bytes = ns_model_tensors(a->model)->size * sizeof(ns_real);
    g_assert_true(memcmp(ns_model_gradients(a->model), ns_model_gradients(b->model), bytes) == 0);
    ns_real *x_state = ns_model_state(a->model, &state),
            *y_state = ns_model_state(b->model, &state);
    g_assert_true(state == 0 || memcmp(x_state, y_state, state * sizeof *x_state) == 0);
    const NsMeasure *x = &a->seen, *y = &b->seen;
    g_assert_cmpfloat(x->loss, ==, y->loss);
    g_assert_cmpuint(x->n_hidden, ==, y->n_hidden);
    g_assert_cmpuint(x->n_sublayers, ==, y->n_sublayers);
    same(&x->hidden->sq, &y->hidden->sq, numbers_of_hidden(x));
    same(&x->sublayers->tokens, &y->sublayers->tokens, numbers_of_sublayers(x));
}

static void same_view(const ns_real *a, const ns_real *b, size_t n)
{
    g_assert_true((a == NULL) == (b == NULL));
    if (a) g_assert_true(memcmp(a, b, n * sizeof *a) == 0);
}

/* Each of the two may keep them or compute them again. */
static void assert_same_activations(Case *kept, Case *recomputed)
{
    for (size_t k = ns_model_sublayers(kept->model); k-- > 0;)
        for (size_t i = 0; i < ns_model_shards(kept->model); i++) {
            NsActivationView a = ns_model_activation_view(kept->model, i, k);
            ns_model_revisit(kept->model, a.layer);
            ns_model_revisit(recomputed->model, a.layer);
            NsActivationView b = ns_model_activation_view(recomputed->model, i, k);
            size_t n = a.B * a.T * a.D;
            same_view(a.x, b.x, n);
            same_view(a.u, b.u, n);
            same_view(a.out, b.out, n);
            same_view(a.P, b.P, a.B * a.H * a.T * a.S);
            same_view(a.hidden, b.hidden, a.B * a.T * a.F);
        }
}

/* Kept for who looks and recomputed for them, and for nobody: a model that stores less, and one
 * that also recomputes it. */
static void check_recompute(const char *changes)
{
    Case kept, recomputed, lean, leaner;
    g_autofree char *deep = g_strconcat("layers=24 ", changes, NULL);
    g_autofree char *looked = g_strconcat(deep, " probe-every=1", NULL);
    g_autofree char *again = g_strconcat(looked, " recompute=on", NULL);
    g_autofree char *both = g_strconcat(deep, " recompute=on", NULL);
    case_init(&kept, looked);
    case_init(&recomputed, again);
    case_init(&lean, deep);
    case_init(&leaner, both);
    g_assert_true(ns_model_keeps(kept.model));
    g_assert_false(ns_model_keeps(recomputed.model));
    Case *const all[] = {&kept, &recomputed, &lean, &leaner};
    double held_out[G_N_ELEMENTS(all)];
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < G_N_ELEMENTS(all); k++) {
            case_measure(all[k]);
            assert_same(&kept, all[k]);
        }
    assert_same_activations(&kept, &recomputed);
    /* A pass forward alone leaves the gradients as they are. */
    for (size_t k = 0; k < G_N_ELEMENTS(all); k++)
        held_out[k] = ns_model_loss(all[k]->model, &kept.batch);
    for (size_t k = 0; k < G_N_ELEMENTS(all); k++) {
        g_assert_cmpfloat(held_out[k], ==, held_out[0]);
        assert_same(&kept, all[k]);
    }
    for (size_t k = 0; k < G_N_ELEMENTS(all); k++) {
        double plain = ns_model_plain_loss(all[k]->model, &kept.batch);
        double loss = ns_model_measure(all[k]->model, &kept.batch, NULL).loss;
        g_assert_cmpfloat_with_epsilon(plain, loss, 1e-12 * loss);
    }
    for (size_t k = 0; k < G_N_ELEMENTS(all); k++) case_clear(all[k]);
}

/* With `-m slow` of every architecture, else each of a different one. */
enum { ARCHS = NS_ARCH_ENCODER_DECODER + 1 };

static void test_recompute(void)
{
    static const char *const options[] = {
        "dropout=0.2 drop-path=0.3",
        "qk-norm=head activation=swiglu kv-heads=1 positions=rotary",
        "activation=gelu",
        "activation=relu-squared",
        "weight-standardization=on",
        "norm=batchnorm",
        "mixture=post*8,deepnorm*8,pre*8",
        "tie-embeddings=on threads=3",
        "tie-layers=on threads=2",
        "threads=1",
    };
    for (unsigned arch = 0; ns_arch_choice(arch); arch++) {
        for (size_t p = 0; ns_placement(p); p++) {
            if (!g_test_slow() && p % ARCHS != arch) continue;
            g_autofree char *changes = g_strdup_printf(
                "arch=%s placement=%s", ns_arch_choice(arch)->key, ns_placement(p)->choice.key);
            check_recompute(changes);
        }
        for (size_t i = 0; i < G_N_ELEMENTS(options); i++) {
            if (!g_test_slow() && i % ARCHS != arch) continue;
            g_autofree char *changes =
                g_strdup_printf("arch=%s placement=pre %s", ns_arch_choice(arch)->key, options[i]);
            check_recompute(changes);
        }
    }
}

/* Of a narrow and deep model what is quickly derived is not kept; with `-m slow` of each, else of
 * every second one. */
static void test_derived(void)
{
    static const char *const options[] = {
        "placement=pre",
        "placement=post activation=gelu dropout=0.1",
        "placement=normformer norm=rmsnorm",
        "placement=deepnorm activation=swiglu qk-norm=head",
        "placement=pre arch=encoder-decoder seq=24 source-seq=40 layers=250",
        "placement=pre batch=8 seq=256 layers=90",    /* in parts */
        "placement=pre d-model=64 d-ff=0 layers=140", /* too wide for all of it */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(options); i += g_test_slow() ? 1 : 2) {
        g_autofree char *changes =
            g_strconcat("layers=500 batch=2 seq=40 d-ff=64 ", options[i], NULL);
        g_autofree char *looked = g_strconcat(changes, " probe-every=1", NULL);
        Case kept, lean;
        case_init(&kept, looked);
        case_init(&lean, changes);
        NsPlan all = ns_model_plan(&kept.settings, vocab),
               few = ns_model_plan(&lean.settings, vocab);
        g_assert_cmpuint(few.activation_bytes, <, all.activation_bytes * 9 / 10);
        for (int k = 0; k < 2; k++) {
            case_measure(&kept);
            case_measure(&lean);
            assert_same(&kept, &lean);
        }
        case_clear(&kept);
        case_clear(&lean);
    }
}

/* Of a deep stack one layer is kept, and what each layer gives out. */
static void test_recompute_plan(void)
{
    NsSettings settings;
    ns_settings_init(&settings);
    set(&settings, "layers=100 d-model=32 heads=2 seq=16 batch=4 threads=2 sample-every=0");
    NsPlan kept = ns_model_plan(&settings, vocab);
    set(&settings, "recompute=on");
    NsPlan recomputed = ns_model_plan(&settings, vocab);
    g_assert_cmpuint(recomputed.activation_bytes, <, kept.activation_bytes / 8);
    g_assert_cmpuint(recomputed.gradient_bytes, ==, kept.gradient_bytes);
    g_assert_cmpuint(kept.gradient_bytes, <, kept.weight_bytes * 3 / 2);
    ns_settings_clear(&settings);
}

/* Every number of threads, each worker slower or faster than its neighbors, gives the same bits
 * again, and nearly those of one thread. */
static void check_threads(const char *shape)
{
    for (int threads = 1; threads <= 6; threads++) {
        g_autofree char *alone = g_strdup_printf("threads=1 %s", shape);
        g_autofree char *changes = g_strdup_printf("threads=%d %s", threads, shape);
        Case one, a, b;
        case_init(&one, alone);
        case_init(&a, changes);
        case_init(&b, changes);
        case_measure(&one);
        case_measure(&a);
        for (int i = 0; i < 5; i++) {
            case_measure(&b);
            assert_same(&a, &b);
        }
        const NsTensorTable *table = ns_model_tensors(a.model);
        const ns_real *g = ns_model_gradients(a.model), *sum = ns_model_gradients(one.model);
        double whole = ns_real_norm(sum, table->size);
        for (size_t i = 0; i < table->n; i++) {
            size_t at = table->tensors[i].offset, n = ns_tensor_size(&table->tensors[i]);
            double norm = ns_real_norm(sum + at, n) + 1e-3 * whole;
            for (size_t j = 0; j < n; j++)
                g_assert_cmpfloat_with_epsilon((double)g[at + j], (double)sum[at + j], 1e-5 * norm);
        }
        case_clear(&one);
        case_clear(&a);
        case_clear(&b);
    }
}

/* Many small layers, and some that do not stay in the caches. */
static void test_threads(void)
{
    check_threads("layers=40");
    check_threads("layers=4 d-model=128");
}

/* |a - b| within a part of b. */
static void near(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isnan(a[i]) || !isnan(b[i]))
            g_assert_cmpfloat_with_epsilon(a[i], b[i], 1e-5 * (fabs(b[i]) + 1e-5));
}

#define LARGE "seq=256 batch=8 layers=5 heads=8 d-ff=32 "

/* A batch in parts has the losses, gradients and sums of one that every thread takes as it is. */
static void check_parts(const char *changes)
{
    Case parts, again, whole;
    g_autofree char *shape = g_strconcat(LARGE, changes, NULL);
    g_autofree char *divided = g_strconcat(shape, " threads=8", NULL);
    case_init(&parts, shape);
    case_init(&again, shape);
    case_init(&whole, divided);
    g_assert_cmpuint(ns_model_activation_view(parts.model, 0, 0).B, ==, 1);
    g_assert_cmpuint(ns_model_shards(parts.model), <, parts.batch.B);
    g_assert_cmpuint(ns_model_shards(whole.model), ==, whole.batch.B);
    for (int i = 0; i < 2; i++) {
        case_measure(&parts);
        case_measure(&again);
        assert_same(&parts, &again);
    }
    case_measure(&whole);
    const NsMeasure *x = &parts.seen, *y = &whole.seen;
    near(&x->loss, &y->loss, 1);
    near(&x->nll, &y->nll, 1);
    near(&x->final_sq, &y->final_sq, 1);
    near(&x->final_norm, &y->final_norm, 1);
    near(&x->hidden->sq, &y->hidden->sq, numbers_of_hidden(y));
    near(&x->sublayers->tokens, &y->sublayers->tokens, numbers_of_sublayers(y));
    for (size_t k = 0; k < y->n_sublayers; k++)
        same(&x->sublayers[k].tokens, &y->sublayers[k].tokens, 1);
    const NsTensorTable *table = ns_model_tensors(whole.model);
    const ns_real *g = ns_model_gradients(parts.model), *wanted = ns_model_gradients(whole.model);
    double norm = ns_real_norm(wanted, table->size);
    for (size_t i = 0; i < table->n; i++) {
        size_t at = table->tensors[i].offset, n = ns_tensor_size(&table->tensors[i]);
        double own = ns_real_norm(wanted + at, n) + 1e-3 * norm, squares = 0;
        for (size_t j = 0; j < n; j++) {
            g_assert_cmpfloat_with_epsilon((double)g[at + j], (double)wanted[at + j], 1e-5 * own);
            squares += (double)g[at + j] * (double)g[at + j];
        }
        near(&x->grad_sq[i], &squares, 1);
    }
    double loss = ns_model_loss(parts.model, &parts.batch);
    double wanted_loss = ns_model_loss(whole.model, &whole.batch);
    near(&loss, &wanted_loss, 1);
    case_clear(&parts);
    case_clear(&again);
    case_clear(&whole);
}

/* Whoever keeps activations for probes, or runs layers again, walks in the same parts. */
static void test_parts_kept(void)
{
    static const char *const changes[] = {"threads=1 d-model=32", "threads=2 d-model=32"};
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
        Case parts, kept, recomputed;
        g_autofree char *shape = g_strconcat(LARGE, changes[i], NULL);
        g_autofree char *probed = g_strconcat(shape, " probe-every=1", NULL);
        g_autofree char *both = g_strconcat(probed, " recompute=on", NULL);
        case_init(&parts, shape);
        case_init(&kept, probed);
        case_init(&recomputed, both);
        case_measure(&parts);
        case_measure(&kept);
        case_measure(&recomputed);
        assert_same(&parts, &kept);
        assert_same(&parts, &recomputed);
        size_t shards = ns_model_shards(kept.model);
        g_assert_cmpuint(shards, ==, kept.batch.B);
        for (size_t shard = 0; shard < shards; shard++) {
            NsActivationView view = ns_model_activation_view(kept.model, shard, 0);
            g_assert_cmpuint(view.first, ==, shard);
            g_assert_true(view.length == kept.batch.length + shard);
        }
        assert_same_activations(&kept, &recomputed);
        case_clear(&parts);
        case_clear(&kept);
        case_clear(&recomputed);
    }
}

static void test_parts(void)
{
    static const char *const changes[] = {
        "threads=1 d-model=32",
        "threads=2 d-model=32 dropout=0.1 placement=pre",
        "threads=4 d-model=32 placement=residual activation=swiglu",
        "threads=2 d-model=64 arch=encoder-decoder layers=2 source-seq=256 tie-embeddings=on",
        "threads=2 d-model=32 weight-standardization=on qk-norm=head",
        "threads=2 d-model=32 tie-layers=on",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) check_parts(changes[i]);
}

/* Memory for a part; the whole batch where someone looks at it or a norm is over it. */
static void test_parts_plan(void)
{
    NsSettings settings;
    ns_settings_init(&settings);
    set(&settings, "layers=6 d-model=128 heads=4 seq=256 batch=16 threads=2");
    NsPlan parts = ns_model_plan(&settings, vocab);
    set(&settings, "probe-every=10");
    NsPlan whole = ns_model_plan(&settings, vocab);
    g_assert_cmpuint(parts.activation_bytes, <, whole.activation_bytes / 3);
    set(&settings, "probe-every=0 norm=batchnorm");
    NsPlan coupled = ns_model_plan(&settings, vocab);
    g_assert_cmpuint(coupled.activation_bytes, >, whole.activation_bytes / 2);
    /* One of nine cannot be divided like the other. */
    set(&settings, "norm=layernorm batch=17");
    g_assert_cmpuint(ns_model_plan(&settings, vocab).activation_bytes, >, whole.activation_bytes);
    /* Large weights are read in no more parts than bring the activations down to five quarters of
     * their size, whatever the number of threads. */
    for (int threads = 1; threads <= 2; threads++) {
        g_autofree char *large = g_strdup_printf("d-model=512 seq=32 batch=32 threads=%d", threads);
        set(&settings, large);
        NsPlan plan = ns_model_plan(&settings, vocab);
        g_assert_cmpuint(plan.activation_bytes, <, plan.weight_bytes / 4 * 5);
        g_assert_cmpuint(plan.activation_bytes, >, plan.weight_bytes / 4 * 3);
    }
    ns_settings_clear(&settings);
}

/* Sizes of batches with at most 120 positions on either side. */
static const struct {
    size_t B, T, S;
} sizes[] = {{5, 24, 20}, {12, 10, 8}, {30, 4, 4}, {13, 4, 9}, {7, 16, 3}, {5, 24, 20}};

/* A model for batches by tokens does with each of them, one after another, what a model of its
 * sizes does.  Probes see sizes and activations of the last one. */
static void test_batch_tokens(void)
{
    static const char *const options[] = {
        "threads=1",
        "threads=2 dropout=0.2 placement=pre",
        "threads=3 tie-embeddings=on placement=deepnorm probe-every=1",
        "threads=2 recompute=on activation=swiglu probe-every=1",
        "threads=3 tie-layers=on",
        "threads=1 norm=batchnorm qk-norm=head",
        "threads=4 placement=residual drop-path=0.3",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(options); i++) {
        g_autofree char *changes =
            g_strconcat("arch=encoder-decoder layers=2 positions=sinusoidal ", options[i], NULL);
        g_autofree char *by_tokens =
            g_strconcat(changes, " seq=24 source-seq=20 batch-tokens=120", NULL);
        Case all;
        case_init(&all, by_tokens);
        for (size_t k = 0; k < G_N_ELEMENTS(sizes); k++) {
            size_t B = sizes[k].B, T = sizes[k].T, S = sizes[k].S;
            g_autofree char *fixed =
                g_strdup_printf("%s seq=%zu source-seq=%zu batch=%zu", changes, T, S, B);
            Case one;
            case_init(&one, fixed);
            ns_batch_clear(&all.batch);
            fill(&all.batch, B, T, S);
            ns_model_reset(all.model);
            case_measure(&all);
            case_measure(&one);
            assert_same(&one, &all);
            if (all.settings.probe_every) assert_same_activations(&one, &all);
            g_assert_cmpfloat(ns_model_loss(one.model, &one.batch), ==,
                              ns_model_loss(all.model, &all.batch));
            case_clear(&one);
        }
        /* There is memory for every length, however pairs are divided among threads. */
        for (size_t length = 5; length <= 20; length++) {
            ns_batch_clear(&all.batch);
            fill(&all.batch, 120 / length, length, length);
            case_measure(&all);
        }
        case_clear(&all);
    }
}

/* The same in parts, which are not equal: more pairs of fewer tokens. */
static void test_batch_tokens_parts(void)
{
    static const char changes[] = "arch=encoder-decoder layers=2 positions=sinusoidal d-model=64 "
                                  "threads=2 placement=pre";
    g_autofree char *by_tokens =
        g_strconcat(changes, " seq=256 source-seq=256 batch-tokens=2560", NULL);
    Case all, one;
    case_init(&all, by_tokens);
    size_t B = 21, T = 120, S = 100;
    NsPlan whole = ns_model_plan(&all.settings, vocab);
    set(&all.settings, "probe-every=1");
    g_assert_cmpuint(whole.activation_bytes, <,
                     ns_model_plan(&all.settings, vocab).activation_bytes * 2 / 3);
    g_autofree char *fixed = g_strdup_printf("%s seq=120 source-seq=100 batch=21", changes);
    case_init(&one, fixed);
    ns_batch_clear(&all.batch);
    fill(&all.batch, B, T, S);
    case_measure(&all);
    case_measure(&one);
    g_assert_cmpfloat_with_epsilon(all.seen.loss, one.seen.loss, 1e-5);
    size_t n = ns_model_tensors(one.model)->size;
    const ns_real *x = ns_model_gradients(all.model), *y = ns_model_gradients(one.model);
    double norm = ns_real_norm(y, n);
    for (size_t i = 0; i < n; i++)
        g_assert_cmpfloat_with_epsilon((double)x[i], (double)y[i], 1e-5 * norm);
    case_clear(&all);
    case_clear(&one);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gradients/recompute", test_recompute);
    g_test_add_func("/gradients/derived", test_derived);
    g_test_add_func("/gradients/recompute-plan", test_recompute_plan);
    g_test_add_func("/gradients/threads", test_threads);
    g_test_add_func("/gradients/parts", test_parts);
    g_test_add_func("/gradients/parts-kept", test_parts_kept);
    g_test_add_func("/gradients/parts-plan", test_parts_plan);
    g_test_add_func("/gradients/batch-tokens", test_batch_tokens);
    g_test_add_func("/gradients/batch-tokens-parts", test_batch_tokens_parts);
    return g_test_run();
}
