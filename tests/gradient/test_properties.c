/* What must hold for every model, whatever its numbers.  In double.  SPDX-License-Identifier: MIT
 */
#include "core/ops/norm.h"
#include "tests/gradient/case.h"
#include "tests/gradient/check.h"

#include <math.h>
#include <string.h>

static NsActivationView last_view(const NsCase *c)
{
    return ns_model_activation_view(c->model, 0, ns_model_sublayers(c->model) - 1);
}

/* The last hidden state of the present batch; free with g_free. */
static ns_real *last_state(NsCase *c)
{
    ns_case_measure(c);
    NsActivationView view = last_view(c);
    return g_memdup2(view.out, view.B * view.T * view.D * sizeof(ns_real));
}

/* How far the states of sequence 0 at positions [from, to) have moved. */
static double moved(const NsCase *c, const ns_real *before, const ns_real *after, size_t from,
                    size_t to)
{
    size_t D = (size_t)c->settings.d_model;
    double largest = 0;
    for (size_t i = from * D; i < to * D; i++)
        largest = MAX(largest, fabs((double)(after[i] - before[i])));
    return largest;
}

/* A decoder's token reaches what follows and nothing before; an encoder's reaches everything; a
 * source token reaches every target position. */
static void test_causality(void)
{
    static const char *const archs[] = {"decoder", "encoder", "encoder-decoder"};
    for (size_t k = 0; k < G_N_ELEMENTS(archs); k++) {
        g_autofree char *assignments =
            g_strdup_printf("arch=%s placement=pre probe-every=1", archs[k]);
        NsCase c;
        ns_case_init(&c, assignments, NULL);
        ns_case_fill(&c);
        size_t T = c.batch.T, middle = 2;
        g_autofree ns_real *before = last_state(&c);
        c.batch.tokens[middle] = (c.batch.tokens[middle] + 1) % NS_CASE_VOCAB;
        g_autofree ns_real *after = last_state(&c);
        if (g_str_equal(archs[k], "encoder"))
            g_assert_cmpfloat(moved(&c, before, after, 0, 1), >, 1e-4);
        else
            g_assert_cmpfloat(moved(&c, before, after, 0, middle), ==, 0);
        for (size_t t = middle; t < T; t++)
            g_assert_cmpfloat(moved(&c, before, after, t, t + 1), >, 1e-4);
        if (c.batch.S > 0) {
            c.batch.source[c.batch.S - 1] = (c.batch.source[c.batch.S - 1] + 1) % NS_CASE_VOCAB;
            g_autofree ns_real *other = last_state(&c);
            for (size_t t = 0; t < T; t++)
                g_assert_cmpfloat(moved(&c, after, other, t, t + 1), >, 1e-4);
        }
        ns_case_clear(&c);
    }
}

static void assert_close(double a, double b)
{
    g_assert_cmpfloat_with_epsilon(a, b, 1e-10 * (1 + fabs(a)));
}

static void assert_same_measure(const NsMeasure *a, const NsMeasure *b)
{
    assert_close(a->loss, b->loss);
    for (size_t i = 0; i < a->n_hidden; i++) {
        assert_close(a->hidden[i].sq, b->hidden[i].sq);
        assert_close(a->hidden[i].norm, b->hidden[i].norm);
        assert_close(a->hidden[i].max, b->hidden[i].max);
        assert_close(a->hidden[i].grad, b->hidden[i].grad);
    }
    for (size_t i = 0; i < a->n_sublayers; i++) {
        assert_close(a->sublayers[i].stream, b->sublayers[i].stream);
        assert_close(a->sublayers[i].branch, b->sublayers[i].branch);
        assert_close(a->sublayers[i].skip_grad, b->sublayers[i].skip_grad);
        assert_close(a->sublayers[i].branch_grad, b->sublayers[i].branch_grad);
        if (!isnan(a->sublayers[i].sigma))
            assert_close(a->sublayers[i].sigma, b->sublayers[i].sigma);
    }
}

