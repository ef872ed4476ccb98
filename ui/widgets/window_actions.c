/* What a window can be told to do.  SPDX-License-Identifier: MIT */
#include "ui/widgets/window_actions.h"

#include "core/model/placement.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/open_file.h"

#define LARGE_STEP 10

static void on_run(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    NsLab *lab = ns_window_lab(window);
    if (ns_lab_is_running(lab))
        ns_lab_pause(lab);
    else
        ns_lab_run(lab);
}

static void on_step(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    ns_lab_step(ns_window_lab(window), 1);
}

static void on_step_ten(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    ns_lab_step(ns_window_lab(window), LARGE_STEP);
}

static void on_reset(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    ns_lab_reset(ns_window_lab(window));
}

static void on_reset_settings(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    ns_lab_set_defaults(ns_window_lab(window));
}

static void on_new_seed(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    g_autofree char *seed = g_strdup_printf("%d", g_random_int_range(1, 100000));
    ns_lab_set(ns_window_lab(window), "seed", seed);
}

static void on_next_placement(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    NsLab *lab = ns_window_lab(window);
    const NsChoice *next = ns_placement_choice(ns_lab_settings(lab)->placement + 1);
    if (!next) next = ns_placement_choice(0);
    ns_lab_set(lab, "placement", next->key);
}

static void on_log(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    NsLab *lab = ns_window_lab(window);
    ns_lab_show_log(lab, !ns_lab_view(lab)->log);
}

static void on_page(GSimpleAction *action, GVariant *key, gpointer window)
{
    if (ns_page_stack_show(ns_window_pages(window), g_variant_get_string(key, NULL)))
        g_simple_action_set_state(action, key);
}

static void on_maximise(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    NsDashboard *dashboard = ns_window_dashboard(window);
    if (!dashboard) return;
    bool full = ns_dashboard_maximised(dashboard) != NULL;
    ns_dashboard_maximise(dashboard, full ? NULL : ns_dashboard_current(dashboard));
}

static void on_back(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    if (gtk_window_is_fullscreen(window))
        gtk_window_unfullscreen(window);
    else if (!ns_page_back(ns_window_page(window)))
        ns_lab_show_step(ns_window_lab(window), -1);
}

static void on_smooth(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    ns_lab_toggle_smoothing(ns_window_lab(window));
}

static void on_theory(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    NsLab *lab = ns_window_lab(window);
    ns_lab_show_theory(lab, !ns_lab_view(lab)->theory);
}

static void on_grid(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    NsDashboard *dashboard = ns_window_dashboard(window);
    if (dashboard) ns_dashboard_show_grid(dashboard, !ns_dashboard_has_grid(dashboard));
}

static void on_copy_data(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    NsChartTile *tile = ns_page_current(ns_window_page(window));
    if (tile) gtk_widget_activate_action(GTK_WIDGET(tile), "tile.copy-data", NULL);
}

static void on_copy_image(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    NsChartTile *tile = ns_page_current(ns_window_page(window));
    if (tile) gtk_widget_activate_action(GTK_WIDGET(tile), "tile.copy-image", NULL);
}

static void open_export(NsWindow *window, NsChartTile *tile, bool one)
{
    GtkWidget *dialog = ns_export_dialog_new(window, tile, one);
    gtk_window_present(GTK_WINDOW(dialog));
}

static void on_export(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    NsDashboard *dashboard = ns_window_dashboard(window);
    bool one = dashboard && ns_dashboard_maximised(dashboard) != NULL;
    open_export(window, ns_page_current(ns_window_page(window)), one);
}

static void on_tile_export(NsPageStack *pages, NsChartTile *tile, NsWindow *window)
{
    (void)pages;
    open_export(window, tile, true);
}

static void on_opened(const char *path, gpointer window)
{
    ns_window_open(window, path);
}

static void on_open(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    ns_file_dialog_open(window, "Open a figure, a preset or a text", on_opened, window);
}

static void on_fullscreen(GSimpleAction *action, GVariant *parameter, gpointer window)
{
    (void)action, (void)parameter;
    if (gtk_window_is_fullscreen(window))
        gtk_window_unfullscreen(window);
    else
        gtk_window_fullscreen(window);
}

