/* Attention against plain loops in double; in both precisions.  SPDX-License-Identifier: MIT */
#include "core/base/rng.h"
#include "core/base/vector_lanes.h"
#include "core/ops/attention.h"
#include "core/ops/gemm.h"
#include "core/ops/plain.h"

#include <float.h>
#include <math.h>
#include <string.h>

#ifdef NS_DOUBLE
#define ROUNDING DBL_EPSILON
#else
#define ROUNDING ((double)FLT_EPSILON)
#endif

typedef struct {
    NsAttention a;
    size_t q, kv, p, out; /* elements of Q, of K and V, of P and of o */
    ns_real *Q, *KV, *P, *o, *dO, *dQ, *dKV, *scratch;
    int32_t lengths[2];
} Case;

static ns_real *normal(size_t n, uint64_t stream)
{
    ns_real *x = ns_real_new(n, "a test", NULL);
    g_assert_nonnull(x);
    NsRng rng;
    ns_rng_init(&rng, 3, stream);
    for (size_t i = 0; i < n; i++) x[i] = (ns_real)ns_rng_normal(&rng);
    return x;
}

/* Two sequences, the first of them padded where `padded`; K and V side by side, rows with a gap. */
static void make(Case *c, size_t T, size_t S, size_t H, size_t kv, size_t d, bool causal,
                 bool padded)
{
    size_t B = 2, D = H * d, q_stride = D + 3, k_stride = 2 * kv * d + 1;
    *c = (Case){.q = B * T * q_stride,
                .kv = B * S * k_stride,
                .p = B * H * T * S,
                .out = B * T * D,
                .lengths = {padded ? (int32_t)(S / 2 + 1) : (int32_t)S, (int32_t)S}};
    c->Q = normal(c->q, 1);
    c->KV = normal(c->kv, 2);
    c->P = normal(c->p, 3);
    c->o = normal(c->out, 4);
    c->dO = normal(c->out, 5);
    c->dQ = normal(c->q, 6);
    c->dKV = normal(c->kv, 7);
    c->scratch = normal(T * S, 8);
    c->a = (NsAttention){.B = B,
                         .T = T,
                         .S = S,
                         .H = H,
                         .kv_heads = kv,
                         .d = d,
                         .causal = causal,
                         .key_length = c->lengths,
                         .Q = c->Q,
                         .K = c->KV,
                         .V = c->KV + kv * d,
                         .q_stride = q_stride,
                         .k_stride = k_stride};
}

static void clear(Case *c)
{
    ns_real *all[] = {c->Q, c->KV, c->P, c->o, c->dO, c->dQ, c->dKV, c->scratch};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) ns_real_free(all[i]);
}

static void backward(Case *c)
{
    ns_attention_backward(&c->a, &(NsAttentionGradients){.dO = c->dO,
                                                         .P = c->P,
                                                         .dQ = c->dQ,
                                                         .dK = c->dKV,
                                                         .dV = c->dKV + c->a.kv_heads * c->a.d,
                                                         .scratch = c->scratch});
}

static size_t visible(const Case *c, size_t b, size_t i)
{
    size_t keys = (size_t)c->lengths[b];
    return c->a.causal ? MIN(keys, i + 1) : keys;
}

/* One head in double, without gaps between rows. */
typedef struct {
    double *Q, *K, *V, *dO; /* operands */
    double *P, *o, *dQ, *dK, *dV;
} Plain;

static double *packed(const ns_real *x, size_t stride, size_t rows, size_t cols)
{
    double *copy = g_new(double, rows *cols);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++) copy[r * cols + c] = (double)x[r * stride + c];
    return copy;
}

/* dK and dV are those of one head of queries. */
static Plain plain(const Case *c, size_t b, size_t h)
{
    const NsAttention *a = &c->a;
    size_t T = a->T, S = a->S, d = a->d, D = a->H * d;
    size_t query = b * T * a->q_stride + h * d;
    size_t key = b * S * a->k_stride + h / (a->H / a->kv_heads) * d;
    Plain p = {.Q = packed(a->Q + query, a->q_stride, T, d),
               .K = packed(a->K + key, a->k_stride, S, d),
               .V = packed(a->V + key, a->k_stride, S, d),
               .dO = packed(c->dO + b * T * D + h * d, D, T, d),
               .P = g_new0(double, T *S),
               .o = g_new(double, T *d),
               .dQ = g_new(double, T *d),
               .dK = g_new0(double, S *d),
               .dV = g_new0(double, S *d)};
    if (a->uniform) memset(p.Q, 0, T * d * sizeof *p.Q); /* equal scores */
    g_autofree double *ds = g_new(double, S);
    for (size_t i = 0; i < T; i++) {
        const NsPlainQuery row = {visible(c, b, i), d, p.Q + i * d, p.K, p.V};
        ns_plain_attend(&row, p.P + i * S, p.o + i * d);
        ns_plain_attend_backward(&row, p.P + i * S, p.dO + i * d, ds, p.dQ + i * d, p.dK, p.dV);
    }
    return p;
}

