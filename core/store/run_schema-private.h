/* What a run file is made of, and its statements.  Internal to run_*.c.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#define NS_RUN_APPLICATION 0x4e735275 /* "NsRu", in the head of the file */
#define NS_RUN_SCHEMA 3               /* its user_version */
#define NS_RUN_SCHEMA_LEAST 2         /* the oldest that is read: it has no notes */

/* The statements that make it, which the file keeps word for word. */
static const char *const ns_run_tables[] = {
    "CREATE TABLE run (program TEXT, experiment TEXT, began INTEGER)",
    "CREATE TABLE lanes (lane INTEGER, seed INTEGER, settings TEXT, summary TEXT, "
    "PRIMARY KEY (lane, seed)) WITHOUT ROWID",
    "CREATE TABLE steps (lane INTEGER, seed INTEGER, step INTEGER, loss REAL, lr REAL, "
    "grad_norm REAL, seconds REAL, probe_seconds REAL, PRIMARY KEY (lane, seed, step)) "
    "WITHOUT ROWID",
    "CREATE TABLE quantities (id INTEGER PRIMARY KEY, lane INTEGER, seed INTEGER, key TEXT, "
    "size INTEGER)",
    "CREATE TABLE profiles (quantity INTEGER, first INTEGER, steps INTEGER, data BLOB, "
    "present BLOB)",
    "CREATE INDEX profiles_by_step ON profiles (quantity, first)",
    "CREATE TABLE evaluations (lane INTEGER, seed INTEGER, step INTEGER, loss REAL)",
    "CREATE TABLE events (lane INTEGER, seed INTEGER, step INTEGER, kind TEXT, layer INTEGER, "
    "what TEXT, text TEXT)",
    "CREATE TABLE checkpoints (id INTEGER PRIMARY KEY, step INTEGER, lane INTEGER, seed INTEGER, "
    "updates INTEGER, diverged INTEGER, settings TEXT, lr REAL, spikes BLOB, state BLOB)",
    "CREATE TABLE tensors (checkpoint INTEGER, place INTEGER, name TEXT, rows INTEGER, "
    "columns INTEGER, weights BLOB, first_moments BLOB, second_moments BLOB, "
    "moments_since INTEGER, weight_sq REAL, update_sq REAL, ratio_sum REAL, ratio_max REAL, "
    "PRIMARY KEY (checkpoint, place))",
    "CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
};

/* The most steps of a row of profiles. */
#define NS_RUN_BLOCK 256

/* A statement that goes with its block. */
static inline void ns_run_finalize(sqlite3_stmt **statement)
{
    sqlite3_finalize(*statement);
}
#define NS_AUTO_STATEMENT __attribute__((cleanup(ns_run_finalize))) sqlite3_stmt *

/* NULL where SQLite fails. */
static inline sqlite3_stmt *ns_run_prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    return statement;
}

/* The only number of a statement's only row; none: false. */
static inline bool ns_run_find_number(sqlite3 *db, const char *sql, int64_t *number)
{
    NS_AUTO_STATEMENT row = ns_run_prepare(db, sql);
    if (!row || sqlite3_step(row) != SQLITE_ROW) return false;
    *number = sqlite3_column_int64(row, 0);
    return true;
}

/* A number, in place of which NULL stands for NaN. */
static inline double ns_run_number(sqlite3_stmt *row, int column)
{
    bool none = sqlite3_column_type(row, column) == SQLITE_NULL;
    return none ? (double)NAN : sqlite3_column_double(row, column);
}
