/* Every optimizer against a plain one, one number at a time and in double; clipping.
 * SPDX-License-Identifier: MIT */
#include "core/base/squares.h"
#include "core/optim/optimizer-private.h"

#include "core/ops/gemm.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MANY_THREADS 3

#define STEPS 10

static void assert_close(double x, double expected, double relative)
{
    double scale = fabs(expected) > 0 ? fabs(expected) : 1;
    if (!(fabs(x - expected) <= relative * scale)) {
        g_test_message("%.17g, expected %.17g", x, expected);
        g_test_fail();
    }
}

/* The inner product of weights and update, relative to the product of their norms. */
static void assert_inner(const NsTensorUpdate *update, double expected, double tolerance)
{
    double whole = sqrt(update->weight_sq * update->update_sq);
    g_assert_cmpfloat_with_epsilon(update->inner, expected, tolerance * whole);
}

static void assert_same(const void *a, const void *b, size_t bytes)
{
    g_assert_true(memcmp(a, b, bytes) == 0);
}

/* ---- Tensors to update ---- */

typedef struct {
    NsSettings settings; /* only the numbers that an update reads */
    NsTensorTable table;
    ns_real *w, *m, *v, *g, *scratch;
    NsTensorUpdate *tensors;
    bool asks; /* for ratios */
} Fixture;

static void add(Fixture *f, NsTensor tensor, bool joined)
{
    if (tensor.lr <= 0) tensor.lr = 1;
    if (tensor.eps <= 0) tensor.eps = 1;
    ns_tensor_table_add(&f->table, tensor, joined);
}

/* A vector, matrices inside and outside the layers, tall and wide, some with a rate and an epsilon
 * of their own; with `large`, one for several threads and one joined to it. */
static void setup(Fixture *f, bool large)
{
    *f = (Fixture){.settings = {.beta1 = 0.9, .beta2 = 0.98, .eps = 1e-8}};
    add(f, (NsTensor){.name = "embedding", .layer = -1, .rows = 11, .cols = 6}, false);
    add(f, (NsTensor){.name = "vector", .layer = 0, .rows = 37}, false);
    add(f, (NsTensor){.name = "tall", .layer = 0, .rows = 20, .cols = 12, .decay = true}, false);
    add(f,
        (NsTensor){.name = "wide",
                   .layer = 1,
                   .rows = 7,
                   .cols = 23,
                   .lr = 0.5,
                   .eps = 1e6,
                   .decay = true},
        true);
    /* Each differs in one factor from the one before. */
    add(f, (NsTensor){.name = "rate", .layer = 1, .rows = 9, .lr = 0.5, .decay = true}, false);
    add(f, (NsTensor){.name = "alike", .layer = 1, .rows = 9, .decay = true}, false);
    if (large) {
        add(f, (NsTensor){.name = "large", .layer = 1, .rows = 2001, .cols = 603, .decay = true},
            false);
        add(f, (NsTensor){.name = "joined", .layer = 1, .rows = 100}, true);
    }
    size_t n = f->table.size;
    f->w = ns_real_new(n, "weights", NULL);
    f->m = ns_real_new(n, "moments", NULL);
    f->v = ns_real_new(n, "moments", NULL);
    f->g = ns_real_new(n, "gradients", NULL);
    f->scratch = ns_real_new(ns_muon_scratch(&f->table, MANY_THREADS), "scratch", NULL);
    f->tensors = g_new0(NsTensorUpdate, f->table.n);
    for (size_t i = 0; i < n; i++) f->w[i] = (ns_real)sin((double)i);
}

static void teardown(Fixture *f)
{
    ns_real_free(f->w);
    ns_real_free(f->m);
    ns_real_free(f->v);
    ns_real_free(f->g);
    ns_real_free(f->scratch);
    g_free(f->tensors);
    ns_tensor_table_clear(&f->table);
}

