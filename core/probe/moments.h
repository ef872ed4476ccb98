/* A gradient beside the second moments of an optimizer.  SPDX-License-Identifier: MIT
 *
 * Internal to core/probe. */
#pragma once

#include "core/base/real.h"

typedef struct {
    double clip;       /* factor on the gradient */
    double beta2, eps; /* eps: the tensor's own */
    int64_t seen;      /* gradients that have entered v */
} NsMoments;

/* What multiplies what, found once for all elements. */
typedef struct {
    double clip_sq, old, fresh, unbias, least; /* of g^2, v, g^2, v; least moment */
    ns_real factor, narrow[4];                 /* the same in single precision: on g; the others */
    double unit_sq;                            /* what these moments are multiples of */
    bool can_be_narrow;                        /* single precision has the range for the last */
} NsMomentScale;

/* Of n elements.  sum: of g^2 / max(v', eps^2), where g has entered v'.  spike: the largest
 * g^2 / max(v, eps^2).  Here g is as clipped, and both v are free of their starting bias; nothing
 * divided by nothing counts as 0.  square: the sum of g^2 before clipping.  All are right to 1e-6
 * of themselves; a NaN in g reaches all. */
typedef struct {
    double square, sum, spike;
} NsMomentRatios;

NsMomentScale ns_moment_scale(const NsMoments *moments);

/* g, v: [n]; v before g enters it.  `squared`: find `square` too. */
NsMomentRatios ns_moment_ratios(const NsMomentScale *scale, const ns_real *g, const ns_real *v,
                                size_t n, bool squared);
