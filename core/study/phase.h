/* A sweep over two settings: one short run in every cell of a grid.  SPDX-License-Identifier: MIT
 *
 * Cells are trained one after another by workers, threads below the priority of their creator.  A
 * cell is trained by one thread, so that its result does not depend on how many workers there are.
 * Any thread may read while workers write.
 *
 * Cell i lies in column i % nx of x and in row i / nx of y; cells are begun in this order. */
#pragma once

#include "core/experiment/provenance.h"
#include "core/study/study.h"

typedef struct NsPhase NsPhase;

/* A sweep of runs of `steps` steps with these settings but for the two.  Starts no worker.  NULL
 * with NS_ERROR_SETTING, where no cell is possible that way.  Copies what it is given. */
NsPhase *ns_phase_new(const NsSettings *settings, const NsStudyAxis *x, const NsStudyAxis *y,
                      int64_t steps, GError **error);

/* A lane of a study over the first two axes of its grid, with the cells that there are: the mean of
 * the results of all seeds, of what else varies the best; diverged where every run is.  Cells that
 * are missing wait.  NULL with NS_ERROR_SETTING where the grid has fewer axes, or the result is no
 * training loss. */
NsPhase *ns_phase_new_of_study(const NsStudy *study, const NsStudyCell *cells, size_t lane,
                               GError **error);
NsPhase *ns_phase_ref(NsPhase *phase);

/* The last reference but those of workers stops them, without waiting for the steps that they are
 * in (core/base/exit_barrier.h). */
void ns_phase_unref(NsPhase *phase);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsPhase, ns_phase_unref)

/* Begins, or goes on, with so many workers; 0: one for every processor that
 * the program may use but one.  FALSE with NS_ERROR_MEMORY where not even one thread could be
 * started. */
bool ns_phase_start(NsPhase *phase, unsigned workers, GError **error);

/* Returns at once; workers end at their next step, and a cell that was begun waits again. */
void ns_phase_stop(NsPhase *phase);

/* Waits until no worker is left (tests, the command line).  FALSE after `timeout_ms`; negative
 * waits for ever. */
bool ns_phase_wait(NsPhase *phase, int timeout_ms);

const NsStudyAxis *ns_phase_x(const NsPhase *phase);
const NsStudyAxis *ns_phase_y(const NsPhase *phase);
const NsSettings *ns_phase_settings(const NsPhase *phase); /* of all cells, but for the two */
int64_t ns_phase_steps(const NsPhase *phase);
size_t ns_phase_cells(const NsPhase *phase);

/* Another number than before, and never 0, whenever a cell has another state. */
unsigned ns_phase_version(const NsPhase *phase);

NsStudyCell ns_phase_cell(NsPhase *phase, size_t i);

/* The settings of a cell; `settings` is not initialized. */
void ns_phase_cell_settings(const NsPhase *phase, size_t i, NsSettings *settings);

/* What a figure of the sweep says of where it comes from: settings, steps and both axes;
 * `provenance` is not initialized. */
void ns_phase_provenance(const NsPhase *phase, NsProvenance *provenance);

typedef struct {
    size_t cells, finished, running;
    bool going;          /* there are workers */
    double seconds_left; /* at the pace so far; NaN before it is known */
} NsPhaseProgress;

NsPhaseProgress ns_phase_progress(NsPhase *phase);

/* {"settings", "steps", "x": {"key", "values": [texts]}, "y": {...}, "cells": [{"x", "y" (texts),
 * "state", "step", "loss", "validation_loss" (null but for done), "seconds", "message" (where there
 * is one)}, ...]}.  Free with g_free. */
char *ns_phase_json(NsPhase *phase);
