/* The history of one lane of a log of another program.  Internal to outside*.c.
 * SPDX-License-Identifier: MIT
 *
 * Its layout grows with the quantities that arrive, and lines of earlier steps are put in their
 * places; both make a new history with the records so far. */
#pragma once

#include "core/probe/history.h"
#include "core/store/outside_line-private.h"

typedef struct {
    void *data;
    void (*note)(void *data, const char *sentence);
    void (*left_out)(void *data, const char *name); /* a value of this name is not drawn */
} NsOutsideReport;

typedef struct {
    size_t budget; /* bytes for profiles */
    NsOutsideReport report;
    NsRecordLayout layout;
    NsHistory *history;    /* NULL before the first record */
    NsValues values;       /* [layout.width] */
    bool has_hidden;       /* an array has determined the number of hidden states */
    size_t scalars;        /* single numbers with names of their own */
    GArray *evaluations;   /* NsEvaluation, ascending */
    bool evaluations_late; /* the history lacks some */
    GArray *continuations; /* NsContinuation, ascending */
} NsOutsideRecords;

void ns_outside_records_init(NsOutsideRecords *records, size_t budget, NsOutsideReport report);
void ns_outside_records_clear(NsOutsideRecords *records);

/* The step of the newest record; -1 if there is none. */
int64_t ns_outside_records_last(const NsOutsideRecords *records);

/* Whether there is a record of this step. */
bool ns_outside_records_have(const NsOutsideRecords *records, int64_t step);

/* Appends a line with a loss, of a step after all others.  Its cells have been gathered. */
void ns_outside_records_append(NsOutsideRecords *records, const NsOutsideLine *line);

/* Puts lines (NsOutsideLine) in their places, and evaluations that came late: a line of a recorded
 * step adds what this lacks, and any other has a loss.  Sorts the lines. */
void ns_outside_records_insert(NsOutsideRecords *records, GPtrArray *lines);

/* Removes records, evaluations and events from a step on. */
void ns_outside_records_cut(NsOutsideRecords *records, int64_t step);

/* Removes all records, but not the evaluations. */
void ns_outside_records_drop(NsOutsideRecords *records);

/* Adds the continuation of a line, unless one of a later step was added. */
void ns_outside_records_continue(NsOutsideRecords *records, const NsOutsideLine *line);

/* Adds a validation loss; returns false if the step has one. */
bool ns_outside_records_evaluate(NsOutsideRecords *records, int64_t step, double loss);
