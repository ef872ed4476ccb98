/* Runs with several lanes for tests of figures.  SPDX-License-Identifier: MIT */
#pragma once

#include "run.h"

/* Assigns `key=value` to the settings of a run. */
void set(Run *run, const char *assignment);

/* Appends a record of lane i.  Each lane has its own learning rate, except that the third has that
 * of the first. */
void append_lane(Run *run, unsigned i);

/* The runs as lanes A, B, ...; the first is active. */
NsFigureInput lanes_of(Run *const *runs, unsigned n);

/* Two lanes: Post-LN and Pre-LN. */
typedef struct {
    Run *run[2];
    NsFigureInput input;
} Pair;

Pair pair_new(size_t layers_a, size_t layers_b);
void pair_clear(Pair *pair);