/* Gradients of very different sizes, some of them zero.  Returns their norm. */
static double make_gradients(Fixture *f, int64_t step)
{
    double sq = 0;
    memset(f->g, 0, f->table.size * sizeof *f->g);
    for (size_t t = 0; t < f->table.n; t++) {
        const NsTensor *tensor = &f->table.tensors[t];
        for (size_t i = tensor->offset; i < tensor->offset + ns_tensor_size(tensor); i++) {
            double x = cos((double)i * 1.7 + (double)step);
            f->g[i] = i % 11 ? (ns_real)(x * exp(4 * sin((double)i))) : 0;
            sq += (double)f->g[i] * (double)f->g[i];
        }
    }
    return sqrt(sq);
}

static const NsOptimizer *optimizer(const char *key)
{
    int i = ns_choices_find(ns_optimizer_choice, key);
    g_assert_cmpint(i, >=, 0);
    return ns_optimizer((size_t)i);
}

static void update(Fixture *f, const char *key, double lr, int64_t step, double grad_norm,
                   const int64_t *moments_since, NsTeam *team)
{
    const NsOptimizer *row = optimizer(key);
    row->step(&(NsUpdate){
        .settings = &f->settings,
        .table = &f->table,
        .w = f->w,
        .m = f->m,
        .v = row->moments > 1 ? f->v : NULL,
        .scratch = row->scratch ? f->scratch : NULL,
        .g = f->g,
        .lr = lr,
        .grad_norm = grad_norm,
        .step = step,
        .moments_since = moments_since,
        .team = team,
        .tensors = f->tensors,
        .ratios = f->asks,
    });
}

/* ---- Plain optimizers ---- */

/* One weight and its moments. */
typedef struct {
    double w, m, v;
} Weight;

/* `p` has neither kind of weight decay yet, but `decay`. */
static double plain_adam(Weight *x, NsPlainAdam p, double decay, double momentum)
{
    (void)momentum;
    p.l2 = decay;
    return ns_plain_adam(&p, &x->m, &x->v);
}

static double plain_adamw(Weight *x, NsPlainAdam p, double decay, double momentum)
{
    (void)momentum;
    p.decay = decay;
    return ns_plain_adam(&p, &x->m, &x->v);
}

static double plain_sgd(Weight *x, NsPlainAdam p, double decay, double momentum)
{
    x->m = momentum * x->m + p.g + decay * x->w;
    return p.lr * x->m;
}

static double plain_radam(Weight *x, NsPlainAdam p, double decay, double momentum)
{
    (void)momentum;
    double b = p.beta2, t = (double)p.t, inf = 2 / (1 - b) - 1;
    double rho = inf - 2 * t * pow(b, t) / (1 - pow(b, t)), lr = p.lr;
    if (rho > 4) p.lr *= sqrt(((rho - 4) * (rho - 2) * inf) / ((inf - 4) * (inf - 2) * rho));
    double u = plain_adam(x, p, decay, 0);
    return rho > 4 ? u : lr * x->m / (1 - pow(p.beta1, t));
}

static const struct {
    const char *key;
    double (*update)(Weight *x, NsPlainAdam p, double decay, double momentum);
} plain[] = {
    {"adam", plain_adam}, {"adamw", plain_adamw}, {"sgd", plain_sgd}, {"radam", plain_radam}};

/* Ten steps of weights, moments and sums; the moments of the second tensor are three steps younger.
 */
