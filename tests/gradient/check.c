/* SPDX-License-Identifier: MIT */
#include "tests/gradient/check.h"

#include "core/base/squares.h"

#include <float.h>
#include <math.h>

#define STEP 1e-6
#define TOLERANCE 1e-6

/* Relative error of a loss: some rounding errors of a double. */
#define ROUNDING (32 * DBL_EPSILON)

void ns_fill_normal(ns_real *x, size_t n, double std, uint64_t stream)
{
    NsRng rng;
    ns_rng_init(&rng, 17, stream);
    for (size_t i = 0; i < n; i++) x[i] = (ns_real)(std * ns_rng_normal(&rng));
}

double ns_dot(const ns_real *a, const ns_real *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

void ns_check_gradient(const char *what, ns_real *x, const ns_real *g, size_t n, int directions,
                       NsLossFunction loss, void *data)
{
    g_autofree ns_real *kept = g_memdup2(x, n * sizeof *x);
    g_autofree ns_real *v = g_new(ns_real, n);
    for (int k = 0; k < directions; k++) {
        ns_fill_normal(v, n, 1, ns_rng_stream(what) + (uint64_t)k);
        double norm = ns_real_norm(v, n);
        for (size_t i = 0; i < n; i++) v[i] /= (ns_real)norm;
        for (size_t i = 0; i < n; i++) x[i] = kept[i] + (ns_real)STEP * v[i];
        double up = loss(data);
        for (size_t i = 0; i < n; i++) x[i] = kept[i] - (ns_real)STEP * v[i];
        double down = loss(data);
        for (size_t i = 0; i < n; i++) x[i] = kept[i];
        double seen = (up - down) / (2 * STEP), foretold = ns_dot(g, v, n);
        double rounding = ROUNDING * fabs(up) / STEP;
        double bound = TOLERANCE * MAX(ns_real_norm(g, n), 1e-2) + rounding;
        if (!(fabs(seen - foretold) <= bound)) {
            g_test_message("%s, direction %d: finite difference %.12g, gradient %.12g", what, k,
                           seen, foretold);
            g_test_fail();
        }
    }
}
