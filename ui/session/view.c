/* The view of a window: the step and the choices that its charts show, marks, and the expensive
 * quantities of a step.
 * SPDX-License-Identifier: MIT
 *
 * The model of the run does not store enough of a pass for expensive quantities.  So a thread makes
 * another model from the checkpoint of the step, measures it on the same batch and frees it, and
 * the run is not affected. */
#include "ui/session/view.h"

#include "core/base/words.h"
#include "core/experiment/param.h"
#include "core/train/run.h"
#include "ui/figures/figure.h"
#include "ui/plot/live_limits.h"
#include "ui/session/session-private.h"

#include <gio/gio.h>
#include <string.h>

/* Makes `to`, a shallow copy, own what it has. */
static void earlier_copy(NsEarlierLane *to, const NsEarlierLane *from)
{
    to->history = ns_history_ref(from->history);
    to->name = g_strdup(from->name);
    ns_settings_copy(&to->settings, &from->settings);
}

static void earlier_clear(NsEarlierLane *lane)
{
    g_clear_pointer(&lane->history, ns_history_unref);
    g_clear_pointer(&lane->name, g_free);
    ns_settings_clear(&lane->settings);
}

static void set_history(NsHistory **slot, NsHistory *history)
{
    NsHistory *old = *slot;
    *slot = history ? ns_history_ref(history) : NULL;
    if (old) ns_history_unref(old);
}

static void clear_closer(NsView *view)
{
    for (size_t i = 0; i < NS_LANES_MAX; i++) {
        set_history(&view->closer[i], NULL);
        set_history(&view->curved[i], NULL);
    }
    view->closer_step = -1;
}

NsView *ns_view_new(void)
{
    NsView *view = g_new0(NsView, 1);
    ns_experiment_init(&view->started);
    ns_experiment_init(&view->now);
    view->gradient = NS_QUANTITY_GRAD_W2;
    view->hidden = NS_QUANTITY_HIDDEN_NORM;
    view->log = true;
    view->step = view->closer_step = -1;
    return view;
}

NsView *ns_view_copy(const NsView *view)
{
    NsView *copy = g_memdup2(view, sizeof *view);
    if (view->previous.history) earlier_copy(&copy->previous, &view->previous);
    copy->source = g_strdup(view->source);
    ns_experiment_copy(&copy->started, &view->started);
    ns_experiment_copy(&copy->now, &view->now);
    for (size_t i = 0; i < view->started.n; i++) {
        if (copy->histories[i]) ns_history_ref(copy->histories[i]);
        copy->names[i] = g_strdup(view->names[i]);
    }
    for (size_t i = 0; i < NS_LANES_MAX; i++) {
        if (copy->closer[i]) ns_history_ref(copy->closer[i]);
        if (copy->curved[i]) ns_history_ref(copy->curved[i]);
    }
    for (unsigned i = 0; i < view->n_pinned; i++) earlier_copy(&copy->pinned[i], &view->pinned[i]);
    return copy;
}

void ns_view_free(NsView *view)
{
    if (!view) return;
    earlier_clear(&view->previous);
    for (size_t i = 0; i < view->started.n; i++) {
        g_clear_pointer(&view->histories[i], ns_history_unref);
        g_free(view->names[i]);
    }
    g_free(view->source);
    clear_closer(view);
    ns_experiment_clear(&view->started);
    ns_experiment_clear(&view->now);
    ns_view_clear_pinned(view);
    g_free(view);
}

static const NsSettings *settings_of(const NsView *view, size_t lane)
{
    return view->names[lane] ? NULL : &view->now.lane[lane];
}

const char *ns_view_lane_name(const NsView *view, size_t lane)
{
    return view->names[lane] ? view->names[lane] : ns_lane_letter(lane);
}

