/* The right pane, and panes that fold.  SPDX-License-Identifier: MIT */
#include "tests/ui/driver.h"
#include "ui/plot/text.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/shell/remember.h"

#include <math.h>

static GtkWidget *part(NsWindow *window, GType type)
{
    return ui_first(GTK_WIDGET(window->inspector), type);
}

/* A line for every row of the table, with tabs between its cells. */
static void add_cells(GString *text, GtkWidget *root)
{
    if (!gtk_widget_get_visible(root)) return;
    if (GTK_IS_LABEL(root))
        g_string_append_printf(text, "%s%s", gtk_widget_has_css_class(root, "name") ? "\n" : "\t",
                               gtk_label_get_text(GTK_LABEL(root)));
    for (GtkWidget *child = gtk_widget_get_first_child(root); child;
         child = gtk_widget_get_next_sibling(child))
        add_cells(text, child);
}

static bool says(NsWindow *window, const char *words)
{
    g_autoptr(GString) text = g_string_new(NULL);
    add_cells(text, part(window, GTK_TYPE_GRID));
    g_string_append_c(text, '\n');
    return strstr(text->str, words) != NULL;
}

static GtkWidget *label_of(GtkWidget *root, const char *words)
{
    if (GTK_IS_LABEL(root) && g_str_equal(gtk_label_get_text(GTK_LABEL(root)), words)) return root;
    GtkWidget *found = NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(root); child && !found;
         child = gtk_widget_get_next_sibling(child))
        found = label_of(child, words);
    return found;
}

static void test_step(void)
{
    NsWindow *window = ui_open_paused();
    UI_UNTIL(says(window, "Step 40\n"));
    g_assert_true(says(window, "Loss\t"));
    g_assert_true(says(window, "Learning rate\t"));
    ns_session_show_step(window->session, 7);
    UI_UNTIL(says(window, "Step 7\n"));
    double loss = ns_history_step(window->session->view->history, 7)->loss;
    g_autofree char *wanted = g_strdup_printf("Loss\t%#.4g\n", loss);
    g_assert_true(says(window, wanted));
    ns_session_show_step(window->session, 0);
    UI_UNTIL(says(window, "Step 0\n"));
    g_assert_false(says(window, "Learning rate\t")); /* there was no update */
    ui_close(window);
}

/* Of several seeds the table has the mean, as the curves have, and says so. */
static void test_seeds(void)
{
    NsWindow *window = ui_open("seeds=3");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_step(session, 5);
    UI_UNTIL(ns_session_steps(session) == 5 && ui_is_paused(window));
    UI_UNTIL(says(window, "Step 5\nmean ± s.d. of 3 seeds\n"));
    NsHistory *history = session->view->histories[0];
    double sum = 0, squares = 0, loss[3];
    for (size_t k = 0; k < 3; k++) {
        loss[k] = ns_history_step(ns_history_seed(history, k), 5)->loss;
        sum += loss[k];
    }
    for (size_t k = 0; k < 3; k++) squares += pow(loss[k] - sum / 3, 2);
    g_autofree char *wanted =
        g_strdup_printf("Loss\t%#.4g\n± s.d.\t%#.2g\n", sum / 3, sqrt(squares / 2));
    UI_UNTIL(says(window, wanted));
    /* What has no mean says which seed it is of. */
    g_assert_true(ui_chart(window, HEATMAP)->compact);
    g_assert_cmpstr(ui_chart(window, HEATMAP)->shown.subtitle, ==, "seed 1 of 3");
    ns_page_stack_show(window->pages, "diagram");
    UI_UNTIL(label_of(GTK_WIDGET(window->pages), "Layer 2 of 2, seed 1 of 3"));
    ui_close(window);
}

