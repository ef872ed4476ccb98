/* The settings pane: restarts, live changes, refusals.  SPDX-License-Identifier: MIT */
#include "tests/ui/support.h"

#include "core/experiment/param.h"
#include "core/model/placement.h"
#include "ui/widgets/settings/settings_pane.h"

#include <glib/gstdio.h>

static GtkWidget *row_of(NsWindow *window, const char *key)
{
    return ns_settings_pane_row(window->settings_pane, key);
}

static void wait_for_new_history(NsWindow *window, const NsHistory *old)
{
    NsSession *session = window->session;
    UI_UNTIL(session->view->history != old);
}

static void test_every_setting_has_a_row(void)
{
    NsWindow *window = ui_open("");
    for (size_t i = 0; ns_param(i); i++) {
        GtkWidget *row = row_of(window, ns_param(i)->key);
        /* GTK wraps no tooltip that has a newline character. */
        g_assert_null(strchr(gtk_widget_get_tooltip_text(row), '\n'));
    }
    ui_close(window);
}

/* A setting that is on or off has a switch, which follows the session and changes it. */
static void test_switch(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    GtkWidget *tied = ui_first(row_of(window, "tie-layers"), GTK_TYPE_SWITCH);
    g_assert_false(gtk_switch_get_active(GTK_SWITCH(tied)));
    gtk_switch_set_active(GTK_SWITCH(tied), TRUE);
    g_assert_cmpuint(ns_session_settings(window->session)->tie_layers, ==, NS_TOGGLE_ON);
    ns_session_set(window->session, "tie-layers", "off");
    g_assert_false(gtk_switch_get_active(GTK_SWITCH(tied)));
    ui_close(window);
}

/* Under the depth stands what it takes, as soon as that is known and before anything runs. */
static void test_size(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    GtkWidget *label = gtk_widget_get_last_child(row_of(window, "layers"));
    UI_UNTIL(strstr(gtk_label_get_text(GTK_LABEL(label)), " parameters, ") &&
             session->state == NS_TRAINER_READY);
    g_autofree char *before = g_strdup(gtk_label_get_text(GTK_LABEL(label)));
    g_assert_cmpint(session->state, ==, NS_TRAINER_READY);

    g_assert_true(ns_session_set(session, "layers", "400"));
    UI_UNTIL(g_str_has_prefix(gtk_label_get_text(GTK_LABEL(label)), "With the changes: "));
    NsPlan plan;
    UI_UNTIL(!g_str_has_prefix(gtk_label_get_text(GTK_LABEL(label)), "With the changes: ") &&
             g_strcmp0(gtk_label_get_text(GTK_LABEL(label)), before) != 0 &&
             ns_session_plan(session, &plan));
    g_autofree char *start = g_strdup_printf("%.3gM parameters, ", (double)plan.parameters / 1e6);
    g_assert_true(g_str_has_prefix(gtk_label_get_text(GTK_LABEL(label)), start));
    ui_close(window);
}

static void test_placement_leaves_previous_run(void)
{
    NsWindow *window = ui_open_running("");
    NsSession *session = window->session;
    g_autoptr(NsHistory) old = ns_history_ref(session->view->history);
    ui_toggle(window, "Pre-LN");
    ns_session_restart(session);
    wait_for_new_history(window, old);
    const NsView *view = session->view;
    g_assert_true(view->previous.history == old);
    g_assert_cmpstr(ns_placement_choice(view->previous.settings.placement)->key, ==, "post");
    g_assert_cmpstr(ns_placement_choice(view->now.lane[0].placement)->key, ==, "pre");
    /* It was running, and so the new one runs on by itself. */
    g_assert_true(session->wants_run);
    UI_WAIT(window, ui_has_stepped);
    ui_close(window);
}

/* A run is told by what it started with, not by what was changed before it was left. */
static void test_previous_of_changed_run(void)
{
    NsWindow *window = ui_open_running("");
    NsSession *session = window->session;
    g_autoptr(NsHistory) old = ns_history_ref(session->view->history);
    ns_session_set(session, "warmup", "100");
    UI_UNTIL(ns_history_events(old) > 0);
    ui_click(window, "reset_button");
    wait_for_new_history(window, old);
    const NsView *view = session->view;
    g_assert_true(view->previous.history == old);
    g_assert_cmpint(view->previous.settings.warmup, ==, 1);
    g_assert_cmpint(view->started.lane[0].warmup, ==, 100);
    ui_close(window);
}