NsFigureInput ns_view_input(const NsView *view)
{
    const NsEarlierLane *previous = &view->previous;
    const NsSettings *settings = settings_of(view, view->active);
    NsFigureInput input = {
        .history = view->history,
        .settings = settings,
        .started = settings ? &view->started.lane[view->active] : NULL,
        .n_lanes = (unsigned)view->started.n,
        .n_pinned = view->n_pinned,
        .heat = view->heat,
        .marked_layer = view->layer,
        .previous = previous->history,
        .previous_settings = previous->history && !previous->outside ? &previous->settings : NULL,
        .gradient = view->gradient,
        .hidden = view->hidden,
        .smoothing = view->smoothing,
        .theory = view->theory,
        .log = view->log,
        .log_loss = view->log_loss,
        .step = view->step,
    };
    int64_t newest = ns_view_newest_step(view);
    /* A short log is not at the beginning of an empty axis. */
    bool short_log = !settings && newest < NS_FIRST_STEPS;
    input.end = view->run_to >= newest ? view->run_to : short_log ? newest : 0;
    for (size_t i = 0; i < view->started.n; i++) {
        settings = settings_of(view, i);
        input.lanes[i] = (NsFigureRun){view->histories[i], settings, ns_view_lane_name(view, i),
                                       (unsigned)i, settings ? &view->started.lane[i] : NULL};
    }
    for (unsigned i = 0; i < view->n_pinned; i++) {
        const NsEarlierLane *lane = &view->pinned[i];
        input.pinned[i] = (NsFigureRun){lane->history, lane->outside ? NULL : &lane->settings,
                                        lane->name, .lane = lane->lane};
        input.shades[i] = lane->shade;
    }
    return input;
}

int64_t ns_view_newest_step(const NsView *view)
{
    int64_t newest = -1;
    for (size_t i = 0; i < view->started.n; i++) {
        NsHistory *history = view->histories[i];
        for (size_t k = 0; history && k < ns_history_seeds(history); k++)
            newest = MAX(newest, ns_history_last_step(ns_history_seed(history, k)));
    }
    return newest;
}

/* Whether a run measures what has this interval. */
static bool measures(const NsHistory *history, const char *every)
{
    if (!history || !every) return false;
    const NsRecordLayout *layout = ns_history_layout(history);
    return (g_str_equal(every, "probe-every") && layout->probe_every > 0) ||
           (g_str_equal(every, "ablation-every") && layout->ablation_every > 0) ||
           (g_str_equal(every, "curvature-every") && layout->count[NS_QUANTITY_CRITICAL_RATE]);
}

/* The history of a lane in which the closer look measured what has this interval; NULL if none. */
static NsHistory *closer_of(const NsView *view, size_t lane, const char *every)
{
    NsHistory *history =
        g_strcmp0(every, "curvature-every") == 0 ? view->curved[lane] : view->closer[lane];
    return measures(history, every) ? history : NULL;
}

bool ns_view_looked(const NsView *view, const char *every)
{
    bool any = false;
    for (size_t i = 0; view->closer_step >= 0 && i < NS_LANES_MAX; i++)
        any = any || closer_of(view, i, every);
    return any;
}

bool ns_view_lacks(const NsHistory *history, const NsFigureKind *kind)
{
    NsSimilarity newest; /* measured together with the maps */
    return kind->expensive && kind->subject != NS_SUBJECT_QUANTITY && history &&
           !ns_history_similarity(history, &newest);
}

void ns_view_look_closer(const NsView *view, const NsFigureSpec *spec, NsFigureInput *input)
{
    const char *every = ns_figure_spec_every(spec);
    int64_t shown = view->step >= 0 ? view->step : ns_view_newest_step(view);
    if (view->closer_step < 0 || view->closer_step > shown) return;
    for (unsigned i = 0; i < input->n_lanes; i++) {
        NsHistory *own = input->lanes[i].history, *closer = closer_of(view, i, every);
        bool has = measures(own, every) && !ns_view_lacks(own, spec->kind);
        if (!own || has || !closer) continue;
        input->lanes[i].history = closer;
        input->of_seeds = MAX(input->of_seeds, ns_history_seeds(own));
        if (i == view->active) input->history = closer;
    }
}

void ns_view_show_recorded(NsView *view)
{
    view->gradient = ns_history_recorded(view->histories, view->started.n, view->gradient);
    view->hidden = ns_history_recorded(view->histories, view->started.n, view->hidden);
}

static void sync_active(NsView *view)
{
    view->history = view->histories[view->active];
}

/* Sets the settings of one lane of an experiment that has n lanes from now on; added lanes are
 * copies of the last one. */
static void set_lane(NsExperiment *experiment, size_t n, size_t lane, const NsSettings *settings)
{
    const NsSettings *lanes[NS_LANES_MAX];
    for (size_t i = 0; i < n; i++)
        lanes[i] = i == lane ? settings : &experiment->lane[MIN(i, experiment->n - 1)];
    ns_experiment_set_lanes(experiment, lanes, n);
}

