/* A session's state and signals, the polling of its trainer, its creation and end.
 * SPDX-License-Identifier: MIT */
#include "core/experiment/param.h"
#include "core/probe/seeds.h"
#include "ui/session/session-private.h"

#include <math.h>

/* ---- Signals ---- */

void ns_session_report(NsSession *session, const char *sentence)
{
    g_signal_emit_by_name(session, "notice", sentence);
}

/* Whether the row of a setting has changed: value, link, other lanes, or whether it causes the
 * problem. */
static bool row_differs(const NsSession *session, const NsParam *param, const char *tried)
{
    const NsExperiment *now = &session->experiment, *notified = &session->notified;
    if (now->n != notified->n || g_strcmp0(tried, param->key) == 0) return true;
    bool blamed = g_strcmp0(session->problem_key, param->key) == 0;
    if (blamed != (g_strcmp0(session->reported_key, param->key) == 0)) return true;
    if (ns_experiment_is_linked(now, param) != ns_experiment_is_linked(notified, param))
        return true;
    if (session->active != session->reported_active && ns_experiment_differs(now, param))
        return true;
    for (size_t lane = 0; lane < now->n; lane++)
        if (!ns_settings_same(&now->lane[lane], &notified->lane[lane], param)) return true;
    return false;
}

static char *signal_of(const NsParam *param)
{
    return g_strconcat("setting-changed::", param->key, NULL);
}

void ns_session_notify_settings(NsSession *session, const char *tried)
{
    const NsParam *param;
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; (param = ns_param(i)); i++)
        if (row_differs(session, param, tried)) g_ptr_array_add(rows, signal_of(param));
    ns_experiment_assign(&session->notified, &session->experiment);
    session->reported_active = session->active;
    g_free(session->reported_key);
    session->reported_key = g_strdup(session->problem_key);
    for (guint i = 0; i < rows->len; i++) g_signal_emit_by_name(session, rows->pdata[i]);
    g_signal_emit_by_name(session, "settings-changed");
}

void ns_session_listen(NsSession *session, const char *signal, GCallback callback, gpointer object)
{
    g_signal_connect_object(session, signal, callback, object, G_CONNECT_SWAPPED);
}

void ns_session_follow(NsSession *session, const NsParam *param, GCallback callback,
                       gpointer object)
{
    g_autofree char *name = signal_of(param);
    ns_session_listen(session, name, callback, object);
}

/* ---- Problems ---- */

void ns_session_set_problem(NsSession *session, const char *sentence, const char *key, bool of_run)
{
    g_autofree char *new_key = g_strdup(key);
    g_free(session->problem);
    g_free(session->problem_key);
    session->problem = g_strdup(sentence);
    session->problem_key = g_steal_pointer(&new_key);
    session->problem_is_run = of_run;
}

void ns_session_clear_problem(NsSession *session)
{
    bool over = session->trainer &&
                (session->state == NS_TRAINER_DIVERGED || session->state == NS_TRAINER_FAILED);
    g_autofree char *message = NULL; /* of the first lane that has one */
    for (size_t i = 0; over && !message && i < ns_trainer_lanes(session->trainer); i++)
        message = ns_trainer_message(session->trainer, i);
    ns_session_set_problem(session, message, NULL, over);
}

/* ---- Lanes as the controls show them ---- */

const NsSettings *ns_session_settings(NsSession *session)
{
    return &session->experiment.lane[session->active];
}

/* ---- The run ---- */

bool ns_session_is_past(const NsSession *session)
{
    return session->opened && !session->trainer;
}

bool ns_session_is_watching(NsSession *session)
{
    return ns_session_is_past(session) && session->opened->watch;
}

size_t ns_session_records(NsSession *session, size_t lane)
{
    NsHistory *history = lane < session->view->started.n ? session->view->histories[lane] : NULL;
    return history ? ns_history_steps(history) : 0;
}

double ns_session_newest_loss(NsSession *session, size_t lane)
{
    NsHistory *history = lane < session->view->started.n ? session->view->histories[lane] : NULL;
    size_t records = history ? ns_seeds_records(history) : 0;
    return records ? ns_seeds_step(history, records - 1).loss : (double)NAN;
}