static void compare(size_t k, double weight_decay, double clip, double mu, unsigned scope)
{
    Fixture f;
    setup(&f, false);
    f.settings.decay_scope = scope;
    f.settings.weight_decay = weight_decay;
    f.settings.clip = clip;
    f.settings.momentum = mu;
    const int64_t moments_since[] = {0, -3, 0, 0, 0, 0};
    size_t n = f.table.size;
    g_autofree Weight *x = g_new0(Weight, n);
    for (size_t i = 0; i < n; i++) x[i].w = (double)f.w[i];

    for (int64_t step = 1; step <= STEPS; step++) {
        double lr = 0.003 * (double)step, norm = make_gradients(&f, step);
        double factor = clip > 0 && norm > clip ? clip / (norm + 1e-6) : 1;
        update(&f, plain[k].key, lr, step, norm, moments_since, NULL);
        for (size_t t = 0; t < f.table.n; t++) {
            const NsTensor *tensor = &f.table.tensors[t];
            bool covered = tensor->decay || scope == NS_DECAY_ALL ||
                           (scope == NS_DECAY_EMBEDDINGS && tensor->cols > 0);
            double weight_sq = 0, update_sq = 0, inner = 0;
            for (size_t i = tensor->offset; i < tensor->offset + ns_tensor_size(tensor); i++) {
                const NsPlainAdam p = {.beta1 = f.settings.beta1,
                                       .beta2 = f.settings.beta2,
                                       .eps = f.settings.eps * tensor->eps,
                                       .lr = lr * tensor->lr,
                                       .t = step - moments_since[t],
                                       .w = x[i].w,
                                       .g = factor * (double)f.g[i]};
                weight_sq += x[i].w * x[i].w;
                double u = plain[k].update(&x[i], p, covered ? weight_decay : 0, mu);
                update_sq += u * u;
                inner += x[i].w * u;
                x[i].w -= u;
                double scale = MAX(1.0, fabs(x[i].w));
                g_assert_cmpfloat_with_epsilon((double)f.w[i], x[i].w, 3e-6 * scale);
            }
            assert_close(f.tensors[t].weight_sq, weight_sq, 2e-5);
            assert_close(f.tensors[t].update_sq, update_sq, 2e-5);
            assert_inner(&f.tensors[t], inner, 2e-5);
        }
    }
    teardown(&f);
}

static void test_plain(gconstpointer data)
{
    size_t k = GPOINTER_TO_SIZE(data);
    compare(k, 0, 0, 0, NS_DECAY_MATRICES);
    compare(k, 0, 0, 0.9, NS_DECAY_MATRICES);
    compare(k, 0.1, 0, 0.9, NS_DECAY_MATRICES);
    compare(k, 0.1, 0, 0.9, NS_DECAY_EMBEDDINGS);
    compare(k, 0, 0.5, 0.9, NS_DECAY_MATRICES);
    compare(k, 0.1, 0.5, 0.9, NS_DECAY_ALL);
    compare(k, 0.1, 1e6, 0.9, NS_DECAY_MATRICES); /* a limit that is not reached */
}

/* ---- Gradients beside their moments ---- */

/* One update by Adam, RAdam (which moves by momentum alone yet) and AdamW, with weight decay and
 * without, of moments and gradients of these sizes. */
static void compare_ratios(const char *key, double size, double before, double eps, double decay)
{
    Fixture f;
    setup(&f, false);
    f.asks = true;
    f.settings.eps = eps;
    f.settings.weight_decay = decay;
    f.settings.clip = 0.5;
    const int64_t moments_since[] = {0, 2, 0, 1, 0, 0}; /* the vector's moments are new */
    double norm = make_gradients(&f, 1), clip = 0.5 / (size * norm + 1e-6);
    if (size * norm < 0.5) clip = 1;
    for (size_t i = 0; i < f.table.size; i++) {
        f.g[i] = (ns_real)(size * (double)f.g[i]);
        double moment = before * before * (1.1 + sin((double)i));
        /* As an update would have stored it. */
        f.v[i] = i % 7 && moment >= (double)FLT_MIN ? (ns_real)moment : 0;
    }
    g_autofree ns_real *old = g_memdup2(f.v, f.table.size * sizeof *old);
    g_autofree ns_real *w = g_memdup2(f.w, f.table.size * sizeof *w);
    update(&f, key, 1e-3, 3, size * norm, moments_since, NULL);

    bool pulls = !g_str_equal(key, "adamw");
    for (size_t t = 0; t < f.table.n; t++) {
        const NsTensor *tensor = &f.table.tensors[t];
        double sum = 0, most = 0, least = fmax(pow(eps * tensor->eps, 2), 0x1p-126);
        double age = (double)(3 - moments_since[t]);
        for (size_t i = tensor->offset; i < tensor->offset + ns_tensor_size(tensor); i++) {
            double x = clip * (double)f.g[i];
            if (pulls && tensor->decay) x += decay * (double)w[i];
            double after = (0.98 * (double)old[i] + 0.02 * x * x) / (1 - pow(0.98, age));
            sum += x * x / fmax(after, least);
            most = fmax(most, x * x / fmax((double)old[i] / (1 - pow(0.98, age - 1)), least));
        }
        assert_close(f.tensors[t].ratio_sum, sum, 1e-5);
        if (t == 1)
            g_assert_cmpfloat(f.tensors[t].ratio_max, ==, -1);
        else
            assert_close(f.tensors[t].ratio_max, most, 1e-5);
    }
    teardown(&f);
}

