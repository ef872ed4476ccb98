/* Recording of runs while they train, and the size limit of run files.
 * SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

#include "core/base/words.h"

#include <gio/gio.h>

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

static void on_bound_kept(GObject *object, GAsyncResult *result, gpointer data)
{
    (void)object;
    NsSession *session = data;
    const Bound *bound = g_task_get_task_data(G_TASK(result));
    session->bounding = false;
    if (bound->moved == 0) return;
    g_autofree char *size = g_format_size_full(bound->most, G_FORMAT_SIZE_IEC_UNITS);
    g_autofree char *words =
        g_strdup_printf(ns_plural("%u saved run, the oldest without a tag, was moved to the trash, "
                                  "since saved runs may take at most %s.",
                                  "%u saved runs, the oldest without a tag, were moved to the "
                                  "trash, since saved runs may take at most %s.",
                                  bound->moved),
                        bound->moved, size);
    ns_session_tell(session, words);
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
    g_autoptr(GTask) task = g_task_new(session, NULL, on_bound_kept, session);
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

/* The file of the run from which the next run is forked. */
static const char *parent_path(NsSession *session)
{
    if (session->opened && session->opened->told.id == session->forking_from)
        return session->opened->recorded->path;
    return session->forking_from == session->id ? session->path : NULL;
}

NsTrainerObserver ns_session_observe(NsSession *session)
{
    g_clear_pointer(&session->autosave, ns_autosave_unref);
    g_autofree char *goes_on = g_steal_pointer(&session->goes_on_with);
    session->autosave = ns_autosave_new(&(NsAutosavePlan){
        .folder = session->folder,
        .goes_on = session->folder ? goes_on : NULL,
        .parent = session->forking_from ? parent_path(session) : NULL,
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
    if (!session->autosave) return;
    g_autofree char *message = ns_autosave_take_message(session->autosave);
    if (message) {
        ns_session_tell(session, message);
        g_signal_emit_by_name(session, "status-changed");
        if (!session->autosave) return;
    }
    unsigned files = ns_autosave_files(session->autosave);
    if (files == session->files) return;
    session->files = files;
    start_bound(session);
}

/* ---- Unsaved runs ---- */

static double seconds_from(const NsHistory *history, size_t from)
{
    double seconds = 0.0;
    for (size_t i = from; i < ns_history_steps(history); i++)
        seconds += ns_history_step(history, i)->seconds;
    return seconds;
}

static double seconds_without(NsHistory *const *histories, size_t lanes, int64_t from,
                              GHashTable *saved)
{
    double most = 0.0;
    for (size_t lane = 0; lane < lanes; lane++) {
        if (!histories[lane]) continue;
        size_t records = GPOINTER_TO_SIZE(g_hash_table_lookup(saved, histories[lane]));
        size_t own = (size_t)MAX(from - ns_history_first_step(histories[lane]), 0);
        most = MAX(most, seconds_from(histories[lane], MAX(records, own)));
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
        const NsPastRun *run = g_ptr_array_index(session->runs, i);
        if (run->recorded->path) continue;
        seconds +=
            seconds_without(run->recorded->histories, run->told.lanes, run->told.fork_step, saved);
    }
    return seconds;
}
