/* Weight standardization.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/real.h"

/* what = (w - mean) / (sigma + 1e-5), row by row, sigma the population standard deviation of the
 * row.  w, what: [rows, cols]; overwrites what.  Qiao et al. 2019, arXiv 1903.10520. */
void ns_standardize_forward(ns_real *what, const ns_real *w, size_t rows, size_t cols);

/* Turns the gradient of what into that of w, in place; w is that of forward. */
void ns_standardize_backward(ns_real *dw, const ns_real *w, size_t rows, size_t cols);
