/* Changes to lanes, settings and links, and how they reach the trainer.
 * SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

#include "core/base/words.h"
#include "core/model/placement.h"
#include "core/train/live.h"

/* ---- Starting a run ---- */

/* Stores the checkpoints and histories that the lanes of the run begin from.  New references are
 * taken before the old ones are released, because both may be the same. */
static void set_origins(NsSession *session, NsCheckpoint *const origins[NS_LANES_MAX],
                        NsHistory *const pasts[NS_LANES_MAX])
{
    session->origin_step = 0;
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++) {
        bool begins = lane < session->run->n && origins && origins[lane];
        NsCheckpoint *origin = begins ? ns_checkpoint_ref(origins[lane]) : NULL;
        NsHistory *past = begins && pasts && pasts[lane] ? ns_history_ref(pasts[lane]) : NULL;
        ns_checkpoint_unref(session->origins[lane]);
        ns_history_unref(session->pasts[lane]);
        session->origins[lane] = origin;
        session->pasts[lane] = past;
        if (begins) session->origin_step = MAX(session->origin_step, ns_checkpoint_step(origin));
    }
}

void ns_session_set_run(NsSession *session, const NsExperiment *run)
{
    ns_experiment_unref(session->run);
    session->run = run;
}

static void show_started(NsSession *session)
{
    for (unsigned lane = 0; lane < session->run->n && lane < session->view->started.n; lane++)
        if (!ns_session_has_moved(session))
            ns_view_set_started(session->view, lane, &session->run->lane[lane]);
}

/* Applies the speed and the other options of the session to a new trainer. */
static void prepare_trainer(NsSession *session)
{
    ns_trainer_set_speed(session->trainer, session->speed);
    ns_trainer_set_pause_on_trouble(session->trainer, session->pause_on_trouble);
    if (session->wants_run && !session->slow) ns_trainer_run(session->trainer);
}

void ns_session_leave_trainer(NsSession *session)
{
    g_clear_handle_id(&session->restart_source, g_source_remove);
    session->opening = 0;
    ns_session_keep_left(session);
    g_clear_pointer(&session->trainer, ns_trainer_release);
    g_clear_pointer(&session->autosave, ns_autosave_unref);
    session->preparing_to = 0;
    ns_session_drop_check(session);
    session->stage_since = 0;
}

void ns_session_launch(NsSession *session, NsCheckpoint *const origins[NS_LANES_MAX],
                       NsHistory *const pasts[NS_LANES_MAX])
{
    g_autoptr(GError) error = NULL;
    ns_session_leave_trainer(session);
    set_origins(session, origins, pasts);
    session->launched = g_get_monotonic_time();
    const NsTrainerStart start = {
        .origins = session->origins,
        .pasts = session->pasts,
        .checkpoint_bytes = session->most_checkpoint_bytes,
        .observer = ns_session_observe(session),
    };
    session->trainer = ns_trainer_start(session->run, &start, &error);
    if (session->trainer) {
        ns_session_set_problem(session, NULL, NULL, false);
        session->state = NS_TRAINER_PREPARING;
        ns_session_bound_checkpoints(session);
        prepare_trainer(session);
    } else {
        ns_session_set_problem(session, error->message, NULL, true);
        session->state = NS_TRAINER_FAILED;
        session->wants_run = false;
    }
    ns_session_tell_settings(session, NULL);
    g_signal_emit_by_name(session, "status-changed");
}

void ns_session_start(NsSession *session, NsCheckpoint *const *origins, NsHistory *const *pasts)
{
    NsCheckpoint *own[NS_LANES_MAX] = {NULL};
    NsHistory *own_pasts[NS_LANES_MAX] = {NULL};
    for (size_t lane = 0; origins && lane < session->experiment.n; lane++) {
        own[lane] = origins[session->experiment.from[lane]];
        own_pasts[lane] = pasts[session->experiment.from[lane]];
    }
    ns_experiment_settle(&session->experiment, session->experiment.n);
    ns_session_settle_undo(session);
    ns_session_set_run(session, ns_experiment_ref(&session->experiment));
    if (!session->view->history) {
        ns_view_set_lanes(session->view, (unsigned)session->run->n);
        ns_view_set_active(session->view, (unsigned)session->active);
        show_started(session);
    }
    ns_session_launch(session, own, own_pasts);
}