void ns_view_set_lanes(NsView *view, unsigned n)
{
    for (size_t i = n; i < view->started.n; i++) {
        g_clear_pointer(&view->histories[i], ns_history_unref);
        g_clear_pointer(&view->names[i], g_free);
    }
    set_lane(&view->started, n, 0, &view->started.lane[0]);
    set_lane(&view->now, n, 0, &view->now.lane[0]);
    if (n > 1) earlier_clear(&view->previous);
    view->active = MIN(view->active, n - 1);
    sync_active(view);
}

void ns_view_set_active(NsView *view, unsigned lane)
{
    view->active = MIN(lane, (unsigned)view->started.n - 1);
    sync_active(view);
}

void ns_view_set_history(NsView *view, unsigned lane, NsHistory *history,
                         const NsSettings *settings)
{
    if (history != view->histories[lane]) clear_closer(view);
    set_history(&view->histories[lane], history);
    ns_view_set_started(view, lane, settings);
}

void ns_view_set_name(NsView *view, unsigned lane, const char *name)
{
    if (g_strcmp0(name, view->names[lane]) == 0) return;
    g_free(view->names[lane]);
    view->names[lane] = g_strdup(name);
}

void ns_view_set_source(NsView *view, const char *path)
{
    char *source = g_strdup(path);
    g_free(view->source);
    view->source = source;
}

bool ns_view_is_outside(const NsView *view)
{
    return view->names[0] != NULL;
}

void ns_view_set_started(NsView *view, unsigned lane, const NsSettings *settings)
{
    set_lane(&view->started, view->started.n, lane, settings);
    set_lane(&view->now, view->now.n, lane, settings);
    sync_active(view);
}

/* Without settings: of another program. */
static NsEarlierLane earlier_lane(NsHistory *history, const NsSettings *settings)
{
    NsEarlierLane lane = {.history = ns_history_ref(history), .outside = settings == NULL};
    if (settings)
        ns_settings_copy(&lane.settings, settings);
    else
        ns_settings_init(&lane.settings);
    return lane;
}

void ns_view_leave_previous(NsView *view)
{
    if (view->started.n > 1) return;
    earlier_clear(&view->previous);
    view->previous = earlier_lane(view->history, view->names[0] ? NULL : &view->started.lane[0]);
}

void ns_view_clear_previous(NsView *view)
{
    earlier_clear(&view->previous);
}

void ns_view_clear_pinned(NsView *view)
{
    while (view->n_pinned > 0) earlier_clear(&view->pinned[--view->n_pinned]);
}

void ns_view_pin(NsView *view, unsigned which, double shade, NsHistory *history,
                 const NsSettings *settings, const char *name)
{
    if (view->n_pinned == NS_FIGURE_PINNED) return;
    NsEarlierLane *lane = &view->pinned[view->n_pinned++];
    *lane = earlier_lane(history, settings);
    lane->name = g_strdup(name);
    lane->lane = which;
    lane->shade = shade;
}

/* ---- Choices ---- */

/* Defines a function that sets a field of the view, and reports a change. */
#define SHOW(function, Type, field)                                                                \
    void function(NsSession *session, Type value)                                                  \
    {                                                                                              \
        if (session->view->field == value) return;                                                 \
        session->view->field = value;                                                              \
        g_signal_emit_by_name(session, "view-changed");                                            \
    }

SHOW(ns_session_show_gradient, NsQuantity, gradient)
SHOW(ns_session_show_hidden, NsQuantity, hidden)
SHOW(ns_session_show_log, bool, log)
SHOW(ns_session_show_log_loss, bool, log_loss)
SHOW(ns_session_show_theory, bool, theory)
SHOW(ns_session_show_heat, NsHeatMode, heat)

void ns_session_show_smoothing(NsSession *session, NsSmoothing smoothing)
{
    if (ns_smoothing_equal(session->view->smoothing, smoothing)) return;
    session->view->smoothing = smoothing;
    if (smoothing.kind != NS_SMOOTH_NONE) session->usual_smoothing = smoothing;
    g_signal_emit_by_name(session, "view-changed");
}

