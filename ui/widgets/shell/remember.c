/* SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/remember.h"

#include "ui/widgets/common/helpers.h"
#include "ui/widgets/shell/lecture.h"

/* Actions whose state is a key of the same type. */
typedef struct {
    const char *action, *key;
} Stored;

static const Stored OF_APPLICATION[] = {{"style", "style"}, {"contrast", "contrast"}};
static const Stored OF_WINDOW[] = {
    {"page", "page"},
    {"pane", "settings-pane"},
    {"inspector", "inspector-pane"},
    {"pause-on-trouble", "pause-on-trouble"},
};

#define SHOWN "ns-shown-quantities"

/* The quantities that charts show now, whoever chose them. */
typedef struct {
    NsQuantity gradient, hidden;
} Shown;

static const char *const SMOOTHING[] = {[NS_SMOOTH_NONE] = "off",
                                        [NS_SMOOTH_EMA] = "ema",
                                        [NS_SMOOTH_MEAN] = "mean",
                                        [NS_SMOOTH_AUTO] = "auto"};

/* The user chose nothing that the window did by itself, or that a lecture or a lesson shows. */
static bool is_chosen(NsWindow *window)
{
    return !window->automatic && !ns_lecture_menu(window);
}

static void keep_state(GActionGroup *group, const char *name, GVariant *state, gpointer data)
{
    bool window = GTK_IS_WINDOW(group);
    const Stored *stored = window ? OF_WINDOW : OF_APPLICATION;
    (void)data;
    while (!g_str_equal(stored->action, name)) stored++;
    if (window && (!is_chosen(NS_WINDOW(group)) || ns_window_folds(NS_WINDOW(group), name))) return;
    g_settings_set_value(ns_preferences(), stored->key, state);
}

/* Restores the states of actions and stores their changes. */
static void remember_actions(GActionGroup *group, const Stored *stored, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!g_action_group_has_action(group, stored[i].action)) continue;
        g_autoptr(GVariant) state = g_settings_get_value(ns_preferences(), stored[i].key);
        g_action_group_change_action_state(group, stored[i].action, state);
        g_autofree char *signal = g_strconcat("action-state-changed::", stored[i].action, NULL);
        g_signal_connect(group, signal, G_CALLBACK(keep_state), NULL);
    }
}

void ns_remember_application(GApplication *application)
{
    if (!ns_preferences()) return;
    remember_actions(G_ACTION_GROUP(application), OF_APPLICATION, G_N_ELEMENTS(OF_APPLICATION));
}

/* ---- How charts are shown ---- */

static int stored_quantity(const char *key, NsDomain domain)
{
    g_autofree char *text = g_settings_get_string(ns_preferences(), key);
    int found = ns_choices_find(ns_quantity_choice, text);
    return found >= 0 && ns_quantity((NsQuantity)found)->domain == domain ? found : -1;
}

/* Stored when it is chosen: on view, when the window closes, may be that of a lesson.  The log of
 * another program shows what it has. */
static void keep_quantity(NsWindow *window, NsQuantity *shown, NsQuantity quantity, const char *key)
{
    if (*shown == quantity) return;
    *shown = quantity;
    if (is_chosen(window) && !ns_session_is_watching(window->session))
        g_settings_set_string(ns_preferences(), key, ns_quantity_choice(quantity)->key);
}

static void on_view(NsWindow *window)
{
    Shown *shown = g_object_get_data(G_OBJECT(window), SHOWN);
    const NsView *view = window->session->view;
    keep_quantity(window, &shown->gradient, view->gradient, "gradient");
    keep_quantity(window, &shown->hidden, view->hidden, "hidden");
}

/* ---- The window ---- */

/* The rest of the view changes often, so it is stored only when the window closes. */
static void on_unrealize(GtkWindow *window)
{
    GSettings *preferences = ns_preferences();
    int width = 0, height = 0;
    bool maximized = gtk_window_is_maximized(window);
    if (!maximized && !gtk_window_is_fullscreen(window))
        gtk_window_get_default_size(window, &width, &height);
    g_settings_set_boolean(preferences, "window-maximized", maximized);
    if (width > 0) g_settings_set_int(preferences, "window-width", width);
    if (height > 0) g_settings_set_int(preferences, "window-height", height);
    const NsView *view = NS_WINDOW(window)->session->view;
    g_settings_set_boolean(preferences, "log", view->log);
    g_settings_set_string(preferences, "smoothing", SMOOTHING[view->smoothing.kind]);
    if (view->smoothing.kind == NS_SMOOTH_EMA || view->smoothing.kind == NS_SMOOTH_MEAN)
        g_settings_set_double(preferences, "smoothing-amount", view->smoothing.amount);
    g_settings_sync();
}

void ns_remember_window(NsWindow *window)
{
    GSettings *preferences = ns_preferences();
    if (!preferences) return;
    gtk_window_set_default_size(GTK_WINDOW(window), g_settings_get_int(preferences, "window-width"),
                                g_settings_get_int(preferences, "window-height"));
    if (g_settings_get_boolean(preferences, "window-maximized"))
        gtk_window_maximize(GTK_WINDOW(window));
    NsSession *session = window->session;
    ns_session_show_log(session, g_settings_get_boolean(preferences, "log"));
    ns_session_show_theory(session, g_settings_get_boolean(preferences, "theory"));
    int gradient = stored_quantity("gradient", NS_DOMAIN_LAYER);
    int hidden = stored_quantity("hidden", NS_DOMAIN_HIDDEN);
    if (gradient >= 0) ns_session_show_gradient(session, (NsQuantity)gradient);
    if (hidden >= 0) ns_session_show_hidden(session, (NsQuantity)hidden);
    g_autofree char *smoothing = g_settings_get_string(preferences, "smoothing");
    double amount = g_settings_get_double(preferences, "smoothing-amount");
    for (size_t i = 0; i < G_N_ELEMENTS(SMOOTHING); i++)
        if (g_str_equal(SMOOTHING[i], smoothing) && (i != NS_SMOOTH_EMA || amount < 1.0))
            ns_session_show_smoothing(session, (NsSmoothing){(NsSmoothKind)i, amount});
    remember_actions(G_ACTION_GROUP(window), OF_WINDOW, G_N_ELEMENTS(OF_WINDOW));
    g_autoptr(GVariant) decided = g_settings_get_user_value(preferences, "inspector-pane");
    window->inspector_decided = decided != NULL;
    Shown shown = {session->view->gradient, session->view->hidden};
    g_object_set_data_full(G_OBJECT(window), SHOWN, g_memdup2(&shown, sizeof shown), g_free);
    ns_session_listen(session, "view-changed", G_CALLBACK(on_view), window);
    g_signal_connect(window, "unrealize", G_CALLBACK(on_unrealize), NULL);
}
