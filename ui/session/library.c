/* SPDX-License-Identifier: MIT */
#include "ui/session/library.h"

#include "core/base/database_file.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/probe/seeds.h"
#include "core/store/run_list.h"
#include "ui/session/experiment_words.h"
#include "ui/session/session-private.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* Memory limit for the checkpoints of an opened run; a file usually has fewer. */
#define CHECKPOINT_BYTES ((size_t)256 << 20)

/* ---- The list of runs ---- */

static int compare_runs(const void *a, const void *b)
{
    const NsRecordedRun *left = *(NsRecordedRun *const *)a, *right = *(NsRecordedRun *const *)b;
    if (left->began != right->began) return left->began > right->began ? -1 : 1;
    return -g_strcmp0(left->name, right->name);
}

GPtrArray *ns_library_list(const char *folder, bool logs)
{
    GPtrArray *runs = ns_run_list(folder, logs, NULL);
    if (!runs) return g_ptr_array_new();
    for (guint i = 0; i < runs->len; i++) {
        NsRecordedRun *run = runs->pdata[i];
        if (g_str_has_suffix(run->name, NS_RUN_SUFFIX))
            run->name[strlen(run->name) - strlen(NS_RUN_SUFFIX)] = '\0';
        if (run->kind == NS_RECORDED_LOG)
            run->title = g_strdup(run->name);
        else if (!run->wrong)
            run->title = ns_experiment_title(&run->experiment);
    }
    g_ptr_array_sort(runs, compare_runs);
    for (guint i = 0; i < runs->len; i++) {
        NsRecordedRun *run = runs->pdata[i];
        for (guint k = 0; run->parent && !run->wrong && !run->differs && k < runs->len; k++) {
            const NsRecordedRun *other = runs->pdata[k];
            g_autofree char *base = g_path_get_basename(other->path);
            if (!other->wrong && g_str_equal(base, run->parent))
                run->differs = ns_experiment_difference_words(&other->experiment, &run->experiment);
        }
    }
    return runs;
}

bool ns_library_matches(const NsRecordedRun *run, const char *words)
{
    const char *const texts[] = {run->name, run->title, run->differs, run->tags,
                                 run->text, run->given, run->settings};
    g_auto(GStrv) wanted = g_strsplit_set(words, " \t", -1);
    for (char **word = wanted; *word; word++) {
        bool found = false;
        g_autofree char *folded = g_utf8_casefold(*word, -1);
        for (size_t i = 0; !found && i < G_N_ELEMENTS(texts); i++) {
            g_autofree char *text = g_utf8_casefold(texts[i] ? texts[i] : "", -1);
            found = strstr(text, folded) != NULL;
        }
        if (!found) return false;
    }
    return true;
}

double ns_library_number(const NsRecordedRun *run, const NsRunColumn *setting)
{
    if (setting->param)
        return run->experiment.n ? ns_settings_get_number(&run->experiment.lane[0], setting->param)
                                 : (double)NAN;
    const char *text = run->config ? g_hash_table_lookup(run->config, setting->key) : NULL;
    return text ? g_ascii_strtod(text, NULL) : (double)NAN;
}

static void mark_free(gpointer data)
{
    g_free(((NsRunMark *)data)->words);
    g_free(data);
}

GHashTable *ns_library_marks(const GPtrArray *runs, const NsRunColumn *setting, const char *title)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    GHashTable *marks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, mark_free);
    double least = (double)INFINITY, most = -(double)INFINITY;
    for (guint i = 0; setting->number && i < runs->len; i++) {
        double number = ns_library_number(runs->pdata[i], setting);
        least = fmin(least, number);
        most = fmax(most, number);
    }
    for (guint i = 0; i < runs->len; i++) {
        const NsRecordedRun *run = runs->pdata[i];
        g_autofree char *value = ns_run_value(run, setting, ns_settings_value_words);
        if (run->wrong || !*value) continue;
        NsRunMark mark = {.words = g_strdup_printf("%s %s", title, value)};
        if (setting->number) {
            double number = ns_library_number(run, setting);
            bool log = least > 0 && most > 10 * least;
            double place =
                log ? log2(number / least) / log2(most / least) : (number - least) / (most - least);
            mark.shade = CLAMP(place, 0.001, 1);
        } else if (!g_ptr_array_find_with_equal_func(words, value, g_str_equal, &mark.lane)) {
            mark.lane = words->len;
            g_ptr_array_add(words, g_steal_pointer(&value));
        }
        g_hash_table_insert(marks, g_strdup(run->path), g_memdup2(&mark, sizeof mark));
    }
    return marks;
}