static void test_crosshair(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open_paused();
    g_assert_false(says(window, "layer 3"));
    ns_chart_view_point_at(ui_chart(window, GRADIENT), 3, NAN);
    g_signal_emit_by_name(ns_window_page(window), "pointed", ui_tile(window, GRADIENT));
    UI_UNTIL(says(window, "layer 3"));
    /* The same words as the tip of the chart. */
    const NsReading *reading = ns_chart_view_reading(ui_chart(window, GRADIENT));
    g_assert_nonnull(reading);
    g_assert_true(g_str_has_prefix(reading->text, "layer 3"));
    ui_point(ui_chart(window, LOSS), ui_inside(ui_chart(window, LOSS), 0.5, 0.5));
    UI_UNTIL(says(window, "Loss\nstep "));
    /* A title has both columns; above it a row has the same name. */
    GtkWidget *title = label_of(GTK_WIDGET(window->inspector), "Loss");
    do title = gtk_widget_get_next_sibling(title);
    while (!g_str_equal(gtk_label_get_text(GTK_LABEL(title)), "Loss"));
    UI_UNTIL(gtk_widget_get_width(title) == gtk_widget_get_width(gtk_widget_get_parent(title)));
    ui_close(window);
}

static void test_ratio(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_set_lanes(session, 4);
    ns_session_set_lane(session, 1, "placement", "pre");
    UI_UNTIL(session->view->started.n == 4 && session->state == NS_TRAINER_READY);
    ns_session_step(session, 5);
    UI_UNTIL(ns_session_steps(session) == 5 && session->state == NS_TRAINER_PAUSED);
    UI_WAIT(window, ui_is_drawn);
    UI_UNTIL(says(window, "Step 5\tA\tB\tC\tD\n"));
    ns_chart_view_point_at(ui_chart(window, GRADIENT), 1, NAN);
    g_signal_emit_by_name(ns_window_page(window), "pointed", ui_tile(window, GRADIENT));
    UI_UNTIL(says(window, "B / A\t"));
    float values[4][2];
    for (unsigned i = 0; i < 4; i++) {
        NsHistory *history = session->view->histories[i];
        ns_history_read(history, session->view->gradient, 5, values[i], NULL, NULL);
    }
    for (unsigned i = 1; i < 4; i++) {
        g_autofree char *wanted = g_strdup_printf("%s / A\t%.4g", ns_lane_letter(i),
                                                  (double)values[i][0] / (double)values[0][0]);
        UI_UNTIL(says(window, wanted)); /* thumbnails are drawn a few times a second */
    }
    /* A lane that is hidden in the chart has none. */
    NsChartView *chart = ui_chart(window, GRADIENT);
    for (size_t i = 0; i < chart->plot->n_series; i++)
        if (chart->plot->series[i].style == 2)
            ns_view_state_hide(&chart->view_state, ns_series_name(&chart->plot->series[i]), true);
    ns_chart_view_state_changed(chart);
    UI_UNTIL(!says(window, "\nC / A\t") && says(window, "\nD / A\t"));
    ui_close(window);
}

static void test_plain_text(void)
{
    static const struct {
        const char *marked, *plain;
    } table[] = {{"1.2×10^{−5}", "1.2×10⁻⁵"},
                 {"2^{10} of 3^{4}", "2¹⁰ of 3⁴"},
                 {"x^{a}", "x^a"},
                 {"(2/3)^{(L−l)/2}: 1", "(2/3)^((L−l)/2): 1"},
                 {"W_2: 4", "W2: 4"},
                 {"open ^{3", "open ^3"}};
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        g_autofree char *plain = ns_text_label(table[i].marked);
        g_assert_cmpstr(plain, ==, table[i].plain);
    }
}

static void test_pins(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open_paused();
    NsChartView *chart = ui_chart(window, LOSS);
    ui_click_at(chart, ui_inside(chart, 0.5, 0.5), 0);
    g_assert_cmpuint(ui_view_state(window, LOSS)->n_pins, ==, 1);
    GtkWidget *inspector = GTK_WIDGET(window->inspector);
    GtkWidget *remove = ui_find_tip(inspector, "Remove pin 1");
    g_assert_nonnull(remove);
    const char *text = gtk_label_get_text(GTK_LABEL(gtk_widget_get_prev_sibling(remove)));
    g_assert_true(g_str_has_prefix(text, "1  Loss, step "));
    g_signal_emit_by_name(remove, "clicked");
    g_assert_cmpuint(ui_view_state(window, LOSS)->n_pins, ==, 0);
    g_assert_null(ui_find_tip(inspector, "Remove pin 1"));
    ui_close(window);
}

