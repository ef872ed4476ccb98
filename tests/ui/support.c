/* A window under test, and a driver that uses it.  SPDX-License-Identifier: MIT */
#include "tests/ui/support.h"

#include "core/experiment/assignment.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/settings/settings_pane.h"

#include <glib/gstdio.h>

/* After so long a condition is looked at again, though the main loop had nothing to do. */
#define TURN_MS 5

NsApplication *ui_application(void)
{
    static NsApplication *application;
    if (application) return application;
    g_autoptr(GError) error = NULL;
    application = ns_application_new();
    g_application_register(G_APPLICATION(application), NULL, &error);
    g_assert_no_error(error);
    return application;
}

/* A case finds what a new user finds, whatever the one before it has left. */
static void end_case(gpointer preferences)
{
    g_assert_null(gtk_application_get_windows(GTK_APPLICATION(ui_application())));
    /* GTK's own, such as its complaint about a folder that was left before it was read. */
    g_autoptr(GList) rest = gtk_window_list_toplevels();
    for (GList *each = rest; each; each = each->next)
        if (gtk_widget_get_visible(each->data)) gtk_window_destroy(each->data);
    g_autoptr(GSettingsSchema) schema = NULL;
    g_object_get(preferences, "settings-schema", &schema, NULL);
    g_auto(GStrv) keys = g_settings_schema_list_keys(schema);
    for (char **key = keys; *key; key++) g_settings_reset(preferences, *key);
}

NsWindow *ui_open_window(const char *assignments)
{
    static const char *const small[] = {"layers=2", "d-model=16",   "heads=2",        "seq=16",
                                        "batch=4",  "eval-every=0", "eval-batches=1", "threads=1"};
    GtkApplication *app = GTK_APPLICATION(ui_application());
    NsSettings settings;
    ns_settings_init(&settings);
    g_autoptr(GError) error = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(small); i++)
        g_assert_true(ns_settings_assign(&settings, small[i], &error));
    g_auto(GStrv) more = g_strsplit(assignments, " ", -1);
    for (size_t i = 0; more[i]; i++) {
        ns_settings_assign(&settings, more[i], &error);
        g_assert_no_error(error);
    }
    g_auto(NsExperiment) experiment = {0};
    ns_experiment_set_lanes(&experiment, (const NsSettings *[]){&settings}, 1);
    g_autoptr(NsSession) session = ns_session_new(&experiment);
    NsWindow *window = ns_application_window_new(app, session);
    ns_settings_clear(&settings);
    /* Most cases look at what the inspector says, as a user does who opened it. */
    g_action_group_change_action_state(G_ACTION_GROUP(window), "inspector",
                                       g_variant_new_boolean(TRUE));
    gtk_window_present(GTK_WINDOW(window));
    return window;
}

NsWindow *ui_open(const char *assignments)
{
    g_test_queue_destroy(end_case, ns_preferences());
    return ui_open_window(assignments);
}

void ui_close(NsWindow *window)
{
    gpointer weak = window;
    g_object_add_weak_pointer(G_OBJECT(window), &weak);
    /* On a busy machine a run takes longer than the minute after which the window asks. */
    g_signal_emit_by_name(window, "saved");
    gtk_window_close(GTK_WINDOW(window));
    UI_UNTIL(weak == NULL);
}

static gboolean on_time(gpointer source)
{
    *(guint *)source = 0;
    return G_SOURCE_REMOVE;
}

void ui_turn(void)
{
    guint source = g_timeout_add(TURN_MS, on_time, &source);
    g_main_context_iteration(NULL, TRUE);
    if (source) g_source_remove(source);
}

void ui_rest(NsWindow *window)
{
    UI_UNTIL(!window->tick);
    ui_settle(GTK_WIDGET(window));
}

/* The first widget that is so, depth first; NULL if there is none. */
static GtkWidget *find(GtkWidget *root, bool (*is)(GtkWidget *, gconstpointer),
                       gconstpointer wanted)
{
    if (is(root, wanted)) return root;
    for (GtkWidget *child = gtk_widget_get_first_child(root); child;
         child = gtk_widget_get_next_sibling(child)) {
        GtkWidget *found = find(child, is, wanted);
        if (found) return found;
    }
    return NULL;
}

