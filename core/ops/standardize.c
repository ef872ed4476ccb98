/* SPDX-License-Identifier: MIT */
#include "core/ops/standardize.h"

#include "core/base/clones.h"

#include <math.h>

#define EPS 1e-5

typedef struct {
    double mean, sigma;
} Row;

static inline __attribute__((always_inline)) Row statistics(const ns_real *w, size_t n)
{
    double sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) sum += (double)w[i];
    double mean = sum / (double)n;
#pragma omp simd reduction(+ : squares)
    for (size_t i = 0; i < n; i++) squares += ((double)w[i] - mean) * ((double)w[i] - mean);
    return (Row){.mean = mean, .sigma = sqrt(squares / (double)n)};
}

/* what = (w - mean) / (sigma + eps), sigma^2 = mean (w - mean)^2. */
NS_CLONES(extern, ns_standardize_forward,
          (ns_real *what, const ns_real *w, size_t rows, size_t cols), (what, w, rows, cols))
{
    for (size_t r = 0; r < rows; r++, w += cols, what += cols) {
        Row row = statistics(w, cols);
        double scale = 1 / (row.sigma + EPS);
#pragma omp simd
        for (size_t i = 0; i < cols; i++) what[i] = (ns_real)(((double)w[i] - row.mean) * scale);
    }
}

/* With c = w - mean, k = 1 / (sigma + eps) and g the gradient of what:
 * dw = k (g - mean(g)) - k^2 c <g, c> / (n sigma); the last term is absent in a constant row. */
NS_CLONES(extern, ns_standardize_backward,
          (ns_real *dw, const ns_real *w, size_t rows, size_t cols), (dw, w, rows, cols))
{
    for (size_t r = 0; r < rows; r++, w += cols, dw += cols) {
        Row row = statistics(w, cols);
        double scale = 1 / (row.sigma + EPS), sum = 0, dot = 0, n = (double)cols;
#pragma omp simd reduction(+ : sum, dot)
        for (size_t i = 0; i < cols; i++) {
            sum += (double)dw[i];
            dot += (double)dw[i] * ((double)w[i] - row.mean);
        }
        double along = row.sigma > 0 ? scale * scale * dot / (n * row.sigma) : 0;
#pragma omp simd
        for (size_t i = 0; i < cols; i++)
            dw[i] =
                (ns_real)(scale * ((double)dw[i] - sum / n) - along * ((double)w[i] - row.mean));
    }
}