static void test_ratios(void)
{
    static const double sizes[] = {1e-33, 1e-25, 1e-18, 1e-12, 1e-7, 1e-3, 1, 100, 1e8, 1e16};
    static const double epsilons[] = {1e-16, 1e-8, 1e-3, 1};
    static const char *const keys[] = {"adam", "adamw", "radam"};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        for (size_t j = 0; j < G_N_ELEMENTS(sizes); j++)
            /* What falls by so much has a ratio of 0. */
            for (size_t k = 0; k < G_N_ELEMENTS(epsilons) && sizes[i] > 1e-47 * sizes[j] * sizes[j];
                 k++)
                compare_ratios(keys[(i + j) % 3], sizes[i], sizes[j], epsilons[k], 0);
    for (size_t k = 0; k < G_N_ELEMENTS(keys); k++) compare_ratios(keys[k], 1, 0.1, 1e-8, 0.1);
}

/* Whoever asks for ratios changes nothing else; where moments overflow, a spike is still one. */
static void test_asking(gconstpointer data)
{
    Fixture f, asked;
    setup(&f, true);
    setup(&asked, true);
    asked.asks = true;
    f.settings.weight_decay = asked.settings.weight_decay = 0.1;
    for (int64_t step = 1; step <= 8; step++) {
        double norm = make_gradients(&f, step);
        memcpy(asked.g, f.g, f.table.size * sizeof *f.g);
        update(&f, data, 0.01, step, norm, NULL, NULL);
        update(&asked, data, 0.01, step, norm, NULL, NULL);
    }
    size_t arena = f.table.size * sizeof(ns_real);
    assert_same(f.w, asked.w, arena);
    assert_same(f.m, asked.m, arena);
    assert_same(f.v, asked.v, arena);
    for (size_t t = 0; t < f.table.n; t++) {
        g_assert_cmpfloat(f.tensors[t].update_sq, ==, asked.tensors[t].update_sq);
        g_assert_cmpfloat(f.tensors[t].ratio_sum, ==, -1);
    }

    asked.g[asked.table.tensors[0].offset + 1] = (ns_real)1e25;
    asked.g[asked.table.tensors[2].offset + 1] = (ns_real)NAN;
    update(&asked, data, 0.01, 9, 1, NULL, NULL);
    g_assert_cmpfloat(asked.tensors[0].ratio_max, >, 1e20);
    g_assert_true(isfinite(asked.tensors[1].ratio_sum) && isfinite(asked.tensors[1].ratio_max));
    g_assert_true(isnan(asked.tensors[2].ratio_sum) && isnan(asked.tensors[2].ratio_max));
    teardown(&f);
    teardown(&asked);
}

static void test_decoupled(void)
{
    /* Without a gradient AdamW shrinks what decays by 1 - lr lambda, Adam's step has a size of its
     * own, and neither touches what does not decay. */
    for (int k = 0; k < 2; k++) {
        Fixture f;
        setup(&f, false);
        f.settings.weight_decay = 0.5;
        size_t vector = f.table.tensors[1].offset + 1, tall = f.table.tensors[2].offset + 1;
        double before = (double)f.w[vector], decays = (double)f.w[tall];
        update(&f, k ? "adamw" : "adam", 0.01, 1, 0, NULL, NULL);
        g_assert_cmpfloat((double)f.w[vector], ==, before);
        double expected = k ? decays * (1 - 0.01 * 0.5) : decays - copysign(0.01, decays);
        assert_close((double)f.w[tall], expected, 1e-5);
        teardown(&f);
    }
}

