/* The help, and what is remembered.  SPDX-License-Identifier: MIT */
#include "core/data/task.h"
#include "core/experiment/param.h"
#include "tests/ui/support.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/shell/help.h"
#include "ui/widgets/shell/learning.h"
#include "ui/widgets/shell/remember.h"

#include <string.h>

static const NsHelpTopic *find(GPtrArray *topics, const char *key)
{
    for (guint i = 0; i < topics->len; i++) {
        const NsHelpTopic *topic = g_ptr_array_index(topics, i);
        if (g_str_equal(topic->key, key)) return topic;
    }
    return NULL;
}

static void test_topics(void)
{
    g_autoptr(GPtrArray) topics = ns_help_topics();
    for (size_t i = 0; ns_param(i); i++) g_assert_nonnull(find(topics, ns_param(i)->key));
    for (size_t i = 0; i < NS_QUANTITY_COUNT; i++)
        g_assert_nonnull(find(topics, ns_quantity_choice(i)->key));
    const NsHelpTopic *first = g_ptr_array_index(topics, 0);
    g_assert_cmpstr(first->title, ==, "What you see");
    g_assert_cmpuint(first->paragraphs->len, ==, 3);
    const NsHelpTopic *warmup = find(topics, "warmup");
    g_assert_true(ns_help_topic_matches(warmup, ""));
    g_assert_true(ns_help_topic_matches(warmup, "RATE  peak"));
    g_assert_false(ns_help_topic_matches(warmup, "rate zebra"));
}

/* The pages of the manual are Markdown, of which code, bold and italic words and lists are shown.
 */
static void test_markup(void)
{
    static const char *const cases[][2] = {
        {"A `--set a<b` & more.", "A <tt>--set a&lt;b</tt> &amp; more."},
        {"**Bold** and *W*₂, 2 * 3", "<b>Bold</b> and <i>W</i>₂, 2 * 3"},
        {"- one\n- two - three", "•  one\n•  two - three"},
        {"    a < *b*\n\n      c", "a &lt; *b*\n\n  c"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *markup = ns_help_markup(cases[i][0]);
        g_assert_cmpstr(markup, ==, cases[i][1]);
    }
    g_autoptr(GPtrArray) topics = ns_help_topics();
    for (guint i = 0; i < topics->len; i++) {
        const NsHelpTopic *topic = g_ptr_array_index(topics, i);
        for (guint k = 0; topic->manual && k < topic->paragraphs->len; k++) {
            g_autofree char *markup = ns_help_markup(g_ptr_array_index(topic->paragraphs, k));
            g_autoptr(GError) error = NULL;
            g_assert_true(pango_parse_markup(markup, -1, 0, NULL, NULL, NULL, &error));
            g_assert_no_error(error);
        }
    }
}

static GtkWindow *help_window(void)
{
    GListModel *all = gtk_window_get_toplevels();
    for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
        g_autoptr(GtkWindow) window = g_list_model_get_item(all, i);
        if (g_strcmp0(gtk_window_get_title(window), "Help") == 0) return window;
    }
    return NULL;
}

static const char *title_shown(GtkWindow *help)
{
    GtkWidget *paned = gtk_window_get_child(help);
    GtkWidget *page = gtk_paned_get_end_child(GTK_PANED(paned));
    return gtk_label_get_text(GTK_LABEL(ui_first(page, GTK_TYPE_LABEL)));
}