static void test_events(void)
{
    NsWindow *window = ui_open_paused();
    NsSession *session = window->session;
    GtkListBox *events = GTK_LIST_BOX(part(window, GTK_TYPE_LIST_BOX));
    g_assert_null(gtk_list_box_get_row_at_index(events, 0));
    ns_session_set(session, "lr", "0.001");
    ns_session_step(session, 3);
    UI_UNTIL(ns_session_steps(session) == 43 && gtk_list_box_get_row_at_index(events, 0));
    ns_session_show_step(session, 5);
    g_signal_emit_by_name(events, "row-activated", gtk_list_box_get_row_at_index(events, 0));
    g_assert_cmpint(ns_session_shown_step(session), >=, 40);
    g_assert_cmpint(ns_session_shown_step(session), <=, 41);
    ui_close(window);
}

/* The row of a run; NULL past the last. */
static GtkWidget *row_at(GtkWidget *tree, int i)
{
    GtkWidget *row = gtk_widget_get_first_child(tree);
    while (row && i-- > 0) row = gtk_widget_get_next_sibling(row);
    return row;
}

static bool has_two_runs(NsWindow *window)
{
    size_t n = 0;
    ns_session_runs(window->session, &n);
    return n == 2 && row_at(window->inspector->runs, 1);
}

static const char *facts_of(GtkWidget *tree)
{
    GtkWidget *words = gtk_widget_get_first_child(row_at(tree, 0));
    return gtk_label_get_text(GTK_LABEL(gtk_widget_get_last_child(words)));
}

static void test_runs(void)
{
    NsWindow *window = ui_open_paused();
    NsSession *session = window->session;
    GtkWidget *tree = window->inspector->runs;
    g_assert_nonnull(row_at(tree, 0));
    g_assert_null(ui_first(row_at(tree, 0), GTK_TYPE_TOGGLE_BUTTON));
    UI_UNTIL(g_str_has_prefix(facts_of(tree), "now at step 40, loss "));
    ns_session_set(session, "layers", "3");
    g_assert_cmpuint(ns_session_pending(session), ==, 1);
    ns_session_restart(session);
    UI_WAIT(window, has_two_runs);
    size_t n = 0;
    /* Another run is a row more, and changes none of the others but the one before it. */
    GtkWidget *first = row_at(tree, 0);
    ns_session_step(session, 1);
    UI_UNTIL(ns_session_steps(session) == 1);
    ns_session_restart(session);
    UI_UNTIL(row_at(tree, 2));
    g_assert_true(row_at(tree, 0) == first);
    GtkWidget *pin = ui_first(row_at(tree, 0), GTK_TYPE_TOGGLE_BUTTON);
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(pin), TRUE);
    g_assert_true(ns_session_runs(session, &n)[0].pinned);
    ui_settle(GTK_WIDGET(window));
    g_assert_nonnull(ui_find_tip(row_at(tree, 0), "Unpin run"));
    /* It is on view again, with its settings in the controls. */
    GtkWidget *open = gtk_widget_get_last_child(row_at(tree, 0));
    g_assert_nonnull(strstr(gtk_widget_get_tooltip_text(open), "from step 40"));
    g_signal_emit_by_name(open, "clicked");
    g_assert_cmpint(ns_session_settings(session)->layers, ==, 4);
    g_assert_cmpint(ns_session_steps(session), ==, 40);
    /* Events come first: there may be many runs. */
    GtkWidget *title = label_of(GTK_WIDGET(window->inspector), "Runs");
    g_assert_true(GTK_IS_LIST_BOX(gtk_widget_get_prev_sibling(title)));
    ui_close(window);
}

static bool pane_is_shown(GtkWidget *inside)
{
    return gtk_widget_get_visible(gtk_widget_get_ancestor(inside, GTK_TYPE_SCROLLED_WINDOW));
}

