/* Every operator against finite differences, in double.  SPDX-License-Identifier: MIT
 *
 * The loss of an operator is <c, y> with a fixed random c, so that dy = c. */
#include "core/ops/activation.h"
#include "core/ops/attention.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/dropout.h"
#include "core/ops/embedding.h"
#include "core/ops/gemm.h"
#include "core/ops/linear.h"
#include "core/ops/norm.h"
#include "core/ops/residual.h"
#include "core/ops/standardize.h"
#include "tests/gradient/check.h"

#include <math.h>
#include <string.h>

enum { R = 5, I = 7, O = 6 };

typedef struct {
    ns_real x[R * I], w[O * I], b[O], y[R * O], c[R * O];
} Linear;

static NsLinear linear_map(const Linear *t)
{
    return (NsLinear){.R = R, .I = I, .O = O, .w = t->w, .b = t->b};
}

static double linear_loss(void *data)
{
    Linear *t = data;
    const NsLinear map = linear_map(t);
    ns_linear_forward(&map, t->y, t->x);
    return ns_dot(t->c, t->y, R * O);
}

/* y[r, o] = sum_i x[r, i] w[o, i] + b[o] */
static void check_linear(Linear *t)
{
    linear_loss(t);
    for (size_t r = 0; r < R; r++)
        for (size_t o = 0; o < O; o++) {
            double y = (double)t->b[o];
            for (size_t i = 0; i < I; i++) y += (double)t->x[r * I + i] * (double)t->w[o * I + i];
            g_assert_cmpfloat_with_epsilon(t->y[r * O + o], y, 1e-12);
        }
}

static void test_linear(void)
{
    Linear t;
    ns_fill_normal(t.x, R * I, 1, 1);
    ns_fill_normal(t.w, O * I, 1, 2);
    ns_fill_normal(t.b, O, 1, 3);
    ns_fill_normal(t.c, R * O, 1, 4);
    check_linear(&t);
    ns_real dx[R * I], dw[O * I] = {0}, db[O] = {0};
    const NsLinear map = linear_map(&t);
    ns_linear_backward(&map, &(NsLinearGradients){.dx = dx, .dw = dw, .db = db}, t.c, t.x);
    ns_check_gradient("linear dx", t.x, dx, R * I, 5, linear_loss, &t);
    ns_check_gradient("linear dw", t.w, dw, O * I, 5, linear_loss, &t);
    ns_check_gradient("linear db", t.b, db, O, 5, linear_loss, &t);

    /* Backward adds into the gradients of the weights. */
    ns_real twice[O * I];
    memcpy(twice, dw, sizeof dw);
    ns_linear_backward(&map, &(NsLinearGradients){.dw = twice, .db = db}, t.c, t.x);
    for (size_t i = 0; i < O * I; i++) g_assert_cmpfloat_with_epsilon(twice[i], 2 * dw[i], 1e-12);
}

/* Sums of columns for every width around those that are summed in registers; what adds and what
 * overwrites. */