static void assert_same_gradients(NsCase *a, NsCase *b)
{
    const NsTensorTable *table = ns_model_tensors(a->model);
    for (size_t i = 0; i < table->size; i++)
        g_assert_cmpfloat_with_epsilon(ns_model_gradients(a->model)[i],
                                       ns_model_gradients(b->model)[i], 1e-11);
}

/* What stands at padded positions changes nothing: not the loss, not a gradient, not a measured
 * number. */
static void test_padding(void)
{
    for (size_t k = 0; ns_arch_choice(k); k++)
        for (size_t n = 0; ns_norm(n); n++)
            for (size_t p = 0; ns_placement(p); p++) {
                g_autofree char *assignments =
                    g_strdup_printf("arch=%s norm=%s placement=%s batch=4", ns_arch_choice(k)->key,
                                    ns_norm(n)->choice.key, ns_placement(p)->choice.key);
                NsCase a, b;
                ns_case_init(&a, assignments, NULL);
                ns_case_init(&b, assignments, NULL);
                size_t changed = 0;
                for (size_t i = 0; i < b.batch.B * b.batch.T; i++) {
                    if (i % b.batch.T < (size_t)b.batch.length[i / b.batch.T]) continue;
                    b.batch.tokens[i] = 7;
                    changed++;
                }
                for (size_t i = 0; i < b.batch.B * b.batch.S; i++)
                    if (i % b.batch.S >= (size_t)b.batch.source_length[i / b.batch.S])
                        b.batch.source[i] = 7;
                g_assert_cmpuint(changed, ==, 3);
                NsMeasure first = ns_case_measure(&a), second = ns_case_measure(&b);
                assert_same_measure(&first, &second);
                assert_same_gradients(&a, &b);
                ns_case_clear(&a);
                ns_case_clear(&b);
            }
}

static void test_no_targets(void)
{
    NsCase c;
    ns_case_init(&c, "placement=pre", NULL);
    for (size_t i = 0; i < c.batch.B * c.batch.T; i++) c.batch.targets[i] = NS_NO_TARGET;
    NsMeasure seen = ns_case_measure(&c);
    g_assert_cmpfloat(seen.loss, ==, 0);
    g_assert_cmpfloat(ns_case_gradient(&c, "head"), ==, 0);
    g_assert_cmpfloat(ns_case_gradient(&c, "tok_emb"), ==, 0);
    ns_case_clear(&c);
}

/* The gradient of a batch is the mean of the gradients of its halves; a model whose batch is not
 * divided sees the same, and so does every measured number. */
static void check_additivity(const char *assignments)
{
    g_autofree char *one = g_strconcat(assignments, " batch=4 threads=1", NULL);
    g_autofree char *three = g_strconcat(assignments, " batch=4 threads=3", NULL);
    g_autofree char *two = g_strconcat(assignments, " batch=2 threads=1", NULL);
    NsCase whole, divided, half;
    ns_case_init(&whole, one, NULL);
    ns_case_init(&divided, three, NULL);
    ns_case_init(&half, two, NULL);
    NsMeasure a = ns_case_measure(&whole), b = ns_case_measure(&divided);
    assert_same_measure(&a, &b);
    assert_same_gradients(&whole, &divided);

    ns_case_fill(&whole);
    ns_case_fill(&half);
    double loss = ns_case_measure(&whole).loss, losses = 0;
    size_t n = ns_model_tensors(whole.model)->size, tokens = half.batch.B * half.batch.T;
    size_t sources = half.batch.B * half.batch.S;
    g_autofree ns_real *sum = g_new0(ns_real, n);
    for (size_t h = 0; h < 2; h++) {
        memcpy(half.batch.tokens, whole.batch.tokens + h * tokens, tokens * sizeof(int32_t));
        memcpy(half.batch.targets, whole.batch.targets + h * tokens, tokens * sizeof(int32_t));
        if (sources)
            memcpy(half.batch.source, whole.batch.source + h * sources, sources * sizeof(int32_t));
        losses += ns_case_measure(&half).loss / 2;
        for (size_t i = 0; i < n; i++) sum[i] += ns_model_gradients(half.model)[i] / 2;
    }
    g_assert_cmpfloat_with_epsilon(loss, losses, 1e-12);
    for (size_t i = 0; i < n; i++)
        g_assert_cmpfloat_with_epsilon(ns_model_gradients(whole.model)[i], sum[i], 1e-11);
    ns_case_clear(&whole);
    ns_case_clear(&divided);
    ns_case_clear(&half);
}

