/* Histories for tests of figures.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/train/run.h"
#include "ui/figures/figures.h"

#define BUDGET ((size_t)64 << 20)
#define HEADS 2

/* A history that the test writes, with the gradients of W_2 and the quantities that every model
 * has. */
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

/* Appends a record in which layer l = 1.. of each quantity has the value 10 l + (step modulo 10) /
 * 10. */
void append(Run *run, double loss);

/* Appends a record of ones, with `value` for the gradient of W_2 in one layer. */
void append_with(Run *run, double loss, size_t layer, float value);

/* Appends run->values unchanged. */
void append_values(Run *run, double loss);

/* An input that shows the newest step of the run: gradients of W_2, norms of hidden states. */
NsFigureInput input_of(const Run *run);

/* A figure of the registry. */
NsFigure *figure_new(const char *key);

/* Fails the test where there is none. */
const NsSeries *series_named(const NsPlot *plot, const char *label);

/* Draws a plot on a small and on a large page, and reads it at many points. */
void draw_pages(const NsPlot *plot);

/* Trains a small model with two further assignments for three steps; free with ns_run_free. */
NsRun *run_trained(const char *placement, const char *other);
