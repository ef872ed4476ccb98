/* Runs side by side to test figures with.  SPDX-License-Identifier: MIT */
#pragma once

#include "run.h"

/* Assigns `key=value` to the settings of the run. */
void set(Run *run, const char *assignment);

/* Appends a record of lane i, which learns at a rate of its own unless it is the third, which
 * learns as the first does. */
void append_lane(Run *run, unsigned i);

/* The runs as lanes A, B, ... of which the first is the active one. */
NsFigureInput lanes_of(Run *const *runs, unsigned n);

/* A run with Post-LN and one with Pre-LN, as two lanes. */
typedef struct {
    Run *run[2];
    NsFigureInput input;
} Pair;

Pair pair_new(size_t layers_a, size_t layers_b);
void pair_clear(Pair *pair);
