/* The bar at the foot, the keys, and the pages.  SPDX-License-Identifier: MIT */
#include "core/experiment/param.h"
#include "core/model/placement.h"
#include "tests/ui/support.h"
#include "ui/widgets/pages/page_stack.h"
#include "ui/widgets/run/timeline.h"
#include "ui/widgets/run/transport.h"
#include "ui/widgets/shell/window_actions.h"

#include <math.h>

static NsTimeline *timeline_of(NsWindow *window)
{
    return NS_TIMELINE(ui_first(GTK_WIDGET(window->transport), NS_TYPE_TIMELINE));
}

static bool offers_live(NsTransport *transport)
{
    GtkWidget *chip = ui_find_button(GTK_WIDGET(transport), "Newest step");
    return gtk_stack_get_visible_child(GTK_STACK(gtk_widget_get_parent(chip))) == chip;
}

/* A window whose run has made so many steps and rests. */
static NsWindow *open_at(int64_t steps)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_step(session, steps);
    UI_UNTIL(ns_session_steps(session) >= steps && session->state == NS_TRAINER_PAUSED);
    UI_UNTIL(gtk_widget_get_width(GTK_WIDGET(timeline_of(window))) > 0);
    ui_rest(window);
    return window;
}

static void test_scrub(void)
{
    NsWindow *window = open_at(40);
    NsSession *session = window->session;
    NsTimeline *timeline = timeline_of(window);
    NsTransport *transport = window->transport;
    g_assert_false(offers_live(transport));
    int width = gtk_widget_get_width(GTK_WIDGET(timeline));
    for (int64_t step = 0; step <= 40; step += 8)
        g_assert_cmpint(ns_timeline_step_at(timeline, ns_timeline_x_of(timeline, step)), ==, step);
    /* Of many moves in a frame the last one counts. */
    for (int i = 0; i < 30; i++) ns_timeline_scrub(timeline, ns_timeline_x_of(timeline, i));
    ns_timeline_scrub(timeline, ns_timeline_x_of(timeline, 12));
    UI_UNTIL(ns_session_shown_step(session) == 12);
    g_assert_cmpint(session->view->step, ==, 12);
    UI_UNTIL(offers_live(transport));
    /* The step that was clicked stays below the pointer. */
    ui_rest(window);
    g_assert_cmpint(gtk_widget_get_width(GTK_WIDGET(timeline)), ==, width);
    GtkWidget *entry = ui_first(GTK_WIDGET(transport), GTK_TYPE_ENTRY);
    g_assert_cmpstr(gtk_editable_get_text(GTK_EDITABLE(entry)), ==, "12");
    /* Nonsense that was typed and not entered does not stay. */
    gtk_widget_grab_focus(entry);
    gtk_editable_set_text(GTK_EDITABLE(entry), "warm");
    gtk_widget_grab_focus(GTK_WIDGET(timeline));
    UI_UNTIL(g_str_equal(gtk_editable_get_text(GTK_EDITABLE(entry)), "12"));
    /* To the right of the newest step lies the newest. */
    ns_timeline_scrub(timeline, ns_timeline_x_of(timeline, 90));
    UI_UNTIL(session->view->step < 0);
    UI_UNTIL(!offers_live(transport));
    ui_close(window);
}

static void test_timeline_keys(void)
{
    NsWindow *window = open_at(40);
    NsSession *session = window->session;
    GtkWidget *timeline = GTK_WIDGET(timeline_of(window));
    static const struct {
        guint keyval;
        GdkModifierType modifiers;
        int64_t shown;
    } table[] = {
        {GDK_KEY_Left, 0, 39},      {GDK_KEY_Left, GDK_SHIFT_MASK, 29},
        {GDK_KEY_Right, 0, 30},     {GDK_KEY_Page_Up, 0, 20},
        {GDK_KEY_Page_Down, 0, 30}, {GDK_KEY_Home, 0, 0},
        {GDK_KEY_Left, 0, 0},       {GDK_KEY_End, 0, 40},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        g_assert_true(ui_key(timeline, table[i].keyval, table[i].modifiers));
        g_assert_cmpint(ns_session_shown_step(session), ==, table[i].shown);
    }
    g_assert_cmpint(session->view->step, <, 0);
    g_assert_false(ui_key(timeline, GDK_KEY_x, 0));
    ui_close(window);
}

