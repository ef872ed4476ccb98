/* Sums of squares.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/real.h"

/* sum x_i^2 and its square root.  Finite for every finite x, not finite if any x_i is not.  Summed
 * in a fixed order, in double except for groups of eight terms, which are summed in ns_real if
 * their squares are in its range. */
double ns_real_squares(const ns_real *x, size_t n);
double ns_real_norm(const ns_real *x, size_t n);

/* For kernels that sum squares while they process x.  n must be a multiple of NS_SQUARES_TERMS
 * times NS_VECTOR_LANES; each group of NS_SQUARES_TERMS vectors is summed in ns_real and then added
 * to lanes in double; `squares` is the sum of the lanes (core/base/vector_lanes.h).  Returns
 * ns_real_squares(x, n); reads x again only if `squares` is too small or too large to be
 * accurate. */
enum { NS_SQUARES_TERMS = 8 };
double ns_real_squares_close(double squares, const ns_real *x, size_t n);