/* ---- Prepared runs ---- */

struct NsPreparedRun {
    NsExperiment *experiment; /* a reference */
    NsTrainer *trainer;
    NsAutosave *autosave; /* without a folder until the run is shown */
    int64_t step;
};

NsPreparedRun *ns_session_prepare(NsSession *session, const NsExperiment *experiment, int64_t step,
                                  GError **error)
{
    NsPreparedRun *run = g_new0(NsPreparedRun, 1);
    run->experiment = ns_experiment_new_shared(experiment);
    ns_experiment_share(run->experiment);
    ns_experiment_settle(run->experiment, run->experiment->n);
    run->autosave = ns_autosave_new(&(NsAutosavePlan){0});
    run->step = step;
    const NsTrainerStart start = {.checkpoint_bytes = session->most_checkpoint_bytes,
                                  .observer = ns_autosave_observer(run->autosave)};
    run->trainer = ns_trainer_start(run->experiment, &start, error);
    if (!run->trainer) g_clear_pointer(&run, ns_prepared_run_free);
    if (run && step > 0) ns_trainer_run_until(run->trainer, (NsTrainerUntil){.step = step});
    return run;
}

void ns_prepared_run_free(NsPreparedRun *run)
{
    if (!run) return;
    if (run->trainer) ns_trainer_release(run->trainer);
    g_clear_pointer(&run->autosave, ns_autosave_unref);
    ns_experiment_unref(run->experiment);
    g_free(run);
}

bool ns_prepared_run_is_ready(NsPreparedRun *run)
{
    return ns_trainer_wait(run->trainer, 0);
}

void ns_session_show_prepared(NsSession *session, NsPreparedRun *run)
{
    ns_session_leave_experiment(session);
    ns_session_leave_trainer(session);
    ns_session_set_run(session, ns_experiment_ref(run->experiment));
    set_origins(session, NULL, NULL);
    session->forking_from = 0;
    session->preparing_to = run->step;
    g_clear_pointer(&session->goes_on_with, g_free);
    session->launched = g_get_monotonic_time();
    session->trainer = g_steal_pointer(&run->trainer);
    session->autosave = g_steal_pointer(&run->autosave);
    session->files = 0;
    ns_autosave_set_folder(session->autosave, session->folder);
    session->wants_run = session->slow = false; /* it has its command already */
    prepare_trainer(session);
    session->wants_run = run->step > 0 && !ns_trainer_wait(session->trainer, 0);
    session->state = ns_trainer_state(session->trainer);
    ns_session_open(session, run->experiment);
    ns_session_forget_undo(session);
    ns_session_bound_checkpoints(session);
    ns_prepared_run_free(run);
    ns_session_poll(session);
    g_signal_emit_by_name(session, "status-changed");
}

/* ---- Applying changes ---- */

/* Whether there is no run here that could be continued. */
static bool needs_trainer(NsSession *session)
{
    return session->state == NS_TRAINER_FAILED || ns_session_is_watching(session);
}

static gboolean restart_now(gpointer data)
{
    NsSession *session = data;
    session->restart_source = 0;
    bool fork = session->origins[0] != NULL;
    if (needs_trainer(session) || ns_session_differs(session))
        ns_session_start(session, fork ? session->origins : NULL, session->pasts);
    return G_SOURCE_REMOVE;
}