static void test_timeline_words(void)
{
    NsWindow *window = open_at(10);
    NsSession *session = window->session;
    NsTimeline *timeline = timeline_of(window);
    gtk_test_accessible_assert_role(GTK_WIDGET(timeline), GTK_ACCESSIBLE_ROLE_SLIDER);
    ns_session_set(session, "lr", "0.001");
    ns_session_step(session, 5);
    UI_UNTIL(ns_session_steps(session) >= 15 && session->state == NS_TRAINER_PAUSED);
    size_t n = 0, at = 0;
    UI_UNTIL(ns_session_marks(session, &n) && n > 0);
    const NsSessionMark *marks = ns_session_marks(session, &n);
    while (at < n && marks[at].kind != NS_SESSION_MARK_SETTING) at++;
    g_assert_cmpuint(at, <, n);
    g_autofree char *wanted = g_strdup(marks[at].text);
    g_autofree char *tip = ns_timeline_tip(timeline, ns_timeline_x_of(timeline, marks[at].step));
    g_assert_nonnull(strstr(tip, wanted));
    g_autofree char *plain = ns_timeline_tip(timeline, ns_timeline_x_of(timeline, 4));
    g_assert_true(g_str_has_prefix(plain, "Step 4"));
    ui_close(window);
}

static void type_step(NsWindow *window, const char *text)
{
    GtkWidget *entry = ui_first(GTK_WIDGET(window->transport), GTK_TYPE_ENTRY);
    gtk_editable_set_text(GTK_EDITABLE(entry), text);
    g_signal_emit_by_name(entry, "activate");
}

static void test_step_entry(void)
{
    NsWindow *window = open_at(20);
    NsSession *session = window->session;
    type_step(window, "7");
    g_assert_cmpint(ns_session_shown_step(session), ==, 7);
    type_step(window, "nonsense");
    g_assert_cmpint(ns_session_shown_step(session), ==, 7);
    type_step(window, "1,9");
    g_assert_cmpint(ns_session_shown_step(session), ==, 19);
    /* A step that was not made yet is trained up to. */
    ns_session_show_step(session, -1);
    type_step(window, "26");
    UI_UNTIL(ns_session_steps(session) == 26 && session->state == NS_TRAINER_PAUSED);
    ui_rest(window);
    g_assert_cmpint(ns_session_steps(session), ==, 26);
    ui_close(window);
}

static void test_keys_of_time(void)
{
    NsWindow *window = open_at(30);
    NsSession *session = window->session;
    g_assert_true(ui_press(window, GDK_KEY_comma));
    g_assert_cmpint(ns_session_shown_step(session), ==, 29);
    g_assert_true(ui_press(window, GDK_KEY_less));
    g_assert_cmpint(ns_session_shown_step(session), ==, 19);
    g_assert_true(ui_press(window, GDK_KEY_period));
    g_assert_cmpint(ns_session_shown_step(session), ==, 20);
    g_assert_true(ui_press(window, GDK_KEY_greater));
    g_assert_cmpint(session->view->step, <, 0);
    g_assert_cmpint(ns_session_steps(session), ==, 30);
    /* From the newest on, forward trains. */
    g_assert_true(ui_press(window, GDK_KEY_period));
    UI_UNTIL(ns_session_steps(session) == 31);
    g_action_group_activate_action(G_ACTION_GROUP(window), "first", NULL);
    g_assert_cmpint(ns_session_shown_step(session), ==, 0);
    g_action_group_activate_action(G_ACTION_GROUP(window), "live", NULL);
    g_assert_cmpint(session->view->step, <, 0);
    ui_close(window);
}

