/* Finite differences against gradients.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/real.h"
#include "core/base/rng.h"

typedef double (*NsLossFunction)(void *data);

/* Fills x with N(0, std^2) from a stream of the test's own. */
void ns_fill_normal(ns_real *x, size_t n, double std, uint64_t stream);

/* Compares the derivative of loss along `directions` random directions of x [n], by central
 * differences, with the one that the gradient g [n] foretells.  Fails the test, naming `what`,
 * where they differ by more than 1e-6 of the gradient's norm and what rounding of the loss
 * explains. */
void ns_check_gradient(const char *what, ns_real *x, const ns_real *g, size_t n, int directions,
                       NsLossFunction loss, void *data);

double ns_dot(const ns_real *a, const ns_real *b, size_t n);