static void test_restart_without_step_leaves_no_previous_run(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    const NsHistory *old = session->view->history;
    ui_toggle(window, "Pre-LN");
    wait_for_new_history(window, old);
    g_assert_null(session->view->previous.history);
    g_assert_false(session->wants_run);
    ui_close(window);
}

static void test_change_and_back_restarts_nothing(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    const NsHistory *old = session->view->history;
    ui_toggle(window, "Pre-LN");
    ui_toggle(window, "Post-LN");
    ui_rest(window);
    g_assert_true(session->view->history == old);
    ui_close(window);
}

static void test_layers_slider(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    const NsHistory *old = session->view->history;
    GtkWidget *scale = ui_first(row_of(window, "layers"), GTK_TYPE_SCALE);
    /* Dragged: only where it comes to rest a run begins.  A third of the way to 1000 is 10. */
    for (int i = 0; i <= 10; i++) gtk_range_set_value(GTK_RANGE(scale), i / 30.0);
    g_assert_cmpint(ns_session_settings(session)->layers, ==, 10);
    GtkWidget *entry = ui_first(row_of(window, "layers"), GTK_TYPE_ENTRY);
    g_assert_cmpstr(gtk_editable_get_text(GTK_EDITABLE(entry)), ==, "10");
    wait_for_new_history(window, old);
    g_assert_cmpuint(ns_history_layout(session->view->history)->layers, ==, 10);
    /* The entry may go further than the slider. */
    ui_type(window, "layers", "1001");
    g_assert_cmpint(ns_session_settings(session)->layers, ==, 1001);
    g_assert_cmpfloat_with_epsilon(gtk_range_get_value(GTK_RANGE(scale)), 1.0, 1e-9);
    ui_type(window, "layers", "3");
    ui_close(window);
}

static void test_live_change(void)
{
    NsWindow *window = ui_open_running("");
    NsSession *session = window->session;
    const NsHistory *history = session->view->history;
    g_assert_cmpuint(ns_history_events(history), ==, 0);
    ui_type(window, "lr", "1e-4");
    UI_UNTIL(ns_history_events(history) > 0);
    int64_t at = ns_session_steps(session);
    UI_UNTIL(ns_session_steps(session) >= at + 3);
    g_assert_true(session->view->history == history);
    const NsEvent *event = ns_history_event(history, 0);
    g_assert_cmpint(event->kind, ==, NS_EVENT_SETTING);
    g_assert_cmpstr(event->what, ==, "lr");
    const NsStep *last = ns_history_step(history, ns_history_steps(history) - 1);
    g_assert_cmpfloat(last->lr, <=, 1e-4);
    ui_close(window);
}

/* What was typed before Run acts from the first step, however soon after it Run is pressed: the
 * second change comes while live settings rest, the third would begin another run in a moment. */
static void test_typed_just_before_run(void)
{
    NsWindow *window = ui_open("schedule=constant lr=0.01 warmup=1");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ui_type(window, "lr", "0.02");
    ui_type(window, "warmup", "100");
    ns_session_step(session, 2);
    UI_UNTIL(ns_session_steps(session) == 2);
    const NsHistory *history = session->view->history;
    g_assert_cmpuint(ns_history_events(history), ==, 0);
    g_assert_cmpfloat_with_epsilon(ns_history_step(history, 1)->lr, 0.0002, 1e-12);
    ns_session_reset(session);
    UI_WAIT(window, ui_is_ready);
    ui_type(window, "layers", "3");
    ns_session_step(session, 2);
    UI_UNTIL(session->view->now.lane[0].layers == 3 && session->state == NS_TRAINER_PAUSED &&
             ns_session_steps(session) == 2);
    ui_close(window);
}

