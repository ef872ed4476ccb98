/* SQLite helpers that run files and study results share.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/database_file.h"

#include <sqlite3.h>
#include <stdint.h>

/* ---- Files ---- */

#define NS_DATABASE_RUN 0x4e735275   /* application_id of a run: "NsRu" */
#define NS_DATABASE_STUDY 0x4e735374 /* of the results of a study: "NsSt" */

/* Whether a regular file is a database with this application_id, also while it is being written. */
bool ns_database_is(const char *path, uint32_t application);

/* Whether a file is a database of SQLite, which no output may replace, or an empty file with the
 * name of a run or of results, which is just being created. */
bool ns_database_is_there(const char *path);

/* sqlite3_open_v2 for a file at a path, or for ":memory:".  *file is the file if it is already
 * open, or NULL and set.  Both have to be closed, also after an error, when they may be NULL. */
int ns_database_open(const char *path, int flags, sqlite3 **db, NsDatabaseFile **file);

/* Closes both. */
void ns_database_close(sqlite3 *db, NsDatabaseFile *file);

/* The last error of a database, with its extended code and what SQLite has logged of it on this
 * thread: "disk I/O error (4874: os_unix.c:44910: (5) fstat(a.nsrun) - )".  Free with g_free. */
char *ns_database_error(sqlite3 *db);

/* ---- Statements ---- */

/* A statement that is finalized at the end of its block. */
#define NS_AUTO_STATEMENT __attribute__((cleanup(ns_database_finalize))) sqlite3_stmt *
void ns_database_finalize(sqlite3_stmt **statement);

/* Returns NULL if SQLite fails. */
sqlite3_stmt *ns_database_prepare(sqlite3 *db, const char *sql);

/* Runs statements without rows and parameters.  Returns false if SQLite fails. */
bool ns_database_run(sqlite3 *db, const char *sql);

/* A transaction that is rolled back at the end of its block unless it was committed.  After
 * ns_database_begin it is NULL if SQLite fails.  The error of SQLite has to be read before the end
 * of the block. */
#define NS_AUTO_TRANSACTION __attribute__((cleanup(ns_database_roll_back))) sqlite3 *
sqlite3 *ns_database_begin(sqlite3 *db);
__attribute__((warn_unused_result)) bool ns_database_commit(sqlite3 **transaction);
void ns_database_roll_back(sqlite3 **transaction);

/* Binds the parameters of a statement from the first on, by a letter each: i, an int64_t; d, a
 * double; t, a text, which is copied; b, bytes, which must not change before the statement has run,
 * and a size_t for their number.  NULL is stored as NULL.  Returns false if there is no statement,
 * or if SQLite fails because a value is too large or the memory is full: the statement would store
 * NULL instead. */
__attribute__((warn_unused_result)) bool ns_database_bind(sqlite3_stmt *statement,
                                                          const char *types, ...);

/* Runs a statement without rows and resets it for the next parameters.  Returns false if SQLite
 * fails. */
bool ns_database_finish(sqlite3_stmt *statement);

/* Runs a statement without rows once, with parameters as in ns_database_bind.  Returns false if
 * SQLite fails. */
bool ns_database_write(sqlite3 *db, const char *sql, const char *types, ...);

/* Reads the number in the first column of the first row.  Returns false if there is no row or
 * SQLite fails. */
bool ns_database_find_number(sqlite3 *db, const char *sql, int64_t *number);

/* Counts the statements that created a schema ("main"): `n` of those that equal one of `known`, and
 * `others`, such as a view or a trigger, which could compute anything.  Returns false if SQLite
 * fails. */
bool ns_database_count(sqlite3 *db, const char *schema, const char *const known[], size_t n_known,
                       size_t *n, size_t *others);

/* The number in a column; NULL is read as NaN, because SQLite stores NaN as NULL. */
double ns_database_number(sqlite3_stmt *row, int column);

/* The text in a column; NULL if it has no text or the text is not valid UTF-8. */
const char *ns_database_text(sqlite3_stmt *row, int column);
