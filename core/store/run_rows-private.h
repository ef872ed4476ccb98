/* Writing the rows of a run file.  Internal to run_*.c.  SPDX-License-Identifier: MIT
 *
 * Only one thread may use the rows at a time. */
#pragma once

#include "core/store/run_schema-private.h"
#include "core/train/lockstep.h"

typedef enum {
    NS_RUN_ITEM_STEP,
    NS_RUN_ITEM_EVALUATION,
    NS_RUN_ITEM_CONTINUATION,
    NS_RUN_ITEM_EVENT,
    NS_RUN_ITEM_CHECKPOINT
} NsRunItemKind;

/* An item in the queue. */
typedef struct {
    NsRunItemKind kind;
    size_t run; /* index of the run; for a checkpoint, of the lane */
    union {
        NsStep step;
        NsEvaluation evaluation;
        NsContinuation continuation;
        NsEvent event;
        int64_t clock; /* step of a checkpoint */
    } what;
    NsValues values;          /* values of a step */
    NsCheckpoint *checkpoint; /* NULL for other kinds */
} NsRunItem;

/* A seed of a lane. */
typedef struct {
    int64_t lane, seed; /* as in the file */
    NsRecordLayout layout;
    size_t steps, evaluations, continuations, events; /* numbers of items queued so far */
    int64_t newest, retained_events;      /* of a resumed run: what the file already contains */
    sqlite3_int64 ids[NS_QUANTITY_COUNT]; /* of the quantities of the model */
} NsRunSeed;

typedef struct {
    char *path;
    bool resumed;
    size_t n;
    NsRunSeed runs[NS_LANES_MAX * NS_SEEDS_MAX]; /* [n], lane by lane */
    int64_t from; /* the step of the checkpoint where it was resumed; -1: from the beginning */

    NsDatabaseFile *file;
    bool existed, locked, open; /* the file was there before; it is locked; rows can be written */
    bool other_step;            /* the lanes are not at the newest checkpoint of the file */
    sqlite3 *db;
    sqlite3_stmt *insert[NS_RUN_ITEM_CHECKPOINT], *insert_profile;
} NsRunRows;

/* Creates the file for the lanes, or opens it if the run is resumed.  Before the call path,
 * resumed, n, and the lane, seed and layout of the runs are set.  Errors as in ns_run_writer_new
 * and ns_run_writer_resume. */
bool ns_run_rows_open(NsRunRows *rows, NsLockstep *lockstep, GError **error);

typedef enum {
    NS_ROWS_WRITTEN,
    NS_ROWS_LOCKED, /* another program has locked the file: nothing was written; try again */
    NS_ROWS_FAILED, /* an error was set */
} NsRowsWritten;

/* Writes all items (NsRunItem) in one transaction. */
NsRowsWritten ns_run_rows_write(NsRunRows *rows, const GPtrArray *items, GError **error);

/* Writes the summaries [n] of a run that has reached this step.  Deletes later records, which a
 * resumed run may have. */
NsRowsWritten ns_run_rows_end(NsRunRows *rows, char *const *summaries, int64_t reached,
                              GError **error);

/* Closes the file and frees what belongs to the rows. */
void ns_run_rows_close(NsRunRows *rows);

/* Finds the numbers of the quantities of a run in the file, and adds those that it lacks: all of
 * them in a new file, and those that a run of an older program did not measure. */
bool ns_run_write_quantities(NsRunRows *rows, NsRunSeed *run);

/* ---- run_resume.c ---- */

/* Prepares the file for a run that resumes from its newest checkpoint, within a transaction of the
 * caller: sets the length of the run and fills in what the file already contains.  Keeps later
 * records if the run will reproduce them.  Returns false if SQLite fails, or if the lanes are at
 * another step (other_step). */
bool ns_run_go_on(NsRunRows *rows, NsLockstep *lockstep);

/* Deletes everything measured after a step, within a transaction of the caller. */
bool ns_run_drop_after(sqlite3 *db, int64_t step);
