/* The steps and the history of one lane of a log of another program.  Internal to outside*.c.
 * SPDX-License-Identifier: MIT
 *
 * Its layout grows with the quantities that arrive, and lines of earlier steps are put in their
 * places; both make a new history with the records so far. */
#pragma once

#include "core/store/outside.h"
#include "core/store/outside_line-private.h"

/* A line has its step, or it is counted: by a number of tokens that grows, by the epoch, or by the
 * order of the losses.  A step that is counted within a growing epoch continues. */
typedef struct {
    NsOutside *owner;
    bool has_step, by_epoch, counted, in_epoch;
    const NsOutsideName *tokens; /* the count of tokens that is the step, or NULL */
    unsigned grown;              /* losses at a number of tokens that had grown */
    int64_t top, gap; /* the largest step with a loss, -1 before; that minus the one before, or 0 */
    double epoch;     /* the largest one; -1 before the first */
    GArray *epochs;   /* the epochs that began with a step before `top`, ascending */
} NsOutsideSteps;

typedef struct {
    size_t budget; /* bytes for profiles */
    NsOutside *owner;
    NsRecordLayout layout;
    NsHistory *history;    /* NULL before the first record */
    NsValues values;       /* [layout.width] */
    bool has_hidden;       /* an array has determined the number of hidden states */
    bool stacks;           /* arrays by layer may be shorter than the deepest stack */
    size_t scalars;        /* single numbers with names of their own */
    GArray *evaluations;   /* NsEvaluation, ascending */
    bool evaluations_late; /* the history lacks some */
    bool as_losses;        /* they are the losses of the records, and not in the history */
    GArray *continuations; /* NsContinuation, ascending */
    NsOutsideSteps steps;
} NsOutsideRecords;

void ns_outside_records_init(NsOutsideRecords *records, size_t budget, NsOutside *owner);
void ns_outside_records_clear(NsOutsideRecords *records);

/* The step of the newest record; -1 if there is none. */
int64_t ns_outside_records_last(const NsOutsideRecords *records);

/* Appends a line with a loss, of a step after all others.  Its cells have been gathered. */
void ns_outside_records_append(NsOutsideRecords *records, NsOutsideLine *line);

/* Puts lines (NsOutsideLine) in their places, and evaluations that came late: a line of a recorded
 * step adds what this lacks, and any other has a loss.  Sorts the lines. */
void ns_outside_records_insert(NsOutsideRecords *records, GPtrArray *lines);

/* Removes records, evaluations and events from a step on. */
void ns_outside_records_cut(NsOutsideRecords *records, int64_t step);

/* Adds the continuation of a line, unless one of a later step was added. */
void ns_outside_records_continue(NsOutsideRecords *records, const NsOutsideLine *line);

/* Adds a validation loss; returns false if the step has one, unless that is replaced. */
bool ns_outside_records_evaluate(NsOutsideRecords *records, int64_t step, double loss,
                                 bool replace);

/* Finds the step of a line; returns false if it has none, although others of the lane do.
 * `newest`: the line before it, which may get another step, or NULL. */
bool ns_outside_steps_find(NsOutsideSteps *steps, NsOutsideLine *line, NsOutsideLine *newest);

/* ---- What its owner does ---- */

/* Reports something about the line that is being placed; only the first ones are. */
void ns_outside_note(NsOutside *owner, const char *sentence);

/* Counts a value of this name that is not drawn. */
void ns_outside_leave_out(NsOutside *owner, const char *name);
