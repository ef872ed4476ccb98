/* The results of a study in a file.  SPDX-License-Identifier: MIT
 *
 * A results file, *.nsstudy, is an SQLite database with the application_id 0x4e735374 and the
 * version of the schema, 2, as user_version:
 *
 *     study  text as in core/study/study.h, program, began (Unix time)
 *     cells  hash from ns_study_hash, place: the number of the cell in the study, state: waiting,
 *            running, done, diverged or failed, owner and lease (Unix time) of the process that
 *            runs it; for a cell that has ended step, first, loss, validation, value, seconds,
 *            message as in NsStudyCell (NULL for NaN), program and instructions with which it ran
 *     curves hash, points: the curve of a cell if its result has one, doubles as in memory
 *
 * A file of version 1, which has no curves, can be read, and is upgraded to version 2 when it is
 * opened for running cells.
 *
 * Several processes may use one file at the same time.  A process that begins a cell takes a lease
 * and renews it; if the process is killed, another one can take the cell after the lease has
 * expired.  A cell has one row, and its first result is final, so nothing is counted twice even if
 * a cell is run repeatedly.  Results of cells that are no longer in a changed study are kept. */
#pragma once

#include "core/study/study.h"

#define NS_STUDY_LEASE 60.0 /* default, in seconds */

typedef struct NsStudyStore NsStudyStore;

typedef struct {
    size_t first, end; /* the cells of the study to run: [first, end) */
    bool network;      /* the file is on a network file system: use a rollback journal, which its
                        * locks protect, instead of a write-ahead log, which needs shared memory */
    double lease;      /* seconds that a cell is reserved for a process without renewal */
} NsStoreOptions;

/* Opens or creates a results file for a study that was checked, and adds new cells.  Failed cells
 * wait again.  `options` is NULL for all cells, on a local disk.  Returns NULL with
 * NS_ERROR_FILE. */
NsStudyStore *ns_study_store_open(const char *path, const NsStudy *study,
                                  const NsStoreOptions *options, GError **error);

/* Opens a results file for reading and merging.  The initialized `study` is replaced by that of the
 * file and checked.  Returns NULL with NS_ERROR_FILE. */
NsStudyStore *ns_study_store_read(const char *path, NsStudy *study, GError **error);

/* The same for a study that was already checked, whose cells are looked up in the file. */
NsStudyStore *ns_study_store_look(const char *path, const NsStudy *study, GError **error);

/* Reads a study from a text file or a results file into an initialized one.  A text is not checked,
 * because a setting may still be given that it lacks.  NS_ERROR_SETTING, NS_ERROR_FILE. */
bool ns_study_open(NsStudy *study, const char *path, GError **error);

/* The default path for the results of a study: "warm-up.nsstudy" for "warm-up.study"; a results
 * file is its own.  Free with g_free. */
char *ns_study_results_path(const char *path);

/* Closes the file and releases the cells that are still claimed.  NULL is ignored. */
void ns_study_store_close(NsStudyStore *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsStudyStore, ns_study_store_close)

/* Whether a file is a results file, by its first bytes. */
bool ns_study_store_is(const char *path);

/* Whether creating a file was interrupted, for example by a full disk, before it contained a
 * study. */
bool ns_study_store_is_unfinished(const char *path);

/* Whether another process or store has changed the file since the last call. */
bool ns_study_store_changed(NsStudyStore *store);

/* ---- Running cells; any thread ---- */

typedef enum {
    NS_CLAIMED_CELL,   /* a cell to run */
    NS_CLAIMED_NONE,   /* none, but other processes are running cells that may become available */
    NS_CLAIMED_LAST,   /* none, because all cells have ended */
    NS_CLAIMED_FAILED, /* an error was set */
} NsClaimed;

/* Claims the next cell to run; *i is its number. */
NsClaimed ns_study_store_claim(NsStudyStore *store, size_t *i, GError **error);

/* Stores the result of a claimed cell.  A cell that is WAITING can be claimed again. */
bool ns_study_store_keep(NsStudyStore *store, size_t i, const NsStudyCell *cell, GError **error);

/* Stores the curve of a claimed cell.  Has to be called before its result is stored. */
bool ns_study_store_keep_curve(NsStudyStore *store, size_t i, const double *points, size_t n,
                               GError **error);

/* Renews the leases of all claimed cells.  Has to be called several times during a lease. */
bool ns_study_store_renew(NsStudyStore *store, GError **error);

/* Releases all claimed cells, so that others can claim them. */
void ns_study_store_release(NsStudyStore *store);

/* ---- Reading and merging ---- */

/* The origin of the numbers of a cell; the texts are valid as long as the store. */
typedef struct {
    const char *program, *instructions; /* NULL if the cell has not ended */
} NsCellOrigin;

/* The results of a study as one table, which everything that shows results reads: a row for every
 * cell, whose lane, configuration and seed ns_study_place names. */
typedef struct {
    const NsStudy *study;           /* borrowed */
    NsStudyCell *cells;             /* [ns_study_cells] */
    NsCellOrigin *origins;          /* [ns_study_cells] */
    size_t ended, diverged, failed; /* of the cells */
    const char *failure;            /* message of the first failed cell, or NULL */
} NsStudyResults;

/* Reads all cells of the study; `results` need not be initialized, and has to be cleared in any
 * case. */
bool ns_study_store_results(NsStudyStore *store, NsStudyResults *results, GError **error);
void ns_study_results_clear(NsStudyResults *results);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsStudyResults, ns_study_results_clear)

/* The curve of a cell with *n points; NULL if there is none.  Free with g_free. */
double *ns_study_store_curve(NsStudyStore *store, size_t i, size_t *n);

typedef struct {
    size_t added;   /* number of new results */
    size_t known;   /* number of results that the file already had */
    size_t differs; /* known ones with another value, from another program or instruction set */
} NsMerged;

/* Adds the results of another file: all of them or, on an error, none. */
bool ns_study_store_merge(NsStudyStore *store, const char *path, NsMerged *merged, GError **error);
