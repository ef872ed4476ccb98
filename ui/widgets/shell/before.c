/* SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/before.h"

#include "ui/widgets/learn/lesson_watch.h"
#include "ui/widgets/shell/learning.h"

/* The id of the run on view, or of that which is being read to be; 0 if there is none. */
static unsigned run_on_view(NsSession *session)
{
    size_t n;
    const NsSessionRun *runs = ns_session_runs(session, &n);
    for (size_t i = 0; !session->opening && i < n; i++)
        if (runs[i].present) return runs[i].id;
    return session->opening;
}

void ns_before_note(NsBefore *before, NsWindow *window)
{
    NsSession *session = window->session;
    ns_before_clear(before);
    ns_window_make_preset(window, &before->preset);
    NsDashboard *dashboard = ns_window_dashboard(window);
    if (dashboard) {
        NsFigureSpec second = ns_chart_tile_spec(ns_dashboard_second(dashboard));
        before->second = ns_figure_spec_text(&second);
    }
    before->gradient = session->view->gradient;
    before->hidden = session->view->hidden;
    before->layer = session->view->layer;
    bool moved = ns_session_steps(session) > session->fork_step;
    before->run = moved || session->opening ? run_on_view(session) : 0;
    ns_session_select_layer(session, 0);
}

void ns_before_clear(NsBefore *before)
{
    ns_preset_clear(&before->preset);
    g_clear_pointer(&before->second, g_free);
}

bool ns_before_is_now(const NsBefore *before, NsWindow *window)
{
    const NsView *view = window->session->view;
    return !before->run && before->gradient == view->gradient && before->hidden == view->hidden &&
           g_strcmp0(before->preset.page, ns_page_stack_key(window->pages)) == 0 &&
           ns_lesson_has_settings(window->session, &before->preset.experiment);
}

void ns_before_bring_back(const NsBefore *before, NsWindow *window)
{
    NsSession *session = window->session;
    size_t n;
    ns_session_pause(session);
    ns_session_leave_experiment(session);
    /* The run is now among the earlier runs, unless these had no space for it. */
    bool left = false;
    const NsSessionRun *runs = ns_session_runs(session, &n);
    for (size_t i = 0; i < n; i++) left |= before->run && runs[i].id == before->run;
    if (left) ns_session_open_run(session, before->run);
    ns_session_open(session, &before->preset.experiment);
    if (!left) ns_session_restart(session);
    ns_page_stack_show(window->pages, before->preset.page);
    if (before->second) ns_window_show_chart(window, before->second);
    if (before->preset.chart) ns_window_show_chart(window, before->preset.chart);
    ns_session_show_gradient(session, before->gradient);
    ns_session_show_hidden(session, before->hidden);
    ns_session_select_layer(session, before->layer);
}
