/* SPDX-License-Identifier: MIT */
#include "ui/session/library.h"

#include "core/base/database_file.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/store/run_list.h"
#include "core/store/run_notes.h"
#include "ui/session/experiment_words.h"
#include "ui/session/session-private.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* Memory limit for the checkpoints of an opened run; a file usually has fewer. */
#define CHECKPOINT_BYTES ((size_t)256 << 20)

/* ---- The list of runs ---- */

static void run_free(void *data)
{
    NsLibraryRun *run = data;
    char *const texts[] = {run->path,    run->name,   run->wrong, run->title,
                           run->differs, run->parent, run->tags,  run->text};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_free(texts[i]);
    ns_experiment_clear(&run->experiment);
    g_free(run);
}

static bool read_run(NsLibraryRun *run, GError **error)
{
    g_autoptr(NsRunReader) reader = ns_run_reader_open(run->path, error);
    if (!reader) return false;
    const NsProvenance *provenance = ns_run_reader_provenance(reader);
    ns_experiment_copy(&run->experiment, &provenance->experiment);
    run->title = ns_experiment_title(&run->experiment);
    run->steps = provenance->step;
    run->began = ns_run_reader_began(reader);
    run->tags = ns_run_reader_note(reader, NS_RUN_NOTE_TAGS);
    run->text = ns_run_reader_note(reader, NS_RUN_NOTE_TEXT);
    run->parent = ns_run_reader_note(reader, NS_RUN_NOTE_PARENT);
    g_autofree char *step = ns_run_reader_note(reader, NS_RUN_NOTE_FORK_STEP);
    run->fork_step = step ? g_ascii_strtoll(step, NULL, 10) : 0;
    for (size_t i = 0; i < run->experiment.n; i++)
        if (!ns_run_last_loss(reader, i, &run->loss[i], error)) return false;
    return true;
}

static NsLibraryRun *run_new(const char *folder, const char *name)
{
    g_autoptr(GError) error = NULL;
    NsLibraryRun *run = g_new0(NsLibraryRun, 1);
    run->path = g_build_filename(folder, name, NULL);
    run->name = g_filename_display_name(name);
    if (g_str_has_suffix(run->name, NS_RUN_SUFFIX))
        run->name[strlen(run->name) - strlen(NS_RUN_SUFFIX)] = '\0';
    run->bytes = ns_run_bytes(run->path);
    if (read_run(run, &error)) return run;
    g_clear_pointer(&run->title, g_free);
    run->wrong = g_strdup(error->message);
    return run;
}

static int compare_runs(const void *a, const void *b)
{
    const NsLibraryRun *left = *(NsLibraryRun *const *)a, *right = *(NsLibraryRun *const *)b;
    if (left->began != right->began) return left->began > right->began ? -1 : 1;
    return -g_strcmp0(left->name, right->name);
}

static const NsLibraryRun *find_parent(const GPtrArray *runs, const NsLibraryRun *run)
{
    for (guint i = 0; run->parent && i < runs->len; i++) {
        const NsLibraryRun *other = runs->pdata[i];
        g_autofree char *base = g_path_get_basename(other->path);
        if (g_str_equal(base, run->parent)) return other->wrong ? NULL : other;
    }
    return NULL;
}

static void name_differences(GPtrArray *runs)
{
    for (guint i = 0; i < runs->len; i++) {
        NsLibraryRun *run = runs->pdata[i];
        const NsLibraryRun *before = find_parent(runs, run);
        for (guint k = i + 1; !before && !run->parent && k < runs->len; k++)
            if (!((const NsLibraryRun *)runs->pdata[k])->wrong) before = runs->pdata[k];
        if (!run->wrong && before)
            run->differs = ns_experiment_difference_words(&before->experiment, &run->experiment);
    }
}

GPtrArray *ns_library_list(const char *folder)
{
    GPtrArray *runs = g_ptr_array_new_with_free_func(run_free);
    g_autoptr(GPtrArray) names = ns_run_list(folder, NULL);
    for (guint i = 0; names && i < names->len; i++)
        g_ptr_array_add(runs, run_new(folder, names->pdata[i]));
    g_ptr_array_sort(runs, compare_runs);
    name_differences(runs);
    return runs;
}