static void test_folding(void)
{
    NsWindow *window = ui_open("");
    GtkWidget *left = window->settings_pane;
    GtkWidget *right = GTK_WIDGET(window->inspector);
    UI_WAIT(window, ui_is_ready);
    UI_UNTIL(gtk_widget_get_width(GTK_WIDGET(window)) >= 1200);
    g_assert_true(pane_is_shown(left) && pane_is_shown(right));
    gtk_window_set_default_size(GTK_WINDOW(window), 860, 700);
    UI_UNTIL(!pane_is_shown(right));
    g_assert_true(pane_is_shown(left));
    gtk_window_set_default_size(GTK_WINDOW(window), 660, 700);
    UI_UNTIL(!pane_is_shown(left));
    gtk_window_set_default_size(GTK_WINDOW(window), 1280, 800);
    UI_UNTIL(pane_is_shown(left) && pane_is_shown(right));
    /* What was closed by hand stays closed. */
    g_action_group_activate_action(G_ACTION_GROUP(window), "inspector", NULL);
    g_assert_false(pane_is_shown(right));
    gtk_window_set_default_size(GTK_WINDOW(window), 660, 700);
    UI_UNTIL(!pane_is_shown(left));
    gtk_window_set_default_size(GTK_WINDOW(window), 1280, 800);
    UI_UNTIL(pane_is_shown(left));
    g_assert_false(pane_is_shown(right));
    ui_close(window);
}

static bool is_there(NsWindow *window, const char *id)
{
    return gtk_widget_get_mapped(ui_find(window, id));
}

/* In a narrow window the status is shorter, and no number of it is cut. */
static void test_title(void)
{
    NsWindow *window = ui_open_paused();
    GtkLabel *status = GTK_LABEL(ui_find(window, "subtitle_label"));
    ns_session_show_step(window->session, 7);
    UI_UNTIL(strstr(gtk_label_get_text(status), "paused at step 40, loss ") &&
             strstr(gtk_label_get_text(status), "; showing step 7"));
    gtk_window_set_default_size(GTK_WINDOW(window), 700, 700);
    UI_UNTIL(!strstr(gtk_label_get_text(status), "paused"));
    UI_UNTIL(!pango_layout_is_ellipsized(gtk_label_get_layout(status)));
    g_assert_nonnull(strstr(gtk_label_get_text(status), "step 40"));
    g_assert_nonnull(strstr(gtk_widget_get_tooltip_text(GTK_WIDGET(status)), "paused at step 40"));
    gtk_window_set_default_size(GTK_WINDOW(window), 1280, 800);
    UI_UNTIL(strstr(gtk_label_get_text(status), "paused at step 40"));
    /* It takes no room from the buttons, as long as there is some for it. */
    for (int width = 1280; width > 1000; width -= 40) {
        gtk_window_set_default_size(GTK_WINDOW(window), width, 800);
        UI_UNTIL(ABS(gtk_widget_get_width(GTK_WIDGET(window)) - width) < 30);
        ui_settle(GTK_WIDGET(window));
        g_test_message("%d wide: %s", width, gtk_label_get_text(status));
        g_assert_true(is_there(window, "export_button") && is_there(window, "step_button"));
        g_assert_false(pango_layout_is_ellipsized(gtk_label_get_layout(status)));
    }
    ui_close(window);
}

/* The inspector opens when the user presses Run for the first time, and never by an event, under a
 * pointer that is elsewhere; what the user has chosen counts more, also after a restart, and the
 * window's own doing is nothing that the user chose. */
