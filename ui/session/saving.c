/* Recording of runs while they train, and the size limit of run files.
 * SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/words.h"
#include "core/store/jsonl.h"
#include "core/store/run_notes.h"
#include "core/store/run_writer.h"
#include "ui/session/session-private.h"

#include <gio/gio.h>

/* ---- One run ---- */

/* The most runs that can begin within one second. */
#define NAMES_MOST 100

typedef struct {
    NsHistory *history; /* of the first lane; a reference, so that no other gets its address */
    char *path;
} File;

struct NsAutosave {
    atomic_int refs;
    char *parent;
    int64_t fork_step;

    /* Used on the trainer's thread only: */
    char *continues; /* the file that is continued until the first reset */
    bool refused;    /* this run cannot be recorded */

    GMutex mutex;        /* protects the fields below */
    NsRunWriter *writer; /* of the present run; NULL before its first step.  Only the trainer's
                            thread changes it, and reads it without the mutex */
    char *folder;
    GArray *files; /* of the present run and of the one before the reset */
    unsigned begun;
    char *message;
};

static void file_clear(void *file)
{
    ns_history_unref(((File *)file)->history);
    g_free(((File *)file)->path);
}

NsAutosave *ns_autosave_new(const NsAutosavePlan *plan)
{
    NsAutosave *autosave = g_new0(NsAutosave, 1);
    atomic_init(&autosave->refs, 1);
    autosave->folder = g_strdup(plan->folder);
    autosave->continues = g_strdup(plan->continues);
    autosave->parent = plan->parent ? g_path_get_basename(plan->parent) : NULL;
    autosave->fork_step = plan->fork_step;
    autosave->files = g_array_new(FALSE, FALSE, sizeof(File));
    g_array_set_clear_func(autosave->files, file_clear);
    g_mutex_init(&autosave->mutex);
    return autosave;
}

void ns_autosave_unref(NsAutosave *autosave)
{
    if (atomic_fetch_sub(&autosave->refs, 1) > 1) return;
    g_array_unref(autosave->files);
    g_mutex_clear(&autosave->mutex);
    g_free(autosave->message);
    g_free(autosave->continues);
    g_free(autosave->parent);
    g_free(autosave->folder);
    g_free(autosave);
}

/* ---- On the trainer's thread ---- */

static void set_writer(NsAutosave *autosave, NsRunWriter *writer)
{
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&autosave->mutex);
    autosave->writer = writer;
}

static void add_file(NsAutosave *autosave, NsLockstep *lockstep, const char *path)
{
    File file = {ns_history_ref(ns_lockstep_run(lockstep, 0, 0)->history), g_strdup(path)};
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&autosave->mutex);
    if (autosave->files->len > 1) g_array_remove_index(autosave->files, 0);
    g_array_append_val(autosave->files, file);
    autosave->begun++;
}

static void set_message(NsAutosave *autosave, char *sentence)
{
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&autosave->mutex);
    g_free(autosave->message);
    autosave->message = sentence;
}

/* Opens a file named after the present time. */
static void open_new(NsAutosave *autosave, NsLockstep *lockstep)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    /* NULL if the clock is set to a time that has no date. */
    g_autofree char *time =
        now ? g_date_time_format(now, "%Y-%m-%d %H.%M.%S") : g_strdup("no date");
    g_mutex_lock(&autosave->mutex);
    g_autofree char *folder = g_strdup(autosave->folder);
    g_mutex_unlock(&autosave->mutex);
    if (!folder) return;
    bool made = ns_folder_make(folder, &error);
    for (int i = 1; made && !autosave->writer && i <= NAMES_MOST; i++) {
        g_autofree char *name =
            i == 1 ? g_strdup_printf("%s.nsrun", time) : g_strdup_printf("%s %d.nsrun", time, i);
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_clear_error(&error);
        set_writer(autosave, ns_run_writer_new(path, lockstep, 0, &error));
        if (!autosave->writer && g_error_matches(error, NS_ERROR, NS_ERROR_USAGE)) continue;
        if (!autosave->writer) break;
        add_file(autosave, lockstep, path);
        if (!autosave->parent) break;
        g_autofree char *step = g_strdup_printf("%" G_GINT64_FORMAT, autosave->fork_step);
        ns_run_note_write(path, NS_RUN_NOTE_PARENT, autosave->parent, NULL);
        ns_run_note_write(path, NS_RUN_NOTE_FORK_STEP, step, NULL);
    }
    autosave->refused = !autosave->writer;
    if (autosave->refused)
        set_message(autosave, g_strdup_printf(_("%s  The run is not recorded."), error->message));
}

