/* SPDX-License-Identifier: MIT */
#include "core/store/run_notes.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/store/run_schema-private.h"

#include <string.h>

/* How long to wait while another program is writing. */
#define BUSY_MILLISECONDS 5000

bool ns_run_make_table(sqlite3 *db, const char *name, size_t i)
{
    const char *table = ns_run_tables[G_N_ELEMENTS(ns_run_tables) - i];
    if (sqlite3_table_column_metadata(db, NULL, name, NULL, NULL, NULL, NULL, NULL, NULL) ==
        SQLITE_OK)
        return true;
    g_autofree char *version = g_strdup_printf("PRAGMA user_version = %d", NS_RUN_SCHEMA);
    return ns_database_run(db, table) && ns_database_run(db, version);
}

/* NULL, or a sentence without its end that says why the note was not written.  Free with g_free. */
static char *write_note(sqlite3 *db, const char *key, const char *value)
{
    int64_t application = 0;
    size_t bytes = value ? strnlen(value, NS_RUN_NOTE_MOST) : 0;
    g_autofree char *whole = g_utf8_make_valid(value ? value : "", (gssize)bytes);
    NS_AUTO_TRANSACTION transaction = ns_database_begin(db);
    bool read = transaction && ns_database_find_number(db, "PRAGMA application_id", &application);
    if (read && application != NS_DATABASE_RUN) return g_strdup(_("it is not a run file"));
    bool written = read && ns_database_run(db, "PRAGMA trusted_schema = OFF") &&
                   ns_run_make_table(db, "notes", 1) &&
                   ns_database_write(db,
                                     bytes ? "INSERT OR REPLACE INTO notes VALUES (?, ?)"
                                           : "DELETE FROM notes WHERE key = ?",
                                     bytes ? "tt" : "t", key, whole) &&
                   ns_database_commit(&transaction);
    return written ? NULL : ns_database_error(db);
}

bool ns_run_note_write(const char *path, const char *key, const char *value, GError **error)
{
    sqlite3 *db;
    NsDatabaseFile *file = NULL;
    bool open = ns_database_open(path, SQLITE_OPEN_READWRITE, &db, &file) == SQLITE_OK &&
                sqlite3_busy_timeout(db, BUSY_MILLISECONDS) == SQLITE_OK;
    g_autofree char *why = open ? write_note(db, key, value) : ns_database_error(db);
    ns_database_close(db, file);
    if (!why) return true;
    g_autofree char *name = g_filename_display_basename(path);
    return ns_refuse(error, NS_ERROR_FILE, "The note cannot be written into “%s”: %s.", name, why);
}
