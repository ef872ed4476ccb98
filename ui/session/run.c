/* The run that trains: its start, forks, commands and checkpoints.
 * SPDX-License-Identifier: MIT
 *
 * One memory limit applies to the checkpoints of all runs.  While a trainer has a run, the other
 * runs may take half of the limit, and the trainer gets the rest.  Checkpoints of earlier runs that
 * were recorded are the first to be removed from memory: they are read back from the file when such
 * a run is opened again (earlier_runs.c). */
#include "core/base/error.h"
#include "core/base/words.h"
#include "core/store/pytorch.h"
#include "ui/session/session-private.h"

/* ---- Checkpoints: memory in use ---- */

static size_t count(NsCheckpoints *checkpoints, GHashTable *seen)
{
    return checkpoints ? ns_checkpoints_count(checkpoints, seen) : 0;
}

/* Bytes of the checkpoints of all runs but the trainer's, and of those that its run begins from. */
static size_t bytes_of_others(const NsSession *session, GHashTable *seen)
{
    size_t bytes = count(session->left, seen);
    if (session->opened) bytes += count(session->opened->recorded->checkpoints, seen);
    for (guint i = 0; i < session->runs->len; i++)
        bytes += count(ns_session_past_run(session, i)->recorded->checkpoints, seen);
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++)
        if (session->origins[lane] && g_hash_table_add(seen, session->origins[lane]))
            bytes += ns_checkpoint_bytes(session->origins[lane]);
    return bytes;
}

static size_t held(const NsSession *session)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    return bytes_of_others(session, seen);
}

size_t ns_session_checkpoint_bytes(NsSession *session)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    size_t bytes = bytes_of_others(session, seen);
    return session->trainer ? bytes + ns_trainer_count_checkpoints(session->trainer, seen) : bytes;
}

/* ---- Their limit ---- */

static bool drop_oldest(NsSession *session, bool recorded)
{
    for (guint i = 0; i < session->runs->len; i++) {
        NsPastRun *run = ns_session_past_run(session, i);
        if (!run->recorded->checkpoints || !run->recorded->path == recorded) continue;
        /* The checkpoints in memory are freed; those of a recorded run are also in its file. */
        run->stored = ns_past_run_continues_from(run);
        run->in_file = run->recorded->path && run->stored >= 0;
        g_clear_pointer(&run->recorded->checkpoints, ns_checkpoints_free);
        return true;
    }
    return false;
}

static void thin(NsCheckpoints *checkpoints, size_t most)
{
    if (checkpoints) ns_checkpoints_set_budget(checkpoints, most);
}

void ns_session_bound_checkpoints(NsSession *session)
{
    size_t all = session->most_checkpoint_bytes, most = session->trainer ? all / 2 : all;
    thin(session->left, most);
    if (session->opened) thin(session->opened->recorded->checkpoints, most);
    while (held(session) > most && drop_oldest(session, true)) continue;
    while (held(session) > most && drop_oldest(session, false)) continue;
    if (!session->trainer) return;
    size_t others = held(session);
    ns_trainer_set_checkpoint_bytes(session->trainer, others < all ? all - others : 0);
}

void ns_session_set_checkpoint_bytes(NsSession *session, size_t bytes)
{
    session->most_checkpoint_bytes = bytes;
    ns_session_bound_checkpoints(session);
}

/* ---- Checkpoints of a run whose trainer ends ---- */

static size_t bytes_at(const NsSession *session, int64_t step)
{
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    size_t bytes = 0;
    ns_trainer_checkpoints_at(session->trainer, step, checkpoints, NULL);
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++)
        if (checkpoints[lane]) bytes += ns_checkpoint_bytes(checkpoints[lane]);
    ns_session_drop_checkpoints(checkpoints);
    return bytes;
}

/* As many as fit into half of the limit.  NsCheckpoints never drops the first and the newest, so if
 * two are too large, only the newest is added. */
