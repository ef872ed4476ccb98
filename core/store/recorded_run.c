/* SPDX-License-Identifier: MIT */
#include "core/store/recorded_run.h"

#include "core/base/database_file.h"
#include "core/base/error.h"
#include "core/base/words.h"
#include "core/store/outside_name.h"
#include "core/store/run_notes.h"
#include "core/store/run_record.h"
#include "core/train/run.h"

#include <gio/gunixinputstream.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static void clear_histories(NsRecordedRun *run)
{
    for (size_t i = 0; i < NS_LANES_MAX; i++) g_clear_pointer(&run->histories[i], ns_history_unref);
}

/* ---- Run files ---- */

/* By its name as well, so that a damaged one is refused as such. */
static bool is_file(const char *path)
{
    return g_str_has_suffix(path, NS_RUN_SUFFIX) || ns_run_file_is(path);
}

/* The loss at the newest step that all seeds have which count (core/probe/seeds.h). */
static bool read_loss(NsRecordedRun *run, size_t lane, GError **error)
{
    size_t seeds = ns_run_reader_seeds(run->file), healthy = 0, n = 0;
    bool diverged[NS_SEEDS_MAX] = {false};
    for (size_t k = 0; seeds > 1 && k < seeds; k++) {
        g_autoptr(NsHistory) marks = ns_run_reader_marks((NsRecorded){run->file, lane, k}, error);
        if (!marks) return false;
        diverged[k] = ns_history_last_event(marks, NS_EVENT_DIVERGED) != NULL;
        healthy += !diverged[k] && ns_run_reader_lane(run->file, lane, k).last >= 0;
    }
    int64_t end = INT64_MAX;
    for (size_t k = 0; k < seeds; k++) {
        int64_t last = ns_run_reader_lane(run->file, lane, k).last;
        if (healthy && diverged[k]) continue;
        if (last >= 0) end = MIN(end, last);
    }
    double sum = 0;
    for (size_t k = 0; k < seeds; k++) {
        NsStep newest;
        if ((healthy && diverged[k]) || ns_run_reader_lane(run->file, lane, k).last < 0) continue;
        if (!ns_run_reader_steps((NsRecorded){run->file, lane, k}, end, 1, &newest, error))
            return false;
        sum += newest.loss;
        n++;
    }
    run->loss[lane] = n ? sum / (double)n : (double)NAN;
    return true;
}

/* Everything of a run file but its histories. */
static bool read_head(NsRecordedRun *run, GError **error)
{
    const NsProvenance *provenance = ns_run_reader_provenance(run->file);
    ns_experiment_assign(&run->experiment, &provenance->experiment);
    run->lanes = provenance->experiment.n;
    run->last = provenance->step;
    g_free(run->settings);
    run->settings = ns_provenance_differences(provenance);
    run->began = ns_run_reader_began(run->file);
    char **const notes[] = {&run->tags, &run->text, &run->given, &run->parent};
    const char *const keys[] = {NS_RUN_NOTE_TAGS, NS_RUN_NOTE_TEXT, NS_RUN_NOTE_NAME,
                                NS_RUN_NOTE_PARENT};
    for (size_t i = 0; i < G_N_ELEMENTS(notes); i++) {
        g_free(*notes[i]);
        *notes[i] = ns_run_reader_note(run->file, keys[i]);
    }
    g_autofree char *step = ns_run_reader_note(run->file, NS_RUN_NOTE_FORK_STEP);
    run->fork_step = step ? g_ascii_strtoll(step, NULL, 10) : 0;
    for (size_t i = 0; i < run->lanes; i++)
        if (!read_loss(run, i, error)) return false;
    return true;
}

/* Adds to the history of a lane what its seeds have up to a step, once each of them has one.  A
 * resumed run may have gone back, and then has another history. */
