/* The rows of a run file, as they are written.  Internal to run_*.c.  SPDX-License-Identifier: MIT
 *
 * One thread at a time. */
#pragma once

#include "core/store/run_schema-private.h"
#include "core/train/lockstep.h"

typedef enum {
    NS_RUN_ITEM_STEP,
    NS_RUN_ITEM_EVALUATION,
    NS_RUN_ITEM_EVENT,
    NS_RUN_ITEM_CHECKPOINT
} NsRunItemKind;

/* Something that was measured, on its way to the disk. */
typedef struct {
    NsRunItemKind kind;
    size_t run; /* of a checkpoint: the lane */
    union {
        NsStep step;
        NsEvaluation evaluation;
        NsEvent event;
        int64_t clock; /* step of a checkpoint */
    } what;
    NsValues values;          /* of a step */
    NsCheckpoint *checkpoint; /* NULL of all others */
} NsRunItem;

/* One seed of a lane. */
typedef struct {
    int64_t lane, seed; /* as in the file */
    NsRecordLayout layout;
    size_t steps, evaluations, events;    /* taken */
    int64_t newest, kept_events;          /* of one that goes on: what the file has of it already */
    sqlite3_int64 ids[NS_QUANTITY_COUNT]; /* of quantities that it has */
} NsRunSeed;

typedef struct {
    char *path;
    bool resumed;
    size_t n;
    NsRunSeed runs[NS_LANES_MAX * NS_SEEDS_MAX]; /* [n], lane by lane */
    int64_t from; /* the step of the checkpoint that it goes on from; -1: from the beginning */

    int lock;        /* the file, which nobody else writes meanwhile; -1: there is none */
    bool made, open; /* it was not there before; everything is prepared */
    bool other_step; /* where the lanes stand there is not its newest checkpoint */
    sqlite3 *db;
    sqlite3_stmt *insert[NS_RUN_ITEM_CHECKPOINT], *insert_profile;
    int code; /* what SQLite said first of a transaction that failed; SQLITE_OK: look there */
} NsRunRows;

/* The i-th run, lane by lane. */
NsRun *ns_run_of(NsLockstep *lockstep, size_t i);

/* Makes the file of the lanes, or goes on with one that is there; path, resumed, n and the lane,
 * seed and layout of the runs are set.  The errors of ns_run_writer_new and ns_run_writer_resume.
 */
bool ns_run_rows_open(NsRunRows *rows, NsLockstep *lockstep, GError **error);

/* Writes all of the items, NsRunItem, or none. */
bool ns_run_rows_write(NsRunRows *rows, const GPtrArray *items, GError **error);

/* Writes the summaries [n] of a run that has reached this step; what one that goes on had beyond is
 * dropped. */
bool ns_run_rows_end(NsRunRows *rows, char *const *summaries, int64_t reached, GError **error);

void ns_run_rows_close(NsRunRows *rows);

/* ---- run_resume.c: a run that goes on ---- */

/* Makes the file that of a run which goes on from its newest checkpoint, as long as its settings
 * say, and fills in what it has already.  What it has beyond stays where the run will measure it
 * again.  FALSE where SQLite fails, or with other_step. */
bool ns_run_go_on(NsRunRows *rows, NsLockstep *lockstep);

/* Drops what was measured after a step, inside a transaction of the caller. */
bool ns_run_drop_after(sqlite3 *db, int64_t step);