bool ns_library_matches(const NsLibraryRun *run, const char *words)
{
    const char *const texts[] = {run->name, run->title, run->differs, run->tags, run->text};
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

static bool varies(const GPtrArray *runs, const NsParam *param)
{
    const NsLibraryRun *first = NULL;
    for (guint i = 0; i < runs->len; i++) {
        const NsLibraryRun *run = runs->pdata[i];
        if (run->wrong) continue;
        if (!first) first = run;
        size_t lanes = MIN(first->experiment.n, run->experiment.n);
        for (size_t lane = 0; lane < lanes; lane++)
            if (!ns_settings_same(&first->experiment.lane[lane], &run->experiment.lane[lane],
                                  param))
                return true;
    }
    return false;
}

size_t ns_library_columns(const GPtrArray *runs, const NsParam **columns, size_t most)
{
    size_t n = 0;
    const NsParam *param;
    for (size_t i = 0; (param = ns_param(i)) && n < most; i++) {
        /* The number of steps has a column of its own. */
        bool counts = !g_str_equal(param->key, "threads") && !g_str_equal(param->key, "steps");
        if (counts && varies(runs, param)) columns[n++] = param;
    }
    return n;
}

char *ns_library_value(const NsLibraryRun *run, const NsParam *param)
{
    const NsExperiment *experiment = &run->experiment;
    if (run->wrong) return g_strdup("");
    g_autoptr(GString) words = g_string_new(NULL);
    bool same = !ns_experiment_differs(experiment, param);
    for (size_t lane = 0; lane < (same ? 1 : experiment->n); lane++) {
        g_autofree char *value = ns_settings_value_words(&experiment->lane[lane], param);
        g_string_append_printf(words, "%s%s", lane ? " / " : "", value);
    }
    return g_string_free(g_steal_pointer(&words), FALSE);
}

guint64 ns_library_bytes(const GPtrArray *runs)
{
    guint64 bytes = 0;
    for (guint i = 0; i < runs->len; i++) bytes += ((const NsLibraryRun *)runs->pdata[i])->bytes;
    return bytes;
}

/* ---- The trash ---- */

/* Used if there is no trash: moves the file to a folder beside that of the runs. */
static bool move_aside(const char *path, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path), *above = g_path_get_dirname(folder);
    g_autofree char *trash = g_build_filename(above, "trash", NULL);
    g_autofree char *name = g_path_get_basename(path);
    g_autofree char *to = g_build_filename(trash, name, NULL);
    if (!ns_folder_make(trash, error)) return false;
    if (g_rename(path, to) == 0) return true;
    ns_file_error(to, errno, error);
    return false;
}

static bool trash_file(const char *path, GError **error)
{
    g_autoptr(GFile) file = g_file_new_for_path(path);
    return g_file_trash(file, NULL, NULL) || move_aside(path, error);
}

bool ns_library_trash(const char *path, GError **error)
{
    g_autofree char *name = g_filename_display_basename(path);
    if (ns_database_file_is_locked(path))
        return ns_refuse(error, NS_ERROR_FILE,
                         "“%s” is being written; it can be removed when the run has ended.", name);
    /* If its writer was killed, opening the file first merges what was left beside it. */
    ns_run_reader_free(ns_run_reader_open(path, NULL));
    for (size_t i = 0; i < NS_RUN_BESIDE; i++) {
        g_autofree char *other = g_strconcat(path, ns_run_beside[i], NULL);
        if (g_file_test(other, G_FILE_TEST_EXISTS) && !trash_file(other, error)) return false;
    }
    return trash_file(path, error);
}

unsigned ns_library_keep_bound(const char *folder, guint64 most, GPtrArray *spared)
{
    g_autoptr(GPtrArray) runs = ns_library_list(folder);
    guint64 bytes = ns_library_bytes(runs);
    unsigned moved = 0;
    for (guint i = runs->len; bytes > most && i-- > 1;) {
        const NsLibraryRun *run = runs->pdata[i];
        if (run->wrong || (run->tags && *run->tags)) continue;
        if (g_ptr_array_find_with_equal_func(spared, run->path, g_str_equal, NULL)) continue;
        if (!ns_library_trash(run->path, NULL)) continue;
        bytes -= run->bytes;
        moved++;
    }
    return moved;
}

/* ---- Loading one run ---- */