/* Closes the file.  Reports an error that was not reported during recording. */
static void close_file(NsAutosave *autosave, NsLockstep *lockstep)
{
    g_autoptr(GError) error = NULL;
    size_t n = 0, seeds = ns_lockstep_seeds(lockstep);
    char *summaries[NS_LANES_MAX * NS_SEEDS_MAX];
    NsRunWriter *writer = autosave->writer;
    if (!writer) return;
    set_writer(autosave, NULL);
    for (size_t i = 0; i < ns_lockstep_lanes(lockstep); i++)
        for (size_t k = 0; k < seeds; k++) {
            NsRun *run = ns_lockstep_run(lockstep, i, k);
            int64_t steps = run->settings.steps;
            bool over = steps > 0 && ns_lockstep_steps(lockstep) >= steps;
            NsTrainerState state = run->diverged ? NS_TRAINER_DIVERGED
                                   : over        ? NS_TRAINER_FINISHED
                                                 : NS_TRAINER_PAUSED;
            summaries[n++] = ns_jsonl_summary(run, ns_trainer_state_word(state));
        }
    if (!ns_run_writer_close(writer, summaries, &error) && error)
        set_message(autosave, g_strdup(error->message));
    while (n-- > 0) g_free(summaries[n]);
}

static void notify(void *data, NsTrainerMoment moment, NsLockstep *lockstep)
{
    NsAutosave *autosave = data;
    NsRunWriter *writer = autosave->writer;
    switch (moment) {
    case NS_TRAINER_BEGAN:
        autosave->refused = false;
        if (autosave->continues) {
            set_writer(autosave, ns_run_writer_resume(autosave->continues, lockstep, 0, NULL));
            if (autosave->writer) add_file(autosave, lockstep, autosave->continues);
        }
        g_clear_pointer(&autosave->continues, g_free);
        return;
    case NS_TRAINER_STEPPED:
        if (!writer && !autosave->refused) open_new(autosave, lockstep);
        if (autosave->writer) ns_run_writer_step(autosave->writer, lockstep);
        return;
    case NS_TRAINER_RESTED:
        if (writer) ns_run_writer_checkpoint(writer, lockstep);
        return;
    case NS_TRAINER_RESETS:
        close_file(autosave, lockstep);
        return;
    case NS_TRAINER_ENDED:
        if (writer) ns_run_writer_checkpoint(writer, lockstep);
        if (lockstep) close_file(autosave, lockstep);
        ns_autosave_unref(autosave);
        return;
    }
}

NsTrainerObserver ns_autosave_observer(NsAutosave *autosave)
{
    atomic_fetch_add(&autosave->refs, 1);
    return (NsTrainerObserver){notify, autosave};
}

/* ---- On any thread ---- */

void ns_autosave_set_folder(NsAutosave *autosave, const char *folder)
{
    g_mutex_lock(&autosave->mutex);
    g_free(autosave->folder);
    autosave->folder = g_strdup(folder);
    g_mutex_unlock(&autosave->mutex);
}

char *ns_autosave_path(NsAutosave *autosave, const NsHistory *history)
{
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&autosave->mutex);
    for (guint i = autosave->files->len; i-- > 0;) {
        const File *file = &g_array_index(autosave->files, File, i);
        if (file->history == history) return g_strdup(file->path);
    }
    return NULL;
}

bool ns_autosave_waits(NsAutosave *autosave)
{
    g_autoptr(GMutexLocker) held = g_mutex_locker_new(&autosave->mutex);
    return autosave->writer && ns_run_writer_is_locked(autosave->writer);
}

/* ---- The size limit ---- */

typedef struct {
    char *folder;
    guint64 most;
    GPtrArray *spared; /* files that are open in this session */
    unsigned moved;    /* number of files moved to the trash */
} Bound;

static void bound_free(gpointer data)
{
    Bound *bound = data;
    g_free(bound->folder);
    g_ptr_array_unref(bound->spared);
    g_free(bound);
}

static void keep_bound(GTask *task, gpointer session, gpointer data, GCancellable *cancellable)
{
    (void)session, (void)cancellable;
    Bound *bound = data;
    bound->moved = ns_library_keep_bound(bound->folder, bound->most, bound->spared);
    g_task_return_boolean(task, TRUE);
}

static void on_bound_checked(GObject *object, GAsyncResult *result, gpointer data)
{
    (void)object;
    NsSession *session = data;
    const Bound *bound = g_task_get_task_data(G_TASK(result));
    session->bounding = false;
    if (bound->moved == 0) return;
    g_autofree char *size = g_format_size_full(bound->most, G_FORMAT_SIZE_IEC_UNITS);
    g_autofree char *words =
        g_strdup_printf(ns_plural("%u saved run, the oldest without a tag, was moved to the trash: "
                                  "saved runs are limited to %s.",
                                  "%u saved runs, the oldest without a tag, were moved to the "
                                  "trash: saved runs are limited to %s.",
                                  bound->moved),
                        bound->moved, size);
    g_signal_emit_by_name(session, "housekeeping", words);
    g_signal_emit_by_name(session, "runs-changed");
}

