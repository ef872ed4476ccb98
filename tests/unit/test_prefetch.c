/* Prefetching by threads and kernels.  SPDX-License-Identifier: MIT */
#include "core/experiment/param.h"
#include "core/model/model.h"
#include "core/ops/gemm.h"
#include "core/ops/gemm_tiled.h"
#include "core/ops/prefetch.h"

#include <string.h>

static uintptr_t line(const char *memory, size_t i)
{
    return (uintptr_t)memory + i * NS_PREFETCH_LINE;
}

static void test_order(void)
{
    static char a[3 * NS_PREFETCH_LINE], b[NS_PREFETCH_LINE];
    ns_prefetch_clear();
    g_assert_cmpuint(ns_prefetch_take(2), ==, 0);
    ns_prefetch_add(a, a + sizeof a);
    ns_prefetch_add(b, b); /* nothing */
    ns_prefetch_add(b, b + sizeof b);
    g_assert_cmpuint(ns_prefetch_take(2), ==, line(a, 0));
    g_assert_cmpuint(ns_prefetch_take(2), ==, line(a, 2)); /* one more than there is */
    g_assert_cmpuint(ns_prefetch_take(1), ==, line(b, 0));
    g_assert_cmpuint(ns_prefetch_take(1), ==, 0);

    /* Two have been added already. */
    for (size_t i = 0; i < NS_PREFETCH_PIECES; i++) ns_prefetch_add(a + i, a + sizeof a);
    for (size_t i = 2; i < NS_PREFETCH_PIECES; i++)
        g_assert_cmpuint(ns_prefetch_take(3), ==, (uintptr_t)(a + i - 2));
    g_assert_cmpuint(ns_prefetch_take(3), ==, 0);

    ns_prefetch_clear();
    ns_prefetch_add(a, a + sizeof a);
    ns_prefetch_clear();
    g_assert_cmpuint(ns_prefetch_take(1), ==, 0);
}

/* Lines that a product takes by the kernels in use: in every tile so many bytes for every k. */
static size_t taken(const NsGemm *g)
{
    const NsGemmKernels *kernels = ns_gemm_kernels(ns_instructions());
    if (!kernels) return 0;
    size_t rows = kernels->rows, columns = 2 * kernels->vector_lanes;
    size_t tiles = (g->M + rows - 1) / rows * ((g->N + columns - 1) / columns);
    return tiles * ((g->K * kernels->prefetch_step + NS_PREFETCH_LINE - 1) / NS_PREFETCH_LINE);
}

/* A product takes its lines, and is the same as without. */
static void test_product(void)
{
    enum { N = 32 };
    static ns_real a[(size_t)N * N], b[N * N], c[2][N * N];
    for (size_t i = 0; i < G_N_ELEMENTS(a); i++) {
        a[i] = (ns_real)i / 7;
        b[i] = (ns_real)(i % 13) - 5;
    }
    NsGemm g = {.M = 14, .N = 32, .K = 20, .alpha = 1, .A = a, .lda = N, .B = b, .ldb = N};
    g.ldc = N;
    static char wanted[256 * NS_PREFETCH_LINE]; /* more than any kernels take */
    for (int i = 0; i < 2; i++) {
        ns_prefetch_clear();
        if (i) ns_prefetch_add(wanted, wanted + sizeof wanted);
        g.C = c[i];
        ns_gemm(&g);
    }
    g_assert_true(memcmp(c[0], c[1], sizeof c[0]) == 0);
    g_assert_cmpuint(ns_prefetch_take(1), ==, line(wanted, taken(&g)));
    ns_prefetch_clear();
}

/* A model prefetches its own memory, which may be gone later. */
static void test_model(void)
{
    NsSettings settings;
    ns_settings_init(&settings);
    settings.threads = 1;
    settings.batch = 2;
    NsModel *model = ns_model_new(&settings, (NsVocab){.in = 20, .out = 20}, NULL);
    g_assert_nonnull(model);
    static char far[1 << 26]; /* more than the products of a pass fetch */
    NsBatch batch;
    ns_batch_init(&batch, 2, (size_t)settings.seq, (size_t)ns_settings_source_seq(&settings));
    ns_prefetch_add(far, far + sizeof far);
    ns_model_loss(model, &batch);
    g_assert_cmpuint(ns_prefetch_take(1), ==, 0);
    ns_prefetch_add(far, far + sizeof far);
    ns_model_measure(model, &batch, NULL);
    g_assert_cmpuint(ns_prefetch_take(1), ==, 0);
    ns_batch_clear(&batch);
    ns_model_free(model);
    ns_settings_clear(&settings);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/prefetch/order", test_order);
    g_test_add_func("/prefetch/product", test_product);
    g_test_add_func("/prefetch/model", test_model);
    return g_test_run();
}
