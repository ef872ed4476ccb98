/* A phase diagram: a study by two settings of its grid.  A cell of the diagram combines all runs
 * there.
 * SPDX-License-Identifier: MIT
 *
 * The diagram is a view of the study's work without results of its own, and shows results as they
 * become available.  Any thread may read it.
 *
 * Cell i is in column i % nx of x and row i / nx of y.  Its result is the mean over seeds, and over
 * the other varied settings the best, or their mean if it is unknown which results are better.  It
 * has diverged if all its runs have. */
#pragma once

#include "core/experiment/provenance.h"
#include "core/study/study_work.h"

/* The content of a diagram, constant while it exists. */
typedef struct {
    gatomicrefcount refs;
    NsStudyWork *work;
    const NsStudy *study;       /* of the work */
    const NsSettings *settings; /* of all cells, except what varies */
    const NsStudyAxis *x, *y;   /* of the grid of the study */
    size_t lane, cells;
} NsPhase;

/* Makes a study of a sweep: these lanes over a grid of two settings, with runs of `steps` steps and
 * as many seeds as the setting “seeds” of the first lane.  The study must be initialized.
 * NS_ERROR_SETTING if a cell is not possible. */
bool ns_phase_study(NsStudy *study, const NsSettings *const *lanes, size_t n, const NsStudyAxis *x,
                    const NsStudyAxis *y, int64_t steps, GError **error);

/* The diagram of one lane of a study over two axes of its grid.  Holds a reference to the work.
 * Returns NULL with NS_ERROR_SETTING if the grid does not have two such axes. */
NsPhase *ns_phase_new(NsStudyWork *work, size_t lane, size_t x, size_t y, GError **error);
NsPhase *ns_phase_ref(NsPhase *phase);
void ns_phase_unref(NsPhase *phase);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsPhase, ns_phase_unref)

/* The combined cell; `loss` and `value` are both the result. */
NsStudyCell ns_phase_cell(NsPhase *phase, size_t i);

/* The results of single seeds, [seeds of the study], for the best configuration of the cell; NaN
 * for seeds without a result. */
void ns_phase_seeds(NsPhase *phase, size_t i, double *values);

/* Fills in the provenance of the figure: for a sweep settings, steps and both axes, for another
 * study its text.  `provenance` need not be initialized. */
void ns_phase_provenance(const NsPhase *phase, NsProvenance *provenance);

/* The diagram as JSON: {"settings", "steps", "seeds", "x": {"key", "values": [texts]}, "y": {...},
 * "cells": [{"x", "y" (texts), "state", "step", "loss", "validation_loss" (null unless done),
 * "seeds": [the result of each, or null], "seconds", "message" (if there is one)}, ...], "program",
 * "instructions"}.  Free with g_free. */
char *ns_phase_json(NsPhase *phase);
