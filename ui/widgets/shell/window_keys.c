/* The keys of a window.  SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/window_keys.h"

#include "ui/widgets/shell/learning.h"

#define MODIFIERS (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK)

/* clang-format off */
static const NsKey KEYS[] = {
    {"F1", "app.help", NS_KEY_ALWAYS, {0}},
    {"F5", "win.run", NS_KEY_ALWAYS, {0}},
    {"<Alt>r", "win.reset-settings", NS_KEY_ALWAYS, {0}},
    {"<Control>e", "win.export", NS_KEY_ALWAYS, {0}},
    {"<Control><Shift>e", "win.export-all", NS_KEY_ALWAYS, {0}},
    {"<Control>t", "win.gradient-check", NS_KEY_ALWAYS, {0}},
    {"<Control>n", "app.new", NS_KEY_ALWAYS, {0}},
    {"<Control>o", "win.open", NS_KEY_ALWAYS, {0}},
    {"<Control>l", "win.runs", NS_KEY_ALWAYS, {0}},
    {"<Control>s", "win.save", NS_KEY_ALWAYS, {0}},
    {"F9", "win.pane", NS_KEY_ALWAYS, {0}},
    {"<Control>F9", "win.inspector", NS_KEY_ALWAYS, {0}},
    {"F10", "win.menu", NS_KEY_ALWAYS, {0}},
    {"F11", "win.lecture-mode", NS_KEY_ALWAYS, {0}},
    {"Page_Down", "win.next-scene", NS_KEY_ALWAYS, {0}},
    {"Page_Up", "win.previous-scene", NS_KEY_ALWAYS, {0}},
    {"<Control>question", "win.show-help-overlay", NS_KEY_ALWAYS, {0}},
    {"<Control>w", "window.close", NS_KEY_ALWAYS, {0}},
    {"<Control>q", "app.quit", NS_KEY_ALWAYS, {0}},

    {"space", "win.run", NS_KEY_EARLY, {GDK_KEY_KP_Space}},
    {"period", "win.step", NS_KEY_EARLY, {0}},
    {"<Shift>period", "win.step-ten", NS_KEY_EARLY, {GDK_KEY_greater, GDK_KEY_colon}},
    {"comma", "win.back-step", NS_KEY_EARLY, {0}},
    {"<Shift>comma", "win.back-ten", NS_KEY_EARLY, {GDK_KEY_less, GDK_KEY_semicolon}},
    {"bracketleft", "win.slower", NS_KEY_EARLY, {0}},
    {"bracketright", "win.faster", NS_KEY_EARLY, {0}},
    {"r", "win.reset", NS_KEY_EARLY, {0}},
    {"<Shift>r", "win.new-seed", NS_KEY_EARLY, {0}},
    {"f", "win.fork", NS_KEY_EARLY, {0}},
    {"b", "win.second-lane", NS_KEY_EARLY, {0}},
    {"p", "win.next-placement", NS_KEY_EARLY, {0}},
    {"l", "win.log", NS_KEY_EARLY, {0}},
    {"<Shift>l", "win.log-x", NS_KEY_EARLY, {0}},
    {"s", "win.smooth", NS_KEY_EARLY, {0}},
    {"t", "win.theory", NS_KEY_EARLY, {0}},
    {"g", "win.grid", NS_KEY_EARLY, {0}},
    {"m", "win.maximize", NS_KEY_EARLY, {0}},
    {"n", "win.next-chart", NS_KEY_EARLY, {0}},
    {"Escape", "win.back", NS_KEY_EARLY, {0}},
    {"1", "win.nth-page(1)", NS_KEY_EARLY, {GDK_KEY_1, GDK_KEY_KP_1}},
    {"2", "win.nth-page(2)", NS_KEY_EARLY, {GDK_KEY_2, GDK_KEY_KP_2}},
    {"3", "win.nth-page(3)", NS_KEY_EARLY, {GDK_KEY_3, GDK_KEY_KP_3}},
    {"4", "win.nth-page(4)", NS_KEY_EARLY, {GDK_KEY_4, GDK_KEY_KP_4}},
    {"5", "win.nth-page(5)", NS_KEY_EARLY, {GDK_KEY_5, GDK_KEY_KP_5}},
    {"6", "win.nth-page(6)", NS_KEY_EARLY, {GDK_KEY_6, GDK_KEY_KP_6}},
    {"7", "win.nth-page(7)", NS_KEY_EARLY, {GDK_KEY_7, GDK_KEY_KP_7}},
    {"8", "win.nth-page(8)", NS_KEY_EARLY, {GDK_KEY_8, GDK_KEY_KP_8}},
    {"9", "win.nth-page(9)", NS_KEY_EARLY, {GDK_KEY_9, GDK_KEY_KP_9}},

    {"Right", "win.step", NS_KEY_LATE, {0}},
    {"<Shift>Right", "win.step-ten", NS_KEY_LATE, {0}},
    {"Left", "win.back-step", NS_KEY_LATE, {0}},
    {"<Shift>Left", "win.back-ten", NS_KEY_LATE, {0}},
    {"Home", "win.first", NS_KEY_LATE, {0}},
    {"End", "win.live", NS_KEY_LATE, {0}},
    {"<Control>c", "win.copy-data", NS_KEY_LATE, {0}},
    {"<Control><Shift>c", "win.copy-image", NS_KEY_LATE, {0}},
    {"<Control>z", "win.undo", NS_KEY_LATE, {0}},
    {"<Control><Shift>z", "win.redo", NS_KEY_LATE, {0}},
};
/* clang-format on */

