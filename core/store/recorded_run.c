/* SPDX-License-Identifier: MIT */
#include "core/store/recorded_run.h"

#include "core/base/database_file.h"
#include "core/base/error.h"
#include "core/base/words.h"
#include "core/store/run_notes.h"
#include "core/store/run_record.h"
#include "core/train/run.h"

#include <gio/gunixinputstream.h>

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

static bool open_file(NsRecordedRun *run, GCancellable *cancellable, GError **error)
{
    (void)cancellable;
    run->file = ns_run_reader_open(run->path, error);
    if (!run->file) return false;
    const NsProvenance *provenance = ns_run_reader_provenance(run->file);
    ns_experiment_assign(&run->experiment, &provenance->experiment);
    run->lanes = provenance->experiment.n;
    run->last = provenance->step;
    run->settings = ns_provenance_differences(provenance);
    run->began = ns_run_reader_began(run->file);
    run->tags = ns_run_reader_note(run->file, NS_RUN_NOTE_TAGS);
    run->text = ns_run_reader_note(run->file, NS_RUN_NOTE_TEXT);
    run->parent = ns_run_reader_note(run->file, NS_RUN_NOTE_PARENT);
    g_autofree char *step = ns_run_reader_note(run->file, NS_RUN_NOTE_FORK_STEP);
    run->fork_step = step ? g_ascii_strtoll(step, NULL, 10) : 0;
    for (size_t i = 0; i < run->lanes; i++) {
        NsStep newest;
        int64_t last = ns_run_reader_lane(run->file, i, 0).last;
        if (!ns_run_reader_steps((NsRecorded){run->file, i, 0}, last, 1, &newest, error))
            return false;
        run->loss[i] = newest.loss;
    }
    return true;
}

static bool read_file(NsRecordedRun *run, int64_t until, GCancellable *cancellable, GError **error)
{
    size_t seeds = ns_run_reader_seeds(run->file);
    for (size_t i = 0; i < run->lanes * seeds; i++) {
        NsRecorded of = {run->file, i / seeds, i % seeds};
        NsRunLane there = ns_run_reader_lane(run->file, of.lane, of.seed);
        int64_t to = MAX(there.first, MIN(there.last, until));
        if (g_cancellable_set_error_if_cancelled(cancellable, error)) return false;
        g_autoptr(NsHistory) history =
            ns_run_reader_history(of, there.first, to, NS_HISTORY_BUDGET / seeds, error);
        if (!history) return false;
        if (of.seed)
            ns_history_add_seed(run->histories[of.lane], history);
        else
            run->histories[of.lane] = g_steal_pointer(&history);
    }
    return true;
}

static bool has_diverged(NsCheckpoint *checkpoint)
{
    for (size_t k = 0; k < ns_checkpoint_seeds(checkpoint); k++)
        if (!ns_checkpoint_seed(checkpoint, k)->diverged) return false;
    return true;
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
        for (size_t lane = 0; lane < run->lanes; lane++)
            if (has_diverged(taken[lane])) g_clear_pointer(&taken[lane], ns_checkpoint_unref);
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
    const NsOutside *log = ns_outside_file_run(run->log);
    run->lanes = ns_outside_lanes(log);
    for (size_t i = 0; i < NS_LANES_MAX; i++) {
        NsHistory *history = ns_outside_history(log, i), *before = run->histories[i];
        run->histories[i] = history ? ns_history_ref(history) : NULL;
        ns_history_unref(before);
        if (history) run->last = MAX(run->last, ns_history_last_step(history));
    }
    char *message;
    while ((message = ns_outside_file_take_message(run->log))) {
        ns_recorded_run_report(run, "“%s”: %s", run->name, message);
        g_free(message);
    }
}

