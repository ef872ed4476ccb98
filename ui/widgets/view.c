/* What the charts of a window show.  SPDX-License-Identifier: MIT */
#include "ui/widgets/view.h"

NsView *ns_view_new(void)
{
    NsView *view = g_new0(NsView, 1);
    ns_settings_init(&view->settings);
    ns_settings_init(&view->started);
    ns_settings_init(&view->ghost_settings);
    view->gradient = NS_QUANTITY_GRAD_W2;
    view->hidden = NS_QUANTITY_HIDDEN_NORM;
    view->log = true;
    view->theory = true;
    view->step = -1;
    return view;
}

NsView *ns_view_copy(const NsView *view)
{
    NsView *copy = g_memdup2(view, sizeof *view);
    if (copy->history) ns_history_ref(copy->history);
    if (copy->ghost) ns_history_ref(copy->ghost);
    ns_settings_copy(&copy->settings, &view->settings);
    ns_settings_copy(&copy->started, &view->started);
    ns_settings_copy(&copy->ghost_settings, &view->ghost_settings);
    return copy;
}

void ns_view_free(NsView *view)
{
    if (!view) return;
    g_clear_pointer(&view->history, ns_history_unref);
    g_clear_pointer(&view->ghost, ns_history_unref);
    ns_settings_clear(&view->settings);
    ns_settings_clear(&view->started);
    ns_settings_clear(&view->ghost_settings);
    g_free(view);
}

NsFigureInput ns_view_input(const NsView *view)
{
    return (NsFigureInput){
        .history = view->history,
        .settings = &view->settings,
        .ghost = view->ghost,
        .ghost_settings = view->ghost ? &view->ghost_settings : NULL,
        .gradient = view->gradient,
        .hidden = view->hidden,
        .smoothing = view->smoothing,
        .theory = view->theory,
        .log = view->log,
        .step = view->step,
    };
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

void ns_view_set_history(NsView *view, NsHistory *history, const NsSettings *settings)
{
    set_history(&view->history, history);
    ns_view_set_started(view, settings);
}

void ns_view_set_started(NsView *view, const NsSettings *settings)
{
    set_settings(&view->settings, settings);
    set_settings(&view->started, settings);
}

void ns_view_leave_ghost(NsView *view)
{
    set_history(&view->ghost, view->history);
    set_settings(&view->ghost_settings, &view->started);
}