static void test_linear_gradients(void)
{
    enum { ROWS = 9, MOST = 150, IN = 3 };
    ns_real x[ROWS * IN], dy[ROWS * MOST], w[MOST * IN];
    ns_fill_normal(x, ROWS * IN, 1, 1);
    ns_fill_normal(dy, ROWS * MOST, 1, 2);
    ns_fill_normal(w, MOST * IN, 1, 3);
    for (size_t out = 1; out <= MOST; out++) {
        ns_real dx[ROWS * IN], same[ROWS * IN], dw[MOST * IN], added[MOST * IN];
        ns_real db[MOST + 1], sum[MOST + 1];
        for (size_t i = 0; i <= MOST; i++) db[i] = NAN;
        for (size_t i = 0; i < MOST * IN; i++) dw[i] = NAN;
        const NsLinear map = {.R = ROWS, .I = IN, .O = out, .w = w};
        NsLinearGradients to = {.dx = dx, .dw = dw, .db = db, .over = true};
        ns_linear_backward(&map, &to, dy, x);
        g_assert_true(isnan(db[out]));
        for (size_t o = 0; o < out; o++) {
            ns_real column = 0;
            for (size_t r = 0; r < ROWS; r++) column += dy[r * out + o];
            g_assert_cmpfloat_with_epsilon(db[o], column, 1e-12);
            sum[o] = (ns_real)o;
        }
        for (size_t i = 0; i < out * IN; i++) added[i] = -2;
        to = (NsLinearGradients){.dx = same, .dw = added, .db = sum};
        ns_linear_backward(&map, &to, dy, x);
        for (size_t o = 0; o < out; o++)
            g_assert_cmpfloat_with_epsilon(sum[o], db[o] + (ns_real)o, 1e-12);
        for (size_t i = 0; i < out * IN; i++)
            g_assert_cmpfloat_with_epsilon(added[i], dw[i] - 2, 1e-12);
        g_assert_true(memcmp(dx, same, sizeof dx) == 0);
    }
}

typedef struct {
    const NsNorm *norm;
    NsNormPass pass;
    ns_real x[R * I], gain[I], bias[I], alpha[1], y[R * I], stats[2 * MAX(R, I)], c[R * I];
    ns_real running[2 * I];
} Norm;

static double norm_loss(void *data)
{
    Norm *t = data;
    t->norm->forward(&t->pass, t->y, t->x);
    return ns_dot(t->c, t->y, R * I);
}

static void norm_init(Norm *t, const NsNorm *norm)
{
    *t = (Norm){.norm = norm};
    t->pass = (NsNormPass){.R = R,
                           .C = I,
                           .eps = (ns_real)1e-5,
                           .gain = t->gain,
                           .bias = t->bias,
                           .alpha = t->alpha,
                           .stats = t->stats,
                           .running = t->running};
    ns_fill_normal(t->x, R * I, 2, 1);
    ns_fill_normal(t->gain, I, 1, 2);
    ns_fill_normal(t->bias, I, 1, 3);
    ns_fill_normal(t->alpha, 1, 1, 5);
    ns_fill_normal(t->c, R * I, 1, 4);
}

static void check_norm(Norm *t)
{
    const NsNorm *norm = t->norm;
    norm_loss(t);
    ns_real dx[R * I], dgain[I] = {0}, dbias[I] = {0}, dalpha[1] = {0};
    NsNormGradients d = {.gain = dgain, .bias = dbias, .alpha = dalpha};
    norm->backward(&t->pass, &d, dx, t->c, t->x);
    g_autofree ns_real *stats = g_memdup2(t->stats, sizeof t->stats);
    ns_check_gradient("norm dx", t->x, dx, R * I, 5, norm_loss, t);
    ns_check_gradient("norm dgain", t->gain, dgain, norm->scalar ? 1 : I, 5, norm_loss, t);
    if (norm->bias) ns_check_gradient("norm dbias", t->bias, dbias, I, 5, norm_loss, t);
    if (norm->alpha) ns_check_gradient("norm dalpha", t->alpha, dalpha, 1, 1, norm_loss, t);

    /* In place. */
    ns_real place[R * I];
    memcpy(place, t->c, sizeof place);
    memcpy(t->stats, stats, sizeof t->stats);
    norm->backward(&t->pass, &d, place, place, t->x);
    for (size_t i = 0; i < R * I; i++) g_assert_cmpfloat_with_epsilon(place[i], dx[i], 1e-12);
}

static void test_norms(void)
{
    for (size_t k = 0; ns_norm(k); k++) {
        if (!ns_norm(k)->forward) continue;
        Norm t;
        norm_init(&t, ns_norm(k));
        check_norm(&t);
    }
}