const NsKey *ns_window_key(size_t i)
{
    return i < G_N_ELEMENTS(KEYS) ? &KEYS[i] : NULL;
}

/* Symbols typed with Shift have key values of their own, which differ between keyboards. */
static bool is_key(const NsKey *key, guint keyval, GdkModifierType modifiers)
{
    guint wanted = 0;
    GdkModifierType with = 0;
    gtk_accelerator_parse(key->accelerator, &wanted, &with);
    if ((modifiers & MODIFIERS) != (with & MODIFIERS)) return false;
    for (size_t i = 0; i < G_N_ELEMENTS(key->others) && key->others[i]; i++)
        if (keyval == key->others[i]) return true;
    if (gdk_keyval_to_lower(keyval) != wanted) return false;
    bool upper = gdk_keyval_is_upper(keyval) && !gdk_keyval_is_lower(keyval);
    bool shift = (modifiers & GDK_SHIFT_MASK) || (upper && !(modifiers & GDK_LOCK_MASK));
    return shift == ((with & GDK_SHIFT_MASK) != 0);
}

static bool act(NsWindow *window, NsKeyTime time, guint keyval, GdkModifierType modifiers)
{
    for (size_t i = 0; i < G_N_ELEMENTS(KEYS); i++) {
        if (KEYS[i].time != time || !is_key(&KEYS[i], keyval, modifiers)) continue;
        g_autofree char *name = NULL;
        g_autoptr(GVariant) target = NULL;
        g_action_parse_detailed_name(KEYS[i].action, &name, &target, NULL);
        gtk_widget_activate_action_variant(GTK_WIDGET(window), name, target);
        return true;
    }
    return false;
}

/* Entries and popovers need the keys themselves. */
static bool focus_takes_keys(NsWindow *window)
{
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window));
    if (!focus) return false;
    return GTK_IS_EDITABLE(focus) || gtk_widget_get_ancestor(focus, GTK_TYPE_POPOVER) != NULL;
}

static gboolean on_early_key(GtkEventControllerKey *keys, guint keyval, guint code,
                             GdkModifierType modifiers, gpointer window)
{
    (void)keys, (void)code;
    /* A chart takes Space if the keyboard focused it, but not if it was clicked. */
    bool chart = (keyval == GDK_KEY_space || keyval == GDK_KEY_KP_Space) &&
                 NS_IS_CHART_VIEW(gtk_window_get_focus(window)) &&
                 gtk_window_get_focus_visible(window);
    if (focus_takes_keys(window) || chart) return GDK_EVENT_PROPAGATE;
    return act(window, NS_KEY_EARLY, keyval, modifiers);
}

static gboolean on_late_key(GtkEventControllerKey *keys, guint keyval, guint code,
                            GdkModifierType modifiers, gpointer window)
{
    (void)keys, (void)code;
    /* In a pane that the keyboard focused, the arrows move from control to control. */
    GtkWidget *focus = gtk_window_get_focus(window);
    bool pane = focus && gtk_window_get_focus_visible(window) &&
                (gtk_widget_is_ancestor(focus, NS_WINDOW(window)->settings_pane) ||
                 gtk_widget_is_ancestor(focus, GTK_WIDGET(NS_WINDOW(window)->inspector)) ||
                 gtk_widget_is_ancestor(focus, GTK_WIDGET(NS_WINDOW(window)->learn_pane)));
    if (!(modifiers & GDK_CONTROL_MASK) && (focus_takes_keys(window) || pane))
        return GDK_EVENT_PROPAGATE;
    if (!(modifiers & MODIFIERS) && ns_learn_pane_scroll(NS_WINDOW(window)->learn_pane, keyval))
        return GDK_EVENT_STOP;
    return act(window, NS_KEY_LATE, keyval, modifiers);
}

void ns_window_add_keys(NsWindow *window)
{
    /* Before the focused widget, because a button would take Space for a click. */
    GtkEventController *early = gtk_event_controller_key_new();
    gtk_event_controller_set_name(early, "normscope-keys");
    gtk_event_controller_set_propagation_phase(early, GTK_PHASE_CAPTURE);
    g_signal_connect(early, "key-pressed", G_CALLBACK(on_early_key), window);
    gtk_widget_add_controller(GTK_WIDGET(window), early);
    GtkEventController *late = gtk_event_controller_key_new();
    gtk_event_controller_set_name(late, "normscope-late-keys");
    g_signal_connect(late, "key-pressed", G_CALLBACK(on_late_key), window);
    gtk_widget_add_controller(GTK_WIDGET(window), late);
}

void ns_window_add_accelerators(GtkApplication *application)
{
    for (size_t i = 0; i < G_N_ELEMENTS(KEYS); i++) {
        const char *const keys[] = {KEYS[i].accelerator, NULL};
        if (KEYS[i].time == NS_KEY_ALWAYS)
            gtk_application_set_accels_for_action(application, KEYS[i].action, keys);
    }
}