/* ---- Muon ---- */

/* Newton-Schulz by three nested loops, in double. */
static void plain_orthogonalize(double *x, size_t rows, size_t cols)
{
    size_t n = rows * cols;
    bool tall = rows > cols;
    size_t S = MIN(rows, cols), L = MAX(rows, cols);
    g_autofree double *y = g_new(double, n), *gram = g_new(double, S *S);
    g_autofree double *poly = g_new(double, S *S);
    double norm = 0;
    for (size_t i = 0; i < n; i++) norm += x[i] * x[i];
    norm = sqrt(norm) + 1e-7;
    /* y: [S, L], the wide one. */
    for (size_t r = 0; r < S; r++)
        for (size_t c = 0; c < L; c++) y[r * L + c] = x[tall ? c * cols + r : r * cols + c] / norm;
    for (int k = 0; k < 5; k++) {
        g_autofree double *next = g_new(double, n);
        for (size_t a = 0; a < S; a++)
            for (size_t b = 0; b < S; b++) {
                gram[a * S + b] = 0;
                for (size_t c = 0; c < L; c++) gram[a * S + b] += y[a * L + c] * y[b * L + c];
            }
        for (size_t a = 0; a < S; a++)
            for (size_t b = 0; b < S; b++) {
                poly[a * S + b] = -4.7750 * gram[a * S + b];
                for (size_t c = 0; c < S; c++)
                    poly[a * S + b] += 2.0315 * gram[a * S + c] * gram[c * S + b];
            }
        for (size_t a = 0; a < S; a++)
            for (size_t c = 0; c < L; c++) {
                next[a * L + c] = 3.4445 * y[a * L + c];
                for (size_t b = 0; b < S; b++) next[a * L + c] += poly[a * S + b] * y[b * L + c];
            }
        memcpy(y, next, n * sizeof *y);
    }
    for (size_t r = 0; r < S; r++)
        for (size_t c = 0; c < L; c++) x[tall ? c * cols + r : r * cols + c] = y[r * L + c];
}

static void test_orthogonalize(void)
{
    static const size_t shapes[][2] = {{5, 5}, {12, 4}, {4, 12}, {1, 9}, {9, 1}, {40, 33}};
    for (size_t s = 0; s < G_N_ELEMENTS(shapes); s++) {
        size_t rows = shapes[s][0], cols = shapes[s][1], n = rows * cols, S = MIN(rows, cols);
        g_autofree ns_real *x = g_new(ns_real, n);
        g_autofree ns_real *scratch = g_new(ns_real, ns_orthogonal_scratch(rows, cols));
        g_autofree double *expected = g_new(double, n);
        for (size_t i = 0; i < n; i++)
            expected[i] = (double)(x[i] = (ns_real)sin((double)(i * i) + 0.3 * (double)i));
        ns_orthogonalize(x, rows, cols, scratch);
        plain_orthogonalize(expected, rows, cols);
        for (size_t i = 0; i < n; i++)
            g_assert_cmpfloat_with_epsilon((double)x[i], expected[i], 1e-4);
        /* Every singular value is near 1, so their squares add up to about the shorter side. */
        double sq = 0;
        for (size_t i = 0; i < n; i++) sq += (double)x[i] * (double)x[i];
        g_assert_cmpfloat(sq, >, 0.4 * (double)S);
        g_assert_cmpfloat(sq, <, 1.5 * (double)S);
    }
}