/* Rows that are padding have no share in the statistics of a batch. */
static void test_batchnorm(void)
{
    static const bool live[R] = {true, true, false, true, false};
    Norm t;
    norm_init(&t, ns_norm((size_t)ns_choices_find(ns_norm_choice, "batchnorm")));
    t.pass.live = live;
    for (size_t r = 0; r < R; r++)
        if (!live[r]) memset(t.c + r * I, 0, I * sizeof *t.c);
    check_norm(&t);

    /* Over the live rows: mean 0 and variance 1 before gain and bias; the running statistics move a
     * tenth of the way, towards the unbiased variance. */
    t.pass.statistics = NS_OF_BATCH_KEPT;
    t.pass.eps = 0;
    for (size_t i = 0; i < I; i++) {
        t.gain[i] = 1;
        t.bias[i] = 0;
        t.running[i] = 3;
        t.running[I + i] = 2;
    }
    norm_loss(&t);
    for (size_t i = 0; i < I; i++) {
        double sum = 0, squares = 0, mean = 0, variance = 0;
        for (size_t r = 0; r < R; r++) {
            if (!live[r]) continue;
            sum += (double)t.y[r * I + i];
            squares += (double)(t.y[r * I + i] * t.y[r * I + i]);
            mean += (double)t.x[r * I + i] / 3;
        }
        for (size_t r = 0; r < R; r++)
            if (live[r]) variance += pow((double)t.x[r * I + i] - mean, 2) / 2;
        g_assert_cmpfloat_with_epsilon(sum, 0, 1e-12);
        g_assert_cmpfloat_with_epsilon(squares, 3, 1e-12);
        g_assert_cmpfloat_with_epsilon(t.running[i], 0.9 * 3 + 0.1 * mean, 1e-12);
        g_assert_cmpfloat_with_epsilon(t.running[I + i], 0.9 * 2 + 0.1 * variance, 1e-12);
    }
    t.pass.statistics = NS_RUNNING;
    norm_loss(&t);
    g_assert_cmpfloat_with_epsilon(t.y[0], (t.x[0] - t.running[0]) / sqrt(t.running[I]), 1e-12);
}

/* With unit gain, no bias and eps = 0 the output of LayerNorm has squared norm d, and the gradient
 * of its input sums to 0 and is orthogonal to the centered input. */
static void test_layernorm_identities(void)
{
    Norm t;
    norm_init(&t, ns_norm((size_t)ns_choices_find(ns_norm_choice, "layernorm")));
    t.pass.eps = 0;
    for (size_t i = 0; i < I; i++) {
        t.gain[i] = 1;
        t.bias[i] = 0;
    }
    norm_loss(&t);
    ns_real dx[R * I], dgain[I] = {0}, dbias[I] = {0};
    t.norm->backward(&t.pass, &(NsNormGradients){.gain = dgain, .bias = dbias}, dx, t.c, t.x);
    for (size_t r = 0; r < R; r++) {
        g_assert_cmpfloat_with_epsilon(ns_dot(t.y + r * I, t.y + r * I, I), I, 1e-12);
        double sum = 0, along = 0;
        for (size_t i = 0; i < I; i++) {
            sum += (double)dx[r * I + i];
            along += (double)(dx[r * I + i] * (t.x[r * I + i] - t.stats[2 * r]));
        }
        g_assert_cmpfloat_with_epsilon(sum, 0, 1e-12);
        g_assert_cmpfloat_with_epsilon(along, 0, 1e-12);
    }
}

/* Gain sqrt(C): every row has the length sqrt(C); a row shorter than eps is divided by eps. */
static void test_scalenorm(void)
{
    Norm t;
    norm_init(&t, ns_norm((size_t)ns_choices_find(ns_norm_choice, "scalenorm")));
    t.gain[0] = sqrt(I);
    norm_loss(&t);
    for (size_t r = 0; r < R; r++)
        g_assert_cmpfloat_with_epsilon(ns_dot(t.y + r * I, t.y + r * I, I), I, 1e-12);
    t.pass.eps = 1000;
    check_norm(&t);
    norm_loss(&t);
    g_assert_cmpfloat_with_epsilon(t.y[3], t.x[3] * t.gain[0] / 1000, 1e-12);
}

