/* The experiment behind a window.  SPDX-License-Identifier: MIT */
#include "ui/widgets/lab.h"

#include "core/train/live.h"

/* How long after a command the trainer is looked at although it seems idle: it may not have woken
 * up for the command yet. */
#define WAKE_US (2 * G_USEC_PER_SEC)

struct _NsLab {
    GObject parent;
    NsSettings settings; /* as the controls show them */
    NsSettings run;      /* that the trainer has, live changes included */
    NsTrainer *trainer;  /* NULL if these settings could not make one */
    NsTrainerState state;
    bool wants_run;
    gint64 awake_until; /* monotonic time */
    size_t steps_seen;  /* records that were there at the last poll */
    NsView *view;
    NsSmoothing usual_smoothing; /* that was last chosen */
    char *problem, *problem_key;
    bool problem_is_run; /* the problem is the trainer's, not a setting's */
    guint restart_source, live_source;
    gint64 live_at; /* when live settings last reached the trainer */
};

enum { SETTINGS_CHANGED, STATUS_CHANGED, VIEW_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE(NsLab, ns_lab, G_TYPE_OBJECT)

static void emit(NsLab *lab, int signal)
{
    g_signal_emit(lab, signals[signal], 0);
}

static void wake(NsLab *lab)
{
    lab->awake_until = g_get_monotonic_time() + WAKE_US;
    emit(lab, STATUS_CHANGED);
}

static void set_problem(NsLab *lab, const char *sentence, const char *key, bool of_run)
{
    g_autofree char *new_key = g_strdup(key);
    g_free(lab->problem);
    g_free(lab->problem_key);
    lab->problem = g_strdup(sentence);
    lab->problem_key = g_steal_pointer(&new_key);
    lab->problem_is_run = of_run;
}

/* Back to what the trainer says of itself, which is mostly nothing. */
static void clear_problem(NsLab *lab)
{
    bool over =
        lab->trainer && (lab->state == NS_TRAINER_DIVERGED || lab->state == NS_TRAINER_FAILED);
    g_autofree char *message = over ? ns_trainer_message(lab->trainer, 0) : NULL;
    set_problem(lab, message, NULL, over);
}

static void set_settings(NsSettings *to, const NsSettings *from)
{
    ns_settings_clear(to);
    ns_settings_copy(to, from);
}

static bool same_but_live(const NsSettings *a, const NsSettings *b)
{
    for (size_t i = 0; ns_param(i); i++) {
        const NsParam *param = ns_param(i);
        if (param->effect == NS_EFFECT_LIVE) continue;
        g_autofree char *left = ns_settings_get(a, param);
        g_autofree char *right = ns_settings_get(b, param);
        if (!g_str_equal(left, right)) return false;
    }
    return true;
}

/* Starts a trainer for the present settings; the history of the one before stays on view until the
 * new one has its first record. */
static void start(NsLab *lab)
{
    g_autoptr(GError) error = NULL;
    bool run_on = lab->wants_run;
    g_clear_pointer(&lab->trainer, ns_trainer_release);
    set_settings(&lab->run, &lab->settings);
    if (!lab->view->history) ns_view_set_started(lab->view, 0, &lab->run);
    lab->trainer = ns_trainer_new(&(NsTrainerLane){.settings = &lab->run}, 1, &error);
    if (lab->trainer) {
        set_problem(lab, NULL, NULL, false);
        lab->state = NS_TRAINER_PREPARING;
        if (run_on) ns_trainer_run(lab->trainer);
    } else {
        set_problem(lab, error->message, NULL, true);
        lab->state = NS_TRAINER_FAILED;
        lab->wants_run = false;
    }
    wake(lab);
}

static gboolean restart_now(gpointer data)
{
    NsLab *lab = data;
    lab->restart_source = 0;
    if (!same_but_live(&lab->settings, &lab->run) || lab->state == NS_TRAINER_FAILED) start(lab);
    return G_SOURCE_REMOVE;
}

static void send_live(NsLab *lab)
{
    ns_live_copy(&lab->run, &lab->settings);
    lab->live_at = g_get_monotonic_time();
    if (!lab->trainer) return;
    ns_trainer_set_live(lab->trainer, 0, &lab->run);
    size_t records = lab->view->history ? ns_history_steps(lab->view->history) : 0;
    if (records <= 1) ns_view_set_started(lab->view, 0, &lab->run);
    wake(lab);
}

static gboolean live_now(gpointer data)
{
    NsLab *lab = data;
    lab->live_source = 0;
    send_live(lab);
    return G_SOURCE_REMOVE;
}

/* Lets the settings act, each in its own time. */
static void apply(NsLab *lab)
{
    const NsSettings *s = &lab->settings;
    bool live = ns_live_differs(s, &lab->run);
    gint64 rested = (g_get_monotonic_time() - lab->live_at) / 1000;
    if (live && !lab->live_source) {
        if (rested >= NS_LAB_SETTLE_MS)
            send_live(lab);
        else
            lab->live_source = g_timeout_add(NS_LAB_SETTLE_MS, live_now, lab);
    }
    g_clear_handle_id(&lab->restart_source, g_source_remove);
    if (!same_but_live(s, &lab->run) || lab->state == NS_TRAINER_FAILED)
        lab->restart_source = g_timeout_add(NS_LAB_SETTLE_MS, restart_now, lab);
}

static void settings_differ(NsLab *lab, const char *key)
{
    g_autoptr(GError) error = NULL;
    if (!ns_settings_check(&lab->settings, &error)) {
        g_clear_handle_id(&lab->restart_source, g_source_remove);
        set_problem(lab, error->message, key, false);
    } else {
        clear_problem(lab);
        apply(lab);
    }
    emit(lab, SETTINGS_CHANGED);
    emit(lab, STATUS_CHANGED);
}

bool ns_lab_set(NsLab *lab, const char *key, const char *value)
{
    g_autoptr(GError) error = NULL;
    if (!ns_settings_set(&lab->settings, key, value, &error)) {
        set_problem(lab, error->message, key, false);
        emit(lab, SETTINGS_CHANGED);
        emit(lab, STATUS_CHANGED);
        return false;
    }
    settings_differ(lab, key);
    return true;
}

void ns_lab_set_default(NsLab *lab, const NsParam *param)
{
    if (g_str_equal(param->key, "text")) ns_settings_set(&lab->settings, "task", "grammar", NULL);
    ns_lab_set(lab, param->key, param->default_text);
}

void ns_lab_set_defaults(NsLab *lab)
{
    ns_settings_clear(&lab->settings);
    ns_settings_init(&lab->settings);
    settings_differ(lab, NULL);
}

void ns_lab_run(NsLab *lab)
{
    if (!ns_lab_can_run(lab)) return;
    lab->wants_run = true;
    ns_trainer_run(lab->trainer);
    wake(lab);
}

void ns_lab_pause(NsLab *lab)
{
    lab->wants_run = false;
    if (lab->trainer) ns_trainer_pause(lab->trainer);
    wake(lab);
}

void ns_lab_step(NsLab *lab, int64_t n)
{
    if (!ns_lab_can_run(lab)) return;
    lab->wants_run = false;
    ns_trainer_step(lab->trainer, n);
    wake(lab);
}

void ns_lab_reset(NsLab *lab)
{
    if (!ns_lab_can_reset(lab)) return;
    lab->wants_run = false;
    if (lab->problem_is_run) set_problem(lab, NULL, NULL, false);
    ns_trainer_reset(lab->trainer);
    wake(lab);
}

/* The trainer has a new history: the one before becomes the ghost if it has gone anywhere. */
static void adopt(NsLab *lab, NsHistory *history)
{
    NsView *view = lab->view;
    if (view->history && ns_history_steps(view->history) > 1) ns_view_leave_ghost(view);
    ns_view_set_history(view, 0, history, &lab->run);
    view->step = -1;
    lab->steps_seen = 0;
    emit(lab, VIEW_CHANGED);
}

bool ns_lab_poll(NsLab *lab)
{
    bool pending =
        lab->restart_source || lab->live_source || g_get_monotonic_time() < lab->awake_until;
    if (!lab->trainer) return pending;

    NsTrainerState state = ns_trainer_state(lab->trainer);
    g_autoptr(NsHistory) history = ns_trainer_history(lab->trainer, 0);
    if (history && history != lab->view->history) adopt(lab, history);
    if (history) {
        size_t steps = ns_history_steps(history);
        /* A live change is part of what the history shows from the first step that felt it. */
        if (steps > lab->steps_seen) ns_view_set_live(lab->view, 0, &lab->run);
        lab->steps_seen = steps;
    }
    if (state != lab->state) {
        lab->state = state;
        bool over = state == NS_TRAINER_DIVERGED || state == NS_TRAINER_FAILED;
        if (over || state == NS_TRAINER_FINISHED) lab->wants_run = false;
        if (over) clear_problem(lab);
        emit(lab, STATUS_CHANGED);
    }
    return pending || state == NS_TRAINER_RUNNING || state == NS_TRAINER_PREPARING;
}

const NsSettings *ns_lab_settings(NsLab *lab)
{
    return &lab->settings;
}

NsTrainerState ns_lab_state(NsLab *lab)
{
    return lab->state;
}

bool ns_lab_is_running(NsLab *lab)
{
    return lab->wants_run;
}

bool ns_lab_plan(NsLab *lab, NsPlan *plan)
{
    return lab->trainer && ns_trainer_plan(lab->trainer, 0, plan);
}

bool ns_lab_can_run(NsLab *lab)
{
    return lab->trainer && lab->state != NS_TRAINER_FAILED && lab->state != NS_TRAINER_DIVERGED &&
           lab->state != NS_TRAINER_FINISHED;
}

bool ns_lab_can_reset(NsLab *lab)
{
    return lab->trainer && lab->state != NS_TRAINER_FAILED && lab->state != NS_TRAINER_PREPARING;
}

const char *ns_lab_problem(NsLab *lab)
{
    return lab->problem;
}

const char *ns_lab_problem_key(NsLab *lab)
{
    return lab->problem_key;
}

int64_t ns_lab_steps(NsLab *lab)
{
    size_t records = lab->view->history ? ns_history_steps(lab->view->history) : 0;
    return records > 0 ? (int64_t)records - 1 : 0;
}

const NsView *ns_lab_view(NsLab *lab)
{
    return lab->view;
}

void ns_lab_show_gradient(NsLab *lab, NsQuantity quantity)
{
    if (lab->view->gradient == quantity) return;
    lab->view->gradient = quantity;
    emit(lab, VIEW_CHANGED);
}

void ns_lab_show_hidden(NsLab *lab, NsQuantity quantity)
{
    if (lab->view->hidden == quantity) return;
    lab->view->hidden = quantity;
    emit(lab, VIEW_CHANGED);
}

void ns_lab_show_log(NsLab *lab, bool log)
{
    if (lab->view->log == log) return;
    lab->view->log = log;
    emit(lab, VIEW_CHANGED);
}

void ns_lab_show_smoothing(NsLab *lab, NsSmoothing smoothing)
{
    if (ns_smoothing_equal(lab->view->smoothing, smoothing)) return;
    lab->view->smoothing = smoothing;
    if (smoothing.kind != NS_SMOOTH_NONE) lab->usual_smoothing = smoothing;
    emit(lab, VIEW_CHANGED);
}

void ns_lab_toggle_smoothing(NsLab *lab)
{
    bool smooth = lab->view->smoothing.kind != NS_SMOOTH_NONE;
    ns_lab_show_smoothing(lab, smooth ? (NsSmoothing){0} : lab->usual_smoothing);
}

void ns_lab_show_theory(NsLab *lab, bool theory)
{
    if (lab->view->theory == theory) return;
    lab->view->theory = theory;
    emit(lab, VIEW_CHANGED);
}

void ns_lab_show_step(NsLab *lab, int64_t step)
{
    if (step > ns_lab_steps(lab)) step = -1;
    if (lab->view->step == step) return;
    lab->view->step = step;
    emit(lab, VIEW_CHANGED);
}

static void ns_lab_finalize(GObject *object)
{
    NsLab *lab = NS_LAB(object);
    g_clear_handle_id(&lab->restart_source, g_source_remove);
    g_clear_handle_id(&lab->live_source, g_source_remove);
    g_clear_pointer(&lab->trainer, ns_trainer_release);
    ns_view_free(lab->view);
    ns_settings_clear(&lab->settings);
    ns_settings_clear(&lab->run);
    g_free(lab->problem);
    g_free(lab->problem_key);
    G_OBJECT_CLASS(ns_lab_parent_class)->finalize(object);
}

static void ns_lab_class_init(NsLabClass *klass)
{
    G_OBJECT_CLASS(klass)->finalize = ns_lab_finalize;
    const char *names[N_SIGNALS] = {"settings-changed", "status-changed", "view-changed"};
    for (int i = 0; i < N_SIGNALS; i++)
        signals[i] = g_signal_new(names[i], NS_TYPE_LAB, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 0);
}

static void ns_lab_init(NsLab *lab)
{
    lab->view = ns_view_new();
    lab->usual_smoothing = (NsSmoothing){NS_SMOOTH_EMA, 0.9};
    ns_settings_init(&lab->settings);
    ns_settings_init(&lab->run);
}

NsLab *ns_lab_new(const NsSettings *settings)
{
    NsLab *lab = g_object_new(NS_TYPE_LAB, NULL);
    set_settings(&lab->settings, settings);
    start(lab);
    return lab;
}
