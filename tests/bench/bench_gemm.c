/* The products of the presets, by OpenBLAS, by every kernel, and by LIBXSMM where the build found
 * it.  SPDX-License-Identifier: MIT
 *
 * One thread, operands in the caches.  The contestants take turns of a millisecond, with
 * multiply-adds in registers between them, and of each the fastest turn counts, so that what else
 * the machine does meanwhile hardly touches the share of the peak.
 *
 * Usage: bench-gemm [MILLISECONDS [PRESET]]: of one contestant with one product. */
#include "core/ops/gemm.h"
#include "core/ops/gemm_tiled.h"
#include "tests/bench/peak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef NS_XSMM
#include <libxsmm.h>
#endif

/* Rows of one of two threads, and a linear map from I to O. */
typedef struct {
    const char *preset;
    size_t R, I, O;
} Shape;

static const Shape shapes[] = {
    {"tiny", 512, 64, 192},     {"tiny", 512, 64, 64},     {"tiny", 512, 64, 256},
    {"tiny", 512, 256, 64},     {"tiny", 512, 64, 96},     {"small", 1024, 128, 384},
    {"small", 1024, 128, 128},  {"small", 1024, 128, 512}, {"small", 1024, 512, 128},
    {"medium", 512, 256, 768},  {"medium", 512, 256, 256}, {"medium", 512, 256, 1024},
    {"medium", 512, 1024, 256}, {"medium", 512, 256, 512}, {"iwslt", 512, 512, 1536},
    {"iwslt", 512, 512, 512},   {"iwslt", 512, 512, 1024}, {"iwslt", 512, 1024, 512},
    {"iwslt", 512, 512, 8000},  {"deep", 128, 64, 192},    {"deep", 128, 64, 64},
    {"deep", 128, 64, 256},     {"deep", 128, 256, 64},    {"verydeep", 32, 32, 96},
    {"verydeep", 32, 32, 32},   {"verydeep", 32, 32, 128}, {"verydeep", 32, 128, 32},
    {"narrow", 32, 16, 48},     {"narrow", 32, 16, 16},    {"narrow", 32, 16, 64},
    {"narrow", 32, 64, 16},
};

enum { FORWARD, INPUT, WEIGHTS, PRODUCTS };

static const char *const product_names[] = {"y = x w^T + b", "dx = dy w", "dw += dy^T x"};

/* x: [R, I], w: [O, I], y: [R, O], b: [O]. */
typedef struct {
    ns_real *x, *w, *y, *b;
} Operands;

static NsGemm product(const Shape *s, const Operands *o, int which)
{
    size_t R = s->R, I = s->I, O = s->O;
    switch (which) {
    case FORWARD:
        return (NsGemm){.tb = true,
                        .M = R,
                        .N = O,
                        .K = I,
                        .alpha = 1,
                        .A = o->x,
                        .lda = I,
                        .B = o->w,
                        .ldb = I,
                        .C = o->y,
                        .ldc = O,
                        .bias = o->b};
    case INPUT:
        return (NsGemm){.M = R,
                        .N = I,
                        .K = O,
                        .alpha = 1,
                        .A = o->y,
                        .lda = O,
                        .B = o->w,
                        .ldb = I,
                        .C = o->x,
                        .ldc = I};
    default:
        return (NsGemm){.ta = true,
                        .M = O,
                        .N = I,
                        .K = R,
                        .alpha = 1,
                        .beta = 1,
                        .A = o->y,
                        .lda = O,
                        .B = o->x,
                        .ldb = I,
                        .C = o->w,
                        .ldc = I};
    }
}

/* Seconds that this thread has worked; those when it had to wait do not count. */
static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#ifdef NS_XSMM
/* LIBXSMM compiles a kernel for a product of columns, C^T = B^T A^T in terms of our rows.  It
 * cannot read its left operand transposed, so that the weights are transposed first. */
static void xsmm(const NsGemm *g)
{
    static ns_real *transposed;
    static size_t room;
    const ns_real *left = g->B;
    libxsmm_blasint m = (libxsmm_blasint)g->N, n = (libxsmm_blasint)g->M, k = (libxsmm_blasint)g->K;
    libxsmm_blasint lda = (libxsmm_blasint)g->ldb, ldb = (libxsmm_blasint)g->lda;
    libxsmm_blasint ldc = (libxsmm_blasint)g->ldc;
    if (g->tb) {
        if (room < g->N * g->K) transposed = g_realloc_n(transposed, g->N * g->K, sizeof *left);
        room = MAX(room, g->N * g->K);
        libxsmm_otrans(transposed, g->B, sizeof *left, k, m, lda, m);
        left = transposed;
        lda = m;
    }
    /* What is added to C is there before. */
    for (size_t row = 0; g->bias && row < g->M; row++)
        memcpy(g->C + row * g->ldc, g->bias, g->N * sizeof *g->bias);
    float alpha = 1, beta = g->bias ? 1 : (float)g->beta;
    int flags = g->ta ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
    libxsmm_smmfunction kernel =
        libxsmm_smmdispatch(m, n, k, &lda, &ldb, &ldc, &alpha, &beta, &flags, NULL);
    if (!kernel) abort();
    kernel(left, g->A, g->C);
}
#endif

