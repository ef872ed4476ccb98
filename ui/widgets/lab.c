/* The life of a lab: its trainer is started, looked at, and given up.
 * SPDX-License-Identifier: MIT */
#include "ui/widgets/lab-private.h"

#include "core/train/live.h"

static guint signals[NS_LAB_SIGNALS];

G_DEFINE_FINAL_TYPE(NsLab, ns_lab, G_TYPE_OBJECT)

void ns_lab_emit(NsLab *lab, NsLabSignal signal)
{
    g_signal_emit(lab, signals[signal], 0);
}

void ns_lab_tell(NsLab *lab, const char *sentence)
{
    g_signal_emit(lab, signals[NS_LAB_NOTICE], 0, sentence);
}

/* ---- Problems ---- */

void ns_lab_set_problem(NsLab *lab, const char *sentence, const char *key, bool of_run)
{
    g_autofree char *new_key = g_strdup(key);
    g_free(lab->problem);
    g_free(lab->problem_key);
    lab->problem = g_strdup(sentence);
    lab->problem_key = g_steal_pointer(&new_key);
    lab->problem_is_run = of_run;
}

/* The sentence of the first lane that has one. */
static char *message_of(NsLab *lab)
{
    char *message = NULL;
    for (size_t i = 0; !message && i < ns_trainer_lanes(lab->trainer); i++)
        message = ns_trainer_message(lab->trainer, i);
    return message;
}

void ns_lab_clear_problem(NsLab *lab)
{
    bool over =
        lab->trainer && (lab->state == NS_TRAINER_DIVERGED || lab->state == NS_TRAINER_FAILED);
    g_autofree char *message = over ? message_of(lab) : NULL;
    ns_lab_set_problem(lab, message, NULL, over);
}

/* ---- The trainer ---- */

/* Those of the run's lanes. */
static void set_origins(NsLab *lab, NsCheckpoint *const origins[NS_LANES_MAX])
{
    NsCheckpoint *taken[NS_LANES_MAX] = {NULL}; /* before the old ones go, which may be the same */
    for (size_t lane = 0; lane < lab->run.n; lane++)
        if (origins && origins[lane]) taken[lane] = ns_checkpoint_ref(origins[lane]);
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++) {
        g_clear_pointer(&lab->origins[lane], ns_checkpoint_unref);
        lab->origins[lane] = taken[lane];
    }
}

static NsTrainer *make_trainer(NsLab *lab, GError **error)
{
    NsTrainerLane lanes[NS_LANES_MAX];
    for (size_t lane = 0; lane < lab->run.n; lane++)
        lanes[lane] = (NsTrainerLane){&lab->run.settings[lane], lab->origins[lane]};
    return ns_trainer_new(lanes, lab->run.n, error);
}

static void show_started(NsLab *lab)
{
    for (unsigned lane = 0; lane < lab->run.n && lane < lab->view->n_lanes; lane++)
        if (ns_lab_records(lab, lane) <= 1)
            ns_view_set_started(lab->view, lane, &lab->run.settings[lane]);
}

void ns_lab_prepare_trainer(NsLab *lab)
{
    ns_trainer_set_speed(lab->trainer, lab->speed);
    ns_trainer_set_pause_on_trouble(lab->trainer, lab->pause_on_trouble);
    if (lab->wants_run && !lab->slow) ns_trainer_run(lab->trainer);
}

void ns_lab_leave_trainer(NsLab *lab)
{
    g_clear_handle_id(&lab->restart_source, g_source_remove);
    ns_lab_keep_left(lab);
    g_clear_pointer(&lab->trainer, ns_trainer_release);
    ns_lab_drop_check(lab);
    lab->stage_since = 0;
}

void ns_lab_launch(NsLab *lab, NsCheckpoint *const origins[NS_LANES_MAX])
{
    g_autoptr(GError) error = NULL;
    ns_lab_leave_trainer(lab);
    set_origins(lab, origins);
    lab->trainer = make_trainer(lab, &error);
    if (lab->trainer) {
        ns_lab_set_problem(lab, NULL, NULL, false);
        lab->state = NS_TRAINER_PREPARING;
        ns_lab_prepare_trainer(lab);
    } else {
        ns_lab_set_problem(lab, error->message, NULL, true);
        lab->state = NS_TRAINER_FAILED;
        lab->wants_run = false;
    }
    ns_lab_emit(lab, NS_LAB_SETTINGS_CHANGED);
    ns_lab_emit(lab, NS_LAB_STATUS_CHANGED);
}

void ns_lab_start(NsLab *lab, NsCheckpoint *const *origins)
{
    NsCheckpoint *own[NS_LANES_MAX] = {NULL};
    for (size_t lane = 0; origins && lane < lab->lanes.n; lane++)
        own[lane] = origins[lab->lanes.from[lane]];
    ns_lanes_settle(&lab->lanes, lab->lanes.n);
    ns_lab_settle_undo(lab);
    ns_lanes_assign(&lab->run, &lab->lanes);
    if (!lab->view->history) {
        ns_view_set_lanes(lab->view, (unsigned)lab->run.n);
        ns_view_set_active(lab->view, (unsigned)lab->active);
        show_started(lab);
    }
    ns_lab_launch(lab, own);
}

