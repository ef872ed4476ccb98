/* SPDX-License-Identifier: MIT */
#include "core/base/real.h"

#include "core/base/clones.h"
#include "core/base/error.h"
#include "core/base/lanes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* One cache line, and one AVX-512 register. */
#define ALIGNMENT 64

/* Large pieces lie in pages of 2 MiB where the system has them: a step of a deep model walks
 * through hundreds of megabytes, and would look up the place of every 4 KiB of them. */
#define LARGE_PAGE ((size_t)2 << 20)

/* With fewer pages, what alignment leaves unused would count. */
#define LARGE_PAGES 4

static void *allocate(size_t bytes)
{
    void *memory = NULL;
    bool large = bytes >= LARGE_PAGES * LARGE_PAGE;
    if (posix_memalign(&memory, large ? LARGE_PAGE : ALIGNMENT, MAX(bytes, ALIGNMENT)) != 0)
        return NULL;
    /* Only a wish: without it the same memory is there, in small pages. */
    if (large) (void)madvise(memory, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
    return memory;
}

ns_real *ns_real_new(size_t n, const char *what, GError **error)
{
    size_t bytes = n * sizeof(ns_real);
    bool overflow = n > SIZE_MAX / sizeof(ns_real) - LARGE_PAGE;
    ns_real *reals = overflow ? NULL : allocate(bytes);
    if (!reals) {
        g_autofree char *size = g_format_size_full(bytes, G_FORMAT_SIZE_IEC_UNITS);
        g_set_error(error, NS_ERROR, NS_ERROR_MEMORY,
                    "There is no room for %s of %s; choose fewer layers or a smaller width, "
                    "sequence or batch.",
                    size, what);
        return NULL;
    }
    memset(reals, 0, bytes);
    return reals;
}

void ns_real_free(ns_real *reals)
{
    free(reals);
}

/* A sum of this size has lost nothing to squares that are too small for a real. */
#define LEAST 0x1p-64

NS_CLONES_OF(static, double, in_double, (const ns_real *x, size_t n), (x, n))
{
    return ns_lanes_dot(x, x, n);
}

double ns_real_squares_close(double squares, const ns_real *x, size_t n)
{
    return squares >= LEAST && squares <= DBL_MAX ? squares : in_double(x, n);
}

NS_CLONES_OF(extern, double, ns_real_squares, (const ns_real *x, size_t n), (x, n))
{
    double lane[NS_LANES] = {0};
    size_t i = 0;
    for (; i + NS_SQUARES_TERMS * NS_LANES <= n; i += NS_SQUARES_TERMS * NS_LANES) {
        ns_real sum[NS_LANES] = {0};
#pragma GCC unroll 8
        for (size_t t = 0; t < NS_SQUARES_TERMS; t++)
#pragma omp simd
            for (int l = 0; l < NS_LANES; l++) {
                ns_real v = x[i + t * NS_LANES + (size_t)l];
                sum[l] += v * v;
            }
#pragma omp simd
        for (int l = 0; l < NS_LANES; l++) lane[l] += (double)sum[l];
    }
    /* In double throughout, which has the range for anything and takes three times as long. */
    if (!i) return ns_lanes_dot(x, x, n);
    double squares = ns_real_squares_close(ns_lanes_sum(lane), x, i);
    return i < n ? squares + ns_lanes_dot(x + i, x + i, n - i) : squares;
}

double ns_real_norm(const ns_real *x, size_t n)
{
    return sqrt(ns_real_squares(x, n));
}