/* With all seeds; what was read before an error, too. */
static bool read_histories(NsHistory *histories[NS_LANES_MAX], NsRunReader *reader,
                           GCancellable *cancellable, GError **error)
{
    size_t lanes = ns_run_reader_provenance(reader)->experiment.n;
    size_t seeds = ns_run_reader_seeds(reader);
    for (size_t lane = 0; lane < lanes; lane++)
        for (size_t k = 0; k < seeds; k++) {
            NsRunLane there = ns_run_reader_lane(reader, lane, k);
            if (g_cancellable_set_error_if_cancelled(cancellable, error)) return false;
            NsHistory *history =
                ns_run_reader_history((NsRecorded){reader, lane, k}, there.first, there.last,
                                      NS_HISTORY_BUDGET / seeds, error);
            if (!history) return false;
            if (k == 0) {
                histories[lane] = history;
                continue;
            }
            ns_history_add_seed(histories[lane], history);
            ns_history_unref(history);
        }
    return true;
}

/* A lane cannot be continued from a checkpoint after it has diverged. */
static bool has_diverged(NsCheckpoint *checkpoint)
{
    for (size_t k = 0; k < ns_checkpoint_seeds(checkpoint); k++)
        if (!ns_checkpoint_seed(checkpoint, k)->diverged) return false;
    return true;
}

/* Reads the checkpoints up to a step; the list may be empty. */
static NsCheckpoints *read_checkpoints(NsRunReader *reader, int64_t last, size_t most,
                                       GCancellable *cancellable, GError **error)
{
    size_t lanes = ns_run_reader_provenance(reader)->experiment.n;
    g_autoptr(GArray) steps = ns_run_reader_checkpoint_steps(reader, error);
    if (!steps) return NULL;
    g_autoptr(NsCheckpoints) checkpoints = ns_checkpoints_new(lanes, most);
    for (guint i = 0; i < steps->len; i++) {
        int64_t step = g_array_index(steps, int64_t, i);
        NsCheckpoint *taken[NS_LANES_MAX];
        if (step > last) break;
        if (g_cancellable_set_error_if_cancelled(cancellable, error) ||
            !ns_run_reader_checkpoints_at(reader, step, taken, error))
            return NULL;
        for (size_t lane = 0; lane < lanes; lane++)
            if (has_diverged(taken[lane])) g_clear_pointer(&taken[lane], ns_checkpoint_unref);
        ns_checkpoints_add(checkpoints, step, taken);
        for (size_t lane = 0; lane < lanes; lane++) ns_checkpoint_unref(taken[lane]);
    }
    return g_steal_pointer(&checkpoints);
}

NsCheckpoints *ns_saved_checkpoints_read(const char *path, int64_t last, size_t most,
                                         GCancellable *cancellable, GError **error)
{
    g_autoptr(NsRunReader) reader = ns_run_reader_open(path, error);
    return reader ? read_checkpoints(reader, last, most, cancellable, error) : NULL;
}

/* Reads the settings of the newest checkpoint.  Lanes that share the processors had these numbers
 * of threads from the start. */
static bool read_settings(NsPastRun *run, NsRunReader *reader, GError **error)
{
    NsCheckpoint *newest[NS_LANES_MAX];
    int64_t step;
    ns_experiment_clear(&run->settings);
    run->settings = (NsExperiment){0};
    bool read = ns_run_reader_go_on(reader, &run->settings, newest, &step, error);
    for (size_t lane = 0; read && lane < NS_LANES_MAX; lane++) ns_checkpoint_unref(newest[lane]);
    for (size_t lane = 0; read && lane < run->started.n; lane++)
        run->started.lane[lane].threads = run->settings.lane[lane].threads;
    return read;
}

NsPastRun *ns_past_run_read(const char *path, GCancellable *cancellable, GError **error)
{
    g_autoptr(NsRunReader) reader = ns_run_reader_open(path, error);
    if (!reader) return NULL;
    NsHistory *histories[NS_LANES_MAX] = {NULL};
    g_autofree char *name = g_filename_display_basename(path);
    bool read = read_histories(histories, reader, cancellable, error);
    g_autoptr(NsPastRun) run =
        read ? ns_past_run_new(name, &ns_run_reader_provenance(reader)->experiment, histories)
             : NULL;
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++) ns_history_unref(histories[lane]);
    if (!run) return NULL;
    run->path = g_strdup(path);
    g_autofree char *step = ns_run_reader_note(reader, NS_RUN_NOTE_FORK_STEP);
    if (step) run->told.fork_step = g_ascii_strtoll(step, NULL, 10);
    run->checkpoints = read_checkpoints(reader, INT64_MAX, CHECKPOINT_BYTES, cancellable, error);
    if (!run->checkpoints || !read_settings(run, reader, error)) return NULL;
    return g_steal_pointer(&run);
}