static void test_dragged_live_change_arrives(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ui_click(window, "run_button");
    UI_WAIT(window, ui_has_stepped);
    /* A rate that jumps with the warm-up may make the loss jump, and a run at rest feels no change.
     */
    ns_session_set_pause_on_trouble(session, false);
    GtkWidget *scale = ui_first(row_of(window, "warmup"), GTK_TYPE_SCALE);
    gint64 begin = g_get_monotonic_time();
    for (int i = 1; i <= 20; i++) {
        gtk_range_set_value(GTK_RANGE(scale), i / 40.0);
        ui_settle(scale);
    }
    gint64 sent = 1 + (g_get_monotonic_time() - begin) / 1000 / NS_SESSION_SETTLE_MS;
    UI_UNTIL(session->view->now.lane[0].warmup == 100);
    const NsHistory *history = session->view->history;
    g_assert_cmpuint(ns_history_events(history), >=, 1);
    g_assert_cmpint((gint64)ns_history_events(history), <=, sent + 1);
    g_assert_cmpint(session->view->now.lane[0].warmup, ==, 100);
    ui_close(window);
}

static void test_refused_value(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    const NsHistory *old = session->view->history;
    ui_type(window, "layers", "many");
    g_assert_true(ui_has_banner(window));
    /* Below the charts, of which it covers nothing. */
    graphene_rect_t charts, banner;
    ui_rest(window);
    g_assert_true(
        gtk_widget_compute_bounds(GTK_WIDGET(window->pages), GTK_WIDGET(window), &charts));
    g_assert_true(gtk_widget_compute_bounds(window->banner, GTK_WIDGET(window), &banner));
    g_assert_cmpfloat(banner.size.height, >, 20);
    g_assert_cmpfloat(charts.origin.y + charts.size.height, <=, banner.origin.y);
    g_assert_true(gtk_widget_has_css_class(row_of(window, "layers"), "refused"));
    g_assert_cmpint(ns_session_settings(session)->layers, ==, 2);
    /* Values that do not go together: the run that is there stays, and can still be used. */
    ui_type(window, "heads", "5");
    g_assert_false(gtk_widget_has_css_class(row_of(window, "layers"), "refused"));
    g_assert_true(gtk_widget_has_css_class(row_of(window, "heads"), "refused"));
    g_assert_true(ui_has_banner(window));
    ui_rest(window);
    g_assert_true(session->view->history == old);
    ui_click(window, "step_button");
    UI_WAIT(window, ui_has_stepped);
    ui_type(window, "heads", "4");
    g_assert_false(ui_has_banner(window));
    g_assert_false(gtk_widget_has_css_class(row_of(window, "heads"), "refused"));
    ns_session_restart(session);
    wait_for_new_history(window, old);
    ui_close(window);
}

/* Escape, and leaving an entry that is empty. */
static void test_taken_back(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    GtkWidget *entry = ui_first(row_of(window, "layers"), GTK_TYPE_ENTRY);
    GtkEditable *text = GTK_EDITABLE(entry);
    UI_WAIT(window, ui_is_ready);
    gtk_widget_grab_focus(entry);
    ui_type(window, "layers", "many");
    g_assert_true(ui_has_banner(window));
    g_assert_false(ui_key(entry, GDK_KEY_a, 0));
    g_assert_true(ui_key(entry, GDK_KEY_Escape, 0));
    g_assert_cmpstr(gtk_editable_get_text(text), ==, "2");
    g_assert_false(ui_has_banner(window));
    g_assert_false(gtk_widget_has_css_class(row_of(window, "layers"), "refused"));
    g_assert_false(session->undo->len > 0);
    g_assert_null(gtk_window_get_focus(GTK_WINDOW(window)));
    gtk_widget_grab_focus(entry);
    gtk_editable_set_text(text, "");
    gtk_window_set_focus(GTK_WINDOW(window), NULL);
    UI_UNTIL(g_str_equal(gtk_editable_get_text(text), "2"));
    g_assert_false(ui_has_banner(window));
    ui_close(window);
}