/* Whether a live setting differs from the run's in any of its lanes; added lanes do not count. */
static bool live_differs(NsSession *session)
{
    for (size_t i = 0; i < session->experiment.n; i++)
        if (!ns_experiment_is_new(&session->experiment, i) &&
            ns_live_differs(&session->experiment.lane[i],
                            &session->run->lane[session->experiment.from[i]]))
            return true;
    return false;
}

static void send_live(NsSession *session)
{
    NsExperiment *run = ns_experiment_new_shared(session->run);
    session->live_at = g_get_monotonic_time();
    for (size_t i = 0; i < session->experiment.n; i++)
        if (!ns_experiment_is_new(&session->experiment, i))
            ns_live_copy(&run->lane[session->experiment.from[i]], &session->experiment.lane[i]);
    ns_session_set_run(session, run);
    if (session->trainer) ns_trainer_set_live(session->trainer, run);
    show_started(session);
    g_signal_emit_by_name(session, "status-changed");
}

static gboolean live_now(gpointer data)
{
    NsSession *session = data;
    session->live_source = 0;
    send_live(session);
    return G_SOURCE_REMOVE;
}

void ns_session_apply_now(NsSession *session)
{
    bool live = session->live_source != 0, restart = session->restart_source != 0;
    g_clear_handle_id(&session->live_source, g_source_remove);
    g_clear_handle_id(&session->restart_source, g_source_remove);
    if (live) send_live(session);
    if (restart) restart_now(session);
}

/* ---- Changing settings ---- */

/* Applies the changed settings, or reports why they cannot be used. */
static void settings_differ(NsSession *session, const char *key)
{
    g_autoptr(GError) error = NULL;
    size_t lane;
    session->serial++;
    if (!ns_experiment_check(&session->experiment, &lane, &error)) {
        g_clear_handle_id(&session->restart_source, g_source_remove);
        /* With several lanes, the sentence begins with the lane. */
        const char *sentence = error->message;
        g_autofree char *words =
            session->experiment.n > 1
                ? g_strdup_printf(_("Lane %s: %s"), ns_lane_letter(lane), sentence)
                : NULL;
        ns_session_set_problem(session, words ? words : sentence, key, false);
    } else {
        ns_session_clear_problem(session);
        gint64 rested = (g_get_monotonic_time() - session->live_at) / 1000;
        if (live_differs(session) && !session->live_source) {
            if (rested >= NS_SESSION_SETTLE_MS)
                send_live(session);
            else
                session->live_source = g_timeout_add(NS_SESSION_SETTLE_MS, live_now, session);
        }
        g_clear_handle_id(&session->restart_source, g_source_remove);
        if (!ns_session_has_begun(session) &&
            (needs_trainer(session) || ns_session_differs(session)))
            session->restart_source = g_timeout_add(NS_SESSION_SETTLE_MS, restart_now, session);
        if (ns_session_differs(session)) ns_session_estimate(session);
    }
    session->active = MIN(session->active, session->experiment.n - 1);
    ns_view_set_active(session->view, (unsigned)session->experiment.from[session->active]);
    ns_session_tell_settings(session, key);
    g_signal_emit_by_name(session, "view-changed");
    g_signal_emit_by_name(session, "status-changed");
}

static void changed(NsSession *session, const char *key)
{
    ns_session_remember(session, NULL);
    settings_differ(session, key);
}

static void refuse(NsSession *session, const GError *error, const char *key)
{
    ns_session_set_problem(session, error->message, key, false);
    ns_session_tell_settings(session, key);
    g_signal_emit_by_name(session, "status-changed");
}

typedef struct {
    size_t lane;
    bool own; /* for this lane only, which splits the setting */
    const char *key, *value;
    bool slides;
} Change;

static bool change(NsSession *session, Change wanted)
{
    g_autoptr(GError) error = NULL;
    const NsParam *param = ns_param_find(wanted.key);
    if (wanted.own && param)
        ns_experiment_set_linked(&session->experiment, wanted.lane, param, false);
    if (!ns_experiment_set(&session->experiment, wanted.lane, wanted.key, wanted.value, &error)) {
        ns_experiment_assign(&session->experiment, &session->told);
        refuse(session, error, wanted.key);
        return false;
    }
    ns_session_remember(session, wanted.slides ? param : NULL);
    settings_differ(session, wanted.key);
    return true;
}