static bool read_lane(NsRecordedRun *run, size_t lane, int64_t until, GError **error)
{
    size_t seeds = ns_run_reader_seeds(run->file);
    NsHistory *had = run->histories[lane];
    for (size_t k = 0; k < seeds; k++) {
        int64_t last = ns_run_reader_lane(run->file, lane, k).last;
        if (last < 0) return true;
        if (had && last < ns_history_last_step(ns_history_seed(had, k))) had = NULL;
    }
    g_autoptr(NsHistory) first = had ? ns_history_ref(had) : NULL;
    for (size_t k = 0; k < seeds; k++) {
        NsRecorded of = {run->file, lane, k};
        NsRunLane there = ns_run_reader_lane(run->file, lane, k);
        g_autoptr(NsHistory) history =
            had ? ns_history_ref(ns_history_seed(had, k))
                : ns_history_new(ns_run_reader_layout(of), run->budget / seeds, there.first);
        if (!had) ns_history_set_baselines(history, ns_run_reader_baselines(of));
        if (!ns_run_reader_append(of, history, CLAMP(until, there.first, there.last), error))
            return false;
        if (!first)
            first = ns_history_ref(history);
        else if (!had)
            ns_history_add_seed(first, history);
    }
    ns_history_unref(run->histories[lane]);
    run->histories[lane] = g_steal_pointer(&first);
    return true;
}

static bool read_file(NsRecordedRun *run, int64_t until, GCancellable *cancellable, GError **error)
{
    for (size_t i = 0; i < run->lanes; i++)
        if (g_cancellable_set_error_if_cancelled(cancellable, error) ||
            !read_lane(run, i, until, error))
            return false;
    return true;
}

/* Opens the file when it is there, or another one at its path; returns whether anything is new. */
static bool look_at_file(NsRecordedRun *run, GError **error)
{
    bool changed = false;
    if (run->file && !ns_run_reader_is_at(run->file, run->path))
        g_clear_pointer(&run->file, ns_run_reader_free);
    if (run->file) {
        if (!ns_run_reader_refresh(run->file, &changed, error)) return false;
    } else if (ns_run_file_is(run->path)) {
        run->file = ns_run_reader_open_to_resume(run->path, error);
        changed = run->file != NULL;
        if (changed) clear_histories(run);
    }
    return changed && read_head(run, error) && read_file(run, INT64_MAX, NULL, error);
}

static bool poll_file(NsRecordedRun *run, int milliseconds)
{
    g_autoptr(GError) error = NULL;
    bool news = look_at_file(run, &error);
    if (error && g_strcmp0(error->message, run->wrong) != 0) {
        ns_recorded_run_report(run, "%s", error->message);
        g_free(run->wrong);
        run->wrong = g_strdup(error->message);
    }
    bool going = !run->file;
    for (size_t i = 0; i < run->lanes && !going; i++)
        for (size_t k = 0; k < ns_run_reader_seeds(run->file); k++)
            going |= !ns_run_reader_lane(run->file, i, k).summary;
    run->state = !run->file ? NS_OUTSIDE_ABSENT : going ? NS_OUTSIDE_OPEN : NS_OUTSIDE_CLOSED;
    if (run->file) ns_run_reader_release(run->file);
    if (!news && going && milliseconds) g_usleep(1000 * (gulong)milliseconds);
    return news;
}

bool ns_recorded_run_read_checkpoints(NsRecordedRun *run, int64_t last, size_t most,
                                      GCancellable *cancellable, GError **error)
{
    g_autoptr(GArray) steps = ns_run_reader_checkpoint_steps(run->file, error);
    if (!steps) return false;
    g_autoptr(NsCheckpoints) checkpoints = ns_checkpoints_new(run->lanes, most);
    for (guint i = 0; i < steps->len; i++) {
        int64_t step = g_array_index(steps, int64_t, i);
        NsCheckpoint *taken[NS_LANES_MAX];
        if (step > last) break;
        if (g_cancellable_set_error_if_cancelled(cancellable, error) ||
            !ns_run_reader_checkpoints_at(run->file, step, taken, error))
            return false;
        for (size_t lane = 0; lane < run->lanes; lane++) {
            bool diverged = true;
            for (size_t k = 0; k < ns_checkpoint_seeds(taken[lane]); k++)
                diverged &= ns_checkpoint_seed(taken[lane], k)->diverged;
            if (diverged) g_clear_pointer(&taken[lane], ns_checkpoint_unref);
        }
        ns_checkpoints_add(checkpoints, step, taken);
        for (size_t lane = 0; lane < run->lanes; lane++) ns_checkpoint_unref(taken[lane]);
    }
    run->checkpoints = g_steal_pointer(&checkpoints);
    return true;
}