static void test_help_window(void)
{
    NsWindow *window = ui_open("");
    GtkApplication *application = gtk_window_get_application(GTK_WINDOW(window));
    g_auto(GStrv) keys = gtk_application_get_accels_for_action(application, "app.help");
    g_assert_cmpstr(keys[0], ==, "F1");
    g_action_group_activate_action(G_ACTION_GROUP(application), "help", NULL);
    GtkWindow *help = help_window();
    g_assert_nonnull(help);
    g_assert_cmpstr(title_shown(help), ==, "What you see");

    ns_help_present(GTK_WINDOW(window), "deepnorm");
    g_assert_cmpstr(title_shown(help), ==, "DeepNorm");

    GtkWidget *search = ui_first(GTK_WIDGET(help), GTK_TYPE_SEARCH_ENTRY);
    gtk_editable_set_text(GTK_EDITABLE(search), "stochastic depth");
    UI_UNTIL(g_str_equal(title_shown(help), "Stochastic depth"));
    g_assert_true(help == help_window());

    /* Escape in the search leaves the search, then the help. */
    g_signal_emit_by_name(search, "stop-search");
    g_assert_cmpstr(gtk_editable_get_text(GTK_EDITABLE(search)), ==, "");
    g_assert_nonnull(help_window());
    g_signal_emit_by_name(search, "stop-search");
    UI_UNTIL(!help_window());
    g_action_group_activate_action(G_ACTION_GROUP(application), "help", NULL);
    help = help_window();
    g_assert_nonnull(help);
    /* Who holds its list finds no topics there that are gone. */
    g_autoptr(GtkWidget) list = g_object_ref(ui_first(GTK_WIDGET(help), GTK_TYPE_LIST_BOX));
    ui_close(window);
    UI_UNTIL(!help_window());
    gtk_list_box_invalidate_headers(GTK_LIST_BOX(list));
    gtk_list_box_invalidate_filter(GTK_LIST_BOX(list));
}

static int width_of(NsWindow *window)
{
    int width = 0, height = 0;
    gtk_window_get_default_size(GTK_WINDOW(window), &width, &height);
    return width;
}

static void test_remember(void)
{
    GSettings *preferences = ns_preferences();
    g_assert_nonnull(preferences);
    NsWindow *window = ui_open("");
    ns_remember_window(window);
    ns_session_show_log(window->session, false);
    ns_session_show_smoothing(window->session, (NsSmoothing){NS_SMOOTH_MEAN, 20});
    ns_session_show_gradient(window->session, NS_QUANTITY_GRAD_W1);
    gtk_window_set_default_size(GTK_WINDOW(window), 1000, 700);
    g_action_group_change_action_state(G_ACTION_GROUP(window), "pane",
                                       g_variant_new_boolean(FALSE));
    UI_UNTIL(width_of(window) == 1000);
    ui_close(window);
    g_assert_cmpint(g_settings_get_int(preferences, "window-width"), ==, 1000);
    g_assert_false(g_settings_get_boolean(preferences, "settings-pane"));

    window = ui_open("");
    ns_remember_window(window);
    const NsView *view = window->session->view;
    g_assert_false(view->log);
    g_assert_cmpint(view->smoothing.kind, ==, NS_SMOOTH_MEAN);
    g_assert_cmpfloat(view->smoothing.amount, ==, 20);
    g_assert_cmpint(view->gradient, ==, NS_QUANTITY_GRAD_W1);
    g_assert_cmpint(width_of(window), ==, 1000);
    g_autoptr(GVariant) pane = g_action_group_get_action_state(G_ACTION_GROUP(window), "pane");
    g_assert_false(g_variant_get_boolean(pane));
    ui_close(window);

    /* A pane that folded because the window is narrow is not one that was closed. */
    g_settings_set_boolean(preferences, "inspector-pane", TRUE);
    window = ui_open("");
    ns_remember_window(window);
    gtk_window_set_default_size(GTK_WINDOW(window), 800, 700);
    GtkWidget *inspector = ui_find(window, "inspector_scroller");
    UI_UNTIL(!gtk_widget_get_visible(inspector));
    ui_close(window);
    g_assert_true(g_settings_get_boolean(preferences, "inspector-pane"));

    /* What another version wrote is no reason to fail. */
    g_settings_set_string(preferences, "gradient", "no such quantity");
    g_settings_set_string(preferences, "page", "no such page");
    g_settings_set_string(preferences, "smoothing", "ema");
    g_settings_set_double(preferences, "smoothing-amount", 7.0);
    window = ui_open("");
    ns_remember_window(window);
    g_assert_cmpint(window->session->view->smoothing.kind, ==, NS_SMOOTH_AUTO);
    ui_close(window);
    const char *const keys[] = {"gradient", "page",          "smoothing",    "smoothing-amount",
                                "log",      "settings-pane", "window-width", "window-height"};
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) g_settings_reset(preferences, keys[i]);
}