static void test_late_keys(void)
{
    NsWindow *window = open_at(30);
    NsSession *session = window->session;
    gtk_window_set_focus(GTK_WINDOW(window), NULL);
    g_assert_true(ui_press_late(window, GDK_KEY_Left, 0));
    g_assert_cmpint(ns_session_shown_step(session), ==, 29);
    g_assert_true(ui_press_late(window, GDK_KEY_Left, GDK_SHIFT_MASK));
    g_assert_cmpint(ns_session_shown_step(session), ==, 19);
    g_assert_true(ui_press_late(window, GDK_KEY_Right, 0));
    g_assert_cmpint(ns_session_shown_step(session), ==, 20);
    g_assert_true(ui_press_late(window, GDK_KEY_Home, 0));
    g_assert_cmpint(ns_session_shown_step(session), ==, 0);
    g_assert_true(ui_press_late(window, GDK_KEY_End, 0));
    g_assert_cmpint(session->view->step, <, 0);
    /* Undo and redo of a setting. */
    ns_session_set(session, "lr", "0.001");
    g_assert_true(ui_press_late(window, GDK_KEY_z, GDK_CONTROL_MASK));
    g_assert_cmpfloat(ns_session_settings(session)->lr, ==, 3e-3);
    g_assert_true(ui_press_late(window, GDK_KEY_Z, GDK_CONTROL_MASK | GDK_SHIFT_MASK));
    g_assert_cmpfloat(ns_session_settings(session)->lr, ==, 1e-3);
    /* In an entry the arrows move its cursor. */
    gtk_widget_grab_focus(ui_first(GTK_WIDGET(window->transport), GTK_TYPE_ENTRY));
    g_assert_false(ui_press_late(window, GDK_KEY_Left, 0));
    ui_close(window);
}

/* Lanes, forks and scales by key. */
static void test_keys_of_experiment(void)
{
    NsWindow *window = open_at(20);
    NsSession *session = window->session;
    g_assert_cmpuint(session->experiment.n, ==, 1);
    g_assert_true(ui_press(window, GDK_KEY_b));
    g_assert_cmpuint(session->experiment.n, ==, 2);
    g_assert_true(ui_press(window, GDK_KEY_b));
    g_assert_cmpuint(session->experiment.n, ==, 1);
    NsDashboard *dashboard = ns_window_dashboard(window);
    const NsViewState *view_state = &ns_dashboard_tile(dashboard, 0)->chart->view_state;
    g_assert_true(ui_press(window, GDK_KEY_L));
    g_assert_true(view_state->rescaled[NS_VIEW_STATE_X] &&
                  view_state->scale[NS_VIEW_STATE_X] == NS_SCALE_LOG);
    g_assert_true(ui_press(window, GDK_KEY_L));
    g_assert_false(view_state->rescaled[NS_VIEW_STATE_X]);
    g_assert_true(ui_press(window, GDK_KEY_R)); /* changes what is out of sight */
    g_assert_nonnull(strstr(ns_toast_text(window->toast), "with Restart or Fork"));
    ns_session_show_step(session, 9);
    const char *tip = gtk_widget_get_tooltip_text(ui_find(window, "run_button"));
    g_assert_true(g_str_has_prefix(tip, "Train on; the charts follow the newest step"));
    ns_session_set(session, "dropout", "0.1");
    g_assert_true(ui_press(window, GDK_KEY_f));
    UI_UNTIL(session->state != NS_TRAINER_PREPARING);
    size_t n = 0;
    ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, 2);
    ui_close(window);
}

/* A key that changes what is out of sight says so. */
static void test_next_placement(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    g_assert_true(ui_press(window, GDK_KEY_p));
    g_assert_cmpstr(ns_toast_text(window->toast), ==, "The placement is now Pre-LN.");
    ns_session_set_lanes(session, 2);
    ns_session_set_active(session, 0);
    ns_session_set_linked(session, ns_param_find("placement"), false);
    g_assert_true(ui_press(window, GDK_KEY_p));
    g_autofree char *split = g_strdup_printf(
        "A is now %s.", ns_placement_choice(ns_session_settings(session)->placement)->label);
    g_assert_cmpstr(ns_toast_text(window->toast), ==, split);
    ns_session_set_linked(session, ns_param_find("placement"), true);
    UI_UNTIL(!ns_session_differs(session) && ui_is_ready(window));
    ns_session_step(session, 1);
    UI_WAIT(window, ui_is_paused);
    g_assert_true(ui_press(window, GDK_KEY_p));
    g_test_message("%s", ns_toast_text(window->toast));
    g_assert_true(g_str_has_prefix(ns_toast_text(window->toast), "All lanes become "));
    g_assert_true(g_str_has_suffix(ns_toast_text(window->toast), " with Restart or Fork."));
    ui_close(window);
}