/* ---- JSON lines ---- */

static bool read_lines(NsRecordedRun *run, int64_t until, GCancellable *cancellable, GError **error)
{
    int fd = g_file_test(run->path, G_FILE_TEST_IS_REGULAR) ? ns_open_for_reading(run->path) : -1;
    if (fd < 0)
        return ns_refuse(error, NS_ERROR_FILE,
                         N_("“%s” is not a readable file; check the path and its permissions."),
                         run->path);
    g_autoptr(GInputStream) stream = g_unix_input_stream_new(fd, TRUE);
    return ns_run_record_read(run, until, stream, cancellable, error);
}

/* ---- Runs of other programs ---- */

/* Takes over what was read. */
static void take_log(NsRecordedRun *run)
{
    NsOutside *log = ns_outside_file_run(run->log);
    run->lanes = ns_outside_lanes(log);
    for (size_t i = 0; i < NS_LANES_MAX; i++) {
        NsHistory *history = ns_outside_history(log, i), *before = run->histories[i];
        run->histories[i] = history ? ns_history_ref(history) : NULL;
        ns_history_unref(before);
        if (history) run->last = MAX(run->last, ns_history_last_step(history));
    }
    for (char *message; (message = ns_outside_take_message(log)); g_free(message))
        ns_recorded_run_report(run, "“%s”: %s", run->name, message);
}

/* Remembers the columns that the command line has chosen, where they were of use. */
static void remember_given(NsRecordedRun *run)
{
    g_autoptr(GError) error = NULL;
    if (!ns_outside_remember(ns_outside_file_run(run->log), NULL, &error))
        ns_recorded_run_report(run, "%s", error->message);
}

static void set_reading(NsRecordedRun *run, NsOutsideReading *reading)
{
    ns_outside_reading_unref(run->reading);
    run->reading = reading;
}

static bool poll_log(NsRecordedRun *run, int milliseconds)
{
    bool read = ns_outside_file_read(run->log, milliseconds);
    bool paused = !read && ns_outside_file_pause(run->log);
    run->state = ns_outside_file_state(run->log);
    run->replaced = ns_outside_file_replaced(run->log);
    take_log(run);
    if (run->state == NS_OUTSIDE_CLOSED) remember_given(run);
    const NsOutside *log = ns_outside_file_run(run->log);
    bool again = !run->reading || (!read && run->reading->lines != ns_outside_lines(log));
    if (again) {
        const char *file = ns_outside_file_path(run->log);
        set_reading(run, ns_outside_reading(log));
        g_autoptr(GFile) folder = g_file_new_for_path(run->path);
        g_autoptr(GFile) only = file ? g_file_new_for_path(file) : NULL;
        if (only && run->reading->files == 1)
            run->reading->file = g_file_get_relative_path(folder, only);
    }
    if (run->state == NS_OUTSIDE_ABSENT && ns_run_file_is(run->path)) {
        run->kind = NS_RECORDED_FILE;
        g_clear_pointer(&run->log, ns_outside_file_free);
        set_reading(run, NULL);
    }
    return read || paused;
}

