/* The life of a session: its trainer is started, looked at, and given up.
 * SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

#include "core/train/live.h"

static guint signals[NS_SESSION_SIGNALS];

G_DEFINE_FINAL_TYPE(NsSession, ns_session, G_TYPE_OBJECT)

void ns_session_emit(NsSession *session, NsSessionSignal signal)
{
    g_signal_emit(session, signals[signal], 0);
}

void ns_session_tell(NsSession *session, const char *sentence)
{
    g_signal_emit(session, signals[NS_SESSION_NOTICE], 0, sentence);
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

/* The sentence of the first lane that has one. */
static char *message_of(NsSession *session)
{
    char *message = NULL;
    for (size_t i = 0; !message && i < ns_trainer_lanes(session->trainer); i++)
        message = ns_trainer_message(session->trainer, i);
    return message;
}

void ns_session_clear_problem(NsSession *session)
{
    bool over = session->trainer &&
                (session->state == NS_TRAINER_DIVERGED || session->state == NS_TRAINER_FAILED);
    g_autofree char *message = over ? message_of(session) : NULL;
    ns_session_set_problem(session, message, NULL, over);
}

/* ---- The trainer ---- */

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

static NsTrainer *make_trainer(NsSession *session, GError **error)
{
    NsTrainerLane lanes[NS_LANES_MAX];
    for (size_t lane = 0; lane < session->run.n; lane++)
        lanes[lane] = (NsTrainerLane){&session->run.settings[lane], session->origins[lane]};
    return ns_trainer_new(lanes, session->run.n, error);
}

static void show_started(NsSession *session)
{
    for (unsigned lane = 0; lane < session->run.n && lane < session->view->n_lanes; lane++)
        if (ns_session_records(session, lane) <= 1)
            ns_view_set_started(session->view, lane, &session->run.settings[lane]);
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
    session->trainer = make_trainer(session, &error);
    if (session->trainer) {
        ns_session_set_problem(session, NULL, NULL, false);
        session->state = NS_TRAINER_PREPARING;
        ns_session_prepare_trainer(session);
    } else {
        ns_session_set_problem(session, error->message, NULL, true);
        session->state = NS_TRAINER_FAILED;
        session->wants_run = false;
    }
    ns_session_emit(session, NS_SESSION_SETTINGS_CHANGED);
    ns_session_emit(session, NS_SESSION_STATUS_CHANGED);
}

void ns_session_start(NsSession *session, NsCheckpoint *const *origins)
{
    NsCheckpoint *own[NS_LANES_MAX] = {NULL};
    for (size_t lane = 0; origins && lane < session->lanes.n; lane++)
        own[lane] = origins[session->lanes.from[lane]];
    ns_lanes_settle(&session->lanes, session->lanes.n);
    ns_session_settle_undo(session);
    ns_lanes_assign(&session->run, &session->lanes);
    if (!session->view->history) {
        ns_view_set_lanes(session->view, (unsigned)session->run.n);
        ns_view_set_active(session->view, (unsigned)session->active);
        show_started(session);
    }
    ns_session_launch(session, own);
}

bool ns_session_has_begun(NsSession *session)
{
    NsTrainerState state = session->state;
    if (session->wants_run || state == NS_TRAINER_RUNNING || state == NS_TRAINER_PAUSED)
        return true;
    if (state == NS_TRAINER_DIVERGED) return ns_session_records(session, 0) > 1;
    return state == NS_TRAINER_FINISHED;
}

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
    for (size_t i = 0; i < session->lanes.n; i++)
        if (!ns_lanes_is_new(&session->lanes, i) &&
            ns_live_differs(&session->lanes.settings[i],
                            &session->run.settings[session->lanes.from[i]]))
            return true;
    return false;
}