static void test_opening(void)
{
    NsWindow *window = ui_open("");
    GtkWidget *right = GTK_WIDGET(window->inspector);
    GSettings *preferences = ns_preferences();
    ns_remember_window(window);
    UI_WAIT(window, ui_is_ready);
    ns_session_step(window->session, 4);
    UI_UNTIL(ns_session_steps(window->session) == 4 && ui_is_paused(window));
    ui_rest(window);
    g_assert_false(pane_is_shown(right));
    ns_session_set(window->session, "warmup", "50");
    ns_session_step(window->session, 2);
    UI_UNTIL(ns_session_steps(window->session) == 6 && ui_is_paused(window));
    ui_rest(window);
    g_assert_false(pane_is_shown(right)); /* although there is an event */
    g_action_group_activate_action(G_ACTION_GROUP(window), "run", NULL);
    g_assert_true(pane_is_shown(right));
    ns_session_pause(window->session);
    UI_UNTIL(ui_is_paused(window));
    g_assert_null(g_settings_get_user_value(preferences, "inspector-pane"));
    /* Closed by hand, it stays closed whatever happens. */
    g_action_group_activate_action(G_ACTION_GROUP(window), "inspector", NULL);
    ns_session_set(window->session, "warmup", "1");
    g_action_group_activate_action(G_ACTION_GROUP(window), "run", NULL);
    g_assert_false(pane_is_shown(right));
    ns_session_pause(window->session);
    UI_UNTIL(ui_is_paused(window));
    ui_rest(window);
    g_assert_false(pane_is_shown(right));
    g_action_group_activate_action(G_ACTION_GROUP(window), "inspector", NULL);
    g_assert_true(g_settings_get_boolean(preferences, "inspector-pane"));
    ui_close(window);

    window = ui_open_window("");
    ns_remember_window(window);
    g_assert_true(pane_is_shown(GTK_WIDGET(window->inspector)));
    ui_close(window);

    /* Without space for it Run leaves it closed. */
    g_settings_reset(preferences, "inspector-pane");
    window = ui_open_window("");
    right = GTK_WIDGET(window->inspector);
    ns_remember_window(window);
    UI_WAIT(window, ui_is_ready);
    gtk_window_set_default_size(GTK_WINDOW(window), 860, 700);
    UI_UNTIL(ns_window_folds(window, "inspector"));
    ui_settle(GTK_WIDGET(window));
    g_action_group_activate_action(G_ACTION_GROUP(window), "run", NULL);
    UI_UNTIL(ns_session_steps(window->session) >= 2);
    ui_rest(window);
    g_assert_false(pane_is_shown(right));
    ui_close(window);
}

/* In the header bar nothing lies over anything else, and none sticks out. */
static void check_header(NsWindow *window)
{
    GtkWidget *bar =
        gtk_widget_get_ancestor(ui_find(window, "subtitle_label"), GTK_TYPE_CENTER_BOX);
    float right = 0;
    for (GtkWidget *part = gtk_widget_get_first_child(bar); part;
         part = gtk_widget_get_next_sibling(part)) {
        graphene_rect_t place;
        g_assert_true(gtk_widget_compute_bounds(part, bar, &place));
        g_test_message("from %.0f, %.0f wide", (double)place.origin.x, (double)place.size.width);
        g_assert_cmpfloat(place.origin.x, >=, right);
        right = place.origin.x + place.size.width;
    }
    g_assert_cmpfloat(right, <=, gtk_widget_get_width(bar));
}

/* At 720 pixels the charts have the window, and the pane comes for who asks. */
static void test_narrow(void)
{
    NsWindow *window = ui_open("");
    GtkWidget *left = window->settings_pane;
    UI_WAIT(window, ui_is_ready);
    /* Nothing that folds keeps it from becoming so narrow. */
    int least;
    UI_UNTIL(is_there(window, "step_button"));
    ui_settle(GTK_WIDGET(window));
    gtk_widget_measure(GTK_WIDGET(window), GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL,
                       NULL);
    g_test_message("%d pixels at least", least);
    g_assert_cmpint(least, <=, 720);
    g_assert_true(is_there(window, "export_button"));
    gtk_window_set_default_size(GTK_WINDOW(window), 720, 700);
    UI_UNTIL(!pane_is_shown(left));
    UI_UNTIL(!is_there(window, "step_button"));
    ui_settle(GTK_WIDGET(window));
    g_assert_cmpint(gtk_widget_get_width(GTK_WIDGET(window)), <=, 720);
    check_header(window);
    g_assert_true(ns_window_folds(window, "pane") && ns_window_folds(window, "inspector"));
    GtkWidget *button = ui_find(window, "pane_button");
    g_assert_false(gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(button)));
    g_signal_emit_by_name(button, "clicked");
    g_assert_true(pane_is_shown(left));
    gtk_window_set_default_size(GTK_WINDOW(window), 1280, 700);
    UI_UNTIL(is_there(window, "step_button"));
    g_assert_true(pane_is_shown(left));
    g_assert_false(ns_window_folds(window, "pane") || ns_window_folds(window, "inspector"));
    /* Nothing of the pane is cut off, however long its words are. */
    graphene_rect_t place;
    g_assert_true(gtk_widget_compute_bounds(left, GTK_WIDGET(window), &place));
    g_assert_cmpfloat(place.origin.x, >=, 0);
    ui_close(window);
}

