/* SQLite, as run files and the results of studies use it.  SPDX-License-Identifier: MIT */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a regular file is a database with this application_id in its head. */
bool ns_database_is(const char *path, uint32_t application);

/* A statement that is finalized at the end of its block. */
#define NS_AUTO_STATEMENT __attribute__((cleanup(ns_database_finalize))) sqlite3_stmt *
void ns_database_finalize(sqlite3_stmt **statement);

/* NULL where SQLite fails. */
sqlite3_stmt *ns_database_prepare(sqlite3 *db, const char *sql);

/* The only number of a statement's only row; FALSE where there is none, or SQLite fails. */
bool ns_database_find_number(sqlite3 *db, const char *sql, int64_t *number);

/* Counts the statements that made the tables of a schema ("main"): those that are among `known`,
 * word for word, and others, such as a view or a trigger, which could compute anything.  FALSE
 * where SQLite fails. */
bool ns_database_count(sqlite3 *db, const char *schema, const char *const known[], size_t n_known,
                       size_t *n, size_t *others);

/* A number, in place of which NULL stands for NaN; SQLite writes NaN so. */
double ns_database_number(sqlite3_stmt *row, int column);

/* NULL where there is none, or where it is no UTF-8. */
const char *ns_database_text(sqlite3_stmt *row, int column);
