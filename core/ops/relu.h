/* The rectifier.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/real.h"

/* x = max(x, 0) in place; a NaN stays one. */
void ns_relu_forward(ns_real *x, size_t n);

/* dy = dy where y > 0, else 0, in place; y is the output of forward. */
void ns_relu_backward(ns_real *dy, const ns_real *y, size_t n);