bool ns_lab_has_begun(NsLab *lab)
{
    NsTrainerState state = lab->state;
    if (lab->wants_run || state == NS_TRAINER_RUNNING || state == NS_TRAINER_PAUSED) return true;
    if (state == NS_TRAINER_DIVERGED) return ns_lab_records(lab, 0) > 1;
    return state == NS_TRAINER_FINISHED;
}

static gboolean restart_now(gpointer data)
{
    NsLab *lab = data;
    lab->restart_source = 0;
    bool fork = lab->origins[0] != NULL;
    if (ns_lab_differs(lab) || lab->state == NS_TRAINER_FAILED)
        ns_lab_start(lab, fork ? lab->origins : NULL);
    return G_SOURCE_REMOVE;
}

/* Lanes that were added wait for their start, those that were taken away keep what they had. */
static bool live_differs(NsLab *lab)
{
    for (size_t i = 0; i < lab->lanes.n; i++)
        if (!ns_lanes_is_new(&lab->lanes, i) &&
            ns_live_differs(&lab->lanes.settings[i], &lab->run.settings[lab->lanes.from[i]]))
            return true;
    return false;
}

static void send_live(NsLab *lab)
{
    lab->live_at = g_get_monotonic_time();
    for (size_t i = 0; i < lab->lanes.n; i++) {
        size_t lane = lab->lanes.from[i];
        if (ns_lanes_is_new(&lab->lanes, i)) continue;
        if (!ns_live_copy(&lab->run.settings[lane], &lab->lanes.settings[i])) continue;
        if (lab->trainer) ns_trainer_set_live(lab->trainer, lane, &lab->run.settings[lane]);
    }
    show_started(lab);
    ns_lab_emit(lab, NS_LAB_STATUS_CHANGED);
}

static gboolean live_now(gpointer data)
{
    NsLab *lab = data;
    lab->live_source = 0;
    send_live(lab);
    return G_SOURCE_REMOVE;
}

void ns_lab_apply(NsLab *lab)
{
    gint64 rested = (g_get_monotonic_time() - lab->live_at) / 1000;
    if (live_differs(lab) && !lab->live_source) {
        if (rested >= NS_LAB_SETTLE_MS)
            send_live(lab);
        else
            lab->live_source = g_timeout_add(NS_LAB_SETTLE_MS, live_now, lab);
    }
    g_clear_handle_id(&lab->restart_source, g_source_remove);
    bool failed = lab->state == NS_TRAINER_FAILED;
    if (!ns_lab_has_begun(lab) && (failed || ns_lab_differs(lab)))
        lab->restart_source = g_timeout_add(NS_LAB_SETTLE_MS, restart_now, lab);
}

/* ---- What is seen of the trainer ---- */

size_t ns_lab_records(NsLab *lab, size_t lane)
{
    NsHistory *history = lane < lab->view->n_lanes ? lab->view->lanes[lane].history : NULL;
    return history ? ns_history_steps(history) : 0;
}

const NsStep *ns_lab_newest(NsLab *lab, size_t lane)
{
    size_t records = ns_lab_records(lab, lane);
    return records ? ns_history_step(lab->view->lanes[lane].history, records - 1) : NULL;
}

void ns_lab_adopt(NsLab *lab, NsHistory *const *histories, const NsSettings *started)
{
    NsView *view = lab->view;
    unsigned n = (unsigned)lab->run.n;
    if (view->history && histories[0] != view->lanes[0].history) ns_lab_file_run(lab);
    lab->forked_from = lab->forking_from;
    if (n == 1 && ns_lab_records(lab, 0) > 1) ns_view_leave_previous(view);
    ns_view_set_lanes(view, n);
    for (unsigned lane = 0; lane < n; lane++) {
        ns_view_set_history(view, lane, histories[lane], &started[lane]);
        lab->records_seen[lane] = 0;
        lab->events_seen[lane] = 0;
    }
    ns_view_set_active(view, (unsigned)lab->lanes.from[lab->active]);
    view->step = -1;
    lab->trouble = (NsTrouble){0};
    ns_lab_emit(lab, NS_LAB_VIEW_CHANGED);
    ns_lab_emit(lab, NS_LAB_RUNS_CHANGED);
}

