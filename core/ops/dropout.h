/* Dropout and drop path.  SPDX-License-Identifier: MIT
 *
 * A mask is a function of its position in the network, the sequence and the step.  So backward can
 * regenerate the mask of forward, and the mask does not depend on threads or their order. */
#pragma once

#include "core/base/real.h"

/* Noise (dropout, drop path) of a training step; the same numbers give the same noise. */
typedef struct {
    bool training;
    uint64_t seed, step;
} NsNoise;

/* Identifies one mask: one position in the network, for one sequence of one step. */
typedef struct {
    uint64_t seed, step;
    uint32_t place;    /* of the network */
    uint32_t sequence; /* of the batch */
} NsNoiseKey;

/* Each element of x is divided by 1 - rate with probability 1 - rate, else set to 0, in place.
 * Srivastava et al. 2014, inverted scaling. */
void ns_dropout(ns_real *x, size_t n, double rate, const NsNoiseKey *key);

/* Makes one draw for a whole branch: returns 1 / (1 - rate), or 0 with probability `rate`. */
double ns_drop_path(double rate, const NsNoiseKey *key);
