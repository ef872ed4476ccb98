/* A gradient beside the second moments of an optimizer.  SPDX-License-Identifier: MIT
 *
 * Internal to core/probe. */
#pragma once

#include "core/base/tensor.h"

typedef struct {
    const ns_real *g, *v; /* arenas: the gradient, the moments before it enters them */
    double clip;          /* factor on the gradient */
    double beta2, eps;
    int64_t seen; /* gradients that have entered v */
} NsMoments;

/* Of one tensor: the sum of g^2 / max(v', eps^2), where g has entered v', and the largest
 * g^2 / max(v, eps^2); both v are free of their starting bias.  `fresh`: nothing has entered v, and
 * spike says nothing. */
typedef struct {
    double sum, spike;
    bool fresh;
} NsMomentRatios;

NsMomentRatios ns_moment_ratios(const NsMoments *moments, const NsTensor *tensor);
