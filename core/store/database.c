/* SPDX-License-Identifier: MIT */
#include "core/store/database.h"

#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool ns_database_is(const char *path, uint32_t application)
{
    unsigned char head[72];
    FILE *file = g_file_test(path, G_FILE_TEST_IS_REGULAR) ? fopen(path, "re") : NULL;
    if (!file) return false;
    size_t n = fread(head, 1, sizeof head, file);
    fclose(file);
    uint32_t big_endian = GUINT32_TO_BE(application);
    return n == sizeof head && memcmp(head, "SQLite format 3", 16) == 0 &&
           memcmp(head + 68, &big_endian, sizeof big_endian) == 0;
}

void ns_database_finalize(sqlite3_stmt **statement)
{
    sqlite3_finalize(*statement);
}

sqlite3_stmt *ns_database_prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    return statement;
}

bool ns_database_run(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

void ns_database_bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT);
}

bool ns_database_finish(sqlite3_stmt *statement)
{
    bool done = sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_reset(statement);
    return done;
}

bool ns_database_find_number(sqlite3 *db, const char *sql, int64_t *number)
{
    NS_AUTO_STATEMENT row = ns_database_prepare(db, sql);
    if (!row || sqlite3_step(row) != SQLITE_ROW) return false;
    *number = sqlite3_column_int64(row, 0);
    return true;
}

bool ns_database_count(sqlite3 *db, const char *schema, const char *const known[], size_t n_known,
                       size_t *n, size_t *others)
{
    g_autofree char *sql =
        g_strdup_printf("SELECT sql FROM %s.sqlite_schema WHERE sql IS NOT NULL", schema);
    NS_AUTO_STATEMENT row = ns_database_prepare(db, sql);
    int code = SQLITE_ERROR;
    *n = *others = 0;
    while (row && (code = sqlite3_step(row)) == SQLITE_ROW) {
        const char *text = ns_database_text(row, 0);
        bool is_known = false;
        for (size_t i = 0; i < n_known; i++) is_known |= g_strcmp0(text, known[i]) == 0;
        *n += is_known;
        *others += !is_known;
    }
    return code == SQLITE_DONE;
}

double ns_database_number(sqlite3_stmt *row, int column)
{
    bool none = sqlite3_column_type(row, column) == SQLITE_NULL;
    return none ? (double)NAN : sqlite3_column_double(row, column);
}

const char *ns_database_text(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text && g_utf8_validate(text, -1, NULL) ? text : NULL;
}