enum { B = 2, T = 5, S = 7, D = 6, H = 3 };

typedef struct {
    NsAttention attention;
    ns_real q[B * T * D], kv[B * S * 2 * D], P[B * H * T * S], o[B * T * D], c[B * T * D];
} Attention;

static double attention_loss(void *data)
{
    Attention *t = data;
    ns_attention_forward(&t->attention, t->o, t->P);
    return ns_dot(t->c, t->o, B * T * D);
}

static void attention_init(Attention *t, bool causal, bool uniform)
{
    static const int32_t lengths[B] = {4, S};
    t->attention = (NsAttention){.B = B,
                                 .T = T,
                                 .S = S,
                                 .H = H,
                                 .d = D / H,
                                 .causal = causal,
                                 .uniform = uniform,
                                 .key_length = lengths,
                                 .Q = t->q,
                                 .K = t->kv,
                                 .V = t->kv + D,
                                 .q_stride = D,
                                 .k_stride = 2 * D};
    ns_fill_normal(t->q, B * T * D, 1, 1);
    ns_fill_normal(t->kv, B * S * 2 * D, 1, 3);
    ns_fill_normal(t->c, B * T * D, 1, 2);
}

static size_t visible_keys(const Attention *t, size_t b, size_t i)
{
    size_t keys = (size_t)t->attention.key_length[b];
    return t->attention.causal ? MIN(keys, i + 1) : keys;
}

static void check_weights(const Attention *t, bool uniform)
{
    for (size_t row = 0; row < B * H * T; row++) {
        double sum = 0;
        size_t keys = visible_keys(t, row / (H * T), row % T);
        for (size_t j = 0; j < S; j++) {
            double p = (double)t->P[row * S + j];
            sum += p;
            if (j >= keys)
                g_assert_cmpfloat(p, ==, 0);
            else if (uniform)
                g_assert_cmpfloat_with_epsilon(p, 1 / (double)keys, 1e-12);
        }
        g_assert_cmpfloat_with_epsilon(sum, 1, 1e-12);
    }
}

static void test_attention(void)
{
    for (int k = 0; k < 4; k++) {
        Attention t;
        bool uniform = k & 2;
        attention_init(&t, k & 1, uniform);
        attention_loss(&t);
        check_weights(&t, uniform);
        ns_real dq[B * T * D] = {0}, dkv[B * S * 2 * D] = {0}, scratch[T * S];
        ns_attention_backward(
            &t.attention,
            &(NsAttentionGradients){
                .dO = t.c, .P = t.P, .dQ = dq, .dK = dkv, .dV = dkv + D, .scratch = scratch});
        ns_check_gradient("attention dq", t.q, dq, B * T * D, 10, attention_loss, &t);
        ns_check_gradient("attention dkv", t.kv, dkv, B * S * 2 * D, 10, attention_loss, &t);

        /* Equal keys: attention is uniform over what is visible. */
        memset(t.kv, 0, sizeof t.kv);
        attention_loss(&t);
        check_weights(&t, true);
    }
}

typedef struct {
    const NsActivation *activation;
    ns_real x[R * I], gate[R * I], y[R * I], c[R * I];
} Activation;

static double activation_loss(void *data)
{
    Activation *t = data;
    t->activation->forward(t->y, t->x, t->gate, R * I);
    return ns_dot(t->c, t->y, R * I);
}

