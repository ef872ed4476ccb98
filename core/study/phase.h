/* A study seen by two settings of its grid: a cell of the phase diagram is all that ran there.
 * SPDX-License-Identifier: MIT
 *
 * A view, which has no results of its own: those of the study's work show as they come.  Any thread
 * may read.
 *
 * Cell i lies in column i % nx of x and in row i / nx of y.  Its result is the mean over the seeds,
 * and over what else varies the best, or where the result has no better direction the mean; it is
 * diverged where every run is. */
#pragma once

#include "core/experiment/provenance.h"
#include "core/study/study_work.h"

typedef struct NsPhase NsPhase;

/* A sweep as a study: these lanes over a grid of two settings, with runs of `steps` steps and as
 * many seeds as the first lane's setting “seeds” says.  The study is initialized.
 * NS_ERROR_SETTING, where no cell is possible that way. */
bool ns_phase_study(NsStudy *study, const NsSettings *const *lanes, size_t n, const NsStudyAxis *x,
                    const NsStudyAxis *y, int64_t steps, GError **error);

/* A lane of a study over two axes of its grid.  NULL with NS_ERROR_SETTING where the grid has no
 * two such axes.  Keeps a reference to the work. */
NsPhase *ns_phase_new(NsStudyWork *work, size_t lane, size_t x, size_t y, GError **error);
NsPhase *ns_phase_ref(NsPhase *phase);
void ns_phase_unref(NsPhase *phase);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsPhase, ns_phase_unref)

const NsStudy *ns_phase_of(const NsPhase *phase);
const NsStudyAxis *ns_phase_x(const NsPhase *phase);
const NsStudyAxis *ns_phase_y(const NsPhase *phase);
const NsSettings *ns_phase_settings(const NsPhase *phase); /* of all cells, but for what varies */
int64_t ns_phase_steps(const NsPhase *phase);
size_t ns_phase_cells(const NsPhase *phase);

/* Another number than before, and never 0, whenever a cell has another state. */
unsigned ns_phase_version(const NsPhase *phase);

/* loss and value: the result. */
NsStudyCell ns_phase_cell(NsPhase *phase, size_t i);

/* The results of single seeds, [seeds of the study]: of the configuration that is the best; NaN of
 * those that have none. */
void ns_phase_seeds(NsPhase *phase, size_t i, double *values);

/* What a figure of it says of where it comes from: of a sweep settings, steps and both axes, of
 * another study its text; `provenance` is not initialized. */
void ns_phase_provenance(const NsPhase *phase, NsProvenance *provenance);

/* {"settings", "steps", "seeds", "x": {"key", "values": [texts]}, "y": {...}, "cells": [{"x", "y"
 * (texts), "state", "step", "loss", "validation_loss" (null but for done), "seeds": [the result of
 * each, or null], "seconds", "message" (where there is one)}, ...]}.  Free with g_free. */
char *ns_phase_json(NsPhase *phase);
