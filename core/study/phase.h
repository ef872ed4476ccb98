/* A sweep over two settings: one short run in every cell of a grid.  SPDX-License-Identifier: MIT
 *
 * Cells are trained one after another by workers, threads below the priority of their creator.  A
 * cell is trained by one thread, so that its result does not depend on how many workers there are.
 * Any thread may read while workers write.
 *
 * Cell i lies in column i % nx of x and in row i / nx of y; cells are begun in this order. */
#pragma once

#include "core/experiment/param.h"
#include "core/experiment/provenance.h"

#define NS_PHASE_VALUES 64 /* on an axis, at the most */
#define NS_PHASE_LAST 10   /* records whose mean is the loss of a cell */

/* Whether a setting can be on an axis: not where it is a text, or tells how runs are made rather
 * than what they are, for that is the sweep's own. */
bool ns_phase_can_vary(const NsParam *param);

/* A setting and the values that it takes. */
typedef struct {
    const NsParam *param;
    char **values; /* [n], NULL after the last; as ns_settings_set reads them */
    size_t n;
} NsPhaseAxis;

/* Reads "lr=1e-4:1e-1:7", so many values from the first to the last, in equal factors where the
 * setting's slider is logarithmic and both are positive, else in equal steps, or as a fourth word
 * says: "lr=1e-3:5e-3:5:linear", "dropout=0.01:0.1:3:log"; rounded to three
 * digits and to whole numbers where the setting has them; or "warmup=1,10,100" or
 * "placement=post,pre".  The axis need not be initialized.  NS_ERROR_SETTING. */
bool ns_phase_axis_read(NsPhaseAxis *axis, const char *text, GError **error);
void ns_phase_axis_clear(NsPhaseAxis *axis);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsPhaseAxis, ns_phase_axis_clear)

/* "lr=0.0001,0.00316,0.1", which reads back to the same values.  Free with g_free. */
char *ns_phase_axis_text(const NsPhaseAxis *axis);

typedef enum {
    NS_CELL_WAITING,
    NS_CELL_RUNNING,
    NS_CELL_DONE,
    NS_CELL_DIVERGED, /* a value was not finite */
    NS_CELL_FAILED,   /* no run could be made */
} NsCellState;

const char *ns_cell_state_word(NsCellState state);

typedef struct {
    NsCellState state;
    int64_t step;      /* updates done: of DIVERGED the one that led to what is not finite */
    double first;      /* training loss before any update; NaN before it is known */
    double loss;       /* training loss, mean of the last NS_PHASE_LAST records; NaN but for DONE */
    double validation; /* loss on held-out text at the end; NaN but for DONE */
    double seconds;    /* that it took */
    char text[400];    /* of DIVERGED and FAILED: a sentence */
} NsPhaseCell;

typedef struct NsPhase NsPhase;

/* A sweep of runs of `steps` steps with these settings but for the two.  Starts no worker.  NULL
 * with NS_ERROR_SETTING, where no cell is possible that way.  Copies what it is given. */
NsPhase *ns_phase_new(const NsSettings *settings, const NsPhaseAxis *x, const NsPhaseAxis *y,
                      int64_t steps, GError **error);
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

const NsPhaseAxis *ns_phase_x(const NsPhase *phase);
const NsPhaseAxis *ns_phase_y(const NsPhase *phase);
const NsSettings *ns_phase_settings(const NsPhase *phase); /* of all cells, but for the two */
int64_t ns_phase_steps(const NsPhase *phase);
size_t ns_phase_cells(const NsPhase *phase);

/* Another number than before, and never 0, whenever a cell has another state. */
unsigned ns_phase_version(const NsPhase *phase);

NsPhaseCell ns_phase_cell(NsPhase *phase, size_t i);

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
