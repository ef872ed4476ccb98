/* The sum of stream and branch.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/real.h"

/* z = a x + b y, element by element; z may be x or y. */
void ns_residual_forward(ns_real *z, ns_real a, const ns_real *x, ns_real b, const ns_real *y,
                         size_t n);

/* y = k x; y may be x. */
void ns_scale(ns_real *y, ns_real k, const ns_real *x, size_t n);

/* y += k x. */
void ns_add_scaled(ns_real *y, ns_real k, const ns_real *x, size_t n);