static void plain_clear(const Plain *p)
{
    double *all[] = {p->Q, p->K, p->V, p->dO, p->P, p->o, p->dQ, p->dK, p->dV};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) g_free(all[i]);
}

/* Rounding errors of sums of operands of size 1, or of that of the largest value. */
static void compare(const char *what, const ns_real *seen, size_t stride, const double *expected,
                    size_t rows, size_t cols)
{
    double size = 1;
    for (size_t i = 0; i < rows * cols; i++) size = MAX(size, fabs(expected[i]));
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++) {
            double error = fabs((double)seen[r * stride + c] - expected[r * cols + c]);
            if (error <= 64 * ROUNDING * size) continue;
            g_test_message("%s[%zu, %zu] = %.9g, not %.9g", what, r, c,
                           (double)seen[r * stride + c], expected[r * cols + c]);
            g_test_fail();
            return;
        }
}

static void check(const Case *c)
{
    const NsAttention *a = &c->a;
    size_t T = a->T, S = a->S, d = a->d, D = a->H * d, group = a->H / a->kv_heads;
    g_autofree double *dK = g_new0(double, S *d), *dV = g_new0(double, S *d);
    for (size_t b = 0; b < a->B; b++)
        for (size_t h = 0; h < a->H; h++) {
            Plain p = plain(c, b, h);
            const ns_real *weights = c->P + (b * a->H + h) * T * S;
            compare("P", weights, S, p.P, T, S);
            for (size_t i = 0; i < T; i++)
                for (size_t j = visible(c, b, i); j < S; j++)
                    g_assert_cmpfloat(weights[i * S + j], ==, 0);
            compare("o", c->o + b * T * D + h * d, D, p.o, T, d);
            for (size_t i = 0; i < S * d; i++) {
                dK[i] = p.dK[i] + (h % group ? dK[i] : 0);
                dV[i] = p.dV[i] + (h % group ? dV[i] : 0);
            }
            const ns_real *dk = c->dKV + b * S * a->k_stride + h / group * d;
            bool last = (h + 1) % group == 0; /* of those that share a key */
            if (last) compare("dV", dk + a->kv_heads * d, a->k_stride, dV, S, d);
            if (last && !a->uniform) compare("dK", dk, a->k_stride, dK, S, d);
            if (!a->uniform)
                compare("dQ", c->dQ + b * T * a->q_stride + h * d, a->q_stride, p.dQ, T, d);
            plain_clear(&p);
        }
}

/* What lies between the rows of Q, K and V is nobody's. */
static void check_gaps(const Case *c)
{
    size_t D = c->a.H * c->a.d;
    g_autofree ns_real *dQ = g_memdup2(c->dQ, c->q * sizeof *dQ);
    ns_real *fresh = normal(c->q, 6);
    for (size_t r = 0; r < c->a.B * c->a.T; r++)
        for (size_t i = D; i < c->a.q_stride; i++)
            g_assert_cmpfloat(dQ[r * c->a.q_stride + i], ==, fresh[r * c->a.q_stride + i]);
    ns_real_free(fresh);
    fresh = normal(c->kv, 7);
    for (size_t r = 0; r < c->a.B * c->a.S; r++)
        for (size_t i = c->a.k_stride - 1; i < c->a.k_stride; i++)
            g_assert_cmpfloat(c->dKV[r * c->a.k_stride + i], ==, fresh[r * c->a.k_stride + i]);
    ns_real_free(fresh);
}

static void try(size_t T, size_t S, size_t H, size_t kv, size_t d)
{
    for (int k = 0; k < 8; k++) {
        Case c;
        make(&c, T, S, H, kv, d, k & 1, k & 2);
        c.a.uniform = k & 4;
        ns_attention_forward(&c.a, c.o, c.P);
        backward(&c);
        check(&c);
        check_gaps(&c);
        /* The same bits again. */
        g_autofree ns_real *o = g_memdup2(c.o, c.out * sizeof *o);
        g_autofree ns_real *dKV = g_memdup2(c.dKV, c.kv * sizeof *dKV);
        ns_attention_forward(&c.a, c.o, c.P);
        backward(&c);
        g_assert_true(memcmp(o, c.o, c.out * sizeof *o) == 0);
        g_assert_true(memcmp(dKV, c.dKV, c.kv * sizeof *dKV) == 0);
        clear(&c);
    }
}

static void test_shapes(void)
{
    static const size_t lengths[][2] = {{1, 1},   {2, 5},   {5, 2},   {16, 16}, {17, 17},
                                        {15, 31}, {33, 16}, {13, 48}, {40, 40}, {64, 64},
                                        {31, 16}, {15, 8},  {16, 7}};
    static const size_t widths[] = {1, 2, 3, 8, 15, 16, 17, 32, 33, 128};
    for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(widths); k++)
            try(lengths[i][0], lengths[i][1], 2, 2, widths[k]);
    try(128, 128, 1, 1, 32);
}

/* More keys and features than are turned at once. */
static void test_pieces(void)
{
    try(9, 150, 1, 1, 300);
    try(70, 70, 1, 1, 257);
    try(3, 600, 1, 1, 32);
}