static bool has_id(GtkWidget *widget, gconstpointer id)
{
    return g_strcmp0(gtk_buildable_get_buildable_id(GTK_BUILDABLE(widget)), id) == 0;
}

GtkWidget *ui_find(NsWindow *window, const char *id)
{
    GtkWidget *widget = find(GTK_WIDGET(window), has_id, id);
    g_assert_nonnull(widget);
    return widget;
}

static bool has_type(GtkWidget *widget, gconstpointer type)
{
    return g_type_is_a(G_OBJECT_TYPE(widget), *(const GType *)type);
}

GtkWidget *ui_first(GtkWidget *root, GType type)
{
    return find(root, has_type, &type);
}

static bool is_button(GtkWidget *widget, gconstpointer label)
{
    const char *is = GTK_IS_BUTTON(widget) ? gtk_button_get_label(GTK_BUTTON(widget))
                     : GTK_IS_CHECK_BUTTON(widget)
                         ? gtk_check_button_get_label(GTK_CHECK_BUTTON(widget))
                         : NULL;
    return is && g_str_equal(is, label);
}

GtkWidget *ui_find_button(GtkWidget *root, const char *label)
{
    return find(root, is_button, label);
}

static bool has_tip(GtkWidget *widget, gconstpointer tip)
{
    const char *is = gtk_widget_get_tooltip_text(widget);
    return is && g_str_has_prefix(is, tip);
}

GtkWidget *ui_find_tip(GtkWidget *root, const char *tip)
{
    return find(root, has_tip, tip);
}

static bool has_class(GtkWidget *widget, gconstpointer css_class)
{
    return gtk_widget_has_css_class(widget, css_class);
}

GtkWidget *ui_find_class(GtkWidget *root, const char *css_class)
{
    return find(root, has_class, css_class);
}

void ui_click(NsWindow *window, const char *id)
{
    GtkWidget *button = ui_find(window, id);
    g_assert_true(gtk_widget_is_sensitive(button));
    g_signal_emit_by_name(button, "clicked");
}

static bool is_toggle(GtkWidget *widget, gconstpointer label)
{
    return GTK_IS_TOGGLE_BUTTON(widget) && is_button(widget, label);
}

void ui_toggle(NsWindow *window, const char *label)
{
    GtkWidget *toggle = find(window->settings_pane, is_toggle, label);
    g_assert_nonnull(toggle);
    g_signal_emit_by_name(toggle, "clicked");
}

void ui_type(NsWindow *window, const char *key, const char *text)
{
    GtkWidget *row = ns_settings_pane_row(window->settings_pane, key);
    GtkWidget *entry = ui_first(row, GTK_TYPE_ENTRY);
    g_assert_nonnull(entry);
    gtk_editable_set_text(GTK_EDITABLE(entry), text);
    g_signal_emit_by_name(entry, "activate");
}

GtkEventController *ui_controller(GtkWidget *widget, GType type, const char *name)
{
    g_autoptr(GListModel) all = gtk_widget_observe_controllers(widget);
    for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
        g_autoptr(GtkEventController) one = g_list_model_get_item(all, i);
        bool named = !name || g_strcmp0(gtk_event_controller_get_name(one), name) == 0;
        if (G_OBJECT_TYPE(one) == type && named) return one; /* the widget keeps it */
    }
    g_assert_not_reached();
}

static bool press(GtkWidget *widget, const char *controller, guint keyval,
                  GdkModifierType modifiers)
{
    gboolean taken = FALSE;
    g_signal_emit_by_name(ui_controller(widget, GTK_TYPE_EVENT_CONTROLLER_KEY, controller),
                          "key-pressed", keyval, 0u, modifiers, &taken);
    return taken;
}

bool ui_key(GtkWidget *widget, guint keyval, GdkModifierType modifiers)
{
    return press(widget, NULL, keyval, modifiers);
}

