/* What the charts of a window show.  SPDX-License-Identifier: MIT */
#include "ui/session/view.h"

#include "core/experiment/param.h"
#include "core/train/live.h"

G_STATIC_ASSERT(NS_FIGURE_LANES == NS_LANES_MAX);

static void run_init(NsViewRun *run, const char *name)
{
    *run = (NsViewRun){.name = g_strdup(name)};
    ns_settings_init(&run->settings);
    ns_settings_init(&run->started);
}

static void run_copy(NsViewRun *to, const NsViewRun *from)
{
    to->history = from->history ? ns_history_ref(from->history) : NULL;
    to->name = g_strdup(from->name);
    ns_settings_copy(&to->settings, &from->settings);
    ns_settings_copy(&to->started, &from->started);
}

static void run_clear(NsViewRun *run)
{
    g_clear_pointer(&run->history, ns_history_unref);
    g_clear_pointer(&run->name, g_free);
    ns_settings_clear(&run->settings);
    ns_settings_clear(&run->started);
}

static void sync_active(NsView *view)
{
    const NsViewRun *run = &view->lanes[view->active];
    view->history = run->history;
    view->settings = run->settings;
    view->started = run->started;
}

NsView *ns_view_new(void)
{
    NsView *view = g_new0(NsView, 1);
    ns_settings_init(&view->previous_settings);
    view->gradient = NS_QUANTITY_GRAD_W2;
    view->hidden = NS_QUANTITY_HIDDEN_NORM;
    view->log = true;
    view->theory = true;
    view->step = -1;
    ns_view_set_lanes(view, 1);
    return view;
}

NsView *ns_view_copy(const NsView *view)
{
    NsView *copy = g_memdup2(view, sizeof *view);
    if (copy->previous) ns_history_ref(copy->previous);
    ns_settings_copy(&copy->previous_settings, &view->previous_settings);
    for (unsigned i = 0; i < view->n_lanes; i++) run_copy(&copy->lanes[i], &view->lanes[i]);
    for (unsigned i = 0; i < view->n_pinned; i++) run_copy(&copy->pinned[i], &view->pinned[i]);
    sync_active(copy);
    return copy;
}

void ns_view_free(NsView *view)
{
    if (!view) return;
    g_clear_pointer(&view->previous, ns_history_unref);
    ns_settings_clear(&view->previous_settings);
    for (unsigned i = 0; i < view->n_lanes; i++) run_clear(&view->lanes[i]);
    ns_view_clear_pinned(view);
    g_free(view);
}

static NsFigureRun figure_run(const NsViewRun *run)
{
    return (NsFigureRun){.history = run->history, .settings = &run->settings, .name = run->name};
}

NsFigureInput ns_view_input(const NsView *view)
{
    NsFigureInput input = {
        .history = view->history,
        .settings = &view->settings,
        .n_lanes = view->n_lanes,
        .n_pinned = view->n_pinned,
        .heat = view->heat,
        .marked_layer = view->layer,
        .previous = view->previous,
        .previous_settings = view->previous ? &view->previous_settings : NULL,
        .gradient = view->gradient,
        .hidden = view->hidden,
        .smoothing = view->smoothing,
        .theory = view->theory,
        .log = view->log,
        .step = view->step,
    };
    for (unsigned i = 0; i < view->n_lanes; i++) input.lanes[i] = figure_run(&view->lanes[i]);
    for (unsigned i = 0; i < view->n_pinned; i++) input.pinned[i] = figure_run(&view->pinned[i]);
    return input;
}

void ns_view_set_lanes(NsView *view, unsigned n)
{
    for (; view->n_lanes < n; view->n_lanes++)
        run_init(&view->lanes[view->n_lanes], ns_lane_letter(view->n_lanes));
    while (view->n_lanes > n) run_clear(&view->lanes[--view->n_lanes]);
    if (n > 1) g_clear_pointer(&view->previous, ns_history_unref);
    view->active = MIN(view->active, n - 1);
    sync_active(view);
}

void ns_view_set_active(NsView *view, unsigned lane)
{
    view->active = MIN(lane, view->n_lanes - 1);
    sync_active(view);
}

static void set_history(NsHistory **slot, NsHistory *history)
{
    NsHistory *old = *slot;
    *slot = history ? ns_history_ref(history) : NULL;
    if (old) ns_history_unref(old);
}

static void set_settings(NsSettings *kept, const NsSettings *settings)
{
    NsSettings copy; /* before the old ones go, which may be the same */
    ns_settings_copy(&copy, settings);
    ns_settings_clear(kept);
    *kept = copy;
}

void ns_view_set_history(NsView *view, unsigned lane, NsHistory *history,
                         const NsSettings *settings)
{
    set_history(&view->lanes[lane].history, history);
    ns_view_set_started(view, lane, settings);
}

void ns_view_set_started(NsView *view, unsigned lane, const NsSettings *settings)
{
    set_settings(&view->lanes[lane].settings, settings);
    set_settings(&view->lanes[lane].started, settings);
    sync_active(view);
}

void ns_view_set_live(NsView *view, unsigned lane, const NsSettings *settings)
{
    ns_live_copy(&view->lanes[lane].settings, settings);
    sync_active(view);
}

void ns_view_leave_previous(NsView *view)
{
    if (view->n_lanes > 1) return;
    set_history(&view->previous, view->history);
    set_settings(&view->previous_settings, &view->started);
}

void ns_view_clear_pinned(NsView *view)
{
    while (view->n_pinned > 0) run_clear(&view->pinned[--view->n_pinned]);
}

void ns_view_pin(NsView *view, NsHistory *history, const NsSettings *settings, const char *name)
{
    if (view->n_pinned == NS_FIGURE_PINNED) return;
    NsViewRun *run = &view->pinned[view->n_pinned++];
    run_init(run, name);
    set_history(&run->history, history);
    set_settings(&run->settings, settings);
    set_settings(&run->started, settings);
}