static bool can(NsWindow *window, const char *action)
{
    return g_action_group_get_action_enabled(G_ACTION_GROUP(window), action);
}

/* What can be done follows the run, not only what is clicked. */
static void test_enabled(void)
{
    NsWindow *window = ui_open("steps=100000");
    UI_WAIT(window, ui_is_ready);
    g_assert_false(can(window, "first") || can(window, "back-step") || can(window, "live"));
    g_assert_true(can(window, "step"));
    ui_click(window, "run_button");
    UI_WAIT(window, ui_has_stepped_five);
    UI_UNTIL(can(window, "back-step") && can(window, "first"));
    /* Steps arrive at any moment. */
    for (size_t i = 0; i < 500; i++) {
        g_signal_emit_by_name(window, "progressed");
        g_assert_false(can(window, "step") || can(window, "live"));
    }
    g_assert_true(window->session->wants_run);
    g_action_group_activate_action(G_ACTION_GROUP(window), "first", NULL);
    g_assert_true(can(window, "live") && can(window, "step"));
    g_assert_false(can(window, "first"));
    ui_close(window);
}

static void test_speed(void)
{
    static const double ladder[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 0};
    for (size_t i = 0; i + 1 < G_N_ELEMENTS(ladder); i++) {
        g_assert_cmpfloat(ns_speed_next(ladder[i], true), ==, ladder[i + 1]);
        g_assert_cmpfloat(ns_speed_next(ladder[i + 1], false), ==, ladder[i]);
    }
    g_assert_cmpfloat(ns_speed_next(1, false), ==, 1);
    g_assert_cmpfloat(ns_speed_next(0, true), ==, 0);
    g_assert_cmpfloat(ns_speed_next(7, true), ==, 10);
    g_assert_cmpfloat(ns_speed_next(7, false), ==, 5);

    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    GtkWidget *slider = ui_first(GTK_WIDGET(window->transport), GTK_TYPE_SCALE);
    g_assert_cmpfloat(session->speed, ==, 0);
    g_assert_true(ui_press(window, GDK_KEY_bracketleft));
    g_assert_cmpfloat(session->speed, ==, 1000);
    double before = gtk_range_get_value(GTK_RANGE(slider));
    for (int i = 0; i < 9; i++) g_assert_true(ui_press(window, GDK_KEY_bracketleft));
    g_assert_cmpfloat(session->speed, ==, 1);
    g_assert_cmpfloat(gtk_range_get_value(GTK_RANGE(slider)), <, before);
    gtk_range_set_value(GTK_RANGE(slider), 1.0);
    g_assert_cmpfloat(session->speed, ==, 0);
    gtk_range_set_value(GTK_RANGE(slider), 0.0);
    g_assert_cmpfloat_with_epsilon(session->speed, 1.0, 1e-9);
    ui_close(window);
}

/* The word of the stage that is lit; NULL for none. */
static const char *lit_word(GtkWidget *stages)
{
    GtkWidget *cell =
        gtk_widget_get_parent(gtk_widget_get_parent(ui_first(stages, GTK_TYPE_LABEL)));
    for (cell = gtk_widget_get_first_child(cell); cell; cell = gtk_widget_get_next_sibling(cell))
        if (gtk_widget_has_css_class(cell, "lit"))
            return gtk_label_get_text(GTK_LABEL(gtk_widget_get_first_child(cell)));
    return NULL;
}