static void test_batch_additivity(void)
{
    check_additivity("placement=pre");
    check_additivity("arch=encoder placement=post weight-standardization=on");
    check_additivity("arch=encoder-decoder placement=normformer tie-embeddings=on");
}

/* The tensor of a model with tied layers that stands in place of one of a model without. */
static const NsTensor *shared_by(const NsTensorTable *tied, const NsTensor *t)
{
    if (t->layer < 0) return ns_tensor_find(tied, t->name);
    g_autofree char *stack = g_strndup(t->name, (gsize)(strstr(t->name, "blk") - t->name));
    g_autofree char *name = g_strconcat(stack, "blk0", strchr(strstr(t->name, "blk"), '.'), NULL);
    return ns_tensor_find(tied, name);
}

/* The gradient of tied layers is the sum of those of layers that have the same weights untied. */
static void test_tied_layers(void)
{
    static const char *const changes[] = {"placement=post", "placement=pre arch=encoder-decoder"};
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
        g_autofree char *options = g_strconcat(changes[i], " layers=3 tie-layers=on", NULL);
        NsCase tied, apart;
        ns_case_init(&tied, options, NULL);
        g_autofree char *without = g_strconcat(changes[i], " layers=3", NULL);
        ns_case_init(&apart, without, NULL);
        ns_case_stir(&tied, 0.1);
        const NsTensorTable *one = ns_model_tensors(tied.model),
                            *all = ns_model_tensors(apart.model);
        for (size_t k = 0; k < all->n; k++) {
            const NsTensor *t = shared_by(one, &all->tensors[k]);
            memcpy(ns_model_weights(apart.model) + all->tensors[k].offset,
                   ns_model_weights(tied.model) + t->offset, ns_tensor_size(t) * sizeof(ns_real));
        }
        NsMeasure a = ns_case_measure(&tied), b = ns_case_measure(&apart);
        g_assert_cmpfloat(a.loss, ==, b.loss);
        g_autofree ns_real *sum = g_new0(ns_real, one->size);
        for (size_t k = 0; k < all->n; k++) {
            const NsTensor *from = &all->tensors[k], *to = shared_by(one, from);
            for (size_t j = 0; j < ns_tensor_size(to); j++)
                sum[to->offset + j] += ns_model_gradients(apart.model)[from->offset + j];
        }
        for (size_t k = 0; k < one->n; k++) {
            double square = 0;
            for (size_t j = 0; j < ns_tensor_size(&one->tensors[k]); j++) {
                double g = sum[one->tensors[k].offset + j];
                square += g * g;
                g_assert_cmpfloat_with_epsilon(
                    g, ns_model_gradients(tied.model)[one->tensors[k].offset + j], 1e-11);
            }
            g_assert_cmpfloat_with_epsilon(a.grad_sq[k], square, 1e-9 * (1 + square));
        }
        ns_case_clear(&tied);
        ns_case_clear(&apart);
    }
}

/* Without training there is no noise: the loss is that of a model without any. */
static void test_eval(void)
{
    NsCase plain, noisy;
    ns_case_init(&plain, "arch=encoder-decoder placement=post", NULL);
    ns_case_init(&noisy, "arch=encoder-decoder placement=post dropout=0.5 drop-path=0.5", NULL);
    double loss = ns_model_loss(plain.model, &plain.batch);
    g_assert_cmpfloat(ns_model_loss(noisy.model, &noisy.batch), ==, loss);
    g_assert_cmpfloat(ns_case_measure(&noisy).nll, ==, loss);
    noisy.noise = (NsNoise){.training = true, .seed = 1, .step = 2};
    g_assert_cmpfloat(fabs(ns_case_measure(&noisy).nll - loss), >, 1e-6);
    g_assert_cmpfloat(ns_model_loss(noisy.model, &noisy.batch), ==, loss);
    ns_case_clear(&plain);
    ns_case_clear(&noisy);
}