static NsCheckpoints *copy_checkpoints(NsSession *session)
{
    size_t all = ns_trainer_checkpoints(session->trainer, NULL, 0);
    g_autofree int64_t *steps = g_new(int64_t, all + 1);
    size_t n = MIN(all, ns_trainer_checkpoints(session->trainer, steps, all));
    size_t largest = n ? bytes_at(session, steps[n - 1]) : 0,
           most = session->most_checkpoint_bytes / 2;
    if (n == 0 || largest > session->most_checkpoint_bytes) return NULL;
    NsCheckpoints *copy = ns_checkpoints_new(session->run->n, most);
    for (size_t i = 2 * largest > most ? n - 1 : 0; i < n; i++) {
        NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
        int64_t at = -1;
        bool found = ns_trainer_checkpoints_at(session->trainer, steps[i], checkpoints, &at);
        if (found && at == steps[i]) ns_checkpoints_add(copy, at, checkpoints);
        ns_session_drop_checkpoints(checkpoints);
    }
    return copy;
}

/* Stores the checkpoints of a trainer that ends or resets. */
static void keep_left(NsSession *session)
{
    if (!session->trainer || !session->view->history) return;
    g_autoptr(NsHistory) history = ns_trainer_history(session->trainer, 0);
    if (history != session->view->histories[0]) return;
    g_clear_pointer(&session->left, ns_checkpoints_free);
    g_clear_pointer(&session->path, g_free);
    if (!ns_session_has_moved(session)) return;
    session->left = copy_checkpoints(session);
    session->path = ns_session_path_on_view(session);
}

bool ns_session_save_pytorch(NsSession *session, const char *path, int64_t *step, GError **error)
{
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    NsCheckpoint *own = NULL;
    if (ns_session_checkpoints_at(session, G_MAXINT64, checkpoints, step))
        own = checkpoints[session->active];
    bool written = own ? ns_pytorch_write(own, path, error)
                       : ns_refuse(error, NS_ERROR_SETTING,
                                   N_("This lane has no weights to save yet; pause it, or wait for "
                                      "its next checkpoint."));
    ns_session_drop_checkpoints(checkpoints);
    return written;
}

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
        if (begins) session->origin_step = MAX(session->origin_step, origin->step);
    }
}

void ns_session_set_run(NsSession *session, const NsExperiment *run)
{
    ns_experiment_unref(session->run);
    session->run = run;
}

void ns_session_show_started(NsSession *session)
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
    keep_left(session);
    g_clear_pointer(&session->trainer, ns_trainer_release);
    g_clear_pointer(&session->autosave, ns_autosave_unref);
    session->preparing_to = -1;
    session->view->run_to = 0;
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
    ns_session_notify_settings(session, NULL);
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
        ns_session_show_started(session);
    }
    ns_session_launch(session, own, own_pasts);
}

/* ---- Prepared runs ---- */

struct NsPreparedRun {
    const NsExperiment *experiment; /* a reference */
    NsTrainer *trainer;
    NsAutosave *autosave; /* without a folder until the run is shown */
    int64_t step;
    bool held; /* paused on its way there */
};

NsPreparedRun *ns_session_prepare(NsSession *session, const NsExperiment *experiment, int64_t step,
                                  GError **error)
{
    NsPreparedRun *run = g_new0(NsPreparedRun, 1);
    NsExperiment *own = ns_experiment_new_shared(experiment);
    ns_experiment_share(own);
    ns_experiment_settle(own, own->n);
    run->experiment = own;
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

static void go_on(NsPreparedRun *run)
{
    if (run->held) ns_trainer_run_until(run->trainer, (NsTrainerUntil){.step = run->step});
    run->held = false;
}

bool ns_prepared_run_is_ready(NsPreparedRun *run)
{
    go_on(run);
    return ns_trainer_wait(run->trainer, 0);
}

size_t ns_prepared_run_bytes(NsPreparedRun *run)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    size_t bytes = ns_trainer_count_checkpoints(run->trainer, seen);
    for (size_t lane = 0; lane < ns_trainer_lanes(run->trainer); lane++) {
        g_autoptr(NsHistory) history = ns_trainer_history(run->trainer, lane);
        NsPlan plan;
        if (ns_trainer_plan(run->trainer, lane, &plan)) bytes += plan.total_bytes;
        if (history) bytes += ns_session_history_bytes(history);
    }
    return bytes;
}

/* Takes the trainer, if its run is the one that was prepared: not beyond its step, and with the
 * settings that it began with.  It makes no step until it is wanted again, so that it takes no time
 * from the next run. */