/* Enter ends typing: Space then runs; but what was refused stays under the hand. */
static void test_entered(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    GtkWidget *entry = ui_first(row_of(window, "layers"), GTK_TYPE_ENTRY);
    UI_WAIT(window, ui_is_ready);
    gtk_widget_grab_focus(entry);
    ui_type(window, "layers", "many");
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window));
    g_assert_true(focus && gtk_widget_is_ancestor(focus, entry));
    g_assert_false(ui_press(window, GDK_KEY_space));
    ui_type(window, "layers", "3");
    g_assert_null(gtk_window_get_focus(GTK_WINDOW(window)));
    UI_WAIT(window, ui_is_ready);
    g_assert_true(ui_press(window, GDK_KEY_space));
    g_assert_true(session->wants_run);
    UI_WAIT(window, ui_has_stepped);
    g_assert_cmpint(ns_session_settings(session)->layers, ==, 3);
    ui_close(window);
}

static void test_spin_buttons(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    GtkWidget *entry = ui_first(row_of(window, "d-model"), GTK_TYPE_ENTRY);
    GtkWidget *less = gtk_widget_get_next_sibling(entry);
    GtkWidget *more = gtk_widget_get_next_sibling(less);
    g_signal_emit_by_name(more, "clicked");
    g_assert_cmpint(ns_session_settings(session)->d_model, ==, 32);
    g_signal_emit_by_name(less, "clicked");
    g_signal_emit_by_name(less, "clicked");
    g_assert_cmpint(ns_session_settings(session)->d_model, ==, 8);
    ui_type(window, "d-model", "100");
    g_signal_emit_by_name(less, "clicked");
    g_assert_cmpint(ns_session_settings(session)->d_model, ==, 64);
    ui_close(window);
}

static void test_seed(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    GtkWidget *entry = ui_first(row_of(window, "seed"), GTK_TYPE_ENTRY);
    int64_t before = ns_session_settings(session)->seed;
    g_signal_emit_by_name(gtk_widget_get_next_sibling(entry), "clicked");
    g_assert_cmpint(ns_session_settings(session)->seed, !=, before);
    g_autofree char *text = g_strdup_printf("%d", (int)ns_session_settings(session)->seed);
    g_assert_cmpstr(gtk_editable_get_text(GTK_EDITABLE(entry)), ==, text);
    ns_session_set_defaults(session);
    g_assert_cmpstr(gtk_editable_get_text(GTK_EDITABLE(entry)), ==, "1");
    /* All lanes are as a window begins. */
    g_auto(NsExperiment) first;
    ns_session_first_experiment(&first);
    g_assert_cmpuint(session->experiment.n, ==, 2);
    for (size_t lane = 0; lane < 2; lane++)
        for (size_t i = 0; ns_param(i); i++)
            g_assert_true(
                ns_settings_same(&session->experiment.lane[lane], &first.lane[lane], ns_param(i)));
    ui_close(window);
}

/* A value that is no amount is a word, which can be typed, too. */
static void test_words(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    GtkEditable *entry = GTK_EDITABLE(ui_first(row_of(window, "warmup"), GTK_TYPE_ENTRY));
    g_assert_cmpstr(gtk_editable_get_text(entry), ==, "off");
    ui_type(window, "warmup", "100");
    g_assert_cmpint(ns_session_settings(session)->warmup, ==, 100);
    g_assert_cmpstr(gtk_editable_get_text(entry), ==, "100");
    ui_type(window, "warmup", "off");
    g_assert_cmpint(ns_session_settings(session)->warmup, ==, 1);
    g_assert_null(session->problem);
    ui_type(window, "warmup", "50");
    ui_type(window, "warmup", "0");
    g_assert_cmpstr(gtk_editable_get_text(entry), ==, "off");
    static const char *const keys[] = {"dropout", "drop-path",    "label-smoothing", "z-loss",
                                       "clip",    "weight-decay", "momentum"};
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        entry = GTK_EDITABLE(ui_first(row_of(window, keys[i]), GTK_TYPE_ENTRY));
        g_assert_cmpstr(gtk_editable_get_text(entry), ==, "off");
        ui_type(window, keys[i], "0.25");
        g_assert_cmpstr(gtk_editable_get_text(entry), ==, "0.25");
        ui_type(window, keys[i], i % 2 ? "0" : "off");
        g_assert_cmpstr(gtk_editable_get_text(entry), ==, "off");
        g_assert_true(ns_settings_is_default(ns_session_settings(session), ns_param_find(keys[i])));
    }
    ui_close(window);
}

