/* Norms against plain loops in double; in both precisions.  SPDX-License-Identifier: MIT */
#include "core/base/rng.h"
#include "core/ops/norm.h"
#include "core/ops/plain.h"

#include <float.h>
#include <math.h>
#include <string.h>

#ifdef NS_DOUBLE
#define ROUNDING DBL_EPSILON
#else
#define ROUNDING ((double)FLT_EPSILON)
#endif

enum { R = 37, C = 300 }; /* at most */

/* What a norm reads and writes, and the same in double. */
typedef struct {
    const NsNorm *norm;
    NsNormPass pass;
    ns_real x[R * C], y[R * C], dx[R * C], dy[R * C], gain[C], bias[C], alpha[1];
    ns_real dgain[C], dbias[C], dalpha[1], stats[2 * MAX(R, C)], running[2 * C];
    double plain_y[R * C], plain_dx[R * C], plain_dgain[C], plain_dbias[C], plain_dalpha;
} Case;

static void fill(ns_real *x, size_t n, double mean, double std, uint64_t stream)
{
    NsRng rng;
    ns_rng_init(&rng, 11, stream);
    for (size_t i = 0; i < n; i++) x[i] = (ns_real)(mean + std * ns_rng_normal(&rng));
}

static const NsNorm *named(const char *key)
{
    return ns_norm((size_t)ns_choices_find(ns_norm_choice, key));
}

static Case *make(const NsNorm *norm, size_t rows, size_t features, double mean)
{
    Case *t = g_new0(Case, 1);
    t->norm = norm;
    t->pass = (NsNormPass){.R = rows,
                           .C = features,
                           .eps = (ns_real)1e-5,
                           .gain = t->gain,
                           .bias = t->bias,
                           .alpha = t->alpha,
                           .stats = t->stats,
                           .running = t->running};
    fill(t->x, R * C, mean, 1, 1);
    fill(t->dy, R * C, 0, 1, 2);
    fill(t->gain, C, 1, 0.3, 3);
    fill(t->bias, C, 0, 1, 4);
    fill(t->dgain, C, 0, 1, 5);
    fill(t->dbias, C, 0, 1, 6);
    t->alpha[0] = (ns_real)0.5;
    return t;
}

/* One group of n values that share their statistics, `stride` apart: LayerNorm's row, BatchNorm's
 * feature. */
static void plain_group(Case *t, size_t first, size_t stride, size_t n, bool centered)
{
    bool feature = t->norm->stats == NS_STATS_FEATURES;
    size_t at[MAX(R, C)], count = 0;
    for (size_t k = 0; k < n; k++)
        if (!feature || !t->pass.live || t->pass.live[k]) at[count++] = first + k * stride;
    double x[MAX(R, C)], gain[MAX(R, C)], bias[MAX(R, C)], dy[MAX(R, C)];
    double y[MAX(R, C)], dx[MAX(R, C)], dgain[MAX(R, C)];
    for (size_t k = 0; k < count; k++) {
        x[k] = (double)t->x[at[k]];
        dy[k] = (double)t->dy[at[k]];
        gain[k] = (double)t->gain[at[k] % t->pass.C];
        bias[k] = (double)t->bias[at[k] % t->pass.C];
    }
    const NsPlainNorm p = {count,   x, gain, t->norm->bias ? bias : NULL, (double)t->pass.eps,
                           centered};
    ns_plain_norm(&p, y);
    ns_plain_norm_backward(&p, dy, dx, dgain);
    for (size_t k = 0; k < count; k++) {
        t->plain_y[at[k]] = y[k];
        t->plain_dx[at[k]] = dx[k];
        t->plain_dgain[at[k] % t->pass.C] += dgain[k];
        t->plain_dbias[at[k] % t->pass.C] += dy[k];
    }
}

static void plain_scalenorm(Case *t)
{
    for (size_t r = 0; r < t->pass.R; r++) {
        size_t n = t->pass.C, first = r * n;
        double squares = 0, dot = 0, g = (double)t->gain[0];
        for (size_t i = first; i < first + n; i++) {
            squares += (double)t->x[i] * (double)t->x[i];
            dot += (double)t->dy[i] * (double)t->x[i];
        }
        double length = sqrt(squares);
        t->plain_dgain[0] += dot / length;
        for (size_t i = first; i < first + n; i++) {
            t->plain_y[i] = g * (double)t->x[i] / length;
            t->plain_dx[i] = g / length * ((double)t->dy[i] - (double)t->x[i] * dot / squares);
        }
    }
}

static void plain_dyt(Case *t)
{
    double alpha = (double)t->alpha[0];
    for (size_t i = 0; i < t->pass.R * t->pass.C; i++) {
        size_t c = i % t->pass.C;
        double x = (double)t->x[i], dy = (double)t->dy[i], s = tanh(alpha * x);
        double g = dy * (double)t->gain[c] * (1 - s * s);
        t->plain_y[i] = (double)t->gain[c] * s + (double)t->bias[c];
        t->plain_dgain[c] += dy * s;
        t->plain_dbias[c] += dy;
        t->plain_dalpha += g * x;
        t->plain_dx[i] = alpha * g;
    }
}

static void plain(Case *t)
{
    const char *key = t->norm->choice.key;
    for (size_t c = 0; c < C; c++) {
        t->plain_dgain[c] = (double)t->dgain[c];
        t->plain_dbias[c] = (double)t->dbias[c];
    }
    if (g_str_equal(key, "scalenorm"))
        plain_scalenorm(t);
    else if (g_str_equal(key, "dyt"))
        plain_dyt(t);
    else if (t->norm->stats == NS_STATS_FEATURES)
        for (size_t c = 0; c < t->pass.C; c++) plain_group(t, c, t->pass.C, t->pass.R, true);
    else
        for (size_t r = 0; r < t->pass.R; r++)
            plain_group(t, r * t->pass.C, 1, t->pass.C, g_str_equal(key, "layernorm"));
}