static NsPreparedRun *take_prepared(NsSession *session)
{
    int64_t to = session->preparing_to;
    g_autoptr(NsHistory) history =
        session->trainer ? ns_trainer_history(session->trainer, 0) : NULL;
    int64_t at = history ? ns_history_last_step(history) : -1;
    if (!session->trainer || at > to || (at == to && session->wants_run)) return NULL;
    NsPreparedRun *run = g_new0(NsPreparedRun, 1);
    run->experiment = ns_experiment_ref(session->run);
    run->trainer = g_steal_pointer(&session->trainer);
    run->autosave = g_steal_pointer(&session->autosave);
    run->step = to;
    ns_autosave_set_folder(run->autosave, NULL);
    ns_trainer_set_speed(run->trainer, 0);
    run->held = at < to && to > 0;
    if (run->held) ns_trainer_pause(run->trainer);
    return run;
}

NsPreparedRun *ns_session_show_prepared(NsSession *session, NsPreparedRun *run)
{
    ns_session_leave_experiment(session);
    NsPreparedRun *before = take_prepared(session);
    ns_session_leave_trainer(session);
    ns_session_set_run(session, ns_experiment_ref(run->experiment));
    set_origins(session, NULL, NULL);
    session->forking_from = 0;
    session->preparing_to = run->step;
    g_clear_pointer(&session->continued_file, g_free);
    session->launched = g_get_monotonic_time();
    go_on(run);
    session->trainer = g_steal_pointer(&run->trainer);
    session->autosave = g_steal_pointer(&run->autosave);
    session->files = 0;
    ns_autosave_set_folder(session->autosave, session->folder);
    session->wants_run = session->slow = false; /* it gets its own command */
    prepare_trainer(session);
    session->wants_run = run->step > 0 && !ns_trainer_wait(session->trainer, 0);
    session->state = ns_trainer_state(session->trainer);
    ns_session_open(session, run->experiment);
    ns_session_forget_undo(session);
    ns_session_bound_checkpoints(session);
    session->view->run_to = run->step;
    ns_prepared_run_free(run);
    ns_session_poll(session);
    g_signal_emit_by_name(session, "status-changed");
    return before;
}

/* ---- Restart and fork ---- */

void ns_session_restart(NsSession *session)
{
    if (!ns_session_can_restart(session)) return;
    session->forking_from = 0;
    ns_session_start(session, NULL, NULL);
}

int64_t ns_session_find_checkpoints(NsSession *session, int64_t step,
                                    NsCheckpoint *checkpoints[NS_LANES_MAX])
{
    int64_t at;
    while (ns_session_checkpoints_at(session, step, checkpoints, &at)) {
        size_t lane = 0;
        while (lane < session->experiment.n && checkpoints[session->experiment.from[lane]]) lane++;
        if (lane == session->experiment.n) return at;
        ns_session_drop_checkpoints(checkpoints);
        step = at - 1;
    }
    return -1;
}

bool ns_session_start_at(NsSession *session, int64_t step)
{
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    int64_t at = ns_session_find_checkpoints(session, step, checkpoints);
    if (at < 0) return false;
    /* A run that has made no step is not stored: its fork replaces it. */
    if (ns_session_has_moved(session)) session->forking_from = session->id;
    ns_session_start(session, checkpoints, session->view->histories);
    ns_session_drop_checkpoints(checkpoints);
    g_autofree char *digits = ns_group_digits(at), *shown = ns_group_digits(step);
    bool earlier = at < step && step != INT64_MAX;
    g_autofree char *words =
        earlier
            ? g_strdup_printf(_("Forked at step %s, the newest checkpoint at or before step %s."),
                              digits, shown)
            : g_strdup_printf(_("Forked at step %s."), digits);
    ns_session_report(session, words);
    return true;
}

static int64_t wanted_step(const NsSession *session)
{
    return session->view->step >= 0 ? session->view->step : INT64_MAX;
}

int64_t ns_session_fork_step(NsSession *session)
{
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    if (!ns_session_can_restart(session) || !ns_session_has_begun(session)) return -1;
    int64_t step = ns_session_find_checkpoints(session, wanted_step(session), checkpoints);
    ns_session_drop_checkpoints(checkpoints);
    return step;
}

