/* SPDX-License-Identifier: MIT
 *
 * trackio keeps a project in one SQLite file, by default ~/.cache/huggingface/trackio/PROJECT.db,
 * with a row for every call of its log(): metrics(id, timestamp, run_name, step, metrics), the last
 * one an object of JSON.  The file is read through SQLite, as JSON lines, while a training program
 * writes it. */
#include "core/store/outside_files-private.h"

#include "core/settings/settings.h"

#include <string.h>

/* How long another program may hold a lock while the file is opened. */
#define BUSY_MS 500

void ns_outside_project_free(NsOutsideProject *project)
{
    if (!project) return;
    ns_database_close(project->db, project->file);
    g_string_free(project->lines, TRUE);
    g_free(project);
}

/* Gives the newest runs their lanes, in the order in which they began.  Returns false if it is no
 * project. */
static bool choose_runs(NsOutsideProject *project)
{
    /* A view could compute anything. */
    static const char tables[] =
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'metrics'";
    static const char newest[] =
        "SELECT run_name FROM (SELECT run_name, min(id) AS begun FROM metrics WHERE run_name NOT "
        "NULL GROUP BY run_name ORDER BY begun DESC LIMIT ?) ORDER BY begun";
    int64_t found = 0;
    sqlite3_busy_timeout(project->db, BUSY_MS);
    if (!ns_database_find_number(project->db, tables, &found) || !found) return false;
    NS_AUTO_STATEMENT row = ns_database_prepare(project->db, newest);
    int code = row ? sqlite3_bind_int(row, 1, NS_LANES_MAX) : SQLITE_ERROR;
    while (row && (code = sqlite3_step(row)) == SQLITE_ROW)
        if (project->run) ns_outside_name_run(project->run, ns_database_text(row, 0));
    return code == SQLITE_DONE;
}

NsOutsideProject *ns_outside_project_open(const char *path, NsOutside *run)
{
    NsOutsideProject *project = g_new0(NsOutsideProject, 1);
    project->run = run;
    project->lines = g_string_new(NULL);
    bool good =
        ns_database_open(path, SQLITE_OPEN_READONLY, &project->db, &project->file) == SQLITE_OK &&
        choose_runs(project);
    if (!good) g_clear_pointer(&project, ns_outside_project_free);
    return project;
}

/* Appends a row as a line, unless its run is left out. */
static void add_row(NsOutsideProject *project, sqlite3_stmt *row)
{
    const char *run = ns_database_text(row, 1), *metrics = ns_database_text(row, 3);
    const char *brace = run && metrics ? strchr(metrics, '{') : NULL;
    project->last = sqlite3_column_int64(row, 0);
    size_t lane = brace ? ns_outside_name_run(project->run, run) : G_MAXSIZE;
    if (lane > NS_LANES_MAX) return;
    g_string_append_printf(project->lines, "{\"lane\": %zu, \"step\": %lld, ", lane,
                           (long long)sqlite3_column_int64(row, 2));
    gsize at = project->lines->len;
    g_string_append(project->lines, brace + 1);
    g_strdelimit(project->lines->str + at, "\r\n", ' ');
    g_string_append_c(project->lines, '\n');
}

size_t ns_outside_project_read(NsOutsideProject *project, char *bytes, size_t n)
{
    if (project->lines->len < n) {
        NS_AUTO_STATEMENT row = ns_database_prepare(
            project->db, "SELECT id, run_name, step, metrics FROM metrics WHERE id > ? "
                         "AND metrics <> '{}' ORDER BY id");
        if (row) sqlite3_bind_int64(row, 1, project->last);
        while (row && project->lines->len < n && sqlite3_step(row) == SQLITE_ROW)
            add_row(project, row);
    }
    n = MIN(n, project->lines->len);
    memcpy(bytes, project->lines->str, n);
    g_string_erase(project->lines, 0, (gssize)n);
    return n;
}

bool ns_outside_project_is(const char *path)
{
    NsOutsideProject *project =
        ns_database_is_there(path) ? ns_outside_project_open(path, NULL) : NULL;
    bool is = project != NULL;
    ns_outside_project_free(project);
    return is;
}