NsRecordedRun *ns_recorded_run_follow(const char *path, size_t budget, GError **error)
{
    g_autoptr(NsRecordedRun) run = ns_recorded_run_new(path);
    run->kind = NS_RECORDED_LOG;
    if (g_str_equal(path, "-")) {
        g_free(run->name);
        run->name = g_strdup("standard input");
    }
    run->log = ns_outside_file_open(path, budget, error);
    return run->log ? g_steal_pointer(&run) : NULL;
}

bool ns_recorded_run_poll(NsRecordedRun *run, int milliseconds)
{
    NsOutsideNews news = ns_outside_file_read(run->log, milliseconds);
    bool paused = news == NS_OUTSIDE_NONE && ns_outside_file_pause(run->log);
    run->state = news == NS_OUTSIDE_ENDED             ? NS_OUTSIDE_CLOSED
                 : ns_outside_file_is_there(run->log) ? NS_OUTSIDE_OPEN
                                                      : NS_OUTSIDE_ABSENT;
    take_log(run);
    return news == NS_OUTSIDE_MORE || paused;
}

void ns_recorded_run_end(NsRecordedRun *run)
{
    ns_outside_end(ns_outside_file_run(run->log));
    run->state = NS_OUTSIDE_CLOSED;
    take_log(run);
}

static bool read_log(NsRecordedRun *run, int64_t until, GCancellable *cancellable, GError **error)
{
    g_clear_pointer(&run->log, ns_outside_file_free);
    run->log = ns_outside_file_open(run->path, NS_HISTORY_BUDGET, error);
    if (!run->log) return false;
    NsOutside *log = ns_outside_file_run(run->log);
    ns_outside_end_with(log, until);
    while (ns_outside_file_read(run->log, 0) == NS_OUTSIDE_MORE)
        if (g_cancellable_set_error_if_cancelled(cancellable, error)) return false;
    ns_recorded_run_end(run);
    if (!run->lanes) return ns_outside_refuse_empty(log, run->name, until < G_MAXINT64, error);
    for (size_t i = 0; i < run->lanes; i++)
        if (!run->histories[i])
            return ns_refuse(error, NS_ERROR_FILE,
                             "“%s” has a lane %zu but no lane %zu; lanes count from 1.", run->name,
                             run->lanes, i + 1);
    return true;
}

/* ---- The registry ---- */

/* `open` is NULL for a kind that has to be read before anything is known of it. */
static const struct {
    bool (*is)(const char *path);
    bool (*open)(NsRecordedRun *run, GCancellable *cancellable, GError **error);
    bool (*read)(NsRecordedRun *run, int64_t until, GCancellable *cancellable, GError **error);
} readers[] = {
    [NS_RECORDED_FILE] = {is_file, open_file, read_file},
    [NS_RECORDED_LINES] = {ns_run_record_is, NULL, read_lines},
    [NS_RECORDED_LOG] = {ns_outside_file_is, NULL, read_log},
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
    g_queue_init(&run->messages);
    return run;
}

NsRecordedRun *ns_recorded_run_open(const char *path, GCancellable *cancellable, GError **error)
{
    g_autoptr(NsRecordedRun) run = ns_recorded_run_new(path);
    run->kind = ns_recorded_kind(path);
    if (run->kind == NS_RECORDED_NONE) {
        ns_refuse(error, NS_ERROR_FILE,
                  N_("“%s” is not a recorded run: choose a run file, the lines of a run, or a log "
                     "of another program."),
                  run->name);
        return NULL;
    }
    bool good = readers[run->kind].open ? readers[run->kind].open(run, cancellable, error)
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
    ns_experiment_clear(&run->experiment);
    g_queue_clear_full(&run->messages, g_free);
    ns_checkpoints_free(run->checkpoints);
    char *const texts[] = {run->path,   run->name,  run->settings, run->tags,   run->text,
                           run->parent, run->wrong, run->title,    run->differs};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_free(texts[i]);
    for (size_t i = 0; i < NS_LANES_MAX; i++) g_free(run->names[i]);
    g_free(run);
}
