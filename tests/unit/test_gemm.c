/* Matrix products against a plain loop in double, by every kernel.  SPDX-License-Identifier: MIT
 *
 * The operands end where a page that must not be touched begins, what lies between their rows is
 * NaN, and so is C where it must not be read. */
#include "core/ops/gemm.h"
#include "core/ops/gemm_tiled.h"
#include "core/ops/plain.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef NS_DOUBLE
#define EPSILON DBL_EPSILON
#else
#define EPSILON ((double)FLT_EPSILON)
#endif

/* Who multiplies: ns_gemm, OpenBLAS, or the kernels for that set less FIRST_KERNELS. */
enum { CHOICE, OPENBLAS, FIRST_KERNELS };

static void multiply(size_t who, const NsGemm *g)
{
    if (who == CHOICE)
        ns_gemm(g);
    else if (who == OPENBLAS)
        ns_gemm_openblas(g);
    else
        ns_gemm_tiled(ns_gemm_kernels((NsInstructions)(who - FIRST_KERNELS)), g);
}

/* Room for `most` elements, then a page without access. */
typedef struct {
    ns_real *end;
    void *pages;
    size_t bytes;
} Guarded;

static Guarded guarded(size_t most)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    Guarded g = {.bytes = (most * sizeof(ns_real) / page + 2) * page};
    g.pages = mmap(NULL, g.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    g_assert_true(g.pages != MAP_FAILED);
    g_assert_cmpint(mprotect((char *)g.pages + g.bytes - page, page, PROT_NONE), ==, 0);
    g.end = (ns_real *)(void *)((char *)g.pages + g.bytes - page);
    return g;
}

/* A matrix of `rows` x `columns` of which each row but the last is followed by NaNs. */
static ns_real *random_matrix(GRand *random, const Guarded *room, size_t rows, size_t columns,
                              size_t ld)
{
    ns_real *m = room->end - (rows ? (rows - 1) * ld + columns : 0);
    for (ns_real *x = m; x < room->end; x++) *x = (ns_real)NAN;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++)
            m[r * ld + c] = (ns_real)g_rand_double_range(random, -1, 1);
    return m;
}

static ns_real a_at(const NsGemm *g, size_t m, size_t k)
{
    return g->ta ? g->A[k * g->lda + m] : g->A[m * g->lda + k];
}

static ns_real b_at(const NsGemm *g, size_t k, size_t n)
{
    return g->tb ? g->B[n * g->ldb + k] : g->B[k * g->ldb + n];
}

/* Compares C with what it was and with the product; `before`, `after`: `total` elements around it.
 */
static void check_product(const NsGemm *g, const ns_real *before, const ns_real *after,
                          size_t total)
{
    size_t offset = (size_t)(g->C - after);
    NsGemm plain = *g;
    plain.C = (ns_real *)(uintptr_t)(before + offset); /* which is only read */
    for (size_t i = 0; i < total; i++) {
        bool inside = i >= offset && (i - offset) / g->ldc < g->M && (i - offset) % g->ldc < g->N;
        if (!inside) g_assert_true(memcmp(&before[i], &after[i], sizeof *before) == 0);
    }
    for (size_t m = 0; m < g->M; m++)
        for (size_t n = 0; n < g->N; n++) {
            double old = g->beta != 0 ? (double)(g->beta * before[offset + m * g->ldc + n]) : 0;
            double size = fabs(old) + (g->bias ? fabs((double)g->bias[n]) : 0);
            for (size_t k = 0; g->alpha != 0 && k < g->K; k++)
                size += fabs((double)(g->alpha * a_at(g, m, k) * b_at(g, k, n)));
            double error = fabs((double)g->C[m * g->ldc + n] - ns_plain_gemm(&plain, m, n));
            double bound = EPSILON * ((double)g->K + 4) * size;
            if (!(error <= bound))
                g_error(
                    "M %zu N %zu K %zu ta %d tb %d alpha %g beta %g bias %d: C[%zu][%zu] is off "
                    "by %g",
                    g->M, g->N, g->K, g->ta, g->tb, (double)g->alpha, (double)g->beta,
                    g->bias != NULL, m, n, error);
        }
}

enum { MOST = 700 * 1100, MARGIN = 40 };

typedef struct {
    GRand *random;
    Guarded a, b, bias;
    ns_real *before, *after;
    size_t who;
} Rig;