void ns_session_toggle_smoothing(NsSession *session)
{
    NsFigureInput input = ns_view_input(session->view);
    NsSmoothing other = {0};
    if (ns_figure_smoothing(&input).kind == NS_SMOOTH_NONE) {
        other = input.smoothing = session->usual_smoothing;
        if (ns_figure_smoothing(&input).kind == NS_SMOOTH_NONE)
            other = (NsSmoothing){NS_SMOOTH_EMA, 0.9};
    }
    ns_session_show_smoothing(session, other);
}

void ns_session_select_layer(NsSession *session, int layer)
{
    ns_session_show_place(session, session->view->step, layer);
}

/* ---- Marks ---- */

/* Lists show the last mark first, and of one step lane A and seed 1. */
static gint compare(gconstpointer a, gconstpointer b)
{
    const NsSessionMark *left = a, *right = b;
    if (left->step != right->step) return left->step < right->step ? -1 : 1;
    if (left->kind != right->kind) return left->kind < right->kind ? -1 : 1;
    if (left->seed != right->seed) return right->seed - left->seed;
    gint words = strcmp(left->text, right->text);
    return words ? words : right->lane - left->lane;
}

static bool is_same(const NsSessionMark *a, const NsSessionMark *b)
{
    return a->step == b->step && a->kind == b->kind && a->seed == b->seed &&
           a->learned == b->learned && g_str_equal(a->text, b->text);
}

const NsSessionMark *ns_session_marks(NsSession *session, size_t *n)
{
    g_array_set_size(session->marks, 0);
    if (session->forked_from) {
        NsSessionMark fork = {.step = session->fork_step,
                              .kind = NS_SESSION_MARK_FORK,
                              .lane = -1,
                              .text = _("Continued from a stored step.")};
        g_array_append_val(session->marks, fork);
    }
    const NsFigureInput input = {0};
    for (size_t lane = 0; lane < session->view->started.n; lane++) {
        NsHistory *history = session->view->histories[lane];
        for (size_t k = 0; history && k < ns_history_seeds(history); k++) {
            NsHistory *seed = ns_history_seed(history, k);
            for (size_t i = 0; i < ns_history_events(seed); i++) {
                const NsEvent *event = ns_history_event(seed, i);
                bool setting = event->kind == NS_EVENT_SETTING; /* is the same for all seeds */
                if (setting && k > 0) continue;
                NsSessionMarkKind kind = event->kind == NS_EVENT_DIVERGED ? NS_SESSION_MARK_DIVERGED
                                         : setting                        ? NS_SESSION_MARK_SETTING
                                         : event->kind == NS_EVENT_SPIKE  ? NS_SESSION_MARK_SPIKE
                                                                          : NS_SESSION_MARK_STUCK;
                int of = ns_history_seeds(history) > 1 && !setting ? (int)k + 1 : 0;
                bool learned = event->kind == NS_EVENT_STUCK &&
                               ns_figure_plateau(&input, seed) == NS_PLATEAU_LEARNED;
                NsSessionMark mark = {event->step, kind, (int)lane, of, event->text, learned};
                g_array_append_val(session->marks, mark);
            }
        }
    }
    size_t capacity = ns_session_checkpoints(session, NULL, 0);
    g_autofree int64_t *steps = g_new(int64_t, capacity + 1);
    size_t checkpoints = MIN(capacity, ns_session_checkpoints(session, steps, capacity));
    for (size_t i = 0; i < checkpoints; i++) {
        NsSessionMark mark = {.step = steps[i],
                              .kind = NS_SESSION_MARK_CHECKPOINT,
                              .lane = -1,
                              .text = _("A fork can begin here.")};
        g_array_append_val(session->marks, mark);
    }
    g_array_sort(session->marks, compare);
    /* Equal marks of all lanes become one. */
    guint lanes = (guint)session->view->started.n, joined = 0;
    NsSessionMark *mark = (NsSessionMark *)(void *)session->marks->data;
    for (guint i = 0, end; lanes > 1 && i < session->marks->len; i = end) {
        for (end = i + 1; end < session->marks->len && is_same(&mark[i], &mark[end]);) end++;
        if (end - i == lanes) mark[i].lane = -1;
        for (guint k = i; k < (end - i == lanes ? i + 1 : end); k++) mark[joined++] = mark[k];
    }
    if (lanes > 1) g_array_set_size(session->marks, joined);
    *n = session->marks->len;
    return mark;
}

/* ---- A closer look ---- */