static void test_muon(void)
{
    Fixture f, rest;
    setup(&f, false);
    setup(&rest, false);
    f.settings.momentum = rest.settings.momentum = 0.9;
    f.settings.weight_decay = rest.settings.weight_decay = 0.1;
    f.settings.clip = rest.settings.clip = 0.5;
    size_t size = f.table.size;
    g_autofree double *w = g_new(double, size), *m = g_new0(double, size);
    for (size_t i = 0; i < size; i++) w[i] = (double)f.w[i];

    for (int64_t step = 1; step <= STEPS; step++) {
        double norm = make_gradients(&f, step);
        make_gradients(&rest, step);
        update(&f, "muon", 0.02, step, norm, NULL, NULL);
        update(&rest, "adamw", 0.02, step, norm, NULL, NULL);
        for (size_t t = 0; t < f.table.n; t++) {
            const NsTensor *tensor = &f.table.tensors[t];
            size_t n = ns_tensor_size(tensor), o = tensor->offset;
            if (tensor->layer < 0 || !tensor->cols) {
                assert_same(f.w + o, rest.w + o, n * sizeof *f.w);
                continue;
            }
            double factor = 0.5 / (norm + 1e-6), lr = 0.02 * tensor->lr;
            double shape = sqrt(MAX(1.0, (double)tensor->rows / (double)tensor->cols));
            g_autofree double *x = g_new(double, n);
            for (size_t i = 0; i < n; i++) {
                double g = factor * (double)f.g[o + i];
                m[o + i] = 0.9 * m[o + i] + g;
                x[i] = g + 0.9 * m[o + i];
            }
            plain_orthogonalize(x, tensor->rows, tensor->cols);
            double update_sq = 0, inner = 0;
            for (size_t i = 0; i < n; i++) {
                double u = lr * shape * x[i] + lr * 0.1 * w[o + i];
                update_sq += u * u;
                inner += w[o + i] * u;
                w[o + i] -= u;
                g_assert_cmpfloat_with_epsilon((double)f.w[o + i], w[o + i], 2e-5);
            }
            assert_close(f.tensors[t].update_sq, update_sq, 1e-4);
            assert_inner(&f.tensors[t], inner, 1e-4);
        }
    }
    teardown(&f);
    teardown(&rest);
}

/* The matrices of the layers keep their norms, and a step is the formula of Wen et
 * al. 2026 with the direction of Adam or of Muon, computed in double; the rest is updated by AdamW.
 */
static void test_held(gconstpointer key)
{
    Fixture f, rest;
    setup(&f, false);
    setup(&rest, false);
    f.settings.momentum = rest.settings.momentum = 0.9;
    f.settings.weight_decay = rest.settings.weight_decay = 0.1;
    size_t size = f.table.size;
    g_autofree double *x = g_new(double, size), *m = g_new0(double, size),
                      *v = g_new0(double, size);
    g_autofree ns_real *start = g_memdup2(f.w, size * sizeof *f.w);
    g_autofree ns_real *before = g_new(ns_real, size);
    for (int64_t step = 1; step <= 200; step++) {
        double norm = make_gradients(&f, step);
        make_gradients(&rest, step);
        memcpy(before, f.w, size * sizeof *before);
        update(&f, key, 0.02, step, norm, NULL, NULL);
        update(&rest, "adamw", 0.02, step, norm, NULL, NULL);
        for (size_t t = 0; t < f.table.n; t++) {
            const NsTensor *tensor = &f.table.tensors[t];
            size_t n = ns_tensor_size(tensor), o = tensor->offset;
            if (tensor->layer < 0 || !tensor->cols) {
                assert_same(f.w + o, rest.w + o, n * sizeof *f.w);
                continue;
            }
            double held = ns_real_norm(before + o, n), square = 0, update_sq = 0, inner = 0;
            for (size_t i = o; i < o + n; i++) {
                double g = (double)f.g[i];
                m[i] = g_str_equal(key, "adamh") ? 0.9 * m[i] + 0.1 * g : 0.9 * m[i] + g;
                v[i] = 0.98 * v[i] + 0.02 * g * g;
                x[i] = g_str_equal(key, "adamh")
                           ? m[i] / (1 - pow(0.9, (double)step)) /
                                 (sqrt(v[i] / (1 - pow(0.98, (double)step))) + 1e-8 * tensor->eps)
                           : g + 0.9 * m[i];
            }
            if (g_str_equal(key, "muonh")) plain_orthogonalize(x + o, tensor->rows, tensor->cols);
            double length = 0, lr = 0.02 * tensor->lr;
            for (size_t i = o; i < o + n; i++) length += x[i] * x[i];
            for (size_t i = o; i < o + n; i++) {
                x[i] = (double)before[i] - lr * held * x[i] / sqrt(length);
                square += x[i] * x[i];
            }
            for (size_t i = o; i < o + n; i++) {
                double expected = held * x[i] / sqrt(square);
                g_assert_cmpfloat_with_epsilon((double)f.w[i], expected, 2e-6);
                update_sq += pow(expected - (double)before[i], 2);
                inner += (double)before[i] * ((double)before[i] - expected);
            }
            assert_close(f.tensors[t].update_sq, update_sq, 1e-4);
            assert_inner(&f.tensors[t], inner, 1e-4);
            assert_close(ns_real_norm(f.w + o, n), ns_real_norm(start + o, n), 1e-6);
        }
    }
    teardown(&f);
    teardown(&rest);
}

