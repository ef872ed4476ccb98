/* The noise of training.  SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Noise (dropout, stochastic depth) of a training step; the same numbers give the same noise. */
typedef struct {
    bool training;
    uint64_t seed, step;
} NsNoise;