typedef struct {
    const char *name;
    void (*run)(const NsGemm *g); /* NULL: by the kernels */
    const NsGemmKernels *kernels;
    NsInstructions set; /* of the kernels */
    double peak;        /* operations a second of multiply-adds in registers */
} Contestant;

/* In seconds, of `count` calls. */
static double turn(const Contestant *contestant, const NsGemm *g, int count)
{
    double start = clock_now();
    for (int i = 0; i < count; i++) {
        if (contestant->run)
            contestant->run(g);
        else
            ns_gemm_tiled(contestant->kernels, g);
    }
    return clock_now() - start;
}

/* The fastest turn counts here, too. */
static void measure_peak(Contestant *contestant)
{
    double start = clock_now(), operations = multiply_adds(contestant->set, 1 << 14);
    contestant->peak = MAX(contestant->peak, operations / (clock_now() - start));
}

static ns_real *operand(size_t n)
{
    ns_real *elements = ns_real_new(n, "an operand", NULL);
    if (!elements) exit(1);
    for (size_t i = 0; i < n; i++) elements[i] = (ns_real)((i * 7919) % 1000) / 1000 - (ns_real)0.5;
    return elements;
}

int main(int argc, char **argv)
{
    enum { MOST = 6 };
    const double turn_seconds = 1e-3;
    int turns = MAX(2, argc > 1 ? atoi(argv[1]) : 20);
    Contestant contestants[MOST] = {{.name = "OpenBLAS", .run = ns_gemm_openblas}};
    size_t n = 1;
    for (NsInstructions set = NS_INSTRUCTIONS_COUNT; set-- > 0;) {
        if (!ns_instructions_there(set) || !ns_gemm_kernels(set)) continue;
        contestants[n++] = (Contestant){.name = ns_instructions_choice(set)->label,
                                        .kernels = ns_gemm_kernels(set),
                                        .set = set};
    }
#ifdef NS_XSMM
    contestants[n++] = (Contestant){.name = "LIBXSMM", .run = xsmm};
#endif
    ns_gemm_init(NULL);

    printf("%-9s %4s %4s %4s  %-14s %9s", "preset", "R", "I", "O", "product", "OpenBLAS");
    for (size_t i = 1; i < n; i++) printf(" %9s %6s %7s", contestants[i].name, "ratio", "of peak");
    printf("   GFLOP/s\n");
    for (size_t s = 0; s < G_N_ELEMENTS(shapes); s++) {
        const Shape *shape = &shapes[s];
        if (argc > 2 && strcmp(argv[2], shape->preset) != 0) continue;
        size_t R = shape->R, I = shape->I, O = shape->O;
        Operands o = {operand(R * I), operand(O * I), operand(R * O), operand(O)};
        double work = 2e-9 * (double)R * (double)I * (double)O;
        for (int which = 0; which < PRODUCTS; which++) {
            NsGemm g = product(shape, &o, which);
            /* A turn is as many calls as 50 GFLOP/s would do in its time. */
            int count = MAX(1, (int)(turn_seconds * 50 / work));
            double best[MOST] = {0};
            for (size_t i = 0; i < n; i++) best[i] = turn(&contestants[i], &g, count);
            for (int t = 0; t < turns; t++)
                for (size_t i = 0; i < n; i++) {
                    best[i] = MIN(best[i], turn(&contestants[i], &g, count));
                    if (contestants[i].kernels) measure_peak(&contestants[i]);
                }
            double base = count * work / best[0];
            printf("%-9s %4zu %4zu %4zu  %-14s %9.1f", shape->preset, R, I, O, product_names[which],
                   base);
            for (size_t i = 1; i < n; i++) {
                double speed = count * work / best[i];
                printf(" %9.1f %6.2f", speed, speed / base);
                if (contestants[i].kernels)
                    printf(" %7.3f", 1e9 * speed / contestants[i].peak);
                else
                    printf(" %7s", "");
            }
            printf("\n");
        }
        ns_real_free(o.x);
        ns_real_free(o.w);
        ns_real_free(o.y);
        ns_real_free(o.b);
    }
    return 0;
}