typedef struct {
    NsHistory *of; /* identifies the run: the history of its first lane */
    int64_t step;
    size_t lanes;
    NsCheckpoint *checkpoints[NS_LANES_MAX]; /* NULL for a lane without one at this step */
    NsSettings settings[NS_LANES_MAX];
    bool layers, curved; /* what is measured besides expensive quantities */
    NsHistory *histories[NS_LANES_MAX], *curvature[NS_LANES_MAX];
} Look;

static void look_free(gpointer data)
{
    Look *look = data;
    ns_history_unref(look->of);
    ns_session_drop_checkpoints(look->checkpoints);
    for (size_t lane = 0; lane < look->lanes; lane++) {
        ns_settings_clear(&look->settings[lane]);
        ns_history_unref(look->histories[lane]);
        ns_history_unref(look->curvature[lane]);
    }
    g_free(look);
}

static void measure(GTask *task, gpointer session, gpointer data, GCancellable *cancellable)
{
    (void)session, (void)cancellable;
    Look *look = data;
    for (size_t lane = 0; lane < look->lanes; lane++) {
        if (!look->checkpoints[lane]) continue;
        for (int curvature = 0; curvature <= look->curved; curvature++) {
            GError *error = NULL;
            NsSettings *settings = &look->settings[lane];
            if (curvature) settings->probe_every = settings->ablation_every = 0;
            if (curvature) settings->curvature_every = 1;
            g_autoptr(NsRun) run = ns_run_fork(look->checkpoints[lane], settings, &error);
            if (!run) {
                g_task_return_error(task, error);
                return;
            }
            if (curvature) ns_run_step(run);
            (curvature ? look->curvature : look->histories)[lane] = ns_history_ref(run->history);
        }
    }
    g_task_return_boolean(task, TRUE);
}

static void on_measured(GObject *object, GAsyncResult *result, gpointer data)
{
    (void)object;
    NsSession *session = data;
    const Look *look = g_task_get_task_data(G_TASK(result));
    g_autoptr(GError) error = NULL;
    session->looking = false;
    bool good = g_task_propagate_boolean(G_TASK(result), &error);
    if (look->of == session->view->histories[0]) {
        for (size_t i = 0; i < NS_LANES_MAX; i++) {
            set_history(&session->view->closer[i], look->histories[i]);
            set_history(&session->view->curved[i], look->curvature[i]);
        }
        session->view->closer_step = look->step;
        session->view->closer_layers = look->layers;
        session->view->closer_curved = look->curved;
        if (!good) ns_session_report(session, error->message);
    }
    /* Another run may be measured now. */
    g_signal_emit_by_name(session, "view-changed");
}

void ns_session_look_closer(NsSession *session, const char *every)
{
    int64_t step = ns_session_shown_step(session), at;
    /* A measurement that failed is not repeated at this step. */
    const NsView *view = session->view;
    bool again = view->closer_step == step;
    bool layers = (again && view->closer_layers) || g_str_equal(every, "ablation-every");
    bool curved = (again && view->closer_curved) || g_str_equal(every, "curvature-every");
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    /* Only while the run is paused, and once per step and interval. */
    bool rests = !session->wants_run && session->state != NS_TRAINER_RUNNING &&
                 session->state != NS_TRAINER_PREPARING && session->state != NS_TRAINER_FAILED;
    bool looked = session->looking ||
                  (again && layers == view->closer_layers && curved == view->closer_curved);
    if (!rests || looked || !view->histories[0] || session->run->n != view->started.n) return;
    if (!ns_session_checkpoints_at(session, step, checkpoints, &at)) return;
    if (at != step) {
        ns_session_drop_checkpoints(checkpoints);
        return;
    }
    Look *look = g_new0(Look, 1);
    look->of = ns_history_ref(view->histories[0]);
    look->step = step;
    look->lanes = session->run->n;
    look->layers = layers;
    look->curved = curved;
    for (size_t lane = 0; lane < look->lanes; lane++) {
        look->checkpoints[lane] = checkpoints[lane];
        ns_settings_copy(&look->settings[lane], &session->run->lane[lane]);
        look->settings[lane].probe_every = 1;
        look->settings[lane].ablation_every = layers;
        look->settings[lane].sharpness_every = 0;
    }
    session->looking = true;
    g_autoptr(GTask) task = g_task_new(session, NULL, on_measured, session);
    g_task_set_task_data(task, look, look_free);
    g_task_run_in_thread(task, measure);
}
