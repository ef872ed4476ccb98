/* Adam over the tensor table.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/tensor.h"

typedef struct {
    double beta1, beta2, eps;
} NsAdam;

/* One update, number step >= 1, of every tensor:
 *
 *     m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2
 *     w -= lr (m / (1 - beta1^step)) / (sqrt(v / (1 - beta2^step)) + eps)
 *
 * (Kingma and Ba 2015, algorithm 1.)  w, m, v are updated in place.  weight_sq and update_sq, [n]
 * by tensor, are overwritten with the sum of squares of the weights before the update and of the
 * update itself, in double.  The result does not depend on `threads`.  Cannot fail. */
void ns_adam_step(const NsAdam *adam, const NsTensorTable *table, ns_real *w, ns_real *m,
                  ns_real *v, const ns_real *g, double lr, int64_t step, unsigned threads,
                  double *weight_sq, double *update_sq);