static void compare(const Case *t, const char *what, const ns_real *seen, const double *expected,
                    size_t n, double tolerance)
{
    double size = 1;
    for (size_t i = 0; i < n; i++) size = MAX(size, fabs(expected[i]));
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)seen[i] - expected[i]) <= tolerance * size)) {
            g_test_message("%s of %s, %zu rows of %zu: [%zu] = %.9g, not %.9g", what,
                           t->norm->choice.key, t->pass.R, t->pass.C, i, (double)seen[i],
                           expected[i]);
            g_test_fail();
            return;
        }
}

static void check(Case *t, double tolerance)
{
    size_t n = t->pass.R * t->pass.C;
    plain(t);
    t->norm->forward(&t->pass, t->y, t->x);
    t->norm->backward(&t->pass,
                      &(NsNormGradients){.gain = t->norm->gain ? t->dgain : NULL,
                                         .bias = t->norm->bias ? t->dbias : NULL,
                                         .alpha = t->norm->alpha ? t->dalpha : NULL},
                      t->dx, t->dy, t->x);
    for (size_t i = 0; i < n; i++)
        if (t->pass.live && !t->pass.live[i / t->pass.C]) t->plain_y[i] = (double)t->y[i];
    compare(t, "y", t->y, t->plain_y, n, tolerance);
    compare(t, "dx", t->dx, t->plain_dx, n, tolerance);
    compare(t, "dgain", t->dgain, t->plain_dgain, t->norm->scalar ? 1 : t->pass.C, tolerance);
    if (t->norm->bias) compare(t, "dbias", t->dbias, t->plain_dbias, t->pass.C, tolerance);
    /* A sum of all elements, of any sign. */
    if (t->norm->alpha)
        compare(t, "dalpha", t->dalpha, &t->plain_dalpha, 1, tolerance * sqrt((double)n));
}

/* Numbers of rows and features that are no multiples of anything. */
static void test_shapes(void)
{
    static const size_t rows[] = {1, 2, 3, 4, 5, 8, 16, 17, R};
    static const size_t features[] = {1, 2, 5, 15, 16, 17, 31, 32, 48, 63, 64, 65, 100, 256, C};
    for (size_t k = 0; ns_norm(k); k++)
        for (size_t i = 0; i < G_N_ELEMENTS(rows) && ns_norm(k)->forward; i++)
            for (size_t j = 0; j < G_N_ELEMENTS(features); j++) {
                /* With one value in a group its norm is 0, and the rest rounding times 300. */
                bool alone = ns_norm_over_batch(ns_norm(k)) ? rows[i] < 3 : features[j] < 3;
                if (alone) continue;
                g_autofree Case *t = make(ns_norm(k), rows[i], features[j], 0.3);
                check(t, 64 * ROUNDING);
            }
}

/* Rows that lie far from 0, and rows without any spread. */
static void test_far(void)
{
    static const char *const keys[] = {"layernorm", "batchnorm"};
    for (size_t k = 0; k < G_N_ELEMENTS(keys); k++) {
        /* The mean that is kept is a real, and the values lie 1000 sigma from 0. */
        g_autofree Case *t = make(named(keys[k]), 33, 48, 1000);
        check(t, 4000 * ROUNDING);
        g_autofree Case *flat = make(named(keys[k]), 33, 48, 0);
        for (size_t i = 0; i < 33 * 48; i++) flat->x[i] = (ns_real)123456.789;
        flat->norm->forward(&flat->pass, flat->y, flat->x);
        size_t groups = ns_norm_over_batch(flat->norm) ? 48 : 33;
        for (size_t i = 0; i < groups; i++) {
            g_assert_cmpfloat(flat->stats[2 * i], ==, flat->x[0]);
            g_assert_cmpfloat_with_epsilon((double)flat->stats[2 * i + 1], 1 / sqrt(1e-5), 1e-3);
        }
        for (size_t i = 0; i < 33 * 48; i++) g_assert_cmpfloat(flat->y[i], ==, flat->bias[i % 48]);
    }
}

static void test_padding(void)
{
    bool live[R];
    for (size_t r = 0; r < R; r++) live[r] = r % 3 == 1;
    g_autofree Case *t = make(named("batchnorm"), R, 50, 2);
    t->pass.live = live;
    for (size_t i = 0; i < R * 50; i++)
        if (!live[i / 50]) t->dy[i] = 0;
    check(t, 64 * ROUNDING);
    for (size_t i = 0; i < R * 50; i++)
        if (!live[i / 50]) g_assert_cmpfloat(t->dx[i], ==, 0);
}

/* A row that is not finite stays so and leaves the others alone; so does a feature of BatchNorm. */
static void test_broken(void)
{
    enum { rows = 9, features = 37 };
    for (size_t k = 0; ns_norm(k); k++)
        for (size_t at = 0; at < rows * features && ns_norm(k)->forward; at += 5) {
            g_autofree Case *t = make(ns_norm(k), rows, features, 0);
            t->x[at] = (ns_real)NAN;
            t->norm->forward(&t->pass, t->y, t->x);
            for (size_t i = 0; i < rows * features; i++) {
                bool same = i == at;
                if (t->norm->stats == NS_STATS_ROWS) same = i / features == at / features;
                if (t->norm->stats == NS_STATS_FEATURES) same = i % features == at % features;
                g_assert_true(isnan(t->y[i]) == same);
            }
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/norm/shapes", test_shapes);
    g_test_add_func("/norm/far", test_far);
    g_test_add_func("/norm/padding", test_padding);
    g_test_add_func("/norm/broken", test_broken);
    return g_test_run();
}
