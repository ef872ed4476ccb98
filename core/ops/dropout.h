/* Noise without a state.  SPDX-License-Identifier: MIT
 *
 * A mask is a function of the place where it is used, so that backward can regenerate the mask of
 * forward, and it does not depend on threads or their order. */
#pragma once

#include "core/base/real.h"

/* One place in one sequence of one step. */
typedef struct {
    uint64_t seed, step;
    uint32_t place;    /* of the network */
    uint32_t sequence; /* of the batch */
} NsNoiseKey;

/* x is kept with probability 1 - rate and then divided by it, else 0; element by element, in place.
 * Srivastava et al. 2014, inverted scaling. */
void ns_dropout(ns_real *x, size_t n, double rate, const NsNoiseKey *key);

/* One draw for the whole: the factor 1 / (1 - rate), or 0 with probability `rate`. */
double ns_drop_path(double rate, const NsNoiseKey *key);