bool ns_session_has_begun(NsSession *session)
{
    NsTrainerState state = session->state;
    if (ns_session_is_watching(session)) return false;
    if (session->wants_run || state == NS_TRAINER_RUNNING || state == NS_TRAINER_PAUSED)
        return true;
    if (state == NS_TRAINER_DIVERGED) return ns_session_has_moved(session);
    return state == NS_TRAINER_FINISHED;
}

bool ns_session_has_moved(NsSession *session)
{
    return ns_session_steps(session) > session->fork_step;
}

int64_t ns_session_first_step(NsSession *session)
{
    return session->view->history ? ns_history_first_step(session->view->history) : 0;
}

int64_t ns_session_steps(NsSession *session)
{
    return MAX(ns_view_newest_step(session->view), 0);
}

int64_t ns_session_shown_step(NsSession *session)
{
    return session->view->step >= 0 ? session->view->step : ns_session_steps(session);
}

bool ns_session_is_behind(NsSession *session)
{
    return session->view->step >= 0 && session->view->step < ns_session_steps(session);
}

/* ---- Checkpoints of the run on view ---- */

size_t ns_session_checkpoints(NsSession *session, int64_t *steps, size_t most)
{
    if (session->trainer) return ns_trainer_checkpoints(session->trainer, steps, most);
    return session->opened && session->opened->recorded->checkpoints
               ? ns_checkpoints_steps(session->opened->recorded->checkpoints, steps, most)
               : 0;
}

bool ns_session_checkpoints_at(NsSession *session, int64_t step,
                               NsCheckpoint *checkpoints[NS_LANES_MAX], int64_t *at)
{
    if (session->trainer) return ns_trainer_checkpoints_at(session->trainer, step, checkpoints, at);
    return session->opened && session->opened->recorded->checkpoints &&
           ns_checkpoints_find(session->opened->recorded->checkpoints, step, checkpoints, at);
}

void ns_session_drop_checkpoints(NsCheckpoint *checkpoints[NS_LANES_MAX])
{
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++)
        g_clear_pointer(&checkpoints[lane], ns_checkpoint_unref);
}

G_DEFINE_FINAL_TYPE(NsSession, ns_session, G_TYPE_OBJECT)

/* ---- Polling the trainer ---- */

bool ns_session_poll(NsSession *session)
{
    bool waits = session->restart_source || session->live_source;
    waits |= ns_session_poll_watched(session);
    if (!session->trainer) return waits;

    /* Queried first, so that everything read below is final if the trainer is idle.  A trainer may
     * take long to respond to a command. */
    bool busy = !ns_trainer_wait(session->trainer, 0);
    NsTrainerState state = ns_trainer_state(session->trainer);
    NsHistory *histories[NS_LANES_MAX] = {NULL};
    bool all = true, other = session->view->started.n != session->run->n;
    for (size_t lane = 0; lane < session->run->n; lane++) {
        histories[lane] = ns_trainer_history(session->trainer, lane);
        all &= histories[lane] != NULL;
        other |=
            lane < session->view->started.n && histories[lane] != session->view->histories[lane];
    }
    if (all && other) ns_session_adopt(session, histories, session->run);
    for (unsigned lane = 0; all && lane < session->run->n; lane++) {
        /* A live change becomes part of the view with the first step made with it. */
        size_t records = ns_session_records(session, lane);
        if (records > session->records_seen[lane])
            ns_live_copy(&session->view->now.lane[lane], &session->run->lane[lane]);
        session->records_seen[lane] = records;
    }
    for (size_t lane = 0; lane < session->run->n; lane++)
        g_clear_pointer(&histories[lane], ns_history_unref);
    ns_session_poll_trouble(session);
    ns_session_poll_record(session);
    bool changed = state != session->state;
    session->state = state;
    bool over = state == NS_TRAINER_DIVERGED || state == NS_TRAINER_FAILED;
    if (over || state == NS_TRAINER_FINISHED) session->wants_run = false;
    if (changed && over) ns_session_clear_problem(session);
    /* A run that was started may have paused by itself. */
    if (session->wants_run && !session->slow && session->state == NS_TRAINER_PAUSED &&
        ns_trainer_wait(session->trainer, 0) &&
        ns_trainer_state(session->trainer) == NS_TRAINER_PAUSED) {
        session->wants_run = false;
        changed = true;
    }
    if (changed) g_signal_emit_by_name(session, "status-changed");
    bool slow = ns_session_poll_stage(session);
    bool checking = ns_session_poll_check(session);
    waits |= session->autosave && ns_autosave_waits(session->autosave);
    waits |= ns_session_poll_remedies(session); /* those of a trouble that was just reported, too */
    return waits || slow || checking || busy;
}