static void test_slow_motion(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    GtkWidget *stages = ui_first(GTK_WIDGET(window->transport), GTK_TYPE_REVEALER);
    g_assert_null(lit_word(stages));
    ns_session_step(session, 3);
    UI_UNTIL(isfinite(ns_session_pace(session).steps_per_second));
    UI_WAIT(window, ui_is_paused);
    g_action_group_activate_action(G_ACTION_GROUP(window), "slow-motion", NULL);
    g_assert_true(session->slow && isnan(ns_session_pace(session).steps_per_second));
    ui_click(window, "run_button");
    UI_UNTIL(lit_word(stages) != NULL);
    g_assert_cmpstr(lit_word(stages), ==, "Forward");
    UI_UNTIL(g_strcmp0(lit_word(stages), "Backward") == 0);
    g_action_group_activate_action(G_ACTION_GROUP(window), "slow-motion", NULL);
    g_assert_false(session->slow);
    UI_UNTIL(lit_word(stages) == NULL);
    ui_close(window);
}

static GtkWidget *open_question(NsWindow *window, const char *action)
{
    g_action_group_activate_action(G_ACTION_GROUP(window), action, NULL);
    GtkWidget *child = gtk_widget_get_last_child(window->run_menu);
    g_assert_true(GTK_IS_POPOVER(child));
    return child;
}

static void test_run_until(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    GtkWidget *popover = open_question(window, "run-to");
    GtkWidget *entry = ui_first(popover, GTK_TYPE_ENTRY);
    gtk_editable_set_text(GTK_EDITABLE(entry), "soon");
    g_signal_emit_by_name(entry, "activate");
    g_assert_true(gtk_widget_get_visible(popover));
    gtk_editable_set_text(GTK_EDITABLE(entry), "12");
    g_signal_emit_by_name(entry, "activate");
    UI_UNTIL(ns_session_steps(session) == 12 && session->state == NS_TRAINER_PAUSED);
    ui_rest(window);
    popover = open_question(window, "run-until-loss");
    entry = ui_first(popover, GTK_TYPE_ENTRY);
    double loss = ns_history_step(session->view->history, 12)->loss;
    g_autofree char *below = g_strdup_printf("%.2f", 0.95 * loss);
    gtk_editable_set_text(GTK_EDITABLE(entry), below);
    g_signal_emit_by_name(ui_first(popover, GTK_TYPE_BUTTON), "clicked");
    UI_UNTIL(ns_session_steps(session) > 12 && session->state == NS_TRAINER_PAUSED);
    UI_UNTIL(!session->wants_run);
    ui_rest(window);
    ui_close(window);
}

/* ---- Keys against the shortcuts window ---- */

static void collect_shown(GtkWidget *widget, GHashTable *shown)
{
    if (GTK_IS_SHORTCUTS_GROUP(widget)) {
        g_autofree char *title = NULL;
        g_object_get(widget, "title", &title, NULL);
        if (g_str_has_prefix(title, "In a chart") || g_str_has_prefix(title, "On the")) return;
    }
    /* Keys have the names that are printed on them. */
    if (GTK_IS_LABEL(widget)) g_assert_null(strchr(gtk_label_get_text(GTK_LABEL(widget)), '_'));
    /* Outside a group stand copies, for the search. */
    if (GTK_IS_SHORTCUTS_SHORTCUT(widget) &&
        gtk_widget_get_ancestor(widget, GTK_TYPE_SHORTCUTS_GROUP)) {
        g_autofree char *keys = NULL, *words = NULL;
        g_object_get(widget, "accelerator", &keys, "title", &words, NULL);
        g_assert_true(words && *words);
        g_auto(GStrv) each = g_strsplit(keys, " ", -1);
        for (size_t i = 0; each[i]; i++) {
            if (g_str_equal(each[i], "1...9")) {
                for (int digit = 1; digit <= 9; digit++)
                    g_hash_table_add(shown, g_strdup_printf("%d", digit));
                continue;
            }
            bool first = g_hash_table_add(shown, g_strdup(each[i]));
            g_assert_true(first || g_str_equal(each[i], "Escape")); /* which leaves what is open */
        }
    }
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        collect_shown(child, shown);
}

