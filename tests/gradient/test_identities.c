/* Identities of the theory, and every measured number against a computation of its own.  In double.
 * SPDX-License-Identifier: MIT */
#include "tests/gradient/case.h"
#include "tests/gradient/check.h"

#include <math.h>
#include <string.h>

/* A ReLU network without biases is homogeneous in W_1 and in W_2 alike: <dW_1, W_1> = <dW_2, W_2>.
 * Behind a norm its scale does not matter at all: both are 0. */
static void test_homogeneity(void)
{
    static const char *const placements[] = {"pre", "post", "none", "sandwich", "olmo2", "keel"};
    for (size_t k = 0; k < G_N_ELEMENTS(placements); k++) {
        g_autofree char *assignments = g_strdup_printf("norm-eps=0 placement=%s", placements[k]);
        NsCase c;
        ns_case_init(&c, assignments, NULL);
        ns_case_measure(&c);
        bool normed = g_str_equal(placements[k], "sandwich") || g_str_equal(placements[k], "olmo2");
        for (int l = 0; l < 2; l++) {
            g_autofree char *w1 = g_strdup_printf("blk%d.ffn.w1", l);
            g_autofree char *w2 = g_strdup_printf("blk%d.ffn.w2", l);
            g_assert_cmpfloat_with_epsilon(ns_case_along(&c, w1), ns_case_along(&c, w2), 1e-12);
            if (normed)
                g_assert_cmpfloat_with_epsilon(ns_case_along(&c, w1), 0, 1e-12);
            else
                g_assert_cmpfloat(fabs(ns_case_along(&c, w1)), >, 1e-6);
        }
        ns_case_clear(&c);
    }
}

/* Post-LN's hidden state has |x|^2 = d after every layer; the embedding of either stack, which has
 * no norm unless one is asked for, has another. */
static void test_post_hidden_norm(void)
{
    NsCase c;
    ns_case_init(&c, "norm-eps=0 arch=encoder-decoder", NULL);
    NsMeasure measure = ns_case_measure(&c);
    g_assert_cmpuint(measure.n_hidden, ==, 6);
    for (size_t l = 0; l < measure.n_hidden; l++) {
        if (l % 3 == 0) {
            g_assert_cmpfloat(fabs(measure.hidden[l].sq - 6), >, 1e-3);
            continue;
        }
        g_assert_cmpfloat_with_epsilon(measure.hidden[l].sq, 6, 1e-9);
        g_assert_cmpfloat_with_epsilon(measure.hidden[l].norm, sqrt(6), 1e-9);
    }
    g_assert_true(isnan(measure.final_sq));
    ns_case_clear(&c);
}

/* With W_Q = 0 softmax weighs every visible key alike, as uniform attention does. */
static void test_uniform(void)
{
    static const char *const assignments[] = {
        "placement=pre probe-every=1",
        "attention=uniform heads=1 d-ff=6 positions=none arch=encoder probe-every=1",
    };
    for (size_t k = 0; k < G_N_ELEMENTS(assignments); k++) {
        NsCase c;
        ns_case_init(&c, assignments[k], NULL);
        const NsTensor *wq = ns_tensor_find(ns_model_tensors(c.model), "blk0.attn.wq");
        if (wq)
            memset(ns_model_weights(c.model) + wq->offset, 0, ns_tensor_size(wq) * sizeof(ns_real));
        ns_case_measure(&c);
        NsActivationView view = ns_model_activation_view(c.model, 0, 0);
        for (size_t row = 0; row < view.B * view.H * view.T; row++) {
            size_t keys = (size_t)view.key_length[row / (view.H * view.T)], i = row % view.T;
            size_t visible = view.causal ? MIN(keys, i + 1) : keys;
            double entropy = 0;
            for (size_t j = 0; j < visible; j++) {
                double p = (double)view.P[row * view.S + j];
                entropy -= p * log(p);
            }
            g_assert_cmpfloat_with_epsilon(entropy, log((double)visible), 1e-12);
        }
        ns_case_clear(&c);
    }
}

/* At ReZero's start the branches add nothing: every weight in them has no gradient, and only the
 * learned factors move. */
static void test_rezero(void)
{
    static const char *const assignments[] = {"placement=rezero arch=encoder-decoder",
                                              "placement=skipinit"};
    for (size_t k = 0; k < G_N_ELEMENTS(assignments); k++) {
        NsCase c;
        ns_case_init(&c, assignments[k], NULL);
        ns_case_measure(&c);
        const NsTensorTable *table = ns_model_tensors(c.model);
        size_t factors = 0;
        for (size_t i = 0; i < table->n; i++) {
            const NsTensor *t = &table->tensors[i];
            bool encoder = g_str_has_prefix(t->name, "enc."); /* nothing looks at it yet */
            if (t->layer < 0) continue;
            if (g_str_has_suffix(t->name, "branch_gain") && !encoder) {
                g_assert_cmpfloat(ns_case_gradient(&c, t->name), >, 1e-9);
                factors++;
            } else {
                g_assert_cmpfloat(ns_case_gradient(&c, t->name), ==, 0);
            }
        }
        g_assert_cmpuint(factors, ==, k == 0 ? 2 : 4);
        ns_case_clear(&c);
    }
}

