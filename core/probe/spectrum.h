/* Largest eigenvalues and singular values by Lanczos iteration.  SPDX-License-Identifier: MIT
 *
 * Internal to core/probe. */
#pragma once

#include "core/base/real.h"

/* The largest eigenvalue of the symmetric tridiagonal matrix with this diagonal [n] and
 * off-diagonal [n - 1] > 0, by bisection; *last: the last element of its unit eigenvector. */
double ns_tridiagonal_largest(const double *diagonal, const double *off, size_t n, double *last);

/* Elements of scratch for a matrix [rows, cols]. */
size_t ns_singular_scratch(size_t rows, size_t cols);

/* The largest singular value of W [rows, cols], within 1e-4 of its size; 0 for a matrix of zeros,
 * NaN if an element is not finite.  False if the iteration did not converge.  Allocates nothing;
 * the same W gives the same bits. */
bool ns_largest_singular_value(double *value, const ns_real *W, size_t rows, size_t cols,
                               double *scratch);