/* Each further lane has another placement; the buttons stay where they are. */
static void test_next_lanes(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    for (size_t n = 2; n <= NS_LANES_MAX; n++) {
        ns_session_add_lane(session);
        g_assert_cmpuint(session->experiment.n, ==, n);
        g_assert_cmpuint(session->active, ==, n - 1);
        g_autofree char *added =
            ns_settings_get(&session->experiment.lane[n - 1], ns_param_find("placement"));
        g_assert_cmpstr(added, !=, "none");
        for (size_t i = 0; i + 1 < n; i++)
            g_assert_cmpint(session->experiment.lane[i].placement, !=,
                            session->experiment.lane[n - 1].placement);
    }
    GtkWidget *remove = ui_find_tip(window->settings_pane, "Remove lane");
    GtkWidget *add = gtk_widget_get_next_sibling(remove);
    g_assert_true(gtk_widget_get_visible(add) && !gtk_widget_get_sensitive(add));
    g_assert_cmpstr(gtk_widget_get_tooltip_text(add), ==, "There are at most four lanes");
    ui_close(window);
}

static void test_text_file(void)
{
    g_autofree char *path = NULL;
    g_autoptr(GError) error = NULL;
    int file = g_file_open_tmp("normscope-XXXXXX.txt", &path, &error);
    g_assert_no_error(error);
    g_close(file, NULL);
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ui_click(window, "step_button");
    UI_WAIT(window, ui_has_stepped);
    const NsHistory *old = session->view->history;

    g_assert_true(g_file_set_contents(path, "bad \xff\xfe bytes", -1, NULL));
    ns_session_set(session, "text", path);
    ns_session_restart(session);
    UI_WAIT(window, ui_is_failed);
    UI_WAIT(window, ui_has_banner);
    g_assert_false(gtk_widget_is_sensitive(ui_find(window, "run_button")));
    /* What was measured before is still to be seen. */
    g_assert_true(session->view->history == old);

    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 0; i < 200; i++) g_string_append(text, "to be or not to be, that is it. ");
    g_assert_true(g_file_set_contents(path, text->str, -1, NULL));
    ns_session_set(session, "text", path);
    UI_WAIT(window, ui_is_ready);
    UI_UNTIL(!ui_has_banner(window));
    g_assert_true(session->view->previous.history == old);

    g_assert_true(g_unlink(path) == 0);
    ns_session_set(session, "seed", "2");
    UI_WAIT(window, ui_is_failed);
    ns_session_set_default(session, ns_param_find("text"));
    UI_WAIT(window, ui_is_ready);
    g_assert_cmpstr(ns_session_settings(session)->text, ==, "");
    ui_close(window);
}

static bool is_shown(NsWindow *window, const char *key)
{
    return gtk_widget_get_visible(row_of(window, key));
}

/* A group without a row has no heading. */
static bool is_group_shown(NsWindow *window, const char *key)
{
    return gtk_widget_get_visible(gtk_widget_get_parent(row_of(window, key)));
}

/* Control+F leads to the search, also from a pane that is folded away; so does “More settings”.
 * The search stays where it is while rows are hidden. */
static void test_search_key(void)
{
    NsWindow *window = ui_open("");
    GActionGroup *actions = G_ACTION_GROUP(window);
    UI_WAIT(window, ui_is_ready);
    g_action_group_change_action_state(actions, "pane", g_variant_new_boolean(FALSE));
    g_action_group_activate_action(actions, "search-settings", NULL);
    GtkWidget *search = row_of(window, NS_SEARCH_SETTINGS);
    GtkExpander *more = GTK_EXPANDER(row_of(window, NS_MORE_SETTINGS));
    g_assert_true(gtk_expander_get_expanded(more));
    GtkWidget *focus = gtk_root_get_focus(GTK_ROOT(window));
    g_assert_true(focus && gtk_widget_is_ancestor(focus, search));
    for (int i = 0; i < 2; i++) {
        g_assert_true(gtk_widget_activate(GTK_WIDGET(more)));
        g_assert_true(gtk_expander_get_expanded(more) == (i > 0));
        if (!i) gtk_widget_grab_focus(ui_find(window, "run_button"));
    }
    focus = gtk_root_get_focus(GTK_ROOT(window));
    g_assert_true(focus && gtk_widget_is_ancestor(focus, search));
    ui_settle(GTK_WIDGET(window));
    int height = gtk_widget_get_height(gtk_expander_get_child(more));
    gtk_editable_set_text(GTK_EDITABLE(search), "adam BETA");
    UI_UNTIL(!is_shown(window, "d-model"));
    ui_settle(GTK_WIDGET(window));
    g_assert_cmpint(gtk_widget_get_height(gtk_expander_get_child(more)), ==, height);
    gtk_editable_set_text(GTK_EDITABLE(search), "");
    UI_UNTIL(is_shown(window, "d-model"));
    ui_close(window);
}