/* ---- Life cycle ---- */

static void ns_session_finalize(GObject *object)
{
    NsSession *session = NS_SESSION(object);
    g_clear_handle_id(&session->restart_source, g_source_remove);
    g_clear_handle_id(&session->live_source, g_source_remove);
    g_clear_handle_id(&session->watch_source, g_source_remove);
    ns_session_clear_trouble(session);
    g_clear_pointer(&session->trainer, ns_trainer_release);
    ns_session_drop_checkpoints(session->origins);
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++) ns_history_unref(session->pasts[lane]);
    g_clear_pointer(&session->autosave, ns_autosave_unref);
    g_free(session->path);
    g_free(session->folder);
    g_free(session->continued_file);
    g_ptr_array_unref(session->runs);
    g_clear_pointer(&session->run_marks, g_hash_table_unref);
    ns_past_run_free(session->opened);
    ns_checkpoints_free(session->left);
    g_array_unref(session->run_list);
    g_free(session->title);
    g_free(session->differs);
    ns_session_free_estimate(session);
    ns_view_free(session->view);
    g_ptr_array_unref(session->undo);
    g_ptr_array_unref(session->redo);
    g_array_unref(session->marks);
    ns_experiment_clear(&session->experiment);
    ns_experiment_unref(session->run);
    ns_experiment_clear(&session->notified);
    g_free(session->reported_key);
    g_free(session->check);
    g_free(session->problem);
    g_free(session->problem_key);
    G_OBJECT_CLASS(ns_session_parent_class)->finalize(object);
}

static void ns_session_class_init(NsSessionClass *klass)
{
    G_OBJECT_CLASS(klass)->finalize = ns_session_finalize;
    static const char *const names[] = {"setting-changed", "settings-changed", "status-changed",
                                        "view-changed",    "runs-changed",     "left",
                                        "checked"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        g_signal_new(names[i], NS_TYPE_SESSION, G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED, 0, NULL,
                     NULL, NULL, G_TYPE_NONE, 0);
    static const char *const reports[] = {"notice", "housekeeping"};
    for (size_t i = 0; i < G_N_ELEMENTS(reports); i++)
        g_signal_new(reports[i], NS_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                     G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void ns_session_init(NsSession *session)
{
    session->view = ns_view_new();
    session->usual_smoothing = session->view->smoothing = (NsSmoothing){NS_SMOOTH_AUTO, 0};
    session->pause_on_trouble = true;
    session->marks = g_array_new(FALSE, FALSE, sizeof(NsSessionMark));
    ns_session_init_undo(session);
    session->runs = g_ptr_array_new_with_free_func((GDestroyNotify)ns_past_run_free);
    session->run_list = g_array_new(FALSE, TRUE, sizeof(NsSessionRun));
    session->most_checkpoint_bytes = NS_SESSION_CHECKPOINT_BYTES;
    session->id = session->last_id = 1;
    session->prepared_to = session->preparing_to = -1;
}

NsSession *ns_session_hold(NsSession *session, gpointer object)
{
    g_object_set_data_full(object, "ns-session", g_object_ref(session), g_object_unref);
    return session;
}

NsSession *ns_session_new(const NsExperiment *experiment)
{
    NsSession *session = g_object_new(NS_TYPE_SESSION, NULL);
    ns_experiment_copy(&session->experiment, experiment);
    ns_experiment_share(&session->experiment);
    ns_experiment_copy(&session->notified, &session->experiment);
    ns_session_set_run(session, ns_experiment_ref(&session->experiment));
    ns_session_estimate(session);
    ns_session_start(session, NULL, NULL);
    return session;
}
