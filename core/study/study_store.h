/* The results of a study in a file.  SPDX-License-Identifier: MIT
 *
 * A file of results, *.nsstudy, is a database of SQLite with application id 0x4e735374 and its
 * version of the schema, 2, as user_version:
 *
 *     study  text as in core/study/study.h, program, began (Unix time)
 *     cells  hash as of ns_study_hash, place: the number of the cell in the study, state: waiting,
 *            running, done, diverged or failed, owner and lease (Unix time) of who runs it; of one
 *            that has ended step, first, loss, validation, value, seconds, message as in
 *            NsStudyCell (NULL for NaN), program and instructions that it ran with
 *     curves hash, points: the curve of a cell whose result has one, doubles as in memory
 *
 * A file of version 1, which has no curves, is read, and becomes one of version 2 when it is worked
 * at.
 *
 * Several processes may work at one file.  Who begins a cell takes a lease and renews it; the cell
 * of a process that was killed can be taken when its lease has ended.  A cell has one row, and the
 * first result stays: nothing is counted twice, however often a cell was run.  Results of cells
 * that a changed study no longer has are kept. */
#pragma once

#include "core/study/study.h"

#define NS_STUDY_LEASE 60.0 /* seconds, unless told */

typedef struct NsStudyStore NsStudyStore;

typedef struct {
    size_t first, end; /* cells of the study that are worked at: [first, end) */
    bool network;      /* the file lies on a network file system: a journal that its locks protect,
                        * instead of a write-ahead log, which needs shared memory */
    double lease;      /* seconds that a cell is kept for a process that does not renew it */
} NsStoreOptions;

/* Opens a file of results or makes one, for a study that was checked, and adds the cells that are
 * new.  Cells that had failed wait again.  options: NULL for all cells, on this machine.  NULL with
 * NS_ERROR_FILE. */
NsStudyStore *ns_study_store_open(const char *path, const NsStudy *study,
                                  const NsStoreOptions *options, GError **error);

/* Opens a file of results to read and to merge into.  `study`, which is initialized, becomes that
 * of the file, checked.  NULL with NS_ERROR_FILE. */
NsStudyStore *ns_study_store_read(const char *path, NsStudy *study, GError **error);

/* The same for a study that was checked: with what the file has of its cells. */
NsStudyStore *ns_study_store_look(const char *path, const NsStudy *study, GError **error);

/* Reads a study into one that is initialized, and checks it: of a text, or the one inside a file of
 * results.  NS_ERROR_SETTING, NS_ERROR_FILE. */
bool ns_study_open(NsStudy *study, const char *path, GError **error);

/* Where the results of a study are unless told: "warm-up.study": "warm-up.nsstudy"; a file of
 * results is its own.  Free with g_free. */
char *ns_study_results_path(const char *path);

/* Lets go of the cells that are still claimed.  NULL is ignored. */
void ns_study_store_close(NsStudyStore *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsStudyStore, ns_study_store_close)

/* Whether a file begins as one of results does. */
bool ns_study_store_is(const char *path);

/* Whether the making of a file was broken off, as by a full disk, before it had a study. */
bool ns_study_store_is_unfinished(const char *path);

/* Whether another process or another store has changed the file since this was asked last. */
bool ns_study_store_changed(NsStudyStore *store);

/* ---- Working; any thread ---- */

typedef enum {
    NS_CLAIMED_CELL,   /* a cell to run */
    NS_CLAIMED_NONE,   /* none, but other processes are at some, which may come back */
    NS_CLAIMED_LAST,   /* all have ended */
    NS_CLAIMED_FAILED, /* error */
} NsClaimed;

/* Takes the next cell. */
NsClaimed ns_study_store_claim(NsStudyStore *store, size_t *i, GError **error);

/* Keeps the result of a claimed cell; one that is WAITING waits for the next. */
bool ns_study_store_keep(NsStudyStore *store, size_t i, const NsStudyCell *cell, GError **error);

/* Keeps the curve of a claimed cell, before its result. */
bool ns_study_store_keep_curve(NsStudyStore *store, size_t i, const double *points, size_t n,
                               GError **error);

/* Renews the leases of all claimed cells: to be called several times in the time of a lease. */
bool ns_study_store_renew(NsStudyStore *store, GError **error);

/* Lets go of all claimed cells: others can take them. */
void ns_study_store_release(NsStudyStore *store);

typedef struct {
    size_t cells, ended, running, diverged, failed;
} NsStoreCounts;

/* Of the cells that are worked at, those of other processes included. */
bool ns_study_store_count(NsStudyStore *store, NsStoreCounts *counts, GError **error);

/* ---- Reading and merging ---- */

/* Where the numbers of a cell come from; texts live as long as the store. */
typedef struct {
    const char *program, *instructions; /* NULL of one that has not ended */
} NsCellOrigin;

/* All cells of the study: cells and origins (NULL for none), [ns_study_cells]. */
bool ns_study_store_cells(NsStudyStore *store, NsStudyCell *cells, NsCellOrigin *origins,
                          GError **error);

/* The curve of a cell, of n points; NULL where there is none.  Free with g_free. */
double *ns_study_store_curve(NsStudyStore *store, size_t i, size_t *n);

typedef struct {
    size_t added;   /* results that the file did not have */
    size_t known;   /* that it had already */
    size_t differs; /* of these, with another value: of other instructions or another program */
} NsMerged;

/* Adds the results of another file.  Whole or not at all. */
bool ns_study_store_merge(NsStudyStore *store, const char *path, NsMerged *merged, GError **error);