static void test_activations(void)
{
    for (size_t k = 0; ns_activation(k); k++) {
        Activation t = {.activation = ns_activation(k)};
        ns_fill_normal(t.x, R * I, 1, 1);
        ns_fill_normal(t.gate, R * I, 1, 3);
        ns_fill_normal(t.c, R * I, 1, 2);
        activation_loss(&t);
        ns_real dx[R * I], dgate[R * I];
        memcpy(dx, t.c, sizeof dx);
        t.activation->backward(dx, dgate, dx, t.activation->keeps ? t.x : t.y, t.gate, R * I);
        ns_check_gradient("activation dx", t.x, dx, R * I, 5, activation_loss, &t);
        if (t.activation->gated)
            ns_check_gradient("activation dgate", t.gate, dgate, R * I, 5, activation_loss, &t);

        ns_real broken = NAN, gate = 1, y;
        t.activation->forward(&y, &broken, &gate, 1);
        g_assert_true(isnan(y));
    }
    /* GELU(1) = Phi(1) and SiLU(1) = 1 / (1 + e^-1). */
    ns_real one = 1, two = 2, y;
    ns_activation((size_t)ns_choices_find(ns_activation_choice, "gelu"))
        ->forward(&y, &one, NULL, 1);
    g_assert_cmpfloat_with_epsilon(y, 0.8413447460685429, 1e-12);
    ns_activation((size_t)ns_choices_find(ns_activation_choice, "gelu-tanh"))
        ->forward(&y, &one, NULL, 1);
    g_assert_cmpfloat_with_epsilon(y, 0.8411919906082768, 1e-12);
    ns_activation((size_t)ns_choices_find(ns_activation_choice, "swiglu"))
        ->forward(&y, &one, &two, 1);
    g_assert_cmpfloat_with_epsilon(y, 2 * 0.7310585786300049, 1e-12);
}

typedef struct {
    ns_real w[O * I], what[O * I], c[O * I];
} Standardized;

static double standardized_loss(void *data)
{
    Standardized *t = data;
    ns_standardize_forward(t->what, t->w, O, I);
    return ns_dot(t->c, t->what, O * I);
}

/* what = (w - mean) / (sigma + 1e-5) for each row */
static void check_standardized(Standardized *t)
{
    standardized_loss(t);
    for (size_t r = 0; r < O; r++) {
        const ns_real *w = t->w + r * I;
        double mean = 0, variance = 0;
        for (size_t i = 0; i < I; i++) mean += (double)w[i] / I;
        for (size_t i = 0; i < I; i++)
            variance += ((double)w[i] - mean) * ((double)w[i] - mean) / I;
        for (size_t i = 0; i < I; i++)
            g_assert_cmpfloat_with_epsilon(t->what[r * I + i],
                                           ((double)w[i] - mean) / (sqrt(variance) + 1e-5), 1e-12);
    }
}

static void test_standardize(void)
{
    Standardized t;
    ns_fill_normal(t.w, O * I, 0.1, 1);
    ns_fill_normal(t.c, O * I, 1, 2);
    check_standardized(&t);
    for (size_t r = 0; r < O; r++) {
        double sum = 0;
        for (size_t i = 0; i < I; i++) sum += (double)t.what[r * I + i];
        g_assert_cmpfloat_with_epsilon(sum, 0, 1e-12);
        g_assert_cmpfloat_with_epsilon(ns_dot(t.what + r * I, t.what + r * I, I), I, 1e-2);
    }
    ns_real dw[O * I];
    memcpy(dw, t.c, sizeof dw);
    ns_standardize_backward(dw, t.w, O, I);
    ns_check_gradient("standardize dw", t.w, dw, O * I, 5, standardized_loss, &t);

    /* A constant row stays finite. */
    for (size_t i = 0; i < I; i++) t.w[i] = 1;
    standardized_loss(&t);
    memcpy(dw, t.c, sizeof dw);
    ns_standardize_backward(dw, t.w, O, I);
    for (size_t i = 0; i < I; i++) g_assert_true(isfinite(t.what[i]) && isfinite(dw[i]));
}

/* The share that is kept and the mean of the result lie within five standard errors of what they
 * should be; the same key gives the same mask, any other a different one. */