/* Tab leads through everything and back to where it began, on every page. */
static void test_tab(void)
{
    NsWindow *window = ui_open("");
    for (size_t i = 0; ns_page_kind(i); i++) {
        const char *page = ns_page_kind(i)->key;
        g_action_group_change_action_state(G_ACTION_GROUP(window), "page",
                                           g_variant_new_string(page));
        ui_rest(window);
        gtk_widget_grab_focus(ui_find(window, "run_button"));
        GtkWidget *first = gtk_window_get_focus(GTK_WINDOW(window)), *before = first;
        int tabs = 0;
        do {
            gtk_widget_child_focus(GTK_WIDGET(window), GTK_DIR_TAB_FORWARD);
            GtkWidget *now = gtk_window_get_focus(GTK_WINDOW(window));
            g_test_message("%s: %s", page, now ? G_OBJECT_TYPE_NAME(now) : "nowhere");
            g_assert_true(now != before);
            before = now;
            g_assert_cmpint(++tabs, <, 500);
        } while (before != first);
        g_assert_cmpint(tabs, >, 20);
    }
    ui_close(window);
}

/* With the keyboard wherever it is, the list of lessons scrolls as in any reader. */
static void test_scroll_keys(void)
{
    NsWindow *window = ui_open("");
    NsLearnPane *pane = window->learn_pane;
    gtk_window_set_focus_visible(GTK_WINDOW(window), FALSE);
    g_assert_false(ui_press_late(window, GDK_KEY_Page_Down, 0)); /* closed */
    ns_learn_pane_open(pane);
    GtkWidget *text = gtk_widget_get_first_child(GTK_WIDGET(pane));
    GtkAdjustment *place = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(text));
    UI_UNTIL(gtk_adjustment_get_upper(place) > gtk_adjustment_get_page_size(place));
    g_assert_true(ui_press_late(window, GDK_KEY_Down, 0));
    UI_UNTIL(gtk_adjustment_get_value(place) > 0);
    double line = gtk_adjustment_get_value(place);
    g_assert_true(ui_press_late(window, GDK_KEY_Page_Down, 0));
    UI_UNTIL(gtk_adjustment_get_value(place) > line);
    g_assert_true(ui_press_late(window, GDK_KEY_Page_Up, 0));
    UI_UNTIL(gtk_adjustment_get_value(place) <= line);
    ns_learn_pane_close(pane);
    ui_close(window);
}

/* A lesson that speaks of a text does not speak of another task, unless it says so. */
static void test_other_settings(void)
{
    g_settings_reset(ns_preferences(), "greeted");
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    GtkWidget *pane = GTK_WIDGET(window->learn_pane);
    ns_window_greet(window);
    GtkWidget *back = ui_find_button(pane, "Use the lesson’s settings");
    UI_UNTIL(!gtk_widget_is_visible(back));
    ns_session_set(session, "task", "copy");
    UI_UNTIL(gtk_widget_is_visible(back));
    g_signal_emit_by_name(back, "clicked");
    UI_UNTIL(!gtk_widget_is_visible(back));
    g_assert_cmpstr(ns_task_choice(ns_session_settings(session)->task)->key, ==, "grammar");
    ui_close(window);
}

void ui_add_help_tests(void)
{
    g_test_add_func("/ui/help/tab", test_tab);
    g_test_add_func("/ui/help/topics", test_topics);
    g_test_add_func("/ui/help/markup", test_markup);
    g_test_add_func("/ui/help/window", test_help_window);
    g_test_add_func("/ui/help/remember", test_remember);
    g_test_add_func("/ui/help/scroll-keys", test_scroll_keys);
    g_test_add_func("/ui/help/other-settings", test_other_settings);
}