bool ns_session_can_fork(NsSession *session)
{
    return ns_session_fork_step(session) >= 0;
}

void ns_session_fork(NsSession *session)
{
    if (!ns_session_can_fork(session)) return;
    int64_t step = wanted_step(session);
    if (session->experiment.n == 1 && ns_session_pending(session) == 0)
        ns_session_set_lanes(session, 2);
    ns_session_start_at(session, step);
}

/* How long each stage of a step takes in slow motion, in microseconds. */
static const gint64 STAGES[] = {
    [NS_STAGE_FORWARD] = 1300000,
    [NS_STAGE_LOSS] = 500000,
    [NS_STAGE_BACKWARD] = 1500000,
    [NS_STAGE_UPDATE] = 700000,
};

/* ---- Commands for the trainer ---- */

/* Prepares for a command: applies changed settings at once, makes a trainer if an earlier run is on
 * view, and dismisses the trouble.  FALSE if the session cannot run. */
static bool prepare(NsSession *session)
{
    ns_session_apply_now(session);
    if (!ns_session_can_run(session)) return false;
    if (ns_session_is_past(session)) ns_session_revive(session);
    ns_session_clear_trouble(session);
    return session->trainer != NULL;
}

void ns_session_run(NsSession *session)
{
    if (!prepare(session)) return;
    session->wants_run = true;
    session->single = false;
    if (!session->slow) ns_trainer_run(session->trainer);
    ns_session_show_step(session, -1);
    g_signal_emit_by_name(session, "status-changed");
}

void ns_session_pause(NsSession *session)
{
    session->wants_run = false;
    session->stage_since = 0;
    if (session->trainer) ns_trainer_pause(session->trainer);
    g_signal_emit_by_name(session, "status-changed");
}

void ns_session_step(NsSession *session, int64_t n)
{
    if (!prepare(session)) return;
    session->wants_run = session->single = session->slow && n == 1;
    session->stage_since = 0;
    if (!session->single) ns_trainer_step(session->trainer, n);
    g_signal_emit_by_name(session, "status-changed");
}

static void run_until(NsSession *session, NsTrainerUntil until)
{
    if (!prepare(session)) return;
    session->wants_run = true;
    session->slow = false;
    session->view->run_to = until.step;
    ns_trainer_run_until(session->trainer, until);
    ns_session_show_step(session, -1);
    g_signal_emit_by_name(session, "status-changed");
}

void ns_session_run_to(NsSession *session, int64_t step)
{
    if (step > ns_session_steps(session)) run_until(session, (NsTrainerUntil){.step = step});
}

void ns_session_aim(NsSession *session, int64_t step)
{
    if (session->wants_run || session->view->run_to == step) return;
    session->view->run_to = step;
    g_signal_emit_by_name(session, "view-changed");
}

void ns_session_run_again_to(NsSession *session, int64_t step)
{
    bool restarts = ns_session_differs(session) || step <= ns_session_steps(session);
    if (restarts) ns_session_restart(session);
    run_until(session, (NsTrainerUntil){.step = step});
}

void ns_session_run_until_loss(NsSession *session, double loss)
{
    if (loss > 0.0) run_until(session, (NsTrainerUntil){.loss = loss});
}

void ns_session_reset(NsSession *session)
{
    if (!ns_session_can_reset(session)) return;
    session->wants_run = false;
    session->stage_since = 0;
    if (ns_session_differs(session) && ns_session_can_restart(session)) {
        ns_session_start(session, session->origins[0] ? session->origins : NULL, session->pasts);
        return;
    }
    if (ns_session_is_past(session)) {
        ns_session_begin_again(session);
        return;
    }
    if (session->problem_is_run) ns_session_set_problem(session, NULL, NULL, false);
    keep_left(session);
    session->preparing_to = -1;
    ns_trainer_reset(session->trainer);
    g_signal_emit_by_name(session, "status-changed");
}

void ns_session_reset_to_start(NsSession *session)
{
    if (!ns_session_can_reset(session) || !ns_session_can_restart(session)) return;
    session->wants_run = false;
    ns_session_restart(session);
}