guint64 ns_library_bytes(const GPtrArray *runs)
{
    guint64 bytes = 0;
    for (guint i = 0; i < runs->len; i++) bytes += ((const NsRecordedRun *)runs->pdata[i])->bytes;
    return bytes;
}

/* ---- The trash ---- */

/* Without a trash, the file is moved to a folder beside that of the runs. */
static bool trash_file(const char *path, GError **error)
{
    g_autoptr(GFile) file = g_file_new_for_path(path);
    if (g_file_trash(file, NULL, NULL)) return true;
    g_autofree char *folder = g_path_get_dirname(path), *above = g_path_get_dirname(folder);
    g_autofree char *trash = g_build_filename(above, "trash", NULL);
    g_autofree char *name = g_path_get_basename(path);
    g_autofree char *to = g_build_filename(trash, name, NULL);
    if (!ns_folder_make(trash, error)) return false;
    if (g_rename(path, to) == 0) return true;
    ns_file_error(to, errno, error);
    return false;
}

bool ns_library_trash(const char *path, GError **error)
{
    g_autofree char *name = g_filename_display_basename(path);
    if (ns_database_file_is_locked(path))
        return ns_refuse(error, NS_ERROR_FILE,
                         "“%s” is being written; it can be removed when the run has ended.", name);
    /* If its writer was killed, opening the file first merges what was left beside it. */
    ns_run_reader_free(ns_run_reader_open(path, NULL));
    for (size_t i = 0; i < NS_RUN_SUFFIXES; i++) {
        g_autofree char *other = g_strconcat(path, ns_run_suffixes[i], NULL);
        if (g_file_test(other, G_FILE_TEST_EXISTS) && !trash_file(other, error)) return false;
    }
    return trash_file(path, error);
}

unsigned ns_library_keep_bound(const char *folder, guint64 most, GPtrArray *spared)
{
    g_autoptr(GPtrArray) runs = ns_library_list(folder, false);
    guint64 bytes = ns_library_bytes(runs);
    unsigned moved = 0;
    for (guint i = runs->len; bytes > most && i-- > 1;) {
        const NsRecordedRun *run = runs->pdata[i];
        if (run->wrong || (run->tags && *run->tags)) continue;
        if (g_ptr_array_find_with_equal_func(spared, run->path, g_str_equal, NULL)) continue;
        if (!ns_library_trash(run->path, NULL)) continue;
        bytes -= run->bytes;
        moved++;
    }
    return moved;
}

/* ---- Loading one run ---- */

/* Reads the settings of the newest checkpoint.  Lanes that share the processors had these numbers
 * of threads from the start. */
static bool read_settings(NsPastRun *run, GError **error)
{
    NsRecordedRun *recorded = run->recorded;
    NsCheckpoint *newest[NS_LANES_MAX];
    int64_t step;
    ns_experiment_clear(&run->settings);
    run->settings = (NsExperiment){0};
    bool read = ns_run_reader_go_on(recorded->file, &run->settings, newest, &step, error);
    for (size_t lane = 0; read && lane < NS_LANES_MAX; lane++) ns_checkpoint_unref(newest[lane]);
    for (size_t lane = 0; read && lane < recorded->lanes; lane++)
        recorded->experiment.lane[lane].threads = run->settings.lane[lane].threads;
    return read;
}

NsPastRun *ns_past_run_read(const char *path, GCancellable *cancellable, GError **error)
{
    NsRecordedRun *recorded = ns_recorded_run_open(path, cancellable, error);
    if (!recorded) return NULL;
    g_autoptr(NsPastRun) run = ns_past_run_new(recorded, &recorded->experiment);
    if (!ns_recorded_run_read(recorded, G_MAXINT64, cancellable, error)) return NULL;
    if (recorded->file && (!ns_recorded_run_read_checkpoints(recorded, INT64_MAX, CHECKPOINT_BYTES,
                                                             cancellable, error) ||
                           !read_settings(run, error)))
        return NULL;
    g_clear_pointer(&recorded->file, ns_run_reader_free);
    run->listed.measured = true;
    run->listed.last_step = recorded->last;
    run->listed.fork_step = recorded->fork_step > 0 ? recorded->fork_step
                                                    : ns_history_first_step(recorded->histories[0]);
    for (size_t lane = 0; lane < recorded->lanes; lane++) {
        NsHistory *history = recorded->histories[lane];
        run->listed.loss[lane] = ns_seeds_step(history, ns_seeds_records(history) - 1).loss;
    }
    return g_steal_pointer(&run);
}

char *ns_past_run_take_message(NsPastRun *run)
{
    return g_queue_pop_head(&run->recorded->messages);
}
