/* SPDX-License-Identifier: MIT */
#include "core/ops/standardize.h"

#include <math.h>

#define EPS 1e-5

typedef struct {
    double mean, sigma;
} Row;

static Row statistics(const ns_real *w, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) sum += (double)w[i];
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) squares += ((double)w[i] - mean) * ((double)w[i] - mean);
    return (Row){.mean = mean, .sigma = sqrt(squares / (double)n)};
}

void ns_standardize_forward(ns_real *what, const ns_real *w, size_t rows, size_t cols)
{
    for (size_t r = 0; r < rows; r++, w += cols, what += cols) {
        Row row = statistics(w, cols);
        double scale = 1 / (row.sigma + EPS);
        for (size_t i = 0; i < cols; i++) what[i] = (ns_real)(((double)w[i] - row.mean) * scale);
    }
}

/* With c = w - mean, k = 1 / (sigma + eps) and g the gradient of what:
 * dw = k (g - mean(g)) - k^2 c <g, c> / (n sigma); the last term is absent in a constant row. */
void ns_standardize_backward(ns_real *dw, const ns_real *w, size_t rows, size_t cols)
{
    for (size_t r = 0; r < rows; r++, w += cols, dw += cols) {
        Row row = statistics(w, cols);
        double scale = 1 / (row.sigma + EPS), sum = 0, dot = 0, n = (double)cols;
        for (size_t i = 0; i < cols; i++) {
            sum += (double)dw[i];
            dot += (double)dw[i] * ((double)w[i] - row.mean);
        }
        double along = row.sigma > 0 ? scale * scale * dot / (n * row.sigma) : 0;
        for (size_t i = 0; i < cols; i++)
            dw[i] =
                (ns_real)(scale * ((double)dw[i] - sum / n) - along * ((double)w[i] - row.mean));
    }
}
