/* The window: title bar, settings, charts.  SPDX-License-Identifier: MIT
 *
 * Actions, keys, files, lessons and the question before closing are added to it from outside
 * (ns_application_window_new).
 *
 * Signals: "progressed", a few times per second while the session is busy; "saved", charts
 * or data of the run were exported. */
#pragma once

#include "ui/session/session.h"
#include "ui/widgets/charts/dashboard.h"
#include "ui/widgets/learn/learn_pane.h"
#include "ui/widgets/pages/page_stack.h"
#include "ui/widgets/run/inspector.h"
#include "ui/widgets/run/transport.h"
#include "ui/widgets/run/trouble_panel.h"
#include "ui/widgets/shell/toast.h"

#define NS_TYPE_WINDOW (ns_window_get_type())
G_DECLARE_FINAL_TYPE(NsWindow, ns_window, NS, WINDOW, GtkApplicationWindow)

#define NS_WINDOW_PANES 2 /* that are hidden in a narrow window */

/* Everybody may read the first fields. */
struct _NsWindow {
    GtkApplicationWindow parent;
    NsSession *session;
    NsPageStack *pages;
    NsTransport *transport;
    NsInspector *inspector;
    NsTroublePanel *trouble;
    GtkWidget *settings_pane;
    NsLearnPane *learn_pane;           /* NULL before ns_window_add_learning */
    GtkWidget *run_menu, *menu_button; /* that open menus */
    GtkWidget *toast;                  /* ui/widgets/shell/toast.h */
    guint tick; /* 0: nothing can change without input: no run is training, no chart is stale */

    /* Only for ui/widgets/shell/learning.c: */
    GtkWidget *leave_class_mode; /* a button */
    bool class_by_hand;          /* the user, not a preset, switched class mode on */
    bool unfolded;               /* a card, not the user, unfolded more settings */

    /* Only for ui/widgets/shell/window.c: */
    guint fold_source, title_source;
    gint64 reported;
    int height;
    int width;                               /* at the last allocation */
    bool folded[NS_WINDOW_PANES];            /* because of the width, not by the user */
    bool automatic;                          /* the window opens or closes a pane, not the user */
    bool inspector_decided;                  /* it was opened or closed before */
    const NsStyle *style;                    /* of charts; depends on the height in class mode */
    GtkWidget *strip;                        /* beside the pages; hidden at times */
    GtkWidget *first_buttons, *last_buttons; /* of the title bar */
    GtkWidget *reset_button, *run_icon, *run_label, *title_label, *subtitle_label;
    GtkWidget *banner, *banner_label, *banner_button;
    GtkWidget *overlay, *pane_scroller, *inspector_scroller, *center, *row, *foot;
    GtkWidget *stage;     /* the pages and their overlays */
    GtkWidget *preparing; /* reports that a model is being prepared */
    GtkWidget *stop;      /* in it: takes back the change that needs the model */
};

/* A window for a session, of which it keeps a reference. */
NsWindow *ns_window_new(GtkApplication *application, NsSession *session);

NsPage *ns_window_page(NsWindow *window); /* that is shown */

/* The shown page if it is a dashboard, otherwise NULL. */
NsDashboard *ns_window_dashboard(NsWindow *window);

/* Shows a sentence at the bottom of the window for a few seconds. */
void ns_window_toast(NsWindow *window, const char *sentence);

/* The same about a file, with a button that shows it in its folder. */
void ns_window_toast_file(NsWindow *window, const char *sentence, const char *path);

/* Adds a strip beside the pages, or below them in a narrow window.  While it is visible it replaces
 * the inspector if both do not fit. */
void ns_window_add_strip(NsWindow *window, GtkWidget *strip);

/* Whether the window is too narrow to show a pane, "pane" or "inspector" (the name of its action),
 * by default. */
bool ns_window_folds(NsWindow *window, const char *pane);

/* The first time that the user presses Run: opens the inspector, which the run fills, where there
 * is space for it and the user has not decided about it. */
void ns_window_open_inspector(NsWindow *window);

/* An action without parameter and state, and the function that carries it out: it gets the window
 * or, if it is of the session, that, then a GVariant *, NULL, and the GAction *. */
typedef struct {
    const char *action;
    GCallback run;
    bool of_session;
} NsWindowCommand;

void ns_window_add_commands(NsWindow *window, const NsWindowCommand *commands, size_t n);

/* Enables an action of the window, or sets its state, by its name. */
void ns_window_enable(NsWindow *window, const char *action, bool enabled);
void ns_window_set_state(NsWindow *window, const char *action, bool state);

/* Changes a state by its action, although the user did not choose it. */
void ns_window_change(NsWindow *window, const char *action, bool state);