/* y = P V W_O^T + b_O or hidden W_2^T + b_2 by plain loops, [B T, D]; free with g_free. */
static double *branch_of(NsCase *c, size_t sublayer, const char *w_name, const char *b_name)
{
    NsActivationView view = ns_model_activation_view(c->model, 0, sublayer);
    const NsTensorTable *table = ns_model_tensors(c->model);
    const ns_real *w = ns_model_weights(c->model) + ns_tensor_find(table, w_name)->offset;
    const ns_real *bias = ns_model_weights(c->model) + ns_tensor_find(table, b_name)->offset;
    size_t D = view.D, n = view.kind == NS_FFN ? view.F : D, d = D / view.H;
    double *y = g_new(double, view.B *view.T *D);
    g_autofree double *last = g_new(double, n);
    for (size_t r = 0; r < view.B * view.T; r++) {
        size_t b = r / view.T, t = r % view.T;
        for (size_t i = 0; i < n; i++) {
            last[i] = 0;
            if (view.kind == NS_FFN) {
                last[i] = (double)view.hidden[r * n + i];
                continue;
            }
            const ns_real *P = view.P + ((b * view.H + i / d) * view.T + t) * view.S;
            for (size_t j = 0; j < view.S; j++)
                last[i] += (double)(P[j] * view.V[(b * view.S + j) * view.k_stride + i]);
        }
        for (size_t o = 0; o < D; o++) {
            y[r * D + o] = (double)bias[o];
            for (size_t i = 0; i < n; i++) y[r * D + o] += last[i] * (double)w[o * n + i];
        }
    }
    return y;
}

typedef struct {
    double squares, variance;
} Spread;

/* Over the rows that are not padding. */
static Spread spread_of(NsCase *c, size_t sublayer, const char *w, const char *b)
{
    g_autofree double *y = branch_of(c, sublayer, w, b);
    NsActivationView view = ns_model_activation_view(c->model, 0, sublayer);
    double sum = 0, squares = 0, n = 0;
    for (size_t i = 0; i < view.B * view.T * view.D; i++) {
        size_t r = i / view.D;
        if (r % view.T >= (size_t)view.length[r / view.T]) continue;
        sum += y[i];
        squares += y[i] * y[i];
        n++;
    }
    return (Spread){.squares = squares, .variance = squares / n - sum / n * sum / n};
}

static const char *const last_matrices[][2] = {
    {"dec.blk0.attn.wo", "dec.blk0.attn.bo"},
    {"dec.blk0.cross.wo", "dec.blk0.cross.bo"},
    {"dec.blk0.ffn.w2", "dec.blk0.ffn.b2"},
};

/* Admin: omega_1 = 1, omega_k^2 = 1 + sum_{j<k} Var F_j, in each stack by itself. */
static void test_admin(void)
{
    NsCase c;
    ns_case_init(&c, "placement=admin arch=encoder-decoder layers=1 probe-every=1", NULL);
    g_assert_true(ns_model_needs_profile(c.model));
    static const char *const omegas[] = {"enc.blk0.attn.stream_gain", "dec.blk0.attn.stream_gain",
                                         "dec.blk0.cross.stream_gain", "dec.blk0.ffn.stream_gain"};
    ns_case_measure(&c); /* omega is 1 */
    double expected[] = {1, 1, 0, 0}, sum = 1;
    for (size_t k = 0; k < 2; k++) {
        sum += spread_of(&c, 2 + k, last_matrices[k][0], last_matrices[k][1]).variance;
        expected[2 + k] = sqrt(sum);
    }
    ns_model_profile(c.model, &c.batch);
    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < G_N_ELEMENTS(omegas); i++) {
            const NsTensor *t = ns_tensor_find(ns_model_tensors(c.model), omegas[i]);
            for (size_t j = 0; j < t->rows; j++)
                g_assert_cmpfloat_with_epsilon(ns_model_weights(c.model)[t->offset + j],
                                               expected[i], 1e-12);
        }
        ns_model_profile(c.model, &c.batch); /* the same whatever omega was */
    }
    ns_case_clear(&c);

    ns_case_init(&c, "placement=post", NULL);
    g_assert_false(ns_model_needs_profile(c.model));
    ns_case_clear(&c);
}

