/* The database schema of a run file.  Internal to run_*.c.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/store/database.h"

#define NS_RUN_SCHEMA 4       /* user_version */
#define NS_RUN_SCHEMA_LEAST 2 /* the oldest readable version, without notes and continuations */

/* The statements that create the tables; SQLite stores them verbatim in the file. */
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
    "CREATE TABLE continuations (lane INTEGER, seed INTEGER, step INTEGER, prompt TEXT, text TEXT, "
    "PRIMARY KEY (lane, seed, step)) WITHOUT ROWID",
    "CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
};

/* Tables at the end that older files do not have. */
#define NS_RUN_LATER_TABLES 2

/* Creates one of them in an older file: the i-th from the end, from 1, with this name. */
bool ns_run_make_table(sqlite3 *db, const char *name, size_t i);

/* The maximum number of steps in a row of profiles. */
#define NS_RUN_BLOCK 256
