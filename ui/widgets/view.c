/* What the charts of a window show.  SPDX-License-Identifier: MIT */
#include "ui/widgets/view.h"

NsView *ns_view_new(void)
{
    NsView *view = g_new0(NsView, 1);
    ns_settings_init(&view->settings);
    ns_settings_init(&view->ghost_settings);
    view->gradient = NS_QUANTITY_GRAD_W2;
    view->hidden = NS_QUANTITY_HIDDEN_NORM;
    view->log = true;
    view->step = -1;
    return view;
}

NsView *ns_view_copy(const NsView *view)
{
    NsView *copy = g_memdup2(view, sizeof *view);
    if (copy->history) ns_history_ref(copy->history);
    if (copy->ghost) ns_history_ref(copy->ghost);
    ns_settings_copy(&copy->settings, &view->settings);
    ns_settings_copy(&copy->ghost_settings, &view->ghost_settings);
    return copy;
}

void ns_view_free(NsView *view)
{
    if (!view) return;
    g_clear_pointer(&view->history, ns_history_unref);
    g_clear_pointer(&view->ghost, ns_history_unref);
    ns_settings_clear(&view->settings);
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
        .log = view->log,
        .step = view->step,
    };
}

static void replace(NsHistory **slot, NsSettings *kept, NsHistory *history,
                    const NsSettings *settings)
{
    NsHistory *old = *slot;
    *slot = history ? ns_history_ref(history) : NULL;
    if (old) ns_history_unref(old);
    if (kept == settings) return;
    ns_settings_clear(kept);
    ns_settings_copy(kept, settings);
}

void ns_view_set_history(NsView *view, NsHistory *history, const NsSettings *settings)
{
    replace(&view->history, &view->settings, history, settings);
}

void ns_view_set_ghost(NsView *view, NsHistory *ghost, const NsSettings *settings)
{
    replace(&view->ghost, &view->ghost_settings, ghost, settings);
}
