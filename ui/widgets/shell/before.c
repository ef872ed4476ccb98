/* SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/before.h"

#include "core/base/words.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/learn/lesson_watch.h"
#include "ui/widgets/shell/learning.h"
#include "ui/widgets/shell/lecture.h"

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
    before->lane = session->active;
    bool moved = ns_session_steps(session) > session->fork_step;
    before->run = session->opening ? session->opening : moved ? ns_lesson_present_run(session) : 0;
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
    window->automatic = true; /* what a lesson had shown may come back, which nobody chose */
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
    ns_session_set_active(session, before->lane);
    ns_session_select_layer(session, before->layer);
    window->automatic = false;
}

/* ---- The way back from lessons ---- */

#define BEFORE "ns-before-lessons"

/* The window as it was before a lesson or several, one after another. */
typedef struct {
    NsBefore before;
    bool begun;    /* a lesson was begun since the way back was offered */
    unsigned last; /* the run on view at that offer; 0: none was made */
} Lessons;

static void lessons_free(gpointer lessons)
{
    ns_before_clear(&((Lessons *)lessons)->before);
    g_free(lessons);
}

void ns_before_forget(NsWindow *window)
{
    g_object_set_data(G_OBJECT(window), BEFORE, NULL);
}

/* Whoever left a lesson and made another run since has that to come back to. */
static void on_begun(NsWindow *window)
{
    Lessons *lessons = g_object_get_data(G_OBJECT(window), BEFORE);
    bool again =
        lessons && (lessons->begun || lessons->last == ns_lesson_present_run(window->session));
    if (!again) {
        lessons = g_new0(Lessons, 1);
        ns_before_note(&lessons->before, window);
        g_object_set_data_full(G_OBJECT(window), BEFORE, lessons, lessons_free);
    }
    lessons->begun = true;
    ns_session_set_active(window->session, 0); /* the lane that lessons begin with */
    ns_session_select_layer(window->session, 0);
}

static void on_return(gpointer data, gpointer toast)
{
    (void)data;
    NsWindow *window = NS_WINDOW(gtk_widget_get_root(toast));
    Lessons *lessons = g_object_steal_data(G_OBJECT(window), BEFORE);
    if (!lessons) return;
    ns_learn_pane_close(window->learn_pane);
    ns_before_bring_back(&lessons->before, window);
    lessons_free(lessons);
}

/* A lesson takes nothing away when it is closed: its models stay for who wants to go on with them.
 */
static void on_closed(NsWindow *window)
{
    Lessons *lessons = g_object_get_data(G_OBJECT(window), BEFORE);
    if (!lessons || !lessons->begun || ns_lecture_menu(window)) return;
    lessons->begun = false;
    lessons->last = ns_lesson_present_run(window->session);
    if (!ns_before_is_now(&lessons->before, window))
        ns_toast_show(window->toast, _("The models of the lesson stay on view."),
                      _("Back to before the lesson"), on_return, NULL);
}

void ns_before_follow_lessons(NsWindow *window)
{
    ns_connect(window->learn_pane, "begun", G_CALLBACK(on_begun), window);
    ns_connect(window->learn_pane, "closed", G_CALLBACK(on_closed), window);
}
