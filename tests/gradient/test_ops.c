/* Every operator against finite differences, in double.  SPDX-License-Identifier: MIT
 *
 * The loss of an operator is <c, y> with a fixed random c, so that dy = c. */
#include "core/ops/attention.h"
#include "core/ops/blas.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/embedding.h"
#include "core/ops/norm.h"
#include "core/ops/relu.h"
#include "core/ops/residual.h"
#include "tests/gradient/check.h"

#include <math.h>
#include <string.h>

#define R 5
#define I 7
#define O 6

typedef struct {
    ns_real x[R * I], w[O * I], b[O], y[R * O], c[R * O];
} Linear;

static double linear_loss(void *data)
{
    Linear *t = data;
    ns_linear_forward(t->y, t->x, t->w, t->b, R, I, O);
    return ns_dot(t->c, t->y, R * O);
}

static void test_linear(void)
{
    Linear t;
    ns_fill_normal(t.x, R * I, 1, 1);
    ns_fill_normal(t.w, O * I, 1, 2);
    ns_fill_normal(t.b, O, 1, 3);
    ns_fill_normal(t.c, R * O, 1, 4);
    ns_real dx[R * I], dw[O * I] = {0}, db[O] = {0};
    ns_linear_backward(dx, dw, db, t.c, t.x, t.w, R, I, O);
    ns_check_gradient("linear dx", t.x, dx, R * I, 5, linear_loss, &t);
    ns_check_gradient("linear dw", t.w, dw, O * I, 5, linear_loss, &t);
    ns_check_gradient("linear db", t.b, db, O, 5, linear_loss, &t);

    /* Backward adds into the gradients of the weights. */
    ns_real twice[O * I];
    memcpy(twice, dw, sizeof dw);
    ns_linear_backward(NULL, twice, db, t.c, t.x, t.w, R, I, O);
    for (size_t i = 0; i < O * I; i++) g_assert_cmpfloat_with_epsilon(twice[i], 2 * dw[i], 1e-12);
}

typedef struct {
    const NsNorm *norm;
    ns_real x[R * I], gain[I], bias[I], y[R * I], stats[R * 2], c[R * I];
} Norm;

static double norm_loss(void *data)
{
    Norm *t = data;
    t->norm->forward(t->y, t->stats, t->x, t->gain, t->bias, (ns_real)1e-5, R, I);
    return ns_dot(t->c, t->y, R * I);
}

static void test_norms(void)
{
    for (size_t k = 0; ns_norm(k); k++) {
        Norm t = {.norm = ns_norm(k)};
        if (!t.norm->forward) continue;
        ns_fill_normal(t.x, R * I, 2, 1);
        ns_fill_normal(t.gain, I, 1, 2);
        ns_fill_normal(t.bias, I, 1, 3);
        ns_fill_normal(t.c, R * I, 1, 4);
        norm_loss(&t);
        ns_real dx[R * I], dgain[I] = {0}, dbias[I] = {0};
        t.norm->backward(dx, NS_OVERWRITE, dgain, dbias, t.c, t.x, t.stats, t.gain, R, I);
        ns_check_gradient("norm dx", t.x, dx, R * I, 5, norm_loss, &t);
        ns_check_gradient("norm dgain", t.gain, dgain, I, 5, norm_loss, &t);
        if (t.norm->bias) ns_check_gradient("norm dbias", t.bias, dbias, I, 5, norm_loss, &t);

        /* In place, and added to what is there. */
        ns_real place[R * I], sum[R * I];
        memcpy(place, t.c, sizeof place);
        t.norm->backward(place, NS_OVERWRITE, dgain, dbias, place, t.x, t.stats, t.gain, R, I);
        for (size_t i = 0; i < R * I; i++) sum[i] = 1;
        t.norm->backward(sum, NS_ADD, dgain, dbias, t.c, t.x, t.stats, t.gain, R, I);
        for (size_t i = 0; i < R * I; i++) {
            g_assert_cmpfloat_with_epsilon(place[i], dx[i], 1e-12);
            g_assert_cmpfloat_with_epsilon(sum[i], 1 + dx[i], 1e-12);
        }
    }
}

/* With unit gain, no bias and eps = 0 the output of LayerNorm has squared norm d, and the gradient
 * of its input sums to 0 and is orthogonal to the centred input. */