static void test_groups(void)
{
    static const size_t heads[][2] = {{4, 1}, {4, 2}, {6, 2}, {6, 3}};
    static const size_t widths[] = {1, 3, 16, 33};
    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(widths); k++) {
            try(17, 17, heads[i][0], heads[i][1], widths[k]);
            try(7, 20, heads[i][0], heads[i][1], widths[k]);
            try(33, 5, heads[i][0], heads[i][1], widths[k]);
        }
}

/* Padding is never read: what is not finite there goes nowhere.  In a key that is seen it goes
 * everywhere it is seen, and no further. */
static void test_broken_keys(void)
{
    enum { T = 37, D = 16 };
    for (size_t at = 0; at < T; at++) {
        Case c;
        make(&c, T, T, 1, 1, D, true, true);
        size_t length = (size_t)c.lengths[0];
        ns_real *key = c.KV + at * c.a.k_stride;
        key[3] = at % 2 ? (ns_real)NAN : (ns_real)INFINITY;
        if (at >= length) key[D + 3] = NAN;
        ns_attention_forward(&c.a, c.o, c.P);
        for (size_t i = 0; i < T; i++) {
            size_t n = visible(&c, 0, i);
            bool broken = false;
            for (size_t j = 0; j < T; j++) {
                broken |= !isfinite(c.P[i * T + j]);
                if (j >= n) g_assert_cmpfloat(c.P[i * T + j], ==, 0);
            }
            /* A score of minus infinity is a weight of 0. */
            if (at >= n || at % 2) g_assert_true(broken == (at < n));
            if (at >= length)
                for (size_t k = 0; k < D; k++) g_assert_true(isfinite(c.o[i * D + k]));
        }
        clear(&c);
    }
}

/* No bit of a query's result hangs on what comes later. */
static void test_causal(void)
{
    enum { T = 45, D = 24 };
    Case c;
    make(&c, T, T, 3, 3, D / 3, true, false);
    ns_attention_forward(&c.a, c.o, c.P);
    g_autofree ns_real *before = g_memdup2(c.o, c.out * sizeof *before);
    for (size_t at = T; at-- > 1;) {
        for (size_t k = 0; k < 2 * D; k++) c.KV[at * c.a.k_stride + k] += 1;
        for (size_t k = 0; k < D; k++) c.Q[at * c.a.q_stride + k] -= 1;
        ns_attention_forward(&c.a, c.o, c.P);
        g_assert_true(memcmp(before, c.o, at * D * sizeof *before) == 0);
        g_assert_true(memcmp(before + at * D, c.o + at * D, D * sizeof *before) != 0);
    }
    clear(&c);
}

/* The lanes of one row, added as a tree. */
static ns_real sum_alone(const ns_real *lane)
{
    ns_real four[4];
    for (int l = 0; l < 4; l++) four[l] = (lane[l] + lane[l + 8]) + (lane[l + 4] + lane[l + 12]);
    return (four[0] + four[2]) + (four[1] + four[3]);
}

/* Four rows of lanes together have the bits that each has alone. */
static void test_lanes(void)
{
    ns_real *x = normal((size_t)NS_VECTOR_ROWS * NS_VECTOR_LANES, 9);
    static const ns_real odd[] = {0, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < G_N_ELEMENTS(odd); i++)
        for (size_t at = 0; at < NS_VECTOR_LANES; at++) {
            ns_real sums[NS_VECTOR_ROWS][NS_VECTOR_LANES], maxima[NS_VECTOR_ROWS][NS_VECTOR_LANES];
            ns_real sum[NS_VECTOR_ROWS], max[NS_VECTOR_ROWS];
            memcpy(sums, x, sizeof sums);
            sums[at % NS_VECTOR_ROWS][at] = odd[i];
            memcpy(maxima, sums, sizeof maxima);
            ns_real alone[NS_VECTOR_ROWS][2][NS_VECTOR_LANES];
            for (size_t r = 0; r < NS_VECTOR_ROWS; r++)
                for (size_t k = 0; k < 2; k++) memcpy(alone[r][k], sums[r], sizeof *sums);
            ns_vector_lanes_sum_rows(sum, sums);
            ns_vector_lanes_max_rows(max, maxima);
            for (size_t r = 0; r < NS_VECTOR_ROWS; r++) {
                ns_real expected[2] = {sum_alone(alone[r][0]), ns_vector_lanes_max(alone[r][1])};
                g_assert_true(memcmp(&sum[r], &expected[0], sizeof *sum) == 0);
                g_assert_true(memcmp(&max[r], &expected[1], sizeof *max) == 0);
            }
        }
    ns_real_free(x);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ns_gemm_init(NULL);
    g_test_add_func("/attention/shapes", test_shapes);
    g_test_add_func("/attention/pieces", test_pieces);
    g_test_add_func("/attention/groups", test_groups);
    g_test_add_func("/attention/broken-keys", test_broken_keys);
    g_test_add_func("/attention/causal", test_causal);
    g_test_add_func("/attention/lanes", test_lanes);
    return g_test_run();
}