static void on_pane(GSimpleAction *action, GVariant *state, gpointer window)
{
    GtkWidget *pane =
        gtk_widget_get_ancestor(ns_window_settings_pane(window), GTK_TYPE_SCROLLED_WINDOW);
    gtk_widget_set_visible(pane, g_variant_get_boolean(state));
    g_simple_action_set_state(action, state);
}

static void on_frame_times(GSimpleAction *action, GVariant *state, gpointer window)
{
    gtk_widget_set_visible(ns_window_frame_meter(window), g_variant_get_boolean(state));
    g_simple_action_set_state(action, state);
}

static const GActionEntry ACTIONS[] = {
    {.name = "run", .activate = on_run},
    {.name = "step", .activate = on_step},
    {.name = "step-ten", .activate = on_step_ten},
    {.name = "reset", .activate = on_reset},
    {.name = "reset-settings", .activate = on_reset_settings},
    {.name = "new-seed", .activate = on_new_seed},
    {.name = "next-placement", .activate = on_next_placement},
    {.name = "log", .activate = on_log},
    {.name = "smooth", .activate = on_smooth},
    {.name = "theory", .activate = on_theory},
    {.name = "grid", .activate = on_grid},
    {.name = "copy-data", .activate = on_copy_data},
    {.name = "copy-image", .activate = on_copy_image},
    {.name = "page", .parameter_type = "s", .state = "''", .change_state = on_page},
    {.name = "maximise", .activate = on_maximise},
    {.name = "back", .activate = on_back},
    {.name = "export", .activate = on_export},
    {.name = "open", .activate = on_open},
    {.name = "fullscreen", .activate = on_fullscreen},
    {.name = "pane", .state = "true", .change_state = on_pane},
    {.name = "frame-times", .state = "false", .change_state = on_frame_times},
};

/* Keys that would type into an entry if one had the focus. */
static const struct {
    guint keyval;
    const char *action;
} KEYS[] = {
    {GDK_KEY_space, "run"},        {GDK_KEY_KP_Space, "run"},     {GDK_KEY_period, "step"},
    {GDK_KEY_greater, "step-ten"}, {GDK_KEY_colon, "step-ten"},   {GDK_KEY_r, "reset"},
    {GDK_KEY_R, "new-seed"},       {GDK_KEY_p, "next-placement"}, {GDK_KEY_l, "log"},
    {GDK_KEY_m, "maximise"},       {GDK_KEY_Escape, "back"},      {GDK_KEY_g, "grid"},
    {GDK_KEY_s, "smooth"},         {GDK_KEY_t, "theory"},
};

/* An entry wants the key for itself, and so does whatever has popped up. */
static bool focus_takes_keys(NsWindow *window)
{
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window));
    if (!focus) return false;
    return GTK_IS_EDITABLE(focus) || gtk_widget_get_ancestor(focus, GTK_TYPE_POPOVER) != NULL;
}

/* Space belongs to a chart that the keyboard went to; one that was clicked leaves it to the run. */
static bool chart_takes_key(NsWindow *window, guint keyval)
{
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window));
    return (keyval == GDK_KEY_space || keyval == GDK_KEY_KP_Space) && NS_IS_CHART_VIEW(focus) &&
           gtk_window_get_focus_visible(GTK_WINDOW(window));
}

/* The digits from 1 choose a page. */
static bool choose_page(NsWindow *window, guint keyval)
{
    bool keypad = keyval >= GDK_KEY_KP_1 && keyval <= GDK_KEY_KP_9;
    guint first = keypad ? GDK_KEY_KP_1 : GDK_KEY_1;
    if (keyval < first || keyval > first + 8) return false;
    const NsPageKind *kind = ns_page_kind(keyval - first);
    if (kind)
        g_action_group_change_action_state(G_ACTION_GROUP(window), "page",
                                           g_variant_new_string(kind->key));
    return kind != NULL;
}