static void test_shortcuts_window(void)
{
    NsWindow *window = ui_open("");
    g_autoptr(GHashTable) shown = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GtkShortcutsWindow *overlay =
        gtk_application_window_get_help_overlay(GTK_APPLICATION_WINDOW(window));
    g_assert_nonnull(overlay);
    collect_shown(GTK_WIDGET(overlay), shown);
    size_t n = 0;
    for (const NsKey *key; (key = ns_window_key(n)); n++)
        if (!g_hash_table_contains(shown, key->accelerator))
            g_error("the shortcuts window does not show %s", key->accelerator);
    g_assert_cmpuint(g_hash_table_size(shown), ==, n);
    /* Where all of it does not fit, without a warning. */
    gtk_window_set_default_size(GTK_WINDOW(overlay), 1008, 716);
    gtk_window_present(GTK_WINDOW(overlay));
    ui_settle(GTK_WIDGET(overlay));
    gtk_widget_set_visible(GTK_WIDGET(overlay), FALSE);
    ui_close(window);
}

/* The main menu shows the key of every item that has one. */
static void check_menu_keys(GMenuModel *menu, const NsKey *key)
{
    for (int i = 0; i < g_menu_model_get_n_items(menu); i++) {
        g_autofree char *action = NULL, *accel = NULL;
        static const char *const links[] = {G_MENU_LINK_SECTION, G_MENU_LINK_SUBMENU};
        for (size_t k = 0; k < G_N_ELEMENTS(links); k++) {
            g_autoptr(GMenuModel) below = g_menu_model_get_item_link(menu, i, links[k]);
            if (below) check_menu_keys(below, key);
        }
        g_menu_model_get_item_attribute(menu, i, G_MENU_ATTRIBUTE_ACTION, "s", &action);
        if (g_strcmp0(action, key->action) != 0) continue;
        g_menu_model_get_item_attribute(menu, i, "accel", "s", &accel);
        if (key->time == NS_KEY_ALWAYS)
            g_assert_null(accel);
        else
            g_assert_cmpstr(accel, ==, key->accelerator);
    }
}

static void test_menu_keys(void)
{
    NsWindow *window = ui_open("");
    GtkApplication *application = gtk_window_get_application(GTK_WINDOW(window));
    GMenuModel *menu = G_MENU_MODEL(gtk_application_get_menu_by_id(application, "main-menu"));
    const NsKey *key;
    for (size_t i = 0; (key = ns_window_key(i)); i++) check_menu_keys(menu, key);
    ui_close(window);
}

/* Every key has an action that exists, and no two keys of a turn are the same. */
static void test_key_table(void)
{
    NsWindow *window = ui_open("");
    GActionGroup *application = G_ACTION_GROUP(g_application_get_default());
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; ns_window_key(i); i++) {
        const NsKey *key = ns_window_key(i);
        guint keyval = 0;
        GdkModifierType modifiers = 0;
        g_autofree char *name = NULL;
        g_autoptr(GVariant) target = NULL;
        g_assert_true(gtk_accelerator_parse(key->accelerator, &keyval, &modifiers));
        g_assert_true(g_hash_table_add(seen, (char *)(guintptr)key->accelerator));
        g_assert_true(g_action_parse_detailed_name(key->action, &name, &target, NULL));
        if (g_str_has_prefix(name, "win."))
            g_assert_true(g_action_group_has_action(G_ACTION_GROUP(window), name + 4));
        else if (g_str_has_prefix(name, "app."))
            g_assert_true(g_action_group_has_action(application, name + 4));
        else
            g_assert_cmpstr(name, ==, "window.close");
    }
    ui_close(window);
}

/* ---- Pages ---- */