static void start_bound(NsSession *session)
{
    if (session->bounding || !session->folder || session->most_bytes == 0) return;
    Bound *bound = g_new0(Bound, 1);
    bound->folder = g_strdup(session->folder);
    bound->most = session->most_bytes;
    bound->spared = g_ptr_array_new_with_free_func(g_free);
    char *path = ns_session_path_on_view(session);
    if (path) g_ptr_array_add(bound->spared, path);
    g_autoptr(GTask) task = g_task_new(session, NULL, on_bound_checked, session);
    g_task_set_task_data(task, bound, bound_free);
    session->bounding = true;
    g_task_run_in_thread(task, keep_bound);
}

/* ---- Recording ---- */

void ns_session_set_recording(NsSession *session, const char *folder, guint64 most_bytes)
{
    g_autofree char *own = g_strdup(folder);
    g_free(session->folder);
    session->folder = g_steal_pointer(&own);
    session->most_bytes = most_bytes;
    if (session->autosave) ns_autosave_set_folder(session->autosave, folder);
    start_bound(session);
}

NsTrainerObserver ns_session_observe(NsSession *session)
{
    g_clear_pointer(&session->autosave, ns_autosave_unref);
    g_autofree char *continues = g_steal_pointer(&session->continued_file);
    const char *parent = NULL; /* the file of the run from which the next run is forked */
    if (session->forking_from && session->opened &&
        session->opened->listed.id == session->forking_from)
        parent = session->opened->recorded->path;
    else if (session->forking_from && session->forking_from == session->id)
        parent = session->path;
    session->autosave = ns_autosave_new(&(NsAutosavePlan){
        .folder = session->folder,
        .continues = session->folder ? continues : NULL,
        .parent = parent,
        .fork_step = session->origin_step,
    });
    session->files = 0;
    return ns_autosave_observer(session->autosave);
}

char *ns_session_path_on_view(NsSession *session)
{
    const NsHistory *history = session->view->histories[0];
    char *path = session->autosave && history ? ns_autosave_path(session->autosave, history) : NULL;
    if (path) return path;
    return g_strdup(ns_session_is_past(session) ? session->opened->recorded->path : session->path);
}

void ns_session_poll_record(NsSession *session)
{
    NsAutosave *autosave = session->autosave;
    if (!autosave) return;
    /* The newest message about recording, once: it waits for a lock, goes on, or has failed. */
    g_mutex_lock(&autosave->mutex);
    g_autofree char *message =
        autosave->writer ? ns_run_writer_take_message(autosave->writer) : NULL;
    if (!message) message = g_steal_pointer(&autosave->message);
    g_mutex_unlock(&autosave->mutex);
    if (message) {
        ns_session_report(session, message);
        g_signal_emit_by_name(session, "status-changed");
        if (!session->autosave) return;
    }
    g_mutex_lock(&session->autosave->mutex);
    unsigned files = session->autosave->begun;
    g_mutex_unlock(&session->autosave->mutex);
    if (files == session->files) return;
    session->files = files;
    start_bound(session);
}

/* ---- Unsaved runs ---- */

static double seconds_without(NsHistory *const *histories, size_t lanes, int64_t from,
                              GHashTable *saved)
{
    double most = 0.0;
    for (size_t lane = 0; lane < lanes; lane++) {
        if (!histories[lane]) continue;
        size_t records = GPOINTER_TO_SIZE(g_hash_table_lookup(saved, histories[lane]));
        size_t own = (size_t)MAX(from - ns_history_first_step(histories[lane]), 0);
        double seconds = 0.0;
        for (size_t i = MAX(records, own); i < ns_history_steps(histories[lane]); i++)
            seconds += ns_history_step(histories[lane], i)->seconds;
        most = MAX(most, seconds);
    }
    return most;
}

double ns_session_unsaved_seconds(NsSession *session, GHashTable *saved)
{
    g_autofree char *path = ns_session_path_on_view(session);
    double seconds = 0.0;
    if (!path)
        seconds += seconds_without(session->view->histories, session->view->started.n,
                                   session->fork_step, saved);
    for (guint i = 0; i < session->runs->len; i++) {
        const NsPastRun *run = ns_session_past_run(session, i);
        if (run->recorded->path) continue;
        seconds += seconds_without(run->recorded->histories, run->listed.lanes,
                                   run->listed.fork_step, saved);
    }
    return seconds;
}