/* Of a long text only the first sentence is shown at once. */
static void test_sentences(void)
{
    static const char *const texts[][3] = {
        {"The loss jumped to 5.2 at step 3. So it is.",
         "The loss jumped to 5.2 at step 3. So it is.", ""},
        {"The loss jumped from 2.1 to 5.2 at step 365. The first to leave its usual range was the "
         "update of W_tok and 244 other tensors at step 365: 12.4 times its median.",
         "The loss jumped from 2.1 to 5.2 at step 365.",
         "The first to leave its usual range was the update of Wtok and 244 other tensors at step "
         "365: 12.4 times its median."},
        {"损失在第 365 步从 2.1 升到 5.2。最先离开通常范围的是第 365 步的更新，涉及 244 "
         "个其他张量，"
         "是其中位数的 12.4 倍，随后是损失。",
         "损失在第 365 步从 2.1 升到 5.2。",
         "最先离开通常范围的是第 365 步的更新，涉及 244 个其他张量，是其中位数的 12.4 "
         "倍，随后是损失。"},
    };
    GtkWidget *first = g_object_ref_sink(ns_text_label_new(NULL, NULL));
    GtkWidget *others = g_object_ref_sink(ns_details_new());
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        ns_sentences_set(first, others, texts[i][0]);
        GtkWidget *label = gtk_expander_get_child(GTK_EXPANDER(others));
        g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(first)), ==, texts[i][1]);
        g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(label)), ==, texts[i][2]);
        g_assert_true(gtk_widget_get_visible(others) == (*texts[i][2] != '\0'));
        g_assert_false(gtk_expander_get_expanded(GTK_EXPANDER(others)));
    }
    g_object_unref(first);
    g_object_unref(others);
}

typedef struct {
    unsigned n, same;
} Reports;

static void on_progressed(NsWindow *window, Reports *reports)
{
    const char *title = gtk_label_get_text(GTK_LABEL(window->subtitle_label));
    const char *facts = gtk_label_get_text(GTK_LABEL(window->inspector->facts));
    const char *at = strstr(title, "at step "), *now = strstr(facts, "now at step ");
    if (!at || !now) return;
    reports->n++;
    reports->same += atoi(at + 8) == atoi(now + 12);
}

/* While a run trains, the title and the inspector tell of the same step; a step may end between
 * them, though seldom. */
static void test_one_step(void)
{
    NsWindow *window = ui_open("layers=1 d-model=16 heads=2 seq=16 batch=4 threads=1 eval-every=0");
    UI_WAIT(window, ui_is_ready);
    Reports reports = {0};
    ns_window_change(window, "inspector", true);
    ns_session_set_speed(window->session, 60);
    g_signal_connect(window, "progressed", G_CALLBACK(on_progressed), &reports);
    ns_session_run(window->session);
    UI_UNTIL(reports.n >= 10);
    ns_session_pause(window->session);
    g_assert_cmpuint(reports.same * 10, >=, reports.n * 7);
    g_signal_handlers_disconnect_by_data(window, &reports);
    ui_close(window);
}

void ui_add_inspector_tests(void)
{
    g_test_add_func("/ui/inspector/step", test_step);
    g_test_add_func("/ui/inspector/seeds", test_seeds);
    g_test_add_func("/ui/inspector/crosshair", test_crosshair);
    g_test_add_func("/ui/inspector/ratio", test_ratio);
    g_test_add_func("/ui/inspector/plain-text", test_plain_text);
    g_test_add_func("/ui/inspector/pins", test_pins);
    g_test_add_func("/ui/inspector/events", test_events);
    g_test_add_func("/ui/inspector/runs", test_runs);
    g_test_add_func("/ui/inspector/folding", test_folding);
    g_test_add_func("/ui/inspector/opening", test_opening);
    g_test_add_func("/ui/inspector/narrow", test_narrow);
    g_test_add_func("/ui/inspector/title", test_title);
    g_test_add_func("/ui/inspector/sentences", test_sentences);
    g_test_add_func("/ui/inspector/one-step", test_one_step);
}
