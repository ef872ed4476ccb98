/* SPDX-License-Identifier: MIT */
#include "core/store/outside_project-private.h"

#include "core/base/words.h"
#include "core/settings/settings.h"

#include <string.h>

/* How long another program may hold a lock while the file is opened. */
#define BUSY_MS 500

/* The newest runs, in the order in which they began.  Returns false if it is no project. */
static bool choose_runs(NsOutsideProject *project)
{
    /* A view could compute anything. */
    static const char tables[] =
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'metrics'";
    int64_t found = 0;
    sqlite3_busy_timeout(project->db, BUSY_MS);
    if (!ns_database_find_number(project->db, tables, &found) || !found) return false;
    NS_AUTO_STATEMENT row =
        ns_database_prepare(project->db, "SELECT run_name FROM metrics WHERE run_name NOT NULL "
                                         "GROUP BY run_name ORDER BY min(id) DESC");
    size_t n = 0;
    int code;
    while (row && (code = sqlite3_step(row)) == SQLITE_ROW) {
        const char *name = ns_database_text(row, 0);
        if (n++ < NS_LANES_MAX)
            g_ptr_array_insert(project->runs, 0, g_strdup(name));
        else
            g_hash_table_add(project->left_out, g_strdup(name));
    }
    if (n > NS_LANES_MAX)
        project->message = g_strdup_printf(_("The project has %zu runs; the newest %d are shown."),
                                           n, NS_LANES_MAX);
    return row && code == SQLITE_DONE;
}

NsOutsideProject *ns_outside_project_open(const char *path)
{
    NsOutsideProject *project = g_new0(NsOutsideProject, 1);
    project->runs = g_ptr_array_new_with_free_func(g_free);
    project->left_out = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    project->lines = g_string_new(NULL);
    bool good =
        ns_database_open(path, SQLITE_OPEN_READONLY, &project->db, &project->file) == SQLITE_OK &&
        choose_runs(project);
    if (good) return project;
    ns_outside_project_free(project);
    return NULL;
}

void ns_outside_project_free(NsOutsideProject *project)
{
    if (!project) return;
    ns_database_close(project->db, project->file);
    g_ptr_array_unref(project->runs);
    g_hash_table_unref(project->left_out);
    g_string_free(project->lines, TRUE);
    g_free(project->message);
    g_free(project);
}

/* Appends a row as a line, unless its run is left out. */
static void add_row(NsOutsideProject *project, sqlite3_stmt *row)
{
    const char *run = ns_database_text(row, 1), *metrics = ns_database_text(row, 3);
    const char *brace = run && metrics ? strchr(metrics, '{') : NULL;
    guint lane = 0;
    project->last = sqlite3_column_int64(row, 0);
    if (!brace) return;
    bool shown = g_ptr_array_find_with_equal_func(project->runs, run, g_str_equal, &lane);
    if (!shown && project->runs->len < NS_LANES_MAX) {
        lane = project->runs->len;
        g_ptr_array_add(project->runs, g_strdup(run));
    } else if (!shown) {
        /* Where a message waits, a later row of the run is reported. */
        if (!project->message && g_hash_table_add(project->left_out, g_strdup(run)))
            project->message = g_strdup_printf(
                _("A new run, “%s”, has begun but is not shown; open the project again to see it."),
                run);
        return;
    }
    g_string_append_printf(project->lines, "{\"lane\": %u, \"step\": %lld, ", lane + 1,
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
