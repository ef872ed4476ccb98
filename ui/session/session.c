/* The life cycle of a session: creation, polling of its trainer, end.
 * SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

G_DEFINE_FINAL_TYPE(NsSession, ns_session, G_TYPE_OBJECT)

/* ---- Polling the trainer ---- */

static void look_at_histories(NsSession *session)
{
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
            ns_view_set_live(session->view, lane, &session->run->lane[lane]);
        session->records_seen[lane] = records;
    }
    for (size_t lane = 0; lane < session->run->n; lane++)
        g_clear_pointer(&histories[lane], ns_history_unref);
}

/* Whether a run that was started has paused by itself. */
static bool has_paused(NsSession *session)
{
    return session->wants_run && !session->slow && session->state == NS_TRAINER_PAUSED &&
           ns_trainer_wait(session->trainer, 0) &&
           ns_trainer_state(session->trainer) == NS_TRAINER_PAUSED;
}

bool ns_session_poll(NsSession *session)
{
    bool waits = session->restart_source || session->live_source;
    waits |= ns_session_poll_watched(session);
    if (!session->trainer) return waits;

    /* Queried first, so that everything read below is final if the trainer is idle.  A trainer may
     * take long to respond to a command. */
    bool busy = !ns_trainer_wait(session->trainer, 0);
    NsTrainerState state = ns_trainer_state(session->trainer);
    look_at_histories(session);
    ns_session_poll_trouble(session);
    ns_session_poll_record(session);
    bool changed = state != session->state;
    session->state = state;
    bool over = state == NS_TRAINER_DIVERGED || state == NS_TRAINER_FAILED;
    if (over || state == NS_TRAINER_FINISHED) session->wants_run = false;
    if (changed && over) ns_session_clear_problem(session);
    if (has_paused(session)) {
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
    g_free(session->goes_on_with);
    ns_session_free_runs(session);
    ns_session_free_estimate(session);
    ns_view_free(session->view);
    g_ptr_array_unref(session->undo);
    g_ptr_array_unref(session->redo);
    g_array_unref(session->marks);
    ns_experiment_clear(&session->experiment);
    ns_experiment_unref(session->run);
    ns_experiment_clear(&session->told);
    g_free(session->told_key);
    g_free(session->check);
    g_free(session->problem);
    g_free(session->problem_key);
    G_OBJECT_CLASS(ns_session_parent_class)->finalize(object);
}

static void ns_session_class_init(NsSessionClass *klass)
{
    G_OBJECT_CLASS(klass)->finalize = ns_session_finalize;
    static const char *const names[] = {"setting-changed", "settings-changed", "status-changed",
                                        "view-changed",    "runs-changed",     "checked"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        g_signal_new(names[i], NS_TYPE_SESSION, G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED, 0, NULL,
                     NULL, NULL, G_TYPE_NONE, 0);
    g_signal_new("notice", NS_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                 G_TYPE_STRING);
}

static void ns_session_init(NsSession *session)
{
    session->view = ns_view_new();
    session->usual_smoothing = (NsSmoothing){NS_SMOOTH_EMA, 0.9};
    session->pause_on_trouble = true;
    session->marks = g_array_new(FALSE, FALSE, sizeof(NsSessionMark));
    ns_session_init_undo(session);
    ns_session_init_runs(session);
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
    ns_experiment_copy(&session->told, &session->experiment);
    ns_session_set_run(session, ns_experiment_ref(&session->experiment));
    ns_session_estimate(session);
    ns_session_start(session, NULL, NULL);
    return session;
}