/* ---- All of them ---- */

static void test_threads(gconstpointer data)
{
    const char *key = data;
    /* The iteration over a matrix of this size is not what this test is about. */
    bool muon = g_str_has_prefix(key, "muon");
    Fixture one, many;
    NsTeam *team = ns_team_new(MANY_THREADS);
    setup(&one, !muon);
    setup(&many, !muon);
    one.settings.weight_decay = many.settings.weight_decay = 0.1;
    one.asks = many.asks = optimizer(key)->adam_moments;
    for (int64_t step = 1; step <= 8; step++) {
        double norm = make_gradients(&one, step);
        memcpy(many.g, one.g, one.table.size * sizeof *one.g);
        update(&one, key, 0.01, step, norm, NULL, NULL);
        update(&many, key, 0.01, step, norm, NULL, team);
    }
    size_t arena = one.table.size * sizeof(ns_real);
    assert_same(one.w, many.w, arena);
    assert_same(one.m, many.m, arena);
    assert_same(one.v, many.v, arena);
    assert_same(one.tensors, many.tensors, one.table.n * sizeof *one.tensors);
    ns_team_free(team);
    teardown(&one);
    teardown(&many);
}

static void test_not_finite(gconstpointer data)
{
    Fixture f;
    setup(&f, false);
    /* Late enough that RAdam moves. */
    make_gradients(&f, 20);
    f.g[f.table.tensors[2].offset + 5] = (ns_real)NAN;
    f.w[f.table.tensors[3].offset + 6] = (ns_real)INFINITY;
    update(&f, data, 0.01, 20, 1, NULL, NULL);
    g_assert_true(isfinite(f.tensors[0].update_sq) && isfinite(f.tensors[0].weight_sq));
    g_assert_true(isfinite(f.tensors[1].update_sq) && isfinite(f.tensors[1].weight_sq));
    g_assert_true(isnan(f.tensors[2].update_sq) && isfinite(f.tensors[2].weight_sq));
    /* The update of a matrix whose norm is held is as large as its norm. */
    bool held = g_str_has_suffix(data, "h");
    g_assert_true((held || isfinite(f.tensors[3].update_sq)) && isinf(f.tensors[3].weight_sq));
    teardown(&f);
}

/* ---- Clipping, rectification ---- */

static void test_clip(void)
{
    g_assert_cmpfloat(ns_clip_factor(0, 1e9), ==, 1);
    g_assert_cmpfloat(ns_clip_factor(1, 0.5), ==, 1);
    assert_close(ns_clip_factor(1, 4), 1 / 4.000001, 1e-15);

    /* What an update uses has the norm of the limit; what was measured is not touched. */
    Fixture f;
    setup(&f, false);
    f.settings.clip = 0.25;
    double norm = make_gradients(&f, 1);
    g_assert_cmpfloat(norm, >, 1);
    g_autofree ns_real *before = g_memdup2(f.g, f.table.size * sizeof *f.g);
    update(&f, "sgd", 1, 1, norm, NULL, NULL);
    assert_same(f.g, before, f.table.size * sizeof *f.g);
    double sq = 0;
    for (size_t i = 0; i < f.table.size; i++) sq += (double)f.m[i] * (double)f.m[i];
    assert_close(sqrt(sq), 0.25, 1e-5);
    teardown(&f);
}