enum { DRAWS = 4000 };

/* Layer l of L is dropped for a sequence with chance rate l / L, and the mean of what its attention
 * adds is what it adds without noise. */
static void test_stochastic_depth(void)
{
    NsCase c;
    ns_case_init(&c, "placement=none drop-path=0.4 batch=2 probe-every=1", NULL);
    ns_case_fill(&c);
    NsActivationView first = ns_model_activation_view(c.model, 0, 0),
                     second = ns_model_activation_view(c.model, 0, 2);
    size_t n = first.T * first.D, both = 2 * n, dropped[2] = {0};
    ns_case_measure(&c);
    g_autofree ns_real *still = g_memdup2(first.out, both * sizeof *still);
    g_autofree double *sum = g_new0(double, both);
    c.noise = (NsNoise){.training = true, .seed = 5};
    for (c.noise.step = 0; c.noise.step < DRAWS; c.noise.step++) {
        ns_case_measure(&c);
        for (size_t i = 0; i < both; i++) sum[i] += (double)first.out[i];
        for (size_t b = 0; b < 2; b++) {
            dropped[0] += memcmp(first.out + b * n, first.x + b * n, n * sizeof(ns_real)) == 0;
            dropped[1] += memcmp(second.out + b * n, second.x + b * n, n * sizeof(ns_real)) == 0;
        }
    }
    for (size_t l = 0; l < 2; l++) {
        double p = 0.4 * (double)(l + 1) / 2, draws = 2.0 * DRAWS;
        g_assert_cmpfloat(fabs((double)dropped[l] / draws - p), <, 5 * sqrt(p * (1 - p) / draws));
    }
    for (size_t i = 0; i < both; i++) {
        double added = (double)(still[i] - first.x[i]);
        double error = fabs(added) * sqrt(0.2 / 0.8 / DRAWS);
        g_assert_cmpfloat(fabs(sum[i] / DRAWS - (double)still[i]), <, 5 * error + 1e-12);
    }
    ns_case_clear(&c);
}

/* The mean of the noisy embeddings is the embeddings. */
static void test_dropout(void)
{
    NsCase c;
    ns_case_init(&c, "placement=none dropout=0.3 batch=2 probe-every=1", NULL);
    NsActivationView first = ns_model_activation_view(c.model, 0, 0);
    size_t n = 2 * first.T * first.D;
    ns_case_measure(&c);
    g_autofree ns_real *still = g_memdup2(first.x, n * sizeof *still);
    g_autofree double *sum = g_new0(double, n);
    c.noise = (NsNoise){.training = true, .seed = 5};
    for (c.noise.step = 0; c.noise.step < DRAWS; c.noise.step++) {
        ns_case_measure(&c);
        for (size_t i = 0; i < n; i++) sum[i] += (double)first.x[i];
    }
    for (size_t i = 0; i < n; i++) {
        double error = fabs((double)still[i]) * sqrt(0.3 / 0.7 / DRAWS);
        g_assert_cmpfloat(fabs(sum[i] / DRAWS - (double)still[i]), <, 5 * error);
    }
    ns_case_clear(&c);
}

/* In training a sequence sees the others through the statistics of the batch; in evaluation it does
 * not.  Only training moves the running statistics, and a reset puts them back. */
