/* SPDX-License-Identifier: MIT */
#include "core/probe/spectrum.h"

#include <math.h>
#include <string.h>

#define PRODUCTS 200

/* Relative residual at which the iteration ends.  The error of the eigenvalue is at most the
 * residual, and that of the singular value half of it. */
#define RESIDUAL 1e-4

double ns_tridiagonal_largest(const double *diagonal, const double *off, size_t n, double *last)
{
    double lo = -INFINITY, hi = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        lo = MAX(lo, diagonal[i]);
        hi = MAX(hi, diagonal[i] + (i > 0 ? off[i - 1] : 0) + (i + 1 < n ? off[i] : 0));
    }
    for (int k = 0; k < 100 && lo < hi; k++) {
        /* All pivots of the matrix minus x are negative if x is above the largest eigenvalue. */
        double x = lo + (hi - lo) / 2, pivot = diagonal[0] - x;
        for (size_t i = 1; i < n && pivot < 0; i++)
            pivot = diagonal[i] - x - off[i - 1] * off[i - 1] / pivot;
        if (pivot < 0)
            hi = x;
        else
            lo = x;
    }
    /* Every row of the eigenvector equation gives the ratio of two elements. */
    double element = 1, squares = 1, pivot = diagonal[0] - hi;
    for (size_t i = 1; i < n; i++) {
        element *= -pivot / off[i - 1];
        squares += element * element;
        pivot = diagonal[i] - hi - off[i - 1] * off[i - 1] / pivot;
    }
    *last = element / sqrt(squares);
    return hi;
}

size_t ns_singular_scratch(size_t rows, size_t cols)
{
    return 3 * cols + rows;
}

/* image = W^T W q, with product = W q. */
static void multiply(double *image, double *product, const ns_real *W, const double *q, size_t rows,
                     size_t cols)
{
    memset(image, 0, cols * sizeof *image);
    for (size_t i = 0; i < rows; i++, W += cols) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t j = 0; j < cols; j++) sum += (double)W[j] * q[j];
        product[i] = sum;
#pragma omp simd
        for (size_t j = 0; j < cols; j++) image[j] += sum * (double)W[j];
    }
}

static double norm(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* Three vectors suffice, since only the eigenvalue of W^T W is needed, and lost orthogonality
 * repeats eigenvalues but does not change them.  Paige 1972. */
bool ns_largest_singular_value(double *value, const ns_real *W, size_t rows, size_t cols,
                               double *scratch)
{
    double *q = scratch, *previous = q + cols, *image = previous + cols, *product = image + cols;
    double diagonal[PRODUCTS], off[PRODUCTS];
    memset(previous, 0, cols * sizeof *previous);
    /* Any start will do that has a part in every direction. */
    for (size_t j = 0; j < cols; j++) q[j] = cos((double)j * (double)j + 1);
    double length = norm(q, cols);
    for (size_t j = 0; j < cols; j++) q[j] /= length;
    for (size_t n = 0; n < PRODUCTS; n++) {
        multiply(image, product, W, q, rows, cols);
        double last, before = n > 0 ? off[n - 1] : 0;
        diagonal[n] = 0;
        for (size_t j = 0; j < cols; j++) diagonal[n] += q[j] * image[j];
        for (size_t j = 0; j < cols; j++) image[j] -= diagonal[n] * q[j] + before * previous[j];
        off[n] = norm(image, cols);
        *value = off[n] + diagonal[n] == 0 ? 0 : (double)NAN;
        if (!(off[n] + diagonal[n] > 0) || isinf(off[n])) return true;
        double eigenvalue = ns_tridiagonal_largest(diagonal, off, n + 1, &last);
        *value = sqrt(eigenvalue);
        if (off[n] * fabs(last) <= RESIDUAL * eigenvalue) return true;
        for (size_t j = 0; j < cols; j++) {
            previous[j] = q[j];
            q[j] = image[j] / off[n];
        }
    }
    return false;
}