static void test_pages(void)
{
    NsWindow *window = ui_open("");
    NsPageStack *pages = window->pages;
    UI_WAIT(window, ui_is_ready);
    for (size_t i = 0; ns_page_kind(i); i++) {
        if (i < 9)
            g_assert_true(ui_press(window, GDK_KEY_1 + (guint)i));
        else /* 0 fits a chart */
            g_action_group_change_action_state(G_ACTION_GROUP(window), "page",
                                               g_variant_new_string(ns_page_kind(i)->key));
        g_assert_cmpstr(ns_page_stack_key(pages), ==, ns_page_kind(i)->key);
        g_assert_true(NS_IS_PAGE(ns_window_page(window)));
        ui_settle(GTK_WIDGET(window));
        ui_press(window, GDK_KEY_Escape);
        g_autoptr(GVariant) state = g_action_group_get_action_state(G_ACTION_GROUP(window), "page");
        g_assert_cmpstr(g_variant_get_string(state, NULL), ==, ns_page_kind(i)->key);
    }
    g_assert_false(ns_page_stack_show(pages, "no such page"));
    g_action_group_change_action_state(G_ACTION_GROUP(window), "page",
                                       g_variant_new_string(ns_page_kind(0)->key));
    g_assert_cmpstr(ns_page_stack_key(pages), ==, ns_page_kind(0)->key);
    ui_close(window);
}

/* Tabs that do not fit become a list, and both choose. */
static void test_switcher(void)
{
    GtkWidget *stack = gtk_stack_new(), *window = gtk_window_new();
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    static const char *const titles[] = {"Dashboard",  "Profile", "Heatmap", "Diagram", "Attention",
                                         "Similarity", "Curves",  "Phase",   "Paper"};
    for (size_t i = 0; i < G_N_ELEMENTS(titles); i++)
        gtk_stack_add_titled(GTK_STACK(stack), gtk_label_new(titles[i]), titles[i], titles[i]);
    GtkWidget *switcher = ns_page_switcher_new(GTK_STACK(stack));
    gtk_box_append(GTK_BOX(box), switcher);
    gtk_box_append(GTK_BOX(box), stack);
    gtk_window_set_child(GTK_WINDOW(window), box);
    gtk_window_set_default_size(GTK_WINDOW(window), 1200, 300);
    gtk_window_present(GTK_WINDOW(window));
    UI_UNTIL(gtk_widget_get_width(switcher) >= 1000);
    GtkWidget *list = ui_first(switcher, GTK_TYPE_DROP_DOWN);
    g_assert_false(gtk_widget_get_child_visible(list));
    gtk_widget_set_size_request(switcher, 200, -1);
    gtk_widget_set_halign(switcher, GTK_ALIGN_START);
    gtk_widget_set_hexpand(stack, TRUE);
    gtk_window_set_default_size(GTK_WINDOW(window), 300, 300);
    UI_UNTIL(gtk_widget_get_child_visible(list));
    gtk_drop_down_set_selected(GTK_DROP_DOWN(list), 3);
    g_assert_cmpstr(gtk_stack_get_visible_child_name(GTK_STACK(stack)), ==, "Diagram");
    gtk_stack_set_visible_child_name(GTK_STACK(stack), "Phase");
    g_assert_cmpuint(gtk_drop_down_get_selected(GTK_DROP_DOWN(list)), ==, 7);
    gtk_window_destroy(GTK_WINDOW(window));
}

void ui_add_transport_tests(void)
{
    g_test_add_func("/ui/transport/scrub", test_scrub);
    g_test_add_func("/ui/transport/timeline-keys", test_timeline_keys);
    g_test_add_func("/ui/transport/timeline-words", test_timeline_words);
    g_test_add_func("/ui/transport/step-entry", test_step_entry);
    g_test_add_func("/ui/transport/keys", test_keys_of_time);
    g_test_add_func("/ui/transport/late-keys", test_late_keys);
    g_test_add_func("/ui/transport/keys-of-experiment", test_keys_of_experiment);
    g_test_add_func("/ui/transport/enabled", test_enabled);
    g_test_add_func("/ui/transport/speed", test_speed);
    g_test_add_func("/ui/transport/slow-motion", test_slow_motion);
    g_test_add_func("/ui/transport/next-placement", test_next_placement);
    g_test_add_func("/ui/transport/run-until", test_run_until);
    g_test_add_func("/ui/shortcuts/window", test_shortcuts_window);
    g_test_add_func("/ui/menu/keys", test_menu_keys);
    g_test_add_func("/ui/shortcuts/table", test_key_table);
    g_test_add_func("/ui/pages/keys", test_pages);
    g_test_add_func("/ui/pages/switcher", test_switcher);
}
