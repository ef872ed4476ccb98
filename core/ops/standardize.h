/* Weight standardization.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/real.h"

/* what = (w - mean) / (sigma + 1e-5) for each row, where sigma is the population standard deviation
 * of the row.  w, what: [rows, cols]; overwrites what.  Qiao et al. 2019, arXiv 1903.10520. */
void ns_standardize_forward(ns_real *what, const ns_real *w, size_t rows, size_t cols);

/* Replaces dw, the gradient of what, by the gradient of w, in place; w is the input of forward. */
void ns_standardize_backward(ns_real *dw, const ns_real *w, size_t rows, size_t cols);
