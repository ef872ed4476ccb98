/* Sums of squares.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/real.h"

/* sum x_i^2 and its root.  Finite for every finite x, not finite if any x_i is not; summed in
 * double, but for eight terms at a time where their squares have room in a real, and in a fixed
 * order. */
double ns_real_squares(const ns_real *x, size_t n);
double ns_real_norm(const ns_real *x, size_t n);

/* For kernels that take the squares of what passes by: n is a multiple of NS_SQUARES_TERMS times
 * NS_VECTOR_LANES, as many vectors are added up in a real before a lane in double takes their sum,
 * and `squares` is the sum of the lanes (core/base/vector_lanes.h).  Returns ns_real_squares(x, n),
 * for which x is read again only where the sum is not to be trusted. */
enum { NS_SQUARES_TERMS = 8 };
double ns_real_squares_close(double squares, const ns_real *x, size_t n);
