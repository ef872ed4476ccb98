/* The loss.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/real.h"

/* Sum over rows of -log softmax(logits[r])[targets[r]], by log-sum-exp in double.  logits: [R, V],
 * targets: [R] in 0..V-1.  Unless dscale is 0, overwrites logits with their gradient times dscale:
 * dscale (softmax(logits) - onehot(target)). */
double ns_cross_entropy(ns_real *logits, const int32_t *targets, size_t R, size_t V,
                        ns_real dscale);