/* At beta2 = 0.98, rho_inf is 99 and rho_t is first above 4 at the fifth update. */
static void test_radam(void)
{
    for (int64_t t = 1; t <= 4; t++) g_assert_cmpfloat(ns_radam_rectification(0.98, t), ==, 0);
    double rho = 99 - 10 * pow(0.98, 5) / (1 - pow(0.98, 5));
    g_assert_cmpfloat(rho, >, 4);
    g_assert_cmpfloat(rho, <, 5);
    assert_close(ns_radam_rectification(0.98, 5),
                 sqrt((rho - 4) * (rho - 2) * 99 / (95.0 * 97.0 * rho)), 1e-9);
    assert_close(ns_radam_rectification(0.98, 100000), 1, 1e-9);
    g_assert_cmpfloat(ns_radam_rectification(0.5, 100000), ==, 0); /* rho_inf = 3 */

    /* Until then the weights move by lr m-hat, which at first is the gradient; there is no 0 / 0
     * where there is no epsilon and no gradient. */
    Fixture f;
    setup(&f, false);
    f.settings.eps = 0;
    g_autofree ns_real *before = g_memdup2(f.w, f.table.size * sizeof *f.w);
    update(&f, "radam", 0.5, 1, make_gradients(&f, 1), NULL, NULL);
    bool moved = false, zero = false;
    for (size_t i = 0; i < ns_tensor_size(&f.table.tensors[0]); i++) {
        double scale = MAX(1.0, fabs((double)f.g[i]));
        g_assert_cmpfloat_with_epsilon((double)(before[i] - f.w[i]), 0.5 * (double)f.g[i],
                                       1e-6 * scale);
        moved |= fabs((double)f.g[i]) > 0.1;
        zero |= !(fabs((double)f.g[i]) > 0);
    }
    g_assert_true(moved && zero);
    for (int64_t step = 2; step <= 4; step++) {
        update(&f, "radam", 1, step, make_gradients(&f, step), NULL, NULL);
        g_assert_cmpfloat(f.tensors[0].update_sq, >, 0);
    }
    teardown(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ns_gemm_init(NULL);
    for (size_t k = 0; k < G_N_ELEMENTS(plain); k++) {
        g_autofree char *path = g_strdup_printf("/optimizer/%s", plain[k].key);
        g_test_add_data_func(path, GSIZE_TO_POINTER(k), test_plain);
    }
    g_test_add_func("/optimizer/ratios", test_ratios);
    for (size_t i = 0; ns_optimizer(i); i++) {
        if (!ns_optimizer(i)->adam_moments) continue;
        g_autofree char *path =
            g_strdup_printf("/optimizer/asking/%s", ns_optimizer(i)->choice.key);
        g_test_add_data_func(path, ns_optimizer(i)->choice.key, test_asking);
    }
    g_test_add_func("/optimizer/decoupled", test_decoupled);
    g_test_add_func("/optimizer/muon", test_muon);
    g_test_add_func("/optimizer/orthogonalize", test_orthogonalize);
    g_test_add_data_func("/optimizer/held/adamh", "adamh", test_held);
    g_test_add_data_func("/optimizer/held/muonh", "muonh", test_held);
    for (size_t i = 0; ns_optimizer(i); i++) {
        const char *key = ns_optimizer(i)->choice.key;
        g_autofree char *threads = g_strdup_printf("/optimizer/threads/%s", key);
        g_autofree char *finite = g_strdup_printf("/optimizer/not-finite/%s", key);
        g_test_add_data_func(threads, key, test_threads);
        g_test_add_data_func(finite, key, test_not_finite);
    }
    g_test_add_func("/optimizer/clip", test_clip);
    g_test_add_func("/optimizer/rectification", test_radam);
    return g_test_run();
}