/* The settings beyond the first four can be searched, and show those of the chosen task. */
static void test_more_settings(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    GtkExpander *more = GTK_EXPANDER(row_of(window, NS_MORE_SETTINGS));
    g_assert_false(gtk_expander_get_expanded(more));
    /* Everything above fits without scrolling. */
    graphene_rect_t place;
    GtkWidget *rows = gtk_widget_get_ancestor(GTK_WIDGET(more), GTK_TYPE_SCROLLED_WINDOW);
    UI_UNTIL(gtk_widget_compute_bounds(GTK_WIDGET(more), rows, &place) && place.size.height > 0);
    g_assert_cmpfloat(place.origin.y + place.size.height, <=, gtk_widget_get_height(rows));
    gtk_expander_set_expanded(more, TRUE);
    /* What was unfolded takes the place of what was above. */
    UI_UNTIL(gtk_widget_compute_bounds(GTK_WIDGET(more), rows, &place) && place.origin.y < 20);
    g_assert_true(is_shown(window, "beta2") && is_shown(window, "d-model"));
    g_assert_false(is_shown(window, "source") || is_shown(window, "next-sentence") ||
                   is_shown(window, "decoder-layers") || is_shown(window, "tokenizer"));
    ns_session_set(session, "task", "translation");
    g_assert_true(is_shown(window, "source") && is_shown(window, "tokenizer"));
    g_assert_false(is_shown(window, "next-sentence"));
    /* A decay needs a schedule that has one, and a base depth a placement that scales by it. */
    static const struct {
        const char *schedule;
        bool starts, ends;
    } decays[] = {{"constant", false, false},
                  {"inverse-sqrt", true, false},
                  {"cosine", true, true},
                  {"step", false, true}};
    for (size_t i = 0; i < G_N_ELEMENTS(decays); i++) {
        ns_session_set(session, "schedule", decays[i].schedule);
        g_assert_true(is_shown(window, "decay-start") == decays[i].starts);
        g_assert_true(is_shown(window, "decay-steps") == decays[i].ends);
    }
    g_assert_false(is_shown(window, "base-layers"));
    ns_session_set(session, "placement", "completep");
    g_assert_true(is_shown(window, "base-layers"));
    ns_session_set(session, "mixture", "post*1,pre*1");
    g_assert_false(is_shown(window, "base-layers"));
    ns_session_set(session, "mixture", "post*1,depth-mup*1");
    g_assert_true(is_shown(window, "base-layers"));
    /* The groups, in order. */
    static const char *const groups[] = {"Architecture", "Norm", "Regularization", "Optimizer",
                                         "Schedule",     "Data", "Measurement",    "Run and seeds"};
    /* Above them are the entry of the search and what that says. */
    GtkWidget *group = gtk_widget_get_first_child(gtk_expander_get_child(more));
    for (int i = 0; i < 2; i++) group = gtk_widget_get_next_sibling(group);
    for (size_t i = 0; i < G_N_ELEMENTS(groups); i++, group = gtk_widget_get_next_sibling(group)) {
        GtkWidget *heading = gtk_widget_get_first_child(group);
        g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(heading)), ==, groups[i]);
    }
    g_assert_null(group);

    GtkWidget *search = ui_first(gtk_expander_get_child(more), GTK_TYPE_SEARCH_ENTRY);
    gtk_editable_set_text(GTK_EDITABLE(search), "adam BETA");
    UI_UNTIL(!is_shown(window, "d-model"));
    g_assert_true(is_shown(window, "beta1") && is_shown(window, "beta2"));
    g_assert_false(is_shown(window, "eps") || is_shown(window, "source"));
    g_assert_true(is_group_shown(window, "beta1"));
    g_assert_false(is_group_shown(window, "source"));
    g_assert_true(is_shown(window, "placement") && is_shown(window, "lr"));
    g_signal_emit_by_name(search, "stop-search"); /* Escape */
    g_assert_cmpstr(gtk_editable_get_text(GTK_EDITABLE(search)), ==, "");
    UI_UNTIL(is_shown(window, "d-model") && is_group_shown(window, "source"));
    /* The name of a group counts only if no setting has the words in its own. */
    gtk_editable_set_text(GTK_EDITABLE(search), "seed");
    UI_UNTIL(!is_shown(window, "d-model"));
    g_assert_true(is_shown(window, "seed") && is_shown(window, "seeds"));
    g_assert_false(is_shown(window, "threads"));
    gtk_editable_set_text(GTK_EDITABLE(search), "regular");
    UI_UNTIL(!is_shown(window, "seed"));
    g_assert_true(is_shown(window, "dropout"));
    gtk_editable_set_text(GTK_EDITABLE(search), "");
    UI_UNTIL(is_shown(window, "d-model"));
    /* The entry shows that nothing matches. */
    gtk_editable_set_text(GTK_EDITABLE(search), "no such setting");
    UI_UNTIL(gtk_widget_has_css_class(search, "error"));
    GtkWidget *note = gtk_widget_get_next_sibling(search);
    g_assert_true(gtk_widget_get_visible(note));
    /* A setting that is always shown is not denied. */
    gtk_editable_set_text(GTK_EDITABLE(search), "warmup");
    UI_UNTIL(g_str_equal(gtk_label_get_text(GTK_LABEL(note)), "Warm-up is further up."));
    g_assert_false(gtk_widget_has_css_class(search, "error"));
    gtk_editable_set_text(GTK_EDITABLE(search), "nothing of the kind");
    UI_UNTIL(gtk_widget_has_css_class(search, "error"));
    gtk_editable_set_text(GTK_EDITABLE(search), "");
    UI_UNTIL(!gtk_widget_has_css_class(search, "error"));

    /* A setting that was changed is not hidden by another task. */
    ns_session_set(session, "bleu-sentences", "7");
    ns_session_set(session, "task", "copy");
    g_assert_true(is_shown(window, "bleu-sentences"));
    g_assert_false(is_shown(window, "source"));
    ui_close(window);
}