static void look_at_histories(NsLab *lab)
{
    NsHistory *histories[NS_LANES_MAX] = {NULL};
    bool all = true, other = lab->view->n_lanes != lab->run.n;
    for (size_t lane = 0; lane < lab->run.n; lane++) {
        histories[lane] = ns_trainer_history(lab->trainer, lane);
        all &= histories[lane] != NULL;
        other |= lane < lab->view->n_lanes && histories[lane] != lab->view->lanes[lane].history;
    }
    if (all && other) ns_lab_adopt(lab, histories, lab->run.settings);
    for (unsigned lane = 0; all && lane < lab->run.n; lane++) {
        /* A live change is part of what the history shows from the first step that felt it. */
        size_t records = ns_lab_records(lab, lane);
        if (records > lab->records_seen[lane])
            ns_view_set_live(lab->view, lane, &lab->run.settings[lane]);
        lab->records_seen[lane] = records;
    }
    for (size_t lane = 0; lane < lab->run.n; lane++)
        g_clear_pointer(&histories[lane], ns_history_unref);
}

/* Whether a run that was told to go has come to rest by itself. */
static bool has_paused(NsLab *lab)
{
    return lab->wants_run && !lab->slow && lab->state == NS_TRAINER_PAUSED &&
           ns_trainer_wait(lab->trainer, 0) && ns_trainer_state(lab->trainer) == NS_TRAINER_PAUSED;
}

bool ns_lab_poll(NsLab *lab)
{
    bool waits = lab->restart_source || lab->live_source;
    if (!lab->trainer) return waits;

    /* First, so that what is seen afterwards is the end of it.  A trainer may take long to wake up
     * for a command. */
    bool busy = !ns_trainer_wait(lab->trainer, 0);
    NsTrainerState state = ns_trainer_state(lab->trainer);
    look_at_histories(lab);
    ns_lab_poll_trouble(lab);
    bool changed = state != lab->state;
    lab->state = state;
    bool over = state == NS_TRAINER_DIVERGED || state == NS_TRAINER_FAILED;
    if (over || state == NS_TRAINER_FINISHED) lab->wants_run = false;
    if (changed && over) ns_lab_clear_problem(lab);
    if (has_paused(lab)) {
        lab->wants_run = false;
        changed = true;
    }
    if (changed) ns_lab_emit(lab, NS_LAB_STATUS_CHANGED);
    bool slow = ns_lab_poll_stage(lab);
    bool checking = ns_lab_poll_check(lab);
    return waits || slow || checking || busy;
}

NsTrainerState ns_lab_state(NsLab *lab)
{
    return lab->state;
}

NsTrainerState ns_lab_lane_state(NsLab *lab, size_t lane)
{
    if (ns_lab_is_past(lab)) return ns_lab_past_lane_state(lab, lane);
    if (!lab->trainer || lane >= lab->run.n) return lab->state;
    return ns_trainer_lane_state(lab->trainer, lane);
}

const char *ns_lab_problem(NsLab *lab)
{
    return lab->problem;
}

const char *ns_lab_problem_key(NsLab *lab)
{
    return lab->problem_key;
}

/* ---- Life ---- */

static void ns_lab_finalize(GObject *object)
{
    NsLab *lab = NS_LAB(object);
    g_clear_handle_id(&lab->restart_source, g_source_remove);
    g_clear_handle_id(&lab->live_source, g_source_remove);
    g_clear_pointer(&lab->trainer, ns_trainer_release);
    set_origins(lab, NULL);
    ns_lab_free_runs(lab);
    ns_lab_free_estimate(lab);
    ns_view_free(lab->view);
    g_ptr_array_unref(lab->undo);
    g_ptr_array_unref(lab->redo);
    g_array_unref(lab->marks);
    ns_lanes_clear(&lab->lanes);
    ns_lanes_clear(&lab->run);
    g_free(lab->check);
    g_free(lab->problem);
    g_free(lab->problem_key);
    G_OBJECT_CLASS(ns_lab_parent_class)->finalize(object);
}

static void ns_lab_class_init(NsLabClass *klass)
{
    G_OBJECT_CLASS(klass)->finalize = ns_lab_finalize;
    const char *names[NS_LAB_NOTICE] = {"settings-changed", "status-changed", "view-changed",
                                        "runs-changed", "checked"};
    for (int i = 0; i < NS_LAB_NOTICE; i++)
        signals[i] = g_signal_new(names[i], NS_TYPE_LAB, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 0);
    signals[NS_LAB_NOTICE] = g_signal_new("notice", NS_TYPE_LAB, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                          NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void ns_lab_init(NsLab *lab)
{
    lab->view = ns_view_new();
    lab->usual_smoothing = (NsSmoothing){NS_SMOOTH_EMA, 0.9};
    lab->pause_on_trouble = true;
    lab->marks = g_array_new(FALSE, FALSE, sizeof(NsLabMark));
    ns_lab_init_undo(lab);
    ns_lab_init_runs(lab);
}

NsLab *ns_lab_new_lanes(const NsSettings *const *settings, size_t n)
{
    NsLab *lab = g_object_new(NS_TYPE_LAB, NULL);
    ns_lanes_init(&lab->lanes, settings, n);
    ns_lanes_copy(&lab->run, &lab->lanes);
    ns_lab_estimate(lab);
    ns_lab_start(lab, NULL);
    return lab;
}

NsLab *ns_lab_new(const NsSettings *settings)
{
    return ns_lab_new_lanes(&settings, 1);
}