static bool read_log(NsRecordedRun *run, int64_t until, GCancellable *cancellable, GError **error)
{
    g_clear_pointer(&run->log, ns_outside_file_free);
    run->log = ns_outside_file_open(run->path, run->budget, error);
    if (!run->log) return false;
    NsOutside *log = ns_outside_file_run(run->log);
    ns_outside_end_with(log, until);
    while (ns_outside_file_read(run->log, 0))
        if (g_cancellable_set_error_if_cancelled(cancellable, error)) return false;
    ns_recorded_run_end(run);
    if (!run->lanes) return ns_outside_refuse_empty(log, run->name, until < G_MAXINT64, error);
    /* Runs without a loss are left out. */
    size_t n = 0, all = run->lanes;
    for (size_t i = 0; i < all; i++)
        if (run->histories[i]) run->histories[n++] = g_steal_pointer(&run->histories[i]);
    if (n < all)
        ns_recorded_run_report(run,
                               ns_plural("“%s”: %zu run without a training loss is not shown.",
                                         "“%s”: %zu runs without a training loss are not shown.",
                                         all - n),
                               run->name, all - n);
    run->lanes = n;
    return true;
}

/* ---- The registry ---- */

/* Lines are followed as a log is. */
static const struct {
    bool (*is)(const char *path);
    bool (*read)(NsRecordedRun *run, int64_t until, GCancellable *cancellable, GError **error);
    bool (*poll)(NsRecordedRun *run, int milliseconds);
} readers[] = {
    [NS_RECORDED_FILE] = {is_file, read_file, poll_file},
    [NS_RECORDED_LINES] = {ns_run_record_is, read_lines, poll_log},
    [NS_RECORDED_LOG] = {ns_outside_file_is, read_log, poll_log},
};

NsRecordedKind ns_recorded_kind(const char *path)
{
    size_t kind = NS_RECORDED_FILE;
    while (kind < G_N_ELEMENTS(readers) && !readers[kind].is(path)) kind++;
    return kind < G_N_ELEMENTS(readers) ? (NsRecordedKind)kind : NS_RECORDED_NONE;
}

NsRecordedRun *ns_recorded_run_new(const char *path)
{
    NsRecordedRun *run = g_new0(NsRecordedRun, 1);
    run->path = g_strdup(path);
    run->name = path ? g_filename_display_basename(path) : NULL;
    run->last = run->read_to = -1;
    run->budget = NS_HISTORY_BUDGET;
    g_queue_init(&run->messages);
    return run;
}

char **ns_recorded_run_names(const char *const *paths, size_t n, bool endings)
{
    enum { DEEPEST = 32 };
    for (unsigned level = endings;; level++) {
        g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
        g_auto(GStrv) names = g_new0(char *, n + 1);
        for (size_t i = 0; i < n; i++) {
            g_autofree char *path = g_canonicalize_filename(paths[i], NULL);
            for (unsigned k = 1; k < level && level < DEEPEST; k++) {
                char *inner = path;
                path = g_path_get_dirname(inner);
                g_free(inner);
            }
            names[i] = g_str_equal(paths[i], "-") ? g_strdup(_("standard input"))
                       : level < DEEPEST          ? g_filename_display_basename(path)
                                                  : g_filename_display_name(paths[i]);
            char *dot = level ? NULL : strrchr(names[i], '.');
            /* The digits after the point of “lr0.1” are no ending. */
            if (dot && dot > names[i] && !g_ascii_isdigit(dot[1])) *dot = '\0';
            g_hash_table_add(seen, names[i]);
        }
        if (g_hash_table_size(seen) == n || level == DEEPEST) return g_steal_pointer(&names);
    }
}

NsRecordedRun *ns_recorded_run_open(const char *path, GCancellable *cancellable, GError **error)
{
    g_autoptr(NsRecordedRun) run = ns_recorded_run_new(path);
    run->kind = ns_recorded_kind(path);
    if (run->kind == NS_RECORDED_NONE)
        return ns_refuse_null(
            error, NS_ERROR_FILE,
            N_("“%s” is not a recorded run: choose a run file, the lines of a run, or a log of "
               "another program, with its steps and losses as in “step 3, loss 2.1”."),
            run->name);
    bool has_head = run->kind == NS_RECORDED_FILE;
    if (has_head) run->file = ns_run_reader_open(run->path, error);
    /* Any other has to be read before anything is known of it. */
    bool good = has_head ? run->file && read_head(run, error)
                         : ns_recorded_run_read(run, G_MAXINT64, cancellable, error);
    return good ? g_steal_pointer(&run) : NULL;
}