static gboolean on_key(GtkEventControllerKey *keys, guint keyval, guint code,
                       GdkModifierType modifiers, gpointer window)
{
    (void)keys, (void)code;
    if (modifiers & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK)) return GDK_EVENT_PROPAGATE;
    if (focus_takes_keys(window) || chart_takes_key(window, keyval)) return GDK_EVENT_PROPAGATE;
    if (choose_page(window, keyval)) return GDK_EVENT_STOP;
    for (size_t i = 0; i < G_N_ELEMENTS(KEYS); i++) {
        if (KEYS[i].keyval != keyval) continue;
        g_action_group_activate_action(G_ACTION_GROUP(window), KEYS[i].action, NULL);
        return GDK_EVENT_STOP;
    }
    return GDK_EVENT_PROPAGATE;
}

/* After the focused widget: an entry copies its own text. */
static gboolean on_late_key(GtkEventControllerKey *keys, guint keyval, guint code,
                            GdkModifierType modifiers, gpointer window)
{
    (void)keys, (void)code;
    bool shift = modifiers & GDK_SHIFT_MASK, control = modifiers & GDK_CONTROL_MASK;
    if (!control || modifiers & (GDK_ALT_MASK | GDK_SUPER_MASK)) return GDK_EVENT_PROPAGATE;
    if (gdk_keyval_to_lower(keyval) != GDK_KEY_c) return GDK_EVENT_PROPAGATE;
    g_action_group_activate_action(G_ACTION_GROUP(window), shift ? "copy-image" : "copy-data",
                                   NULL);
    return GDK_EVENT_STOP;
}

void ns_window_add_actions(NsWindow *window)
{
    g_action_map_add_action_entries(G_ACTION_MAP(window), ACTIONS, G_N_ELEMENTS(ACTIONS), window);
    /* Before the focused widget: a button would take Space for a click. */
    GtkEventController *keys = gtk_event_controller_key_new();
    gtk_event_controller_set_name(keys, "normscope-keys");
    gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
    g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), window);
    gtk_widget_add_controller(GTK_WIDGET(window), keys);
    GtkEventController *late = gtk_event_controller_key_new();
    gtk_event_controller_set_name(late, "normscope-late-keys");
    g_signal_connect(late, "key-pressed", G_CALLBACK(on_late_key), window);
    gtk_widget_add_controller(GTK_WIDGET(window), late);
    g_signal_connect_object(ns_window_pages(window), "export", G_CALLBACK(on_tile_export), window,
                            0);
}

static void enable(NsWindow *window, const char *name, bool enabled)
{
    GAction *action = g_action_map_lookup_action(G_ACTION_MAP(window), name);
    g_simple_action_set_enabled(G_SIMPLE_ACTION(action), enabled);
}

void ns_window_sync_actions(NsWindow *window)
{
    NsLab *lab = ns_window_lab(window);
    bool can_step = ns_lab_can_run(lab) && !ns_lab_is_running(lab);
    enable(window, "run", ns_lab_can_run(lab));
    enable(window, "step", can_step);
    enable(window, "step-ten", can_step);
    enable(window, "reset", ns_lab_can_reset(lab));
    enable(window, "export", ns_page_current(ns_window_page(window)) != NULL);
    GAction *page = g_action_map_lookup_action(G_ACTION_MAP(window), "page");
    const char *shown = ns_page_stack_key(ns_window_pages(window));
    g_simple_action_set_state(G_SIMPLE_ACTION(page), g_variant_new_string(shown));
}

void ns_window_add_accelerators(GtkApplication *application)
{
    static const struct {
        const char *action;
        const char *keys[2];
    } ACCELERATORS[] = {
        {"win.run", {"F5", NULL}},
        {"win.reset-settings", {"<Alt>r", NULL}},
        {"win.export", {"<Control>e", NULL}},
        {"win.open", {"<Control>o", NULL}},
        {"win.pane", {"F9", NULL}},
        {"win.fullscreen", {"F11", NULL}},
        {"win.frame-times", {"<Control><Shift>f", NULL}},
        {"app.help", {"F1", NULL}},
        {"app.quit", {"<Control>q", NULL}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(ACCELERATORS); i++)
        gtk_application_set_accels_for_action(application, ACCELERATORS[i].action,
                                              ACCELERATORS[i].keys);
}
