/* The contents of the charts of a window.  SPDX-License-Identifier: MIT */
#include "ui/session/view.h"

#include "core/train/live.h"

static void earlier_copy(NsEarlierLane *to, const NsEarlierLane *from)
{
    to->history = ns_history_ref(from->history);
    to->name = g_strdup(from->name);
    to->lane = from->lane;
    to->outside = from->outside;
    ns_settings_copy(&to->settings, &from->settings);
}

static void earlier_clear(NsEarlierLane *lane)
{
    g_clear_pointer(&lane->history, ns_history_unref);
    g_clear_pointer(&lane->name, g_free);
    ns_settings_clear(&lane->settings);
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
    for (size_t i = 0; i < NS_LANES_MAX; i++)
        if (copy->closer[i]) ns_history_ref(copy->closer[i]);
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
    ns_view_set_closer(view, NULL, -1);
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
    NsFigureInput input = {
        .history = view->history,
        .settings = settings_of(view, view->active),
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
    for (size_t i = 0; i < view->started.n; i++)
        input.lanes[i] = (NsFigureRun){view->histories[i], settings_of(view, i),
                                       ns_view_lane_name(view, i), (unsigned)i};
    for (unsigned i = 0; i < view->n_pinned; i++) {
        const NsEarlierLane *lane = &view->pinned[i];
        input.pinned[i] = (NsFigureRun){lane->history, lane->outside ? NULL : &lane->settings,
                                        lane->name, lane->lane};
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

void ns_view_look_closer(const NsView *view, const NsFigureSpec *spec, NsFigureInput *input)
{
    if (!ns_figure_spec_is_expensive(spec)) return;
    int64_t shown = view->step >= 0 ? view->step : ns_view_newest_step(view);
    if (view->closer_step < 0 || view->closer_step > shown) return;
    for (unsigned i = 0; i < input->n_lanes; i++) {
        NsHistory *own = input->lanes[i].history;
        if (!own || !view->closer[i] || ns_history_layout(own)->probe_every > 0) continue;
        input->lanes[i].history = view->closer[i];
        if (i == view->active) input->history = view->closer[i];
    }
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

static void set_history(NsHistory **slot, NsHistory *history)
{
    NsHistory *old = *slot;
    *slot = history ? ns_history_ref(history) : NULL;
    if (old) ns_history_unref(old);
}

void ns_view_set_closer(NsView *view, NsHistory *const *histories, int64_t step)
{
    for (size_t i = 0; i < NS_LANES_MAX; i++)
        set_history(&view->closer[i], histories ? histories[i] : NULL);
    view->closer_step = step;
}

void ns_view_set_history(NsView *view, unsigned lane, NsHistory *history,
                         const NsSettings *settings)
{
    if (history != view->histories[lane]) ns_view_set_closer(view, NULL, -1);
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

void ns_view_set_live(NsView *view, unsigned lane, const NsSettings *settings)
{
    ns_live_copy(&view->now.lane[lane], settings);
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

void ns_view_pin(NsView *view, unsigned which, NsHistory *history, const NsSettings *settings,
                 const char *name)
{
    if (view->n_pinned == NS_FIGURE_PINNED) return;
    NsEarlierLane *lane = &view->pinned[view->n_pinned++];
    *lane = earlier_lane(history, settings);
    lane->name = g_strdup(name);
    lane->lane = which;
}