bool ns_recorded_run_read(NsRecordedRun *run, int64_t until, GCancellable *cancellable,
                          GError **error)
{
    bool first = run->last < 0;
    int64_t to = first ? until : MIN(until, run->last);
    if (!first && to == run->read_to) return true;
    guint messages = run->messages.length;
    clear_histories(run);
    if (!readers[run->kind].read(run, to, cancellable, error)) return false;
    /* They were reported when everything was read. */
    while (!first && run->messages.length > messages) g_free(g_queue_pop_tail(&run->messages));
    run->read_to = MIN(to, run->last);
    return true;
}

NsRecordedRun *ns_recorded_run_follow(const char *path, size_t budget, GError **error)
{
    g_autoptr(NsRecordedRun) run = ns_recorded_run_new(path);
    bool input = g_str_equal(path, "-");
    bool there = g_file_test(path, G_FILE_TEST_IS_REGULAR);
    run->kind = !input && there && is_file(path) ? NS_RECORDED_FILE : NS_RECORDED_LOG;
    run->budget = budget;
    if (input) {
        g_free(run->name);
        run->name = g_strdup(_("standard input"));
    }
    if (run->kind == NS_RECORDED_LOG) {
        run->log = ns_outside_file_open(path, budget, error);
        return run->log ? g_steal_pointer(&run) : NULL;
    }
    /* A file that its writer has just created is waited for, and a damaged one is refused. */
    GStatBuf file;
    if (g_stat(path, &file) != 0 || file.st_size == 0) return g_steal_pointer(&run);
    g_autoptr(NsRunReader) reader = ns_run_reader_open_to_resume(path, error);
    return reader ? g_steal_pointer(&run) : NULL;
}

bool ns_recorded_run_poll(NsRecordedRun *run, int milliseconds)
{
    return readers[run->kind].poll(run, milliseconds);
}

bool ns_recorded_run_map(NsRecordedRun *run, const char *map, GError **error)
{
    g_autoptr(GError) unwritten = NULL;
    if (!run->log || !ns_outside_names_map(NULL, map, error)) return false;
    /* It is remembered by the names that have been read so far. */
    if (!ns_outside_remember(ns_outside_file_run(run->log), map, &unwritten))
        ns_recorded_run_report(run, "%s", unwritten->message);
    set_reading(run, NULL);
    return ns_outside_file_map(run->log, map, error);
}

bool ns_recorded_run_is_partial(const NsRecordedRun *run)
{
    return run->log && ns_outside_is_partial(ns_outside_file_run(run->log));
}

bool ns_recorded_run_refuse_empty(const NsRecordedRun *run, GError **error)
{
    if (run->log)
        return ns_outside_refuse_empty(ns_outside_file_run(run->log), run->name, false, error);
    return ns_refuse(error, NS_ERROR_FILE,
                     N_("“%s” cannot be read as a run: no step has been recorded yet."), run->name);
}

void ns_recorded_run_end(NsRecordedRun *run)
{
    if (run->log) {
        ns_outside_end(ns_outside_file_run(run->log));
        take_log(run);
        remember_given(run);
    }
    run->state = NS_OUTSIDE_CLOSED;
}

void ns_recorded_run_report(NsRecordedRun *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_queue_push_tail(&run->messages, g_strdup_vprintf(format, arguments));
    va_end(arguments);
}

void ns_recorded_run_free(NsRecordedRun *run)
{
    if (!run) return;
    clear_histories(run);
    ns_run_reader_free(run->file);
    ns_outside_file_free(run->log);
    ns_outside_reading_unref(run->reading);
    ns_experiment_clear(&run->experiment);
    g_queue_clear_full(&run->messages, g_free);
    ns_checkpoints_free(run->checkpoints);
    if (run->config) g_hash_table_unref(run->config);
    char *const texts[] = {run->path,  run->name,   run->settings, run->tags,  run->text,
                           run->given, run->parent, run->wrong,    run->title, run->differs};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_free(texts[i]);
    for (size_t i = 0; i < NS_LANES_MAX; i++) g_free(run->names[i]);
    g_free(run);
}