static void test_batchnorm(void)
{
    NsCase c;
    ns_case_init(&c, "norm=batchnorm placement=pre threads=4", NULL);
    g_assert_cmpuint(ns_model_shards(c.model), ==, 1);
    size_t T = c.batch.T, n;
    ns_real *state = ns_model_state(c.model, &n);
    g_assert_cmpuint(n, ==, 5 * 2 * 6);
    g_autofree ns_real *start = g_memdup2(state, n * sizeof *state);
    for (size_t i = T; i < c.batch.B * T; i++) c.batch.targets[i] = NS_NO_TARGET;
    double eval = ns_model_loss(c.model, &c.batch), train = ns_case_measure(&c).nll;
    g_assert_true(memcmp(start, state, n * sizeof *state) == 0);
    c.batch.tokens[2 * T] = (c.batch.tokens[2 * T] + 1) % NS_CASE_VOCAB;
    g_assert_cmpfloat(ns_model_loss(c.model, &c.batch), ==, eval);
    g_assert_cmpfloat(fabs(ns_case_measure(&c).nll - train), >, 1e-4);

    c.noise.training = true;
    ns_case_measure(&c);
    g_assert_true(memcmp(start, state, n * sizeof *state) != 0);
    g_assert_cmpfloat(fabs(ns_model_loss(c.model, &c.batch) - eval), >, 1e-4);
    ns_model_reset(c.model);
    g_assert_true(memcmp(start, state, n * sizeof *state) == 0);
    ns_case_clear(&c);
}

static void check_equal(const char *one, const char *other)
{
    NsCase a, b;
    ns_case_init(&a, one, NULL);
    ns_case_init(&b, other, NULL);
    g_assert_cmpuint(ns_model_tensors(a.model)->size, ==, ns_model_tensors(b.model)->size);
    g_assert_cmpfloat(ns_case_measure(&a).loss, ==, ns_case_measure(&b).loss);
    g_assert_true(memcmp(ns_model_gradients(a.model), ns_model_gradients(b.model),
                         ns_model_tensors(a.model)->size * sizeof(ns_real)) == 0);
    ns_case_clear(&a);
    ns_case_clear(&b);
}

static void test_width(void)
{
    check_equal("base-width=32 d-model=32 placement=completep", "d-model=32 placement=completep");
}

static void test_mixtures(void)
{
    check_equal("mixture=post*1,pre*3 layers=4 norm=rmsnorm", "placement=mix-ln layers=4");
    check_equal("mixture=pre arch=encoder-decoder", "placement=pre arch=encoder-decoder");
    check_equal("placement=x+N(F(N(x))) layers=3", "placement=sandwich layers=3");
    check_equal("placement=N(x+F(x)) arch=encoder-decoder", "placement=post arch=encoder-decoder");
}

/* Encoder-decoder: what its decoder sees of the source is the encoder's output alone, so that an
 * encoder whose final norm has no gain cuts the gradient to all of it. */
static void test_memory(void)
{
    NsCase c;
    ns_case_init(&c, "arch=encoder-decoder placement=pre", NULL);
    ns_case_measure(&c);
    g_assert_cmpfloat(ns_case_gradient(&c, "enc.blk0.attn.wv"), >, 1e-6);
    g_assert_cmpfloat(ns_case_gradient(&c, "enc.tok_emb"), >, 1e-6);
    const NsTensor *gain = ns_tensor_find(ns_model_tensors(c.model), "enc.final_norm.gain");
    for (size_t i = 0; i < gain->rows; i++) ns_model_weights(c.model)[gain->offset + i] = 0;
    ns_case_measure(&c);
    g_assert_cmpfloat(ns_case_gradient(&c, "enc.blk0.attn.wv"), ==, 0);
    g_assert_cmpfloat(ns_case_gradient(&c, "enc.tok_emb"), ==, 0);
    g_assert_cmpfloat(ns_case_gradient(&c, "dec.blk0.attn.wv"), >, 1e-6);
    ns_case_clear(&c);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/properties/causality", test_causality);
    g_test_add_func("/properties/padding", test_padding);
    g_test_add_func("/properties/no-targets", test_no_targets);
    g_test_add_func("/properties/batch-additivity", test_batch_additivity);
    g_test_add_func("/properties/tied-layers", test_tied_layers);
    g_test_add_func("/properties/eval", test_eval);
    g_test_add_func("/properties/stochastic-depth", test_stochastic_depth);
    g_test_add_func("/properties/dropout", test_dropout);
    g_test_add_func("/properties/batchnorm", test_batchnorm);
    g_test_add_func("/properties/mixtures", test_mixtures);
    g_test_add_func("/properties/width", test_width);
    g_test_add_func("/properties/memory", test_memory);
    return g_test_run();
}
