/* Histories to test figures with.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/figures.h"

#define BUDGET ((size_t)64 << 20)
#define HEADS 2

/* A history that the test writes, with the gradients of W_2 and nothing else besides what every
 * model has. */
typedef struct {
    NsRecordLayout layout;
    NsHistory *history;
    NsSettings settings;
    NsValues values;
    int64_t steps;
} Run;

Run *run_made(size_t layers, size_t budget, bool final_norm, int64_t probe_every, int64_t first);
Run *run_with_norm(size_t layers, size_t budget, bool final_norm);
Run *run_new(size_t layers, size_t budget);
void run_free(Run *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Run, run_free)

/* Layer l = 1.. of quantity q has the value 10 l + (step modulo 10) / 10. */
void append(Run *run, double loss);

/* Appends a record of ones in which one value of the gradient of W_2 is another one. */
void append_with(Run *run, double loss, size_t layer, float value);

/* Appends run->values as they are. */
void append_values(Run *run, double loss);

/* What shows the run: the newest step, gradients of W_2, norms of hidden states. */
NsFigureInput input_of(const Run *run);

/* Fails the test where there is none. */
const NsSeries *series_named(const NsPlot *plot, const char *label);

/* Draws a plot on a small and on a large page, and points at places all over it. */
void draw_pages(const NsPlot *plot);
