/* SPDX-License-Identifier: MIT */
#include "core/ops/blas.h"

#include "core/base/error.h"
#include "core/base/memory.h"

#include <cblas.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#ifdef NS_DOUBLE
#define GEMM "cblas_dgemm"
typedef __typeof__(cblas_dgemm) *Gemm;
#else
#define GEMM "cblas_sgemm"
typedef __typeof__(cblas_sgemm) *Gemm;
#endif

/* ---- OpenBLAS ----
 *
 * The library starts a thread for every processor when it is loaded, before main, and ends them
 * when the program ends.  Each of them allocates a buffer of 128 MiB and, if the address space is
 * limited, retries forever, so that the program never ends.  Products run on the calling thread
 * alone, so these threads are useless.  The library reads their number from the environment while
 * it is being loaded; therefore we load it here instead of linking to it.
 *
 * A thread that multiplies allocates such a buffer, too, and newer versions allocate another one
 * while being loaded.  If the address space is limited, both must fit; the buffer for products is
 * then allocated at once, shared by all threads, and products run one at a time. */

#define THREADS "OPENBLAS_NUM_THREADS"
#define BUFFER_MIB 144 /* 128 and the unusable space around it */
#define LIBRARY_MIB 48

static pthread_once_t once = PTHREAD_ONCE_INIT;
static Gemm openblas_gemm;
static GError *problem; /* why OpenBLAS could not be loaded; NULL if it was */
static bool one_by_one;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

static bool fits(unsigned needed_mib)
{
    size_t left = MIN(ns_memory_left(NS_MEMORY_ADDRESS), ns_memory_left(NS_MEMORY_DATA));
    if (left >= (size_t)needed_mib << 20) return true;
    g_autofree char *has = g_format_size_full(left, G_FORMAT_SIZE_IEC_UNITS);
    ns_refuse(&problem, NS_ERROR_MEMORY,
              "OpenBLAS, which multiplies matrices on this processor, needs %u MiB of "
              "address space, but the limit (ulimit -v or -d) leaves %s; raise the limit.",
              needed_mib, has);
    return false;
}

static void prepare(void)
{
    one_by_one = MIN(ns_memory_left(NS_MEMORY_ADDRESS), ns_memory_left(NS_MEMORY_DATA)) != SIZE_MAX;
    if (one_by_one && !fits(LIBRARY_MIB + BUFFER_MIB)) return;
    g_autofree char *threads = g_strdup(g_getenv(THREADS));
    g_setenv(THREADS, "1", TRUE);
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (threads)
        g_setenv(THREADS, threads, TRUE);
    else
        g_unsetenv(THREADS);
    void *symbol = library ? dlsym(library, GEMM) : NULL;
    if (symbol) /* ISO C forbids a cast from void * to a function pointer. */
        memcpy(&openblas_gemm, &symbol, sizeof symbol);
    else
        ns_refuse(&problem, NS_ERROR_FILE,
                  "OpenBLAS, which multiplies matrices on this processor, cannot be loaded (%s); "
                  "install the package libopenblas0.",
                  dlerror());

    if (one_by_one && !problem && fits(BUFFER_MIB)) {
        /* Make OpenBLAS allocate its buffer by a large product: for some processors, its kernels
         * use no buffer up to 100 x 100 x 100. */
        enum { SIDE = 256 };
        g_autofree ns_real *x = g_new0(ns_real, SIDE * SIDE), *y = g_new0(ns_real, SIDE * SIDE);
        openblas_gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, x, SIDE, x,
                      SIDE, 0, y, SIDE);
    }
}

bool ns_blas_load(GError **error)
{
    pthread_once(&once, prepare);
    if (problem) g_propagate_error(error, g_error_copy(problem));
    return !problem;
}

void ns_gemm_openblas(const NsGemm *g)
{
    if (!g->M || !g->N) return;
    pthread_once(&once, prepare);
    enum CBLAS_TRANSPOSE ta = g->ta ? CblasTrans : CblasNoTrans;
    enum CBLAS_TRANSPOSE tb = g->tb ? CblasTrans : CblasNoTrans;
    blasint M = (blasint)g->M, N = (blasint)g->N, K = (blasint)g->K;
    blasint lda = (blasint)g->lda, ldb = (blasint)g->ldb, ldc = (blasint)g->ldc;
    ns_real beta = g->beta;
    if (g->bias && beta == 0) {
        for (size_t m = 0; m < g->M; m++) memcpy(g->C + m * g->ldc, g->bias, g->N * sizeof *g->C);
        beta = 1;
    }
    if (one_by_one) pthread_mutex_lock(&one);
    openblas_gemm(CblasRowMajor, ta, tb, M, N, K, g->alpha, g->A, lda, g->B, ldb, beta, g->C, ldc);
    if (one_by_one) pthread_mutex_unlock(&one);
    if (g->bias && g->beta != 0)
        for (size_t m = 0; m < g->M; m++)
            for (size_t n = 0; n < g->N; n++) g->C[m * g->ldc + n] += g->bias[n];
}
