/* The noise of training.  SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whether noise (dropout, stochastic depth) is on and which; the same noise for the same numbers.
 */
typedef struct {
    bool training;
    uint64_t seed, step;
} NsNoise;