static void send_live(NsSession *session)
{
    session->live_at = g_get_monotonic_time();
    for (size_t i = 0; i < session->lanes.n; i++) {
        size_t lane = session->lanes.from[i];
        if (ns_lanes_is_new(&session->lanes, i)) continue;
        if (!ns_live_copy(&session->run.settings[lane], &session->lanes.settings[i])) continue;
        if (session->trainer)
            ns_trainer_set_live(session->trainer, lane, &session->run.settings[lane]);
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

/* ---- What is seen of the trainer ---- */

size_t ns_session_records(NsSession *session, size_t lane)
{
    NsHistory *history = lane < session->view->n_lanes ? session->view->lanes[lane].history : NULL;
    return history ? ns_history_steps(history) : 0;
}

const NsStep *ns_session_newest(NsSession *session, size_t lane)
{
    size_t records = ns_session_records(session, lane);
    return records ? ns_history_step(session->view->lanes[lane].history, records - 1) : NULL;
}

void ns_session_adopt(NsSession *session, NsHistory *const *histories, const NsSettings *started)
{
    NsView *view = session->view;
    unsigned n = (unsigned)session->run.n;
    if (view->history && histories[0] != view->lanes[0].history) ns_session_file_run(session);
    session->forked_from = session->forking_from;
    if (n == 1 && ns_session_records(session, 0) > 1) ns_view_leave_previous(view);
    ns_view_set_lanes(view, n);
    for (unsigned lane = 0; lane < n; lane++) {
        ns_view_set_history(view, lane, histories[lane], &started[lane]);
        session->records_seen[lane] = 0;
        session->events_seen[lane] = 0;
    }
    ns_view_set_active(view, (unsigned)session->lanes.from[session->active]);
    view->step = -1;
    session->trouble = (NsTrouble){0};
    ns_session_emit(session, NS_SESSION_VIEW_CHANGED);
    ns_session_emit(session, NS_SESSION_RUNS_CHANGED);
}

static void look_at_histories(NsSession *session)
{
    NsHistory *histories[NS_LANES_MAX] = {NULL};
    bool all = true, other = session->view->n_lanes != session->run.n;
    for (size_t lane = 0; lane < session->run.n; lane++) {
        histories[lane] = ns_trainer_history(session->trainer, lane);
        all &= histories[lane] != NULL;
        other |=
            lane < session->view->n_lanes && histories[lane] != session->view->lanes[lane].history;
    }
    if (all && other) ns_session_adopt(session, histories, session->run.settings);
    for (unsigned lane = 0; all && lane < session->run.n; lane++) {
        /* A live change is part of what the history shows from the first step that felt it. */
        size_t records = ns_session_records(session, lane);
        if (records > session->records_seen[lane])
            ns_view_set_live(session->view, lane, &session->run.settings[lane]);
        session->records_seen[lane] = records;
    }
    for (size_t lane = 0; lane < session->run.n; lane++)
        g_clear_pointer(&histories[lane], ns_history_unref);
}

/* Whether a run that was told to go has come to rest by itself. */
static bool has_paused(NsSession *session)
{
    return session->wants_run && !session->slow && session->state == NS_TRAINER_PAUSED &&
           ns_trainer_wait(session->trainer, 0) &&
           ns_trainer_state(session->trainer) == NS_TRAINER_PAUSED;
}

bool ns_session_poll(NsSession *session)
{
    bool waits = session->restart_source || session->live_source;
    if (!session->trainer) return waits;

    /* First, so that what is seen afterwards is the end of it.  A trainer may take long to wake up
     * for a command. */
    bool busy = !ns_trainer_wait(session->trainer, 0);
    NsTrainerState state = ns_trainer_state(session->trainer);
    look_at_histories(session);
    ns_session_poll_trouble(session);
    bool changed = state != session->state;
    session->state = state;
    bool over = state == NS_TRAINER_DIVERGED || state == NS_TRAINER_FAILED;
    if (over || state == NS_TRAINER_FINISHED) session->wants_run = false;
    if (changed && over) ns_session_clear_problem(session);
    if (has_paused(session)) {
        session->wants_run = false;
        changed = true;
    }
    if (changed) ns_session_emit(session, NS_SESSION_STATUS_CHANGED);
    bool slow = ns_session_poll_stage(session);
    bool checking = ns_session_poll_check(session);
    return waits || slow || checking || busy;
}

NsTrainerState ns_session_state(NsSession *session)
{
    return session->state;
}

NsTrainerState ns_session_lane_state(NsSession *session, size_t lane)
{
    if (ns_session_is_past(session)) return ns_session_past_lane_state(session, lane);
    if (!session->trainer || lane >= session->run.n) return session->state;
    return ns_trainer_lane_state(session->trainer, lane);
}

const char *ns_session_problem(NsSession *session)
{
    return session->problem;
}

const char *ns_session_problem_key(NsSession *session)
{
    return session->problem_key;
}

/* ---- Life ---- */

static void ns_session_finalize(GObject *object)
{
    NsSession *session = NS_SESSION(object);
    g_clear_handle_id(&session->restart_source, g_source_remove);
    g_clear_handle_id(&session->live_source, g_source_remove);
    g_clear_pointer(&session->trainer, ns_trainer_release);
    set_origins(session, NULL);
    ns_session_free_runs(session);
    ns_session_free_estimate(session);
    ns_view_free(session->view);
    g_ptr_array_unref(session->undo);
    g_ptr_array_unref(session->redo);
    g_array_unref(session->marks);
    ns_lanes_clear(&session->lanes);
    ns_lanes_clear(&session->run);
    g_free(session->check);
    g_free(session->problem);
    g_free(session->problem_key);
    G_OBJECT_CLASS(ns_session_parent_class)->finalize(object);
}

static void ns_session_class_init(NsSessionClass *klass)
{
    G_OBJECT_CLASS(klass)->finalize = ns_session_finalize;
    const char *names[NS_SESSION_NOTICE] = {"settings-changed", "status-changed", "view-changed",
                                            "runs-changed", "checked"};
    for (int i = 0; i < NS_SESSION_NOTICE; i++)
        signals[i] = g_signal_new(names[i], NS_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 0);
    signals[NS_SESSION_NOTICE] = g_signal_new("notice", NS_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL,
                                              NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
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

NsSession *ns_session_new_lanes(const NsSettings *const *settings, size_t n)
{
    NsSession *session = g_object_new(NS_TYPE_SESSION, NULL);
    ns_lanes_init(&session->lanes, settings, n);
    ns_lanes_copy(&session->run, &session->lanes);
    ns_session_estimate(session);
    ns_session_start(session, NULL);
    return session;
}

NsSession *ns_session_new(const NsSettings *settings)
{
    return ns_session_new_lanes(&settings, 1);
}
