/* The trainer of a session is started, told what changed, and given up.
 * SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

#include "core/train/live.h"

#include <string.h>

/* Those of the run's lanes. */
static void set_origins(NsSession *session, NsCheckpoint *const origins[NS_LANES_MAX])
{
    NsCheckpoint *taken[NS_LANES_MAX] = {NULL}; /* before the old ones go, which may be the same */
    for (size_t lane = 0; lane < session->run.n; lane++)
        if (origins && origins[lane]) taken[lane] = ns_checkpoint_ref(origins[lane]);
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++) {
        g_clear_pointer(&session->origins[lane], ns_checkpoint_unref);
        session->origins[lane] = taken[lane];
    }
}

static void show_started(NsSession *session)
{
    for (unsigned lane = 0; lane < session->run.n && lane < session->view->started.n; lane++)
        if (ns_session_records(session, lane) <= 1)
            ns_view_set_started(session->view, lane, &session->run.lane[lane]);
}

void ns_session_prepare_trainer(NsSession *session)
{
    ns_trainer_set_speed(session->trainer, session->speed);
    ns_trainer_set_pause_on_trouble(session->trainer, session->pause_on_trouble);
    if (session->wants_run && !session->slow) ns_trainer_run(session->trainer);
}

void ns_session_leave_trainer(NsSession *session)
{
    g_clear_handle_id(&session->restart_source, g_source_remove);
    ns_session_keep_left(session);
    g_clear_pointer(&session->trainer, ns_trainer_release);
    ns_session_drop_check(session);
    session->stage_since = 0;
}

void ns_session_launch(NsSession *session, NsCheckpoint *const origins[NS_LANES_MAX])
{
    g_autoptr(GError) error = NULL;
    ns_session_leave_trainer(session);
    set_origins(session, origins);
    session->launched = g_get_monotonic_time();
    session->trainer = ns_trainer_new(&session->run, session->origins, &error);
    if (session->trainer) {
        ns_session_set_problem(session, NULL, NULL, false);
        session->state = NS_TRAINER_PREPARING;
        ns_session_prepare_trainer(session);
    } else {
        ns_session_set_problem(session, error->message, NULL, true);
        session->state = NS_TRAINER_FAILED;
        session->wants_run = false;
    }
    ns_session_tell_settings(session, NULL);
    ns_session_emit(session, NS_SESSION_STATUS_CHANGED);
}

void ns_session_start(NsSession *session, NsCheckpoint *const *origins)
{
    NsCheckpoint *own[NS_LANES_MAX] = {NULL};
    for (size_t lane = 0; origins && lane < session->experiment.n; lane++)
        own[lane] = origins[session->experiment.from[lane]];
    ns_experiment_settle(&session->experiment, session->experiment.n);
    ns_session_settle_undo(session);
    ns_experiment_assign(&session->run, &session->experiment);
    if (!session->view->history) {
        ns_view_set_lanes(session->view, (unsigned)session->run.n);
        ns_view_set_active(session->view, (unsigned)session->active);
        show_started(session);
    }
    ns_session_launch(session, own);
}

void ns_session_adopt(NsSession *session, NsHistory *const *histories, const NsExperiment *started)
{
    NsView *view = session->view;
    unsigned n = (unsigned)session->run.n;
    if (view->history && histories[0] != view->histories[0]) ns_session_file_run(session);
    session->forked_from = session->forking_from;
    if (n == 1 && ns_session_records(session, 0) > 1) ns_view_leave_previous(view);
    ns_view_set_lanes(view, n);
    for (unsigned lane = 0; lane < n; lane++) {
        ns_view_set_history(view, lane, histories[lane], &started->lane[lane]);
        session->records_seen[lane] = 0;
        memset(session->events_seen[lane], 0, sizeof session->events_seen[lane]);
    }
    ns_view_set_active(view, (unsigned)session->experiment.from[session->active]);
    view->step = -1;
    session->trouble = (NsTrouble){0};
    ns_session_emit(session, NS_SESSION_VIEW_CHANGED);
    ns_session_emit(session, NS_SESSION_RUNS_CHANGED);
}

/* ---- Settings that act ---- */

static gboolean restart_now(gpointer data)
{
    NsSession *session = data;
    session->restart_source = 0;
    bool fork = session->origins[0] != NULL;
    if (ns_session_differs(session) || session->state == NS_TRAINER_FAILED)
        ns_session_start(session, fork ? session->origins : NULL);
    return G_SOURCE_REMOVE;
}

/* Lanes that were added wait for their start, those that were taken away keep what they had. */
static bool live_differs(NsSession *session)
{
    for (size_t i = 0; i < session->experiment.n; i++)
        if (!ns_experiment_is_new(&session->experiment, i) &&
            ns_live_differs(&session->experiment.lane[i],
                            &session->run.lane[session->experiment.from[i]]))
            return true;
    return false;
}

static void send_live(NsSession *session)
{
    session->live_at = g_get_monotonic_time();
    for (size_t i = 0; i < session->experiment.n; i++) {
        size_t lane = session->experiment.from[i];
        if (ns_experiment_is_new(&session->experiment, i)) continue;
        if (!ns_live_copy(&session->run.lane[lane], &session->experiment.lane[i])) continue;
        if (session->trainer) ns_trainer_set_live(session->trainer, lane, &session->run.lane[lane]);
    }
    show_started(session);
    ns_session_emit(session, NS_SESSION_STATUS_CHANGED);
}

static gboolean live_now(gpointer data)
{
    NsSession *session = data;
    session->live_source = 0;
    send_live(session);
    return G_SOURCE_REMOVE;
}

void ns_session_apply(NsSession *session)
{
    gint64 rested = (g_get_monotonic_time() - session->live_at) / 1000;
    if (live_differs(session) && !session->live_source) {
        if (rested >= NS_SESSION_SETTLE_MS)
            send_live(session);
        else
            session->live_source = g_timeout_add(NS_SESSION_SETTLE_MS, live_now, session);
    }
    g_clear_handle_id(&session->restart_source, g_source_remove);
    bool failed = session->state == NS_TRAINER_FAILED;
    if (!ns_session_has_begun(session) && (failed || ns_session_differs(session)))
        session->restart_source = g_timeout_add(NS_SESSION_SETTLE_MS, restart_now, session);
}