static void test_layernorm_identities(void)
{
    Norm t = {.norm = ns_norm((size_t)ns_choices_find(ns_norm_choice, "layernorm"))};
    ns_fill_normal(t.x, R * I, 3, 1);
    ns_fill_normal(t.c, R * I, 1, 4);
    for (size_t i = 0; i < I; i++) t.gain[i] = 1;
    t.norm->forward(t.y, t.stats, t.x, t.gain, t.bias, 0, R, I);
    ns_real dx[R * I], dgain[I] = {0}, dbias[I] = {0};
    t.norm->backward(dx, NS_OVERWRITE, dgain, dbias, t.c, t.x, t.stats, t.gain, R, I);
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

#define B 2
#define T 5
#define D 6
#define H 3

typedef struct {
    ns_real qkv[B * T * 3 * D], P[B * H * T * T], o[B * T * D], c[B * T * D];
} Attention;

static double attention_loss(void *data)
{
    Attention *t = data;
    ns_attention_forward(t->o, t->P, t->qkv, B, T, D, H);
    return ns_dot(t->c, t->o, B * T * D);
}

static void test_attention(void)
{
    Attention t;
    ns_fill_normal(t.qkv, B * T * 3 * D, 1, 1);
    ns_fill_normal(t.c, B * T * D, 1, 2);
    attention_loss(&t);
    for (size_t row = 0; row < B * H * T; row++) {
        double sum = 0;
        for (size_t j = 0; j < T; j++) {
            double p = (double)t.P[row * T + j];
            sum += p;
            if (j > row % T) g_assert_cmpfloat(p, ==, 0);
        }
        g_assert_cmpfloat_with_epsilon(sum, 1, 1e-12);
    }
    ns_real dqkv[B * T * 3 * D], scratch[T * T];
    ns_attention_backward(dqkv, scratch, t.c, t.qkv, t.P, B, T, D, H);
    ns_check_gradient("attention dqkv", t.qkv, dqkv, B * T * 3 * D, 10, attention_loss, &t);

    /* Equal keys: attention is uniform over what is visible. */
    memset(t.qkv, 0, sizeof t.qkv);
    attention_loss(&t);
    for (size_t row = 0; row < B * H * T; row++)
        for (size_t j = 0; j <= row % T; j++)
            g_assert_cmpfloat_with_epsilon(t.P[row * T + j], 1.0 / (double)(row % T + 1), 1e-12);
}

typedef struct {
    ns_real x[R * I], y[R * I], c[R * I];
} Relu;

static double relu_loss(void *data)
{
    Relu *t = data;
    memcpy(t->y, t->x, sizeof t->y);
    ns_relu_forward(t->y, R * I);
    return ns_dot(t->c, t->y, R * I);
}

static void test_relu(void)
{
    Relu t;
    ns_fill_normal(t.x, R * I, 1, 1);
    ns_fill_normal(t.c, R * I, 1, 2);
    relu_loss(&t);
    ns_real dx[R * I];
    memcpy(dx, t.c, sizeof dx);
    ns_relu_backward(dx, t.y, R * I);
    ns_check_gradient("relu dx", t.x, dx, R * I, 5, relu_loss, &t);

    ns_real broken = NAN;
    ns_relu_forward(&broken, 1);
    g_assert_true(isnan(broken));
}

#define V 9

typedef struct {
    ns_real logits[R * V];
    int32_t targets[R];
} CrossEntropy;

static double cross_entropy_loss(void *data)
{
    CrossEntropy *t = data;
    ns_real copy[R * V];
    memcpy(copy, t->logits, sizeof copy);
    return ns_cross_entropy(copy, t->targets, R, V, 0);
}

static void test_cross_entropy(void)
{
    CrossEntropy t = {.targets = {0, 3, 8, 3, 5}};
    ns_fill_normal(t.logits, R * V, 2, 1);
    ns_real d[R * V];
    memcpy(d, t.logits, sizeof d);
    double loss = ns_cross_entropy(d, t.targets, R, V, 1);
    g_assert_cmpfloat_with_epsilon(loss, cross_entropy_loss(&t), 1e-12);
    ns_check_gradient("cross entropy", t.logits, d, R * V, 5, cross_entropy_loss, &t);

    /* Log-sum-exp: a hopeless target costs its distance, not infinity. */
    ns_real far[2] = {0, 2000};
    int32_t target = 0;
    g_assert_cmpfloat_with_epsilon(ns_cross_entropy(far, &target, 1, 2, 0), 2000, 1e-9);
}

typedef struct {
    ns_real tok[V * D], pos[T * D], x[B * T * D], c[B * T * D];
    int32_t tokens[B * T];
} Embedding;

static double embedding_loss(void *data)
{
    Embedding *t = data;
    ns_embedding_forward(t->x, t->tokens, t->tok, t->pos, B, T, D);
    return ns_dot(t->c, t->x, B * T * D);
}

static void test_embedding(void)
{
    Embedding t = {.tokens = {0, 8, 8, 1, 2, 5, 8, 0, 3, 3}};
    ns_fill_normal(t.tok, V * D, 1, 1);
    ns_fill_normal(t.pos, T * D, 1, 2);
    ns_fill_normal(t.c, B * T * D, 1, 3);
    ns_real dtok[V * D] = {0}, dpos[T * D] = {0};
    ns_embedding_backward(dtok, dpos, t.c, t.tokens, B, T, D);
    ns_check_gradient("embedding dtok", t.tok, dtok, V * D, 5, embedding_loss, &t);
    ns_check_gradient("embedding dpos", t.pos, dpos, T * D, 5, embedding_loss, &t);
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
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ns_blas_init();
    g_test_add_func("/ops/linear", test_linear);
    g_test_add_func("/ops/norms", test_norms);
    g_test_add_func("/ops/layernorm-identities", test_layernorm_identities);
    g_test_add_func("/ops/attention", test_attention);
    g_test_add_func("/ops/relu", test_relu);
    g_test_add_func("/ops/cross-entropy", test_cross_entropy);
    g_test_add_func("/ops/embedding", test_embedding);
    g_test_add_func("/ops/residual", test_residual);
    return g_test_run();
}
