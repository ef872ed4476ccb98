/* The window: title bar, settings, charts.  SPDX-License-Identifier: MIT
 *
 * It knows none of what is added to it: actions and keys, files, lessons, the question before it
 * closes (ns_application_window_new).
 *
 * Signals: "progressed", a step was made or shown, a few times a second while the session is busy;
 * "saved", a file was written, as the user was told. */
#pragma once

#include "ui/session/session.h"
#include "ui/widgets/charts/dashboard.h"
#include "ui/widgets/pages/page_stack.h"
#include "ui/widgets/run/inspector.h"
#include "ui/widgets/run/transport.h"
#include "ui/widgets/run/trouble_panel.h"

#define NS_TYPE_WINDOW (ns_window_get_type())
G_DECLARE_FINAL_TYPE(NsWindow, ns_window, NS, WINDOW, GtkApplicationWindow)

/* A window on a session; it keeps references to both. */
NsWindow *ns_window_new(GtkApplication *application, NsSession *session);

NsSession *ns_window_session(NsWindow *window);

/* Whether something may change without input: a run is training, or a chart is not up to date. */
bool ns_window_is_awake(NsWindow *window);

NsPageStack *ns_window_pages(NsWindow *window);
NsPage *ns_window_page(NsWindow *window); /* that is shown */

/* The page that is shown, if it is one of charts; else NULL. */
NsDashboard *ns_window_dashboard(NsWindow *window);
GtkWidget *ns_window_settings_pane(NsWindow *window);
NsTransport *ns_window_transport(NsWindow *window);
NsInspector *ns_window_inspector(NsWindow *window);
NsTroublePanel *ns_window_trouble(NsWindow *window);

/* The buttons that open menus. */
GtkWidget *ns_window_run_menu(NsWindow *window);
GtkWidget *ns_window_main_menu(NsWindow *window);

/* Says a sentence for a moment at the foot of the window. */
void ns_window_toast(NsWindow *window, const char *sentence);

/* The same with a button, which calls `chosen` with the data, a widget of the window beside; data
 * is freed with g_free. */
void ns_window_toast_offer(NsWindow *window, const char *sentence, const char *label, GFunc chosen,
                           gpointer data);

/* The same about a file, with a button that shows it in its folder. */
void ns_window_toast_file(NsWindow *window, const char *sentence, const char *path);
const char *ns_window_toast_text(NsWindow *window);

/* How something is read into data on a thread, and what the window then does with it; `error` is
 * NULL where it was read. */
typedef struct {
    bool (*read)(gpointer data, GCancellable *cancellable, GError **error);
    void (*done)(NsWindow *window, gpointer data, const GError *error);
    GDestroyNotify free_data;
} NsFileReader;

/* Reads, and takes the data.  A file that may take long is told by its name (else NULL).  Reading
 * is canceled when the window goes, and then nothing is done. */
void ns_window_read(NsWindow *window, const NsFileReader *reader, gpointer data, const char *name);

/* Adds a strip beside the pages, or below them in a narrow window, and shows or hides it.  It takes
 * the place of the inspector where both do not fit. */
void ns_window_add_strip(NsWindow *window, GtkWidget *strip);
void ns_window_set_strip(NsWindow *window, bool shown);

/* Whether it is too narrow for a pane that nobody asks for: "pane" or "inspector", as the action
 * that shows it. */
bool ns_window_folds(NsWindow *window, const char *pane);

/* An action without a parameter or a state, which the window or its session carries out. */
typedef struct {
    const char *action;
    void (*of_window)(NsWindow *window);
    void (*of_session)(NsSession *session);
} NsWindowCommand;

void ns_window_add_commands(NsWindow *window, const NsWindowCommand *commands, size_t n);

/* Enables an action of the window, or sets its state, by its name. */
void ns_window_enable(NsWindow *window, const char *action, bool enabled);
void ns_window_set_state(NsWindow *window, const char *action, bool state);
