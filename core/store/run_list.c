/* SPDX-License-Identifier: MIT */
#include "core/store/run_list.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/probe/seeds.h"
#include "core/store/run_table.h"

#include <glib/gstdio.h>
#include <string.h>

/* Each reads one run. */
#define MOST_THREADS 8

const char *const ns_run_suffixes[NS_RUN_SUFFIXES] = {"-wal", "-shm"};

static guint64 bytes_at(const char *path)
{
    GStatBuf file;
    return g_stat(path, &file) == 0 ? (guint64)file.st_size : 0;
}

static NsRecordedRun *read_head(const char *path)
{
    g_autoptr(GError) error = NULL;
    NsRecordedRun *run = ns_recorded_run_open(path, NULL, &error);
    if (!run) run = ns_recorded_run_new(path);
    if (error) run->wrong = g_strdup(error->message);
    g_clear_pointer(&run->file, ns_run_reader_free);
    for (size_t i = 0; i < run->lanes && !run->wrong; i++) {
        NsHistory *history = run->histories[i];
        if (history) run->loss[i] = ns_seeds_step(history, ns_seeds_records(history) - 1).loss;
        g_clear_pointer(&run->histories[i], ns_history_unref);
    }
    const char *log = run->log ? ns_outside_file_path(run->log) : NULL;
    if (log && !run->wrong) ns_run_config_read(run);
    run->bytes = bytes_at(log ? log : path);
    g_clear_pointer(&run->log, ns_outside_file_free);
    for (size_t i = 0; i < NS_RUN_SUFFIXES; i++) {
        g_autofree char *other = g_strconcat(path, ns_run_suffixes[i], NULL);
        run->bytes += bytes_at(other);
    }
    return run;
}

/* Reads the run whose path is in this place; NULL if it is none. */
static void read_place(gpointer place, gpointer data)
{
    (void)data;
    NsRecordedRun **run = place;
    g_autoptr(NsRecordedRun) named = *run;
    NsRecordedKind kind = ns_recorded_kind(named->path);
    bool is = g_str_has_suffix(named->path, NS_RUN_SUFFIX) || kind != NS_RECORDED_NONE;
    *run = is ? read_head(named->path) : NULL;
    /* Any table or JSON lines could be read with columns as they are chosen. */
    bool other = is && (*run)->wrong && kind == NS_RECORDED_LOG;
    bool whole;
    g_autoptr(NsOutside) log = other ? ns_outside_file_head(named->path, &whole) : NULL;
    if (log && !ns_outside_has_loss(log)) g_clear_pointer(run, ns_recorded_run_free);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(NsRecordedRun *const *)a)->path, (*(NsRecordedRun *const *)b)->path);
}

GPtrArray *ns_run_list(const char *folder, bool logs, GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    if (!dir) {
        g_autofree char *shown = g_filename_display_name(folder);
        return ns_refuse_null(
            error, NS_ERROR_FILE,
            N_("“%s” is not a readable folder; check the path and its permissions."), shown);
    }
    GPtrArray *runs = g_ptr_array_new_with_free_func((GDestroyNotify)ns_recorded_run_free);
    for (const char *name; (name = g_dir_read_name(dir));) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (g_str_has_suffix(name, NS_RUN_SUFFIX) || (logs && *name != '.'))
            g_ptr_array_add(runs, ns_recorded_run_new(path));
    }
    GThreadPool *pool = g_thread_pool_new(
        read_place, NULL, (int)MIN(g_get_num_processors(), MOST_THREADS), FALSE, NULL);
    for (guint i = 0; i < runs->len; i++) g_thread_pool_push(pool, &runs->pdata[i], NULL);
    g_thread_pool_free(pool, FALSE, TRUE);
    while (g_ptr_array_remove_fast(runs, NULL)) {}
    g_ptr_array_sort(runs, compare_names);
    /* The settings of logs that differ between them. */
    g_autoptr(GPtrArray) columns = ns_run_columns(runs);
    for (guint i = 0; i < runs->len; i++) {
        NsRecordedRun *run = runs->pdata[i];
        GString *words = run->config ? g_string_new(NULL) : NULL;
        for (guint k = 0; words && k < columns->len; k++) {
            const NsRunColumn *column = columns->pdata[k];
            g_autofree char *value = ns_run_value(run, column, ns_settings_get);
            if (!column->param && *value)
                g_string_append_printf(words, "%s%s=%s", words->len ? " " : "", column->key, value);
        }
        if (words) run->settings = g_string_free(words, FALSE);
    }

    return runs;
}