void ui_add_settings_tests(void)
{
    g_test_add_func("/ui/settings/more", test_more_settings);
    g_test_add_func("/ui/settings/size", test_size);
    g_test_add_func("/ui/settings/every-row", test_every_setting_has_a_row);
    g_test_add_func("/ui/settings/switch", test_switch);
    g_test_add_func("/ui/settings/placement-previous", test_placement_leaves_previous_run);
    g_test_add_func("/ui/settings/changed-previous", test_previous_of_changed_run);
    g_test_add_func("/ui/settings/no-previous", test_restart_without_step_leaves_no_previous_run);
    g_test_add_func("/ui/settings/change-and-back", test_change_and_back_restarts_nothing);
    g_test_add_func("/ui/settings/layers-slider", test_layers_slider);
    g_test_add_func("/ui/settings/live", test_live_change);
    g_test_add_func("/ui/settings/typed-before-run", test_typed_just_before_run);
    g_test_add_func("/ui/settings/live-dragged", test_dragged_live_change_arrives);
    g_test_add_func("/ui/settings/refused", test_refused_value);
    g_test_add_func("/ui/settings/taken-back", test_taken_back);
    g_test_add_func("/ui/settings/entered", test_entered);
    g_test_add_func("/ui/settings/less-and-more", test_spin_buttons);
    g_test_add_func("/ui/settings/seed", test_seed);
    g_test_add_func("/ui/settings/words", test_words);
    g_test_add_func("/ui/settings/next-lanes", test_next_lanes);
    g_test_add_func("/ui/settings/search-key", test_search_key);
    g_test_add_func("/ui/settings/text-file", test_text_file);
}