bool ui_press(NsWindow *window, guint keyval)
{
    return press(GTK_WIDGET(window), "normscope-keys", keyval, 0);
}

bool ui_press_late(NsWindow *window, guint keyval, GdkModifierType modifiers)
{
    return press(GTK_WIDGET(window), "normscope-late-keys", keyval, modifiers);
}

GtkWidget *ui_file_dialog(void)
{
    GListModel *windows = gtk_window_get_toplevels();
    for (guint i = 0; i < g_list_model_get_n_items(windows); i++) {
        g_autoptr(GtkWidget) each = g_list_model_get_item(windows, i);
        if (GTK_IS_FILE_CHOOSER_DIALOG(each) && gtk_widget_get_visible(each)) return each;
    }
    return NULL;
}

void ui_answer_file_dialog(int response)
{
    UI_UNTIL(ui_file_dialog());
    /* GTK 4.8 still computes the size of a dialog that went before it had one. */
    ui_settle(ui_file_dialog());
    gtk_dialog_response(GTK_DIALOG(ui_file_dialog()), response);
    UI_UNTIL(!ui_file_dialog());
}

bool ui_is_ready(NsWindow *window)
{
    return window->session->state == NS_TRAINER_READY;
}

bool ui_has_stepped(NsWindow *window)
{
    return ns_session_steps(window->session) >= 1;
}

bool ui_has_stepped_five(NsWindow *window)
{
    return ns_session_steps(window->session) >= 5;
}

bool ui_is_paused(NsWindow *window)
{
    return window->session->state == NS_TRAINER_PAUSED;
}

bool ui_is_failed(NsWindow *window)
{
    return window->session->state == NS_TRAINER_FAILED;
}

bool ui_is_diverged(NsWindow *window)
{
    return window->session->state == NS_TRAINER_DIVERGED;
}

bool ui_has_toast(NsWindow *window)
{
    return ns_toast_text(window->toast) != NULL;
}

bool ui_has_banner(NsWindow *window)
{
    return gtk_revealer_get_reveal_child(GTK_REVEALER(ui_find(window, "banner")));
}

NsWindow *ui_open_running(const char *assignments)
{
    NsWindow *window = ui_open(assignments);
    UI_WAIT(window, ui_is_ready);
    ui_click(window, "run_button");
    UI_WAIT(window, ui_has_stepped_five);
    return window;
}

void ui_assert_command(const char *command, const char *path)
{
    g_autofree char *programs = g_path_get_dirname(g_getenv("NS_DESKTOP"));
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree char *mine = NULL, *other = NULL;
    gsize n, m;
    g_assert_true(g_file_get_contents(path, &mine, &n, NULL));
    g_unlink(path);
    g_auto(GStrv) words = NULL;
    int count, status;
    g_assert_true(g_shell_parse_argv(command, &count, &words, NULL));
    g_autofree char *name = words[0];
    words[0] = g_build_filename(programs, name, NULL);
    g_assert_true(g_spawn_sync(folder, words, NULL, 0, NULL, NULL, NULL, NULL, &status, NULL));
    g_assert_cmpint(status, ==, 0);
    g_autofree char *made = g_build_filename(folder, words[count - 1], NULL);
    g_assert_true(g_file_get_contents(made, &other, &m, NULL));
    g_unlink(made);
    g_assert_true(n == m && memcmp(mine, other, n) == 0);
}

GtkWidget *ui_button_to(GtkWidget *root, const char *key)
{
    const char *action =
        GTK_IS_BUTTON(root) ? gtk_actionable_get_action_name(GTK_ACTIONABLE(root)) : NULL;
    if (g_strcmp0(action, "win.lecture") == 0) {
        GVariant *target = gtk_actionable_get_action_target_value(GTK_ACTIONABLE(root));
        if (g_str_equal(g_variant_get_string(target, NULL), key)) return root;
    }
    GtkWidget *found = NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(root); child && !found;
         child = gtk_widget_get_next_sibling(child))
        found = ui_button_to(child, key);
    return found;
}