/* Stream and branch of every sub-layer, against the activations. */
static void test_branch_and_stream(void)
{
    NsCase c;
    ns_case_init(&c, "placement=deepnorm arch=encoder-decoder layers=1 probe-every=1", NULL);
    ns_case_stir(&c, 0.2);
    NsMeasure seen = ns_case_measure(&c);
    g_assert_cmpuint(seen.n_sublayers, ==, 5);
    for (size_t k = 0; k < 3; k++) {
        NsActivationView view = ns_model_activation_view(c.model, 0, 2 + k);
        double squares = spread_of(&c, 2 + k, last_matrices[k][0], last_matrices[k][1]).squares;
        g_assert_cmpfloat_with_epsilon(seen.sublayers[2 + k].branch, sqrt(squares), 1e-9);
        double stream = 0;
        for (size_t b = 0; b < view.B; b++)
            stream += ns_dot(view.x + b * view.T * view.D, view.x + b * view.T * view.D,
                             (size_t)view.length[b] * view.D);
        g_assert_cmpfloat_with_epsilon(seen.sublayers[2 + k].stream, pow(3, 0.25) * sqrt(stream),
                                       1e-9);
    }
    ns_case_clear(&c);
}

/* Every token is another one and there are no positions, so that the gradient of the embedding is
 * that of x_0, row by row. */
static void test_hidden_gradient(void)
{
    NsCase c;
    ns_case_init(&c, "placement=no-residual arch=encoder embedding-norm=off positions=none batch=2",
                 NULL);
    for (int32_t i = 0; i < 10; i++) c.batch.tokens[i] = i;
    NsMeasure seen = ns_case_measure(&c);
    g_assert_cmpfloat_with_epsilon(seen.hidden[0].grad, ns_case_gradient(&c, "tok_emb"), 1e-12);
    /* Without a residual connection all of the gradient comes through the branch. */
    g_assert_cmpfloat(seen.sublayers[2].skip_grad, ==, 0);
    g_assert_cmpfloat_with_epsilon(seen.sublayers[2].branch_grad, seen.hidden[1].grad, 1e-12);
    g_assert_cmpfloat(seen.hidden[1].grad, >, 1e-6);
    ns_case_clear(&c);

    /* Past the branch goes what arrives; nothing comes through a branch of zeros. */
    ns_case_init(&c, "placement=pre", NULL);
    const NsTensor *w1 = ns_tensor_find(ns_model_tensors(c.model), "blk0.ffn.w1");
    memset(ns_model_weights(c.model) + w1->offset, 0, ns_tensor_size(w1) * sizeof(ns_real));
    seen = ns_case_measure(&c);
    g_assert_cmpfloat(seen.sublayers[1].branch_grad, ==, 0);
    g_assert_cmpfloat_with_epsilon(seen.sublayers[1].skip_grad, seen.hidden[1].grad, 1e-12);
    g_assert_cmpfloat_with_epsilon(seen.sublayers[3].skip_grad, seen.hidden[2].grad, 1e-12);
    g_assert_cmpfloat(seen.sublayers[3].branch_grad, >, 1e-6);
    ns_case_clear(&c);
}

/* RMSNorm's sigma is |x| / sqrt(d); the largest activation is found by looking; the state after the
 * final norm has |x|^2 = d. */
static void test_norms_and_extrema(void)
{
    NsCase c;
    ns_case_init(
        &c, "placement=pre norm=rmsnorm norm-eps=0 arch=encoder-decoder threads=2 probe-every=1",
        NULL);
    NsMeasure seen = ns_case_measure(&c);
    const size_t firsts[] = {0, 2, 4, 7}, hidden[] = {0, 1, 3, 4};
    for (size_t i = 0; i < G_N_ELEMENTS(firsts); i++)
        g_assert_cmpfloat_with_epsilon(seen.sublayers[firsts[i]].sigma,
                                       seen.hidden[hidden[i]].norm / sqrt(6), 1e-12);
    g_assert_cmpfloat_with_epsilon(seen.final_sq, 6, 1e-9);
    g_assert_cmpfloat_with_epsilon(seen.final_norm, sqrt(6), 1e-9);
    double largest = 0;
    for (size_t shard = 0; shard < ns_model_shards(c.model); shard++) {
        NsActivationView view = ns_model_activation_view(c.model, shard, 9);
        g_assert_true(view.last);
        g_assert_cmpuint(view.layer, ==, 3);
        for (size_t i = 0; i < view.B * view.T * view.D; i++) {
            size_t r = i / view.D;
            if (r % view.T < (size_t)view.length[r / view.T])
                largest = MAX(largest, fabs((double)view.out[i]));
        }
    }
    g_assert_cmpfloat(seen.hidden[5].max, ==, largest);
    ns_case_clear(&c);

    ns_case_init(&c, "placement=none", NULL);
    seen = ns_case_measure(&c);
    g_assert_true(isnan(seen.sublayers[0].sigma) && isnan(seen.final_norm));
    ns_case_clear(&c);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/identities/homogeneity", test_homogeneity);
    g_test_add_func("/identities/post-hidden-norm", test_post_hidden_norm);
    g_test_add_func("/identities/uniform", test_uniform);
    g_test_add_func("/identities/rezero", test_rezero);
    g_test_add_func("/identities/admin", test_admin);
    g_test_add_func("/measure/branch-and-stream", test_branch_and_stream);
    g_test_add_func("/measure/hidden-gradient", test_hidden_gradient);
    g_test_add_func("/measure/norms-and-extrema", test_norms_and_extrema);
    return g_test_run();
}
