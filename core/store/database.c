/* SPDX-License-Identifier: MIT */
#include "core/store/database.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define HEAD 72 /* bytes of a database up to the end of its application_id */

/* The last error that SQLite has logged on this thread. */
static _Thread_local struct {
    int code;
    char text[256];
} logged;

static void log_error(void *data, int code, const char *text)
{
    (void)data;
    logged.code = code;
    g_strlcpy(logged.text, text, sizeof logged.text);
}

char *ns_database_error(sqlite3 *db)
{
    int code = sqlite3_extended_errcode(db);
    bool known = logged.code == code && *logged.text;
    return g_strdup_printf("%s (%d%s%s)", sqlite3_errmsg(db), code, known ? ": " : "",
                           known ? logged.text : "");
}

int ns_database_open(const char *path, int flags, sqlite3 **db, NsDatabaseFile **file)
{
    /* SQLite accepts a log only before its first use. */
    static gsize done;
    if (g_once_init_enter(&done)) {
        sqlite3_config(SQLITE_CONFIG_LOG, log_error, NULL);
        g_once_init_leave(&done, 1);
    }

    bool in_memory = g_str_equal(path, ":memory:");
    if (!*file && !in_memory)
        *file = ns_database_file_open(path, flags & SQLITE_OPEN_CREATE ? O_CREAT : 0);
    int code = sqlite3_open_v2(path, db, flags, NULL);
    return code == SQLITE_OK && !*file && !in_memory ? SQLITE_CANTOPEN : code;
}

void ns_database_close(sqlite3 *db, NsDatabaseFile *file)
{
    sqlite3_close(db);
    ns_database_file_close(file);
}

/* Reads the head of a database, [HEAD] bytes.  Returns false if the file is none. */
static bool read_head(const char *path, unsigned char *head)
{
    return ns_database_file_head(path, head, HEAD) == HEAD &&
           memcmp(head, "SQLite format 3", 16) == 0;
}

bool ns_database_is(const char *path, uint32_t application)
{
    unsigned char head[HEAD];
    uint32_t id;
    if (!read_head(path, head)) return false;
    memcpy(&id, head + HEAD - sizeof id, sizeof id);
    g_autofree char *log = g_strconcat(path, "-wal", NULL);
    if (id != 0 || !g_file_test(log, G_FILE_TEST_EXISTS)) return GUINT32_FROM_BE(id) == application;
    /* While a file is being created, its number may be in the log, where SQLite finds it. */
    sqlite3 *db;
    NsDatabaseFile *file = NULL;
    int64_t found = 0;
    if (ns_database_open(path, SQLITE_OPEN_READONLY, &db, &file) == SQLITE_OK)
        ns_database_find_number(db, "PRAGMA application_id", &found);
    ns_database_close(db, file);
    return found == application;
}

bool ns_database_is_there(const char *path)
{
    unsigned char head[HEAD];
    GStatBuf file;
    bool empty = g_stat(path, &file) == 0 && S_ISREG(file.st_mode) && file.st_size == 0;
    return read_head(path, head) ||
           (empty && (g_str_has_suffix(path, ".nsrun") || g_str_has_suffix(path, ".nsstudy")));
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

sqlite3 *ns_database_begin(sqlite3 *db)
{
    return ns_database_run(db, "BEGIN IMMEDIATE") ? db : NULL;
}

bool ns_database_commit(sqlite3 **transaction)
{
    if (!ns_database_run(*transaction, "COMMIT")) return false;
    *transaction = NULL;
    return true;
}

void ns_database_roll_back(sqlite3 **transaction)
{
    if (*transaction) ns_database_run(*transaction, "ROLLBACK");
}

static bool bind_all(sqlite3_stmt *statement, const char *types, va_list values)
{
    int code = SQLITE_OK;
    for (int at = 1; statement && types[at - 1] && code == SQLITE_OK; at++) {
        char type = types[at - 1];
        if (type == 'i') {
            code = sqlite3_bind_int64(statement, at, va_arg(values, int64_t));
        } else if (type == 'd') {
            code = sqlite3_bind_double(statement, at, va_arg(values, double));
        } else if (type == 't') {
            const char *text = va_arg(values, const char *);
            code = sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT);
        } else {
            const void *bytes = va_arg(values, const void *);
            code = sqlite3_bind_blob64(statement, at, bytes, va_arg(values, size_t), SQLITE_STATIC);
        }
    }
    return statement && code == SQLITE_OK;
}

bool ns_database_bind(sqlite3_stmt *statement, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    bool bound = bind_all(statement, types, values);
    va_end(values);
    return bound;
}

bool ns_database_finish(sqlite3_stmt *statement)
{
    bool done = sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_reset(statement);
    return done;
}

bool ns_database_write(sqlite3 *db, const char *sql, const char *types, ...)
{
    NS_AUTO_STATEMENT statement = ns_database_prepare(db, sql);
    va_list values;
    va_start(values, types);
    bool bound = bind_all(statement, types, values);
    va_end(values);
    return bound && ns_database_finish(statement);
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
