/* The window: title bar, settings, charts.  SPDX-License-Identifier: MIT
 *
 * Actions, keys, files, lessons and the question before closing are added to it from outside
 * (ns_application_window_new).
 *
 * Signals: "progressed", a few times per second while the session is busy; "saved", a file was
 * written. */
#pragma once

#include "ui/session/session.h"
#include "ui/widgets/charts/dashboard.h"
#include "ui/widgets/pages/page_stack.h"
#include "ui/widgets/run/inspector.h"
#include "ui/widgets/run/transport.h"
#include "ui/widgets/run/trouble_panel.h"

#define NS_TYPE_WINDOW (ns_window_get_type())
G_DECLARE_FINAL_TYPE(NsWindow, ns_window, NS, WINDOW, GtkApplicationWindow)

/* A window for a session, of which it keeps a reference. */
NsWindow *ns_window_new(GtkApplication *application, NsSession *session);

NsSession *ns_window_session(NsWindow *window);

/* Whether anything may change without input: a run is training, or a chart is out of date. */
bool ns_window_is_awake(NsWindow *window);

NsPageStack *ns_window_pages(NsWindow *window);
NsPage *ns_window_page(NsWindow *window); /* that is shown */

/* The shown page if it is a dashboard, otherwise NULL. */
NsDashboard *ns_window_dashboard(NsWindow *window);
GtkWidget *ns_window_settings_pane(NsWindow *window);
NsTransport *ns_window_transport(NsWindow *window);
NsInspector *ns_window_inspector(NsWindow *window);
NsTroublePanel *ns_window_trouble(NsWindow *window);

/* The buttons that open menus. */
GtkWidget *ns_window_run_menu(NsWindow *window);
GtkWidget *ns_window_main_menu(NsWindow *window);

/* Shows a sentence at the bottom of the window for a few seconds. */
void ns_window_toast(NsWindow *window, const char *sentence);

/* The same with a button, which calls `chosen` with the data, a widget of the window beside; data
 * is freed with g_free. */
void ns_window_toast_offer(NsWindow *window, const char *sentence, const char *label, GFunc chosen,
                           gpointer data);

/* The same about a file, with a button that shows it in its folder. */
void ns_window_toast_file(NsWindow *window, const char *sentence, const char *path);
const char *ns_window_toast_text(NsWindow *window);

/* Adds a strip beside the pages, or below them in a narrow window.  While it is visible it replaces
 * the inspector if both do not fit. */
void ns_window_add_strip(NsWindow *window, GtkWidget *strip);

/* Whether the window is too narrow to show a pane, "pane" or "inspector" (the name of its action),
 * by default. */
bool ns_window_folds(NsWindow *window, const char *pane);

/* An action without parameter and state; one of the functions carries it out. */
typedef struct {
    const char *action;
    void (*of_window)(NsWindow *window);
    void (*of_session)(NsSession *session);
} NsWindowCommand;

void ns_window_add_commands(NsWindow *window, const NsWindowCommand *commands, size_t n);

/* Enables an action of the window, or sets its state, by its name. */
void ns_window_enable(NsWindow *window, const char *action, bool enabled);
void ns_window_set_state(NsWindow *window, const char *action, bool state);