int64_t ns_session_end_step(NsSession *session)
{
    int64_t steps = session->view->now.n ? session->view->now.lane[0].steps : 0;
    int64_t newest = ns_session_steps(session);
    if (ns_session_is_watching(session)) return newest;
    if (steps > 0 && newest <= steps) return steps;
    return session->state == NS_TRAINER_FINISHED ? newest : 0;
}

bool ns_session_can_run(NsSession *session)
{
    if (ns_session_is_past(session)) return !ns_session_is_watching(session);
    return session->trainer && session->state != NS_TRAINER_FAILED &&
           session->state != NS_TRAINER_DIVERGED && session->state != NS_TRAINER_FINISHED;
}

bool ns_session_can_reset(NsSession *session)
{
    if (ns_session_is_past(session)) return !ns_session_is_watching(session);
    return session->trainer && session->state != NS_TRAINER_FAILED &&
           session->state != NS_TRAINER_PREPARING;
}

void ns_session_set_speed(NsSession *session, double steps_per_second)
{
    if (session->speed == steps_per_second) return;
    session->speed = steps_per_second;
    if (session->trainer) ns_trainer_set_speed(session->trainer, steps_per_second);
    g_signal_emit_by_name(session, "status-changed");
}

void ns_session_set_pause_on_trouble(NsSession *session, bool pause)
{
    if (session->pause_on_trouble == pause) return;
    session->pause_on_trouble = pause;
    if (session->trainer) ns_trainer_set_pause_on_trouble(session->trainer, pause);
    g_signal_emit_by_name(session, "status-changed");
}

void ns_session_show_place(NsSession *session, int64_t step, int layer)
{
    NsView *view = session->view;
    step = step < 0 || step > ns_session_steps(session) ? -1
                                                        : MAX(step, ns_session_first_step(session));
    layer = MAX(layer, 0);
    if (view->step == step && view->layer == layer) return;
    view->step = step;
    view->layer = layer;
    g_signal_emit_by_name(session, "view-changed");
}

void ns_session_show_step(NsSession *session, int64_t step)
{
    ns_session_show_place(session, step, session->view->layer);
}

/* ---- Slow motion ---- */

void ns_session_set_slow_motion(NsSession *session, bool slow)
{
    if (session->slow == slow) return;
    session->slow = slow;
    session->stage_since = 0;
    session->stepping = false;
    if (session->single) session->wants_run = false;
    session->single = false;
    if (session->trainer && session->wants_run) {
        if (slow)
            ns_trainer_pause(session->trainer);
        else
            ns_trainer_run(session->trainer);
    }
    g_signal_emit_by_name(session, "status-changed");
}

static gint64 longest_step(void)
{
    gint64 whole = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(STAGES); i++) whole += STAGES[i];
    return whole;
}

bool ns_session_poll_stage(NsSession *session)
{
    if (!session->slow || !session->wants_run) return false;
    bool rests = session->state == NS_TRAINER_READY || session->state == NS_TRAINER_PAUSED;
    if (!rests || !ns_trainer_wait(session->trainer, 0)) return true;
    gint64 now = g_get_monotonic_time();
    if (session->stage_since == 0 && session->single && session->stepping) {
        session->stepping = false;
        ns_session_pause(session);
        return false;
    }
    if (session->stage_since == 0) {
        session->stage_since = now;
        session->stepping = false;
    } else if (now - session->stage_since >= longest_step()) {
        session->stage_since = 0;
        session->stepping = true;
        ns_trainer_step(session->trainer, 1);
    }
    return true;
}

bool ns_session_stage(NsSession *session, NsStage *stage, double *progress)
{
    if (!session->slow || !session->wants_run || (session->stage_since == 0 && !session->stepping))
        return false;
    gint64 passed =
        session->stage_since ? g_get_monotonic_time() - session->stage_since : longest_step();
    for (size_t i = 0; i < G_N_ELEMENTS(STAGES); i++) {
        *stage = (NsStage)i;
        *progress = CLAMP((double)passed / (double)STAGES[i], 0.0, 1.0);
        if (passed < STAGES[i]) break;
        passed -= STAGES[i];
    }
    return true;
}