static void test_dropout(void)
{
    enum { N = 100000 };
    const double rate = 0.3;
    g_autofree ns_real *x = g_new(ns_real, N);
    g_autofree ns_real *again = g_new(ns_real, N);
    NsNoiseKey key = {.seed = 3, .step = 7, .place = 2, .sequence = 1};
    for (size_t i = 0; i < N; i++) x[i] = again[i] = 1;
    ns_dropout(x, N, rate, &key);
    double sum = 0;
    for (size_t i = 0; i < N; i++) {
        sum += (double)x[i];
        if (x[i] > 0) g_assert_cmpfloat_with_epsilon(x[i], 1 / (1 - rate), 1e-12);
    }
    double error = sqrt(rate / (1 - rate) / N);
    g_assert_cmpfloat(fabs(sum / N - 1), <, 5 * error);
    ns_dropout(again, N, rate, &key);
    g_assert_true(memcmp(x, again, N * sizeof *x) == 0);

    /* An element's fate does not depend on how many there are, and nothing behind them is touched.
     */
    for (size_t n = 1; n < 200; n++) {
        for (size_t i = 0; i < 200; i++) again[i] = 1;
        ns_dropout(again, n, rate, &key);
        for (size_t i = 0; i < 200; i++) g_assert_cmpfloat(again[i], ==, i < n ? x[i] : 1);
    }

    const NsNoiseKey others[] = {
        {.seed = 4, .step = 7, .place = 2, .sequence = 1},
        {.seed = 3, .step = 8, .place = 2, .sequence = 1},
        {.seed = 3, .step = 7 + (1ull << 32), .place = 2, .sequence = 1},
        {.seed = 3, .step = 7, .place = 3, .sequence = 1},
        {.seed = 3, .step = 7, .place = 2, .sequence = 2},
    };
    for (size_t k = 0; k < G_N_ELEMENTS(others); k++) {
        for (size_t i = 0; i < 1000; i++) again[i] = 1;
        ns_dropout(again, 1000, rate, &others[k]);
        g_assert_true(memcmp(x, again, 1000 * sizeof *x) != 0);
    }

    double kept = 0;
    for (uint32_t b = 0; b < N / 10; b++) {
        key.sequence = b;
        kept += ns_drop_path(rate, &key);
    }
    g_assert_cmpfloat(fabs(kept / (N / 10.0) - 1), <, 5 * error * sqrt(10));
}

enum { V = 9 };

typedef struct {
    ns_real logits[R * V];
    int32_t targets[R];
    double smoothing, z;
} CrossEntropy;

static double cross_entropy_loss(void *data)
{
    CrossEntropy *t = data;
    ns_real copy[R * V];
    memcpy(copy, t->logits, sizeof copy);
    return ns_cross_entropy(copy, t->targets, R, V, t->smoothing, t->z, 0).loss;
}

static void test_cross_entropy(void)
{
    static const double smoothings[] = {0, 0.1, 0, 0.1}, zs[] = {0, 0, 0.3, 0.3};
    for (size_t k = 0; k < G_N_ELEMENTS(smoothings); k++) {
        CrossEntropy t = {.targets = {0, 3, -1, 3, 5}, .smoothing = smoothings[k], .z = zs[k]};
        ns_fill_normal(t.logits, R * V, 2, 1);
        ns_real d[R * V];
        memcpy(d, t.logits, sizeof d);
        NsCrossEntropy sum = ns_cross_entropy(d, t.targets, R, V, t.smoothing, t.z, 1);
        g_assert_cmpfloat_with_epsilon(sum.loss, cross_entropy_loss(&t), 1e-12);
        ns_check_gradient("cross entropy", t.logits, d, R * V, 5, cross_entropy_loss, &t);
        for (size_t v = 0; v < V; v++) g_assert_cmpfloat(d[2 * V + v], ==, 0);

        /* (1 - e) nll + e / V times the sum over all classes + z log^2 Z. */
        double spread = 0, log_squares = 0;
        for (size_t r = 0; r < R; r++) {
            double exps = 0;
            for (size_t v = 0; v < V; v++) exps += exp(t.logits[r * V + v]);
            log_squares += r == 2 ? 0 : pow(log(exps), 2);
        }
        for (size_t r = 0; r < R; r++)
            for (int32_t v = 0; v < V && r != 2; v++) {
                CrossEntropy one = t;
                for (size_t i = 0; i < R; i++) one.targets[i] = i == r ? v : -1;
                one.smoothing = one.z = 0;
                spread += cross_entropy_loss(&one) / V;
            }
        double expected = (1 - t.smoothing) * sum.nll + t.smoothing * spread + t.z * log_squares;
        g_assert_cmpfloat_with_epsilon(sum.loss, expected, 1e-12);
    }

    /* Log-sum-exp: a hopeless target costs its distance, not infinity. */
    ns_real far[2] = {0, 2000};
    int32_t target = 0;
    g_assert_cmpfloat_with_epsilon(ns_cross_entropy(far, &target, 1, 2, 0, 0, 0).nll, 2000, 1e-9);
}

