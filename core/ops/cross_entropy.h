/* The loss.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/real.h"

/* Sums over the rows that have a target. */
typedef struct {
    double nll;   /* -log softmax(logits)[target] */
    double log_z; /* log sum_v exp logits[v] */
    /* -sum_v p_v log p_v with p = softmax(logits); only without gradients (dscale 0), else 0 */
    double entropy;
    /* (1 - smoothing) nll + smoothing / V sum_v -log softmax(logits)[v] + z log^2 sum_v exp
     * logits[v] */
    double loss;
} NsCrossEntropy;

/* Computes the sums by log-sum-exp in double.  logits: [R, V]; targets: [R] in 0..V-1, or negative
 * for a row without a target, which adds nothing and has a gradient of 0.  If dscale is not 0,
 * overwrites logits with the gradient of the loss times dscale.  Szegedy et al. 2016, section 7; z:
 * Chowdhery et al. 2022, arXiv 2204.02311, section 5. */
NsCrossEntropy ns_cross_entropy(ns_real *logits, const int32_t *targets, size_t R, size_t V,
                                double smoothing, double z, ns_real dscale);