static void rig_init(Rig *t, const void *who)
{
    *t = (Rig){.random = g_rand_new_with_seed(1),
               .a = guarded(MOST),
               .b = guarded(MOST),
               .bias = guarded(MOST),
               .before = g_new(ns_real, MOST),
               .after = g_new(ns_real, MOST),
               .who = GPOINTER_TO_SIZE(who)};
}

static void rig_clear(Rig *t)
{
    g_rand_free(t->random);
    munmap(t->a.pages, t->a.bytes);
    munmap(t->b.pages, t->b.bytes);
    munmap(t->bias.pages, t->bias.bytes);
    g_free(t->before);
    g_free(t->after);
}

/* One product of that shape with strides, factors and transpositions drawn at random. */
static void check_shape(Rig *t, size_t M, size_t N, size_t K)
{
    static const ns_real factors[] = {1, 1, 0, (ns_real)-0.75};
    GRand *random = t->random;
    bool ta = g_rand_boolean(random), tb = g_rand_boolean(random);
    bool apart = g_rand_boolean(random);
    NsGemm g = {.ta = ta, .tb = tb, .M = M, .N = N, .K = K};
    g.lda = MAX(1, (ta ? M : K)) + (apart ? (size_t)g_rand_int_range(random, 0, 20) : 0);
    g.ldb = MAX(1, (tb ? K : N)) + (apart ? (size_t)g_rand_int_range(random, 0, 20) : 0);
    g.ldc = MAX(1, N) + (apart ? (size_t)g_rand_int_range(random, 0, 20) : 0);
    g.alpha = factors[g_rand_int_range(random, 0, G_N_ELEMENTS(factors))];
    g.beta = factors[g_rand_int_range(random, 0, G_N_ELEMENTS(factors))];
    g.A = random_matrix(random, &t->a, ta ? K : M, ta ? M : K, g.lda);
    g.B = random_matrix(random, &t->b, tb ? N : K, tb ? K : N, g.ldb);
    if (g_rand_boolean(random)) g.bias = random_matrix(random, &t->bias, 1, N, N);
    size_t total = M * g.ldc + (size_t)(2 * MARGIN);
    g_assert_cmpuint(total, <=, MOST);
    for (size_t i = 0; i < total; i++)
        t->before[i] = g.beta != 0 ? (ns_real)g_rand_double_range(random, -1, 1) : (ns_real)NAN;
    memcpy(t->after, t->before, total * sizeof *t->after);
    g.C = t->after + g_rand_int_range(random, 0, MARGIN);
    multiply(t->who, &g);
    check_product(&g, t->before, t->after, total);
}

/* Every edge of the tiles of every kernel: one size runs, the others take values around theirs. */
static void test_small(const void *who)
{
    static const size_t others[] = {2, 16, 37};
    Rig t;
    rig_init(&t, who);
    for (size_t run = 1; run <= 70; run++)
        for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
            for (size_t j = 0; j < G_N_ELEMENTS(others); j++) {
                check_shape(&t, run, others[i], others[j]);
                check_shape(&t, others[i], run, others[j]);
                check_shape(&t, others[i], others[j], run);
            }
    for (int i = 0; i < 1000; i++)
        check_shape(&t, (size_t)g_rand_int_range(t.random, 0, 71),
                    (size_t)g_rand_int_range(t.random, 0, 71),
                    (size_t)g_rand_int_range(t.random, 0, 71));
    rig_clear(&t);
}

/* Shapes of the presets, and what is too large to be done in one block. */
static void test_large(const void *who)
{
    static const size_t shapes[][3] = {
        {512, 64, 192}, {64, 512, 96},    {1024, 128, 128}, {32, 96, 32},    {32, 128, 32},
        {128, 32, 32},  {32, 16, 64},     {128, 256, 64},   {512, 256, 70},  {300, 1000, 40},
        {40, 700, 530}, {130, 90, 1000},  {3, 1030, 600},   {600, 3, 1030},  {1, 1, 1100},
        {1, 1000, 300}, {31, 513, 257},   {257, 31, 513},   {40, 300, 1024}, {45, 140, 2048},
        {60, 250, 300}, {1024, 150, 300},
    };
    Rig t;
    rig_init(&t, who);
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++)
        for (int draw = 0; draw < 3; draw++)
            check_shape(&t, shapes[i][0], shapes[i][1], shapes[i][2]);
    rig_clear(&t);
}

