/* SPDX-License-Identifier: MIT */
#include "core/base/real.h"

#include "core/base/error.h"
#include "core/ops/clones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One cache line, and one AVX-512 register. */
#define ALIGNMENT 64

ns_real *ns_real_new(size_t n, const char *what, GError **error)
{
    void *reals = NULL;
    size_t bytes = n * sizeof(ns_real);
    bool overflow = n > SIZE_MAX / sizeof(ns_real) - ALIGNMENT;
    if (overflow || posix_memalign(&reals, ALIGNMENT, MAX(bytes, ALIGNMENT)) != 0) {
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

NS_CLONES double ns_real_squares(const ns_real *x, size_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) sum += (double)x[i] * (double)x[i];
    return sum;
}

double ns_real_norm(const ns_real *x, size_t n)
{
    return sqrt(ns_real_squares(x, n));
}