typedef struct {
    ns_real tok[V * D], pos[T * D], x[B * T * D], c[B * T * D];
    int32_t tokens[B * T];
} Embedding;

static const NsEmbeddingShape embedding_shape = {B, T, D, 3};

static double embedding_loss(void *data)
{
    Embedding *t = data;
    ns_embedding_forward(t->x, t->tokens, t->tok, t->pos, &embedding_shape);
    return ns_dot(t->c, t->x, B * T * D);
}

/* x[b, t] = 3 tok[tokens[b, t]] + pos[t] */
static void check_embedding(Embedding *e)
{
    embedding_loss(e);
    for (size_t i = 0; i < B * T * D; i++) {
        size_t token = (size_t)e->tokens[i / D], t = i / D % T, d = i % D;
        g_assert_cmpfloat_with_epsilon(e->x[i], 3 * e->tok[token * D + d] + e->pos[t * D + d],
                                       1e-12);
    }
}

static void test_embedding(void)
{
    Embedding t = {.tokens = {0, 8, 8, 1, 2, 5, 8, 0, 3, 3}};
    ns_fill_normal(t.tok, V * D, 1, 1);
    ns_fill_normal(t.pos, T * D, 1, 2);
    ns_fill_normal(t.c, B * T * D, 1, 3);
    check_embedding(&t);
    ns_real dtok[V * D] = {0}, dpos[T * D] = {0};
    ns_embedding_backward(dtok, 0, 5, t.c, t.tokens, &embedding_shape);
    ns_embedding_backward(dtok + 5 * D, 5, V - 5, t.c, t.tokens, &embedding_shape);
    ns_positions_backward(dpos, t.c, B, T, D);
    ns_check_gradient("embedding dtok", t.tok, dtok, V * D, 5, embedding_loss, &t);
    ns_check_gradient("embedding dpos", t.pos, dpos, T * D, 5, embedding_loss, &t);
}

/* Vaswani et al. 2017, 3.5, by hand. */
static void test_sinusoids(void)
{
    ns_real pos[3 * 4];
    ns_sinusoids(pos, 3, 4);
    g_assert_cmpfloat(pos[0], ==, 0);
    g_assert_cmpfloat(pos[1], ==, 1);
    g_assert_cmpfloat_with_epsilon(pos[2 * 4 + 0], sin(2), 1e-12);
    g_assert_cmpfloat_with_epsilon(pos[2 * 4 + 1], cos(2), 1e-12);
    g_assert_cmpfloat_with_epsilon(pos[2 * 4 + 2], sin(0.02), 1e-12);
    g_assert_cmpfloat_with_epsilon(pos[2 * 4 + 3], cos(0.02), 1e-12);
}

/* The inverse undoes the rotation, which keeps the norm; the product of a query and a key depends
 * only on their distance; the features of a pair are half a head apart. */