/* The same bits wherever the operands lie, and in whatever larger product a row or column is. */
static void test_bits(const void *who)
{
    enum { M = 45, N = 70, K = 300, SHIFT = 17 };
    static ns_real A[M * K + SHIFT], B[K * N + SHIFT], C[M * N + SHIFT], first[M * N];
    GRand *random = g_rand_new_with_seed(2);
    for (int form = 0; form < 4; form++) {
        NsGemm g = {.ta = form & 1, .tb = form & 2, .M = M, .N = N, .K = K, .alpha = 1, .ldc = N};
        g.lda = g.ta ? M : K;
        g.ldb = g.tb ? K : N;
        for (size_t shift = 0; shift < SHIFT; shift++) {
            if (shift) {
                memmove(A + shift, A + shift - 1, M * K * sizeof *A);
                memmove(B + shift, B + shift - 1, K * N * sizeof *B);
            } else {
                for (size_t i = 0; i < M * K; i++)
                    A[i] = (ns_real)g_rand_double_range(random, -1, 1);
                for (size_t i = 0; i < K * N; i++)
                    B[i] = (ns_real)g_rand_double_range(random, -1, 1);
            }
            g.A = A + shift;
            g.B = B + shift;
            g.C = shift ? C + shift : first;
            multiply(GPOINTER_TO_SIZE(who), &g);
            if (shift) g_assert_true(memcmp(first, g.C, sizeof first) == 0);
        }
        if (GPOINTER_TO_SIZE(who) < FIRST_KERNELS) continue;
        for (size_t m = 1; m < M; m += 5)
            for (size_t n = 1; n < N; n += 7) {
                NsGemm corner = g;
                corner.M = m;
                corner.N = n;
                corner.C = C;
                multiply(GPOINTER_TO_SIZE(who), &corner);
                for (size_t i = 0; i < m; i++)
                    g_assert_true(memcmp(C + i * N, first + i * N, n * sizeof *C) == 0);
            }
    }
    g_rand_free(random);
}

/* 0 times infinity is a NaN, which stays in its row or column. */
static void test_not_finite(const void *who)
{
    enum { M = 19, N = 37, K = 21 };
    for (int form = 0; form < 4; form++) {
        ns_real A[M * K] = {0}, B[K * N] = {0}, C[M * N];
        NsGemm g = {.ta = form & 1,
                    .tb = form & 2,
                    .M = M,
                    .N = N,
                    .K = K,
                    .alpha = 1,
                    .A = A,
                    .B = B,
                    .C = C,
                    .ldc = N};
        g.lda = g.ta ? M : K;
        g.ldb = g.tb ? K : N;
        A[g.ta ? 20 * g.lda + 3 : 3 * g.lda + 20] = (ns_real)NAN;
        B[g.tb ? 5 * g.ldb + 0 : 0 * g.ldb + 5] = (ns_real)INFINITY;
        multiply(GPOINTER_TO_SIZE(who), &g);
        for (size_t m = 0; m < M; m++)
            for (size_t n = 0; n < N; n++) {
                if (m == 3 || n == 5)
                    g_assert_true(isnan(C[m * N + n]));
                else
                    g_assert_cmpfloat((double)C[m * N + n], ==, 0);
            }
    }
}

static void add(const char *who, size_t index)
{
    static const struct {
        const char *name;
        void (*run)(const void *who);
    } cases[] = {
        {"small", test_small},
        {"large", test_large},
        {"bits", test_bits},
        {"not-finite", test_not_finite},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = g_strdup_printf("/gemm/%s/%s", who, cases[i].name);
        g_test_add_data_func(path, GSIZE_TO_POINTER(index), cases[i].run);
    }
}

int main(int argc, char **argv)
{
    ns_gemm_init(NULL);
    g_test_init(&argc, &argv, NULL);
    add("choice", CHOICE);
    add("openblas", OPENBLAS);
    for (NsInstructions set = 0; set < NS_INSTRUCTIONS_COUNT; set++)
        if (ns_instructions_there(set) && ns_gemm_kernels(set))
            add(ns_instructions_choice(set)->label, FIRST_KERNELS + set);
    return g_test_run();
}