bool ns_session_set(NsSession *session, const char *key, const char *value)
{
    return change(session, (Change){.lane = session->active, .key = key, .value = value});
}

bool ns_session_slide(NsSession *session, const char *key, const char *value)
{
    return change(session, (Change){session->active, false, key, value, true});
}

bool ns_session_set_lane(NsSession *session, size_t lane, const char *key, const char *value)
{
    if (lane >= session->experiment.n) return false;
    return change(session, (Change){.lane = lane, .own = true, .key = key, .value = value});
}

void ns_session_set_default(NsSession *session, const NsParam *param)
{
    ns_experiment_set(&session->experiment, session->active, param->key, param->default_text, NULL);
    changed(session, param->key);
}

const char *const ns_first_lanes[NS_FIRST_LANES] = {"placement=post", "placement=pre"};

void ns_session_first_experiment(NsExperiment *experiment)
{
    ns_experiment_init(experiment);
    ns_experiment_read_lanes(experiment, ns_first_lanes, NS_FIRST_LANES, NULL, NULL);
}

void ns_session_set_defaults(NsSession *session)
{
    g_auto(NsExperiment) first;
    ns_session_first_experiment(&first);
    ns_session_open(session, &first);
}

void ns_session_open(NsSession *session, const NsExperiment *experiment)
{
    ns_experiment_assign(&session->experiment, experiment);
    ns_experiment_share(&session->experiment);
    for (size_t lane = 0; lane < experiment->n; lane++)
        session->experiment.from[lane] = MIN(lane, session->run->n - 1);
    changed(session, NULL);
}

void ns_session_drop_pending(NsSession *session)
{
    ns_experiment_take_back(&session->experiment, session->run);
    changed(session, NULL);
}

void ns_session_undo(NsSession *session)
{
    if (ns_session_exchange(session, true)) settings_differ(session, NULL);
}

void ns_session_redo(NsSession *session)
{
    if (ns_session_exchange(session, false)) settings_differ(session, NULL);
}

/* ---- Lanes and links ---- */

void ns_session_set_active(NsSession *session, size_t lane)
{
    lane = MIN(lane, session->experiment.n - 1);
    if (lane == session->active) return;
    session->active = lane;
    ns_view_set_active(session->view, (unsigned)session->experiment.from[lane]);
    ns_session_tell_settings(session, NULL);
    g_signal_emit_by_name(session, "view-changed");
}

void ns_session_set_lanes(NsSession *session, size_t n)
{
    ns_experiment_resize(&session->experiment, n, session->active);
    changed(session, NULL);
}

void ns_session_add_lane(NsSession *session)
{
    NsExperiment *experiment = &session->experiment;
    size_t lane = experiment->n;
    if (lane == NS_LANES_MAX) return;
    ns_experiment_resize(experiment, lane + 1, session->active);
    unsigned placement = experiment->lane[lane].placement;
    for (size_t i = 0; i < lane && ns_placement_choice(placement + 1); i++) {
        if (experiment->lane[i].placement != placement) continue;
        placement++;
        i = SIZE_MAX; /* from the first lane again */
    }
    ns_settings_set(&experiment->lane[lane], "placement", ns_placement_choice(placement)->key,
                    NULL);
    session->active = lane;
    changed(session, NULL);
}

void ns_session_remove_lane(NsSession *session, size_t lane)
{
    ns_experiment_remove(&session->experiment, lane);
    if (session->active > lane) session->active--;
    changed(session, NULL);
}

void ns_session_set_linked(NsSession *session, const NsParam *param, bool linked)
{
    ns_experiment_set_linked(&session->experiment, session->active, param, linked);
    changed(session, param->key);
}