static void test_rotation(void)
{
    enum { ROWS = 5, HEADS = 2, W = 6, STRIDE = HEADS * W + 1 };
    ns_real waves[ROWS * W], x[ROWS * STRIDE], y[ROWS * STRIDE];
    ns_sinusoids(waves, ROWS, W);
    ns_fill_normal(y, STRIDE, 1, 1);
    for (size_t i = 0; i < ROWS * STRIDE; i++) x[i] = y[i] = y[i % STRIDE];
    const NsRotary shape = {
        .rows = ROWS, .T = ROWS, .heads = HEADS, .h = W, .stride = STRIDE, .waves = waves};
    ns_rotate(x, &shape, false);
    double angle = 3 * pow(10000, -2.0 / W);
    g_assert_cmpfloat_with_epsilon(x[3 * STRIDE + W + 1],
                                   y[W + 1] * cos(angle) - y[W + 4] * sin(angle), 1e-12);
    g_assert_cmpfloat(x[3 * STRIDE + HEADS * W], ==, y[HEADS * W]);
    g_assert_cmpfloat_with_epsilon(ns_inner(x + STRIDE, x + STRIDE, W), ns_inner(y, y, W), 1e-12);
    g_assert_cmpfloat_with_epsilon(ns_inner(x, x + 2 * STRIDE, W),
                                   ns_inner(x + 2 * STRIDE, x + 4 * STRIDE, W), 1e-12);
    g_assert_cmpfloat(fabs(ns_inner(x, x + 2 * STRIDE, W) - ns_inner(x, x + STRIDE, W)), >, 1e-3);
    ns_rotate(x, &shape, true);
    for (size_t i = 0; i < ROWS * STRIDE; i++) g_assert_cmpfloat_with_epsilon(x[i], y[i], 1e-12);
}

static void test_residual(void)
{
    ns_real x[3] = {1, 2, 3}, y[3] = {4, 5, 6}, z[3];
    ns_residual_forward(z, 2, x, 3, y, 3);
    g_assert_cmpfloat(z[0], ==, 14);
    g_assert_cmpfloat(z[2], ==, 24);
    ns_add_scaled(z, -1, x, 3);
    g_assert_cmpfloat(z[2], ==, 21);
    ns_scale(z, 2, z, 3);
    g_assert_cmpfloat(z[2], ==, 42);
    ns_real g[3] = {1, 0, -1}, dg[3] = {1, 1, 1};
    ns_gain_forward(z, 2, g, x, 1, 3);
    g_assert_cmpfloat(z[2], ==, -6);
    ns_gain_backward(dg, 2, y, x, 1, 3);
    g_assert_cmpfloat(dg[2], ==, 37);
    g_assert_cmpfloat(ns_inner(x, y, 3), ==, 32);
    g_assert_cmpfloat(ns_gain_squares(g, x, 1, 3), ==, 10);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ns_gemm_init(NULL);
    g_test_add_func("/ops/linear", test_linear);
    g_test_add_func("/ops/linear-gradients", test_linear_gradients);
    g_test_add_func("/ops/norms", test_norms);
    g_test_add_func("/ops/batchnorm", test_batchnorm);
    g_test_add_func("/ops/scalenorm", test_scalenorm);
    g_test_add_func("/ops/layernorm-identities", test_layernorm_identities);
    g_test_add_func("/ops/attention", test_attention);
    g_test_add_func("/ops/activations", test_activations);
    g_test_add_func("/ops/standardize", test_standardize);
    g_test_add_func("/ops/dropout", test_dropout);
    g_test_add_func("/ops/cross-entropy", test_cross_entropy);
    g_test_add_func("/ops/embedding", test_embedding);
    g_test_add_func("/ops/sinusoids", test_sinusoids);
    g_test_add_func("/ops/rotation", test_rotation);
    g_test_add_func("/ops/residual", test_residual);
    return g_test_run();
}
