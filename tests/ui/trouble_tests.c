/* The panel that explains a spike or a divergence.  SPDX-License-Identifier: MIT */
#include "core/experiment/param.h"
#include "tests/session/driver.h"
#include "tests/ui/driver.h"
#include "tests/ui/support.h"
#include "ui/widgets/charts/chart_tile.h"
#include "ui/widgets/shell/toast.h"

static NsTroublePanel *panel_of(NsWindow *window)
{
    return window->trouble;
}

static bool has_trouble(NsWindow *window)
{
    return ns_trouble_panel_title(panel_of(window)) != NULL;
}

/* The button of the remedy of this setting that helps, or the one to go on; NULL while it is folded
 * away or there is none. */
static GtkWidget *button_of(NsWindow *window, const char *key)
{
    GtkWidget *flow = ui_first(GTK_WIDGET(panel_of(window)), GTK_TYPE_FLOW_BOX);
    size_t n, i = 0;
    int64_t from;
    const NsRemedy *remedies = ns_session_remedies(window->session, &n, &from);
    while (i < n && !(g_str_equal(remedies[i].key, key) && remedies[i].state == NS_REMEDY_HELPS))
        i++;
    if (g_str_equal(key, "go-on")) i = NS_REMEDIES;
    if (!flow || i == n) return NULL;
    return gtk_flow_box_child_get_child(
        gtk_flow_box_get_child_at_index(GTK_FLOW_BOX(flow), (int)i));
}

static bool offers(NsWindow *window, const char *key)
{
    GtkWidget *button = button_of(window, key);
    return button && gtk_widget_get_mapped(button);
}

/* Whether every remedy has been tried, and from the beginning as well if none helps. */
static bool is_tried(NsWindow *window)
{
    size_t n, tried = 0, helps = 0;
    int64_t from;
    const NsRemedy *remedies = ns_session_remedies(window->session, &n, &from);
    for (size_t i = 0; i < n; i++) {
        tried += remedies[i].state > NS_REMEDY_IN_TRIAL;
        helps += remedies[i].state == NS_REMEDY_HELPS;
    }
    if (!helps && from > 0) return false;
    if (tried == n)
        for (size_t i = 0; i < n; i++)
            g_test_message("%s=%s: %s, loss %g at step %d, from step %d", remedies[i].key,
                           remedies[i].value,
                           remedies[i].state == NS_REMEDY_HELPS ? "helps" : "fails",
                           remedies[i].loss, (int)remedies[i].step, (int)from);
    return tried == n;
}

static NsWindow *open_in_trouble(const char *assignments)
{
    NsWindow *window = ui_open(assignments);
    UI_WAIT(window, ui_is_ready);
    g_assert_false(has_trouble(window));
    ui_click(window, "run_button");
    UI_WAIT(window, has_trouble);
    UI_UNTIL(gtk_widget_get_mapped(GTK_WIDGET(panel_of(window))));
    UI_WAIT(window, is_tried);
    ui_settle(GTK_WIDGET(window));
    return window;
}

static bool has_label(GtkWidget *root, const char *text)
{
    bool has = GTK_IS_LABEL(root) && g_str_equal(gtk_label_get_text(GTK_LABEL(root)), text);
    for (GtkWidget *child = gtk_widget_get_first_child(root); child && !has;
         child = gtk_widget_get_next_sibling(child))
        has = has_label(child, text);
    return has;
}

static void test_words(void)
{
    NsWindow *window = open_in_trouble("placement=none lr=100 layers=12");
    NsTrouble trouble;
    g_assert_true(ns_session_trouble(window->session, &trouble));
    g_autofree char *step = ns_group_digits(trouble.step);
    g_assert_true(g_str_has_suffix(ns_trouble_panel_title(panel_of(window)), step));
    const char *cause = strstr(trouble.event->text, ": the ");
    g_autofree char *words = g_strconcat("T", cause + strlen(": t"), NULL);
    g_assert_true(has_label(GTK_WIDGET(panel_of(window)), words));
    g_assert_false(window->session->wants_run);
    /* Nothing helps against such a rate, and nothing is offered; as the first loss is far above
     * that of a uniform guess, only the placement is tried. */
    static const char *const keys[] = {"lr", "warmup", "clip", "placement"};
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) g_assert_false(offers(window, keys[i]));
    g_assert_true(has_label(GTK_WIDGET(panel_of(window)),
                            "The change tried from step 0 does not help: the run diverges, jumps "
                            "or stays far above a uniform guess."));
    g_assert_true(offers(window, "go-on"));
    ui_close(window);
}

/* Of several seeds the one in trouble is named; that it diverged is in the title alone. */
static void test_seed(void)
{
    NsWindow *window = open_in_trouble("placement=none lr=100 layers=12 seeds=2");
    NsTrouble trouble;
    g_assert_true(ns_session_trouble(window->session, &trouble));
    const char *cause = strstr(trouble.event->text, ": the ");
    g_autofree char *words = g_strdup_printf("Seed %d of 2%s", trouble.seed + 1, cause);
    g_assert_true(has_label(GTK_WIDGET(panel_of(window)), words));
    ui_close(window);
}

/* How a lane's loss stands to its mean before. */
static double jump_of(NsSession *session, size_t lane)
{
    const NsHistory *history = session->view->histories[lane];
    double sum = 0.0;
    for (size_t i = 2; i < 12; i++) sum += ns_history_step(history, i)->loss;
    return ns_history_step(history, 12)->loss / (sum / 10);
}

static NsTrouble told_of(NsSession *session)
{
    NsTrouble trouble;
    ns_session_poll(session);
    g_assert_true(ns_session_trouble(session, &trouble));
    return trouble;
}

/* Of several lanes in trouble at one step the worst is told, whichever is looked at first. */
static void test_worst(void)
{
    g_autoptr(NsSession) session = open_at("placement=post lr=3e-3", "placement=pre lr=1e-3", 12);
    ns_session_dismiss_trouble(session);
    size_t larger = jump_of(session, 1) > jump_of(session, 0), smaller = 1 - larger;
    g_assert_cmpfloat(jump_of(session, larger), >, jump_of(session, smaller));
    NsHistory *large = session->view->histories[larger];
    NsHistory *small = session->view->histories[smaller];
    NsEvent spike = {.step = 12, .kind = NS_EVENT_SPIKE, .what = "loss", .text = "It jumped."};
    ns_history_append_event(small, &spike);
    g_assert_cmpint(told_of(session).lane, ==, (int)smaller);
    ns_history_append_event(large, &spike);
    g_assert_cmpint(told_of(session).lane, ==, (int)larger);
    ns_history_append_event(small, &spike);
    g_assert_cmpint(told_of(session).lane, ==, (int)larger);
    NsEvent end = {.step = 12, .kind = NS_EVENT_DIVERGED, .what = "loss", .text = "It ended."};
    ns_history_append_event(small, &end);
    g_assert_cmpint(told_of(session).lane, ==, (int)smaller);
    g_assert_false(told_of(session).spike);
    ns_history_append_event(large, &spike);
    g_assert_cmpint(told_of(session).lane, ==, (int)smaller);
    /* Of two that ended the first lane is told. */
    ns_history_append_event(large, &end);
    g_assert_cmpint(told_of(session).lane, ==, 0);
}

/* Symbols have their subscripts. */
static void test_evidence(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_step(session, 1);
    UI_UNTIL(ns_session_steps(session) == 1 && ui_is_paused(window));
    const NsEvent event = {
        .step = 1, .kind = NS_EVENT_SPIKE, .what = "loss", .text = "W_tok jumped."};
    ns_history_append_event(session->view->history, &event);
    ns_session_poll(session);
    UI_WAIT(window, has_trouble);
    g_assert_true(has_label(GTK_WIDGET(panel_of(window)), "Wtok jumped."));
    ui_close(window);
}

static bool covers(NsWindow *window, GtkWidget *widget)
{
    graphene_rect_t panel, other;
    g_assert_true(
        gtk_widget_compute_bounds(GTK_WIDGET(panel_of(window)), GTK_WIDGET(window), &panel));
    g_assert_true(gtk_widget_compute_bounds(widget, GTK_WIDGET(window), &other));
    return graphene_rect_intersection(&panel, &other, NULL);
}

/* A forward pass that explodes before any update is told from updates that grow: neither warm-up
 * nor clipping can help, and the remedy begins at step 0. */
static void test_first(void)
{
    NsWindow *window = ui_open("placement=none init-scale=1000 layers=60");
    NsSession *session = window->session;
    UI_WAIT(window, has_trouble);
    UI_UNTIL(gtk_widget_get_mapped(GTK_WIDGET(panel_of(window))));
    g_assert_cmpstr(ns_trouble_panel_title(panel_of(window)), ==, "Diverged before any update");
    UI_WAIT(window, is_tried);
    g_assert_false(offers(window, "warmup"));
    g_assert_false(offers(window, "clip"));
    g_assert_false(offers(window, "init-scale")); /* with which it would diverge later */
    g_assert_true(offers(window, "placement"));
    ui_settle(GTK_WIDGET(window));
    NsChartTile *tile;
    for (size_t i = 0; (tile = ns_dashboard_tile(ns_window_dashboard(window), i)); i++)
        g_assert_false(covers(window, GTK_WIDGET(tile)));
    g_signal_emit_by_name(button_of(window, "placement"), "clicked");
    UI_WAIT(window, ui_has_stepped);
    g_assert_cmpfloat(ns_session_settings(session)->init_scale, ==, 1000.0);
    g_assert_cmpint(ns_session_first_step(session), ==, 0);
    ui_close(window);
}

/* A remedy that would make the lane the same as another says so. */
static void test_twin(void)
{
    NsWindow *window = ui_open("placement=none init-scale=1000 layers=60");
    ns_session_set_lanes(window->session, 2);
    ns_session_set_lane(window->session, 1, "placement", "pre");
    UI_WAIT(window, has_trouble);
    UI_WAIT(window, is_tried);
    UI_UNTIL(offers(window, "placement"));
    const char *label = gtk_button_get_label(GTK_BUTTON(button_of(window, "placement")));
    g_test_message("%s", label);
    g_assert_true(g_str_has_suffix(label, " (then the same as B)"));
    ui_close(window);
}

/* Nor does the warm-up help where the squares of the gradients of step 0 overflow. */
static void test_huge(void)
{
    NsWindow *window = ui_open("placement=none layers=60 lr=1e-6");
    UI_WAIT(window, ui_is_ready);
    ns_session_run(window->session);
    UI_WAIT(window, has_trouble);
    UI_UNTIL(gtk_widget_get_mapped(GTK_WIDGET(panel_of(window))));
    g_assert_cmpstr(ns_trouble_panel_title(panel_of(window)), ==, "Diverged at step 1");
    UI_WAIT(window, is_tried);
    g_assert_false(offers(window, "warmup"));
    g_assert_false(offers(window, "clip"));
    g_assert_true(offers(window, "placement"));
    ui_close(window);
}

/* Where every part of the window stands: of those that the pointer may be on, and of the chart. */
static void note_places(GtkWidget *widget, NsWindow *window, GArray *places)
{
    graphene_rect_t bounds;
    if (!gtk_widget_get_mapped(widget) || widget == GTK_WIDGET(window->inspector)) return;
    /* From the first step on, the bar of pending changes has a place, below all rows. */
    if (gtk_widget_has_css_class(widget, "pending-bar")) return;
    /* It comes with the note of a chart, where nothing was. */
    if (GTK_IS_MENU_BUTTON(widget) &&
        g_strcmp0(gtk_menu_button_get_icon_name(GTK_MENU_BUTTON(widget)),
                  "dialog-information-symbolic") == 0)
        return;
    /* So does the logarithmic axis of a loss. */
    if (GTK_IS_TOGGLE_BUTTON(widget) &&
        g_strcmp0(gtk_button_get_label(GTK_BUTTON(widget)), "log") == 0)
        return;
    if (GTK_IS_BUTTON(widget) || GTK_IS_SCALE(widget) || NS_IS_CHART_TILE(widget)) {
        g_assert_true(gtk_widget_compute_bounds(widget, GTK_WIDGET(window), &bounds));
        g_array_append_val(places, bounds);
    }
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        note_places(child, window, places);
}

static GArray *places_of(NsWindow *window)
{
    GArray *places = g_array_new(FALSE, FALSE, sizeof(graphene_rect_t));
    ui_settle(GTK_WIDGET(window));
    note_places(ui_find(window, "paned"), window, places);
    return places;
}

/* Whatever the run does, nothing moves under the pointer, and no chart is covered: the panel lies
 * on the inspector, or it is folded. */
static void test_place(void)
{
    NsWindow *window = ui_open("placement=none lr=0.3 layers=12");
    UI_WAIT(window, ui_is_ready);
    ui_rest(window);
    g_autoptr(GArray) before = places_of(window);
    ui_click(window, "run_button");
    UI_WAIT(window, has_trouble);
    UI_UNTIL(gtk_widget_get_mapped(GTK_WIDGET(panel_of(window))));
    ui_rest(window);
    g_autoptr(GArray) after = places_of(window);
    g_assert_cmpuint(after->len, ==, before->len);
    for (guint i = 0; i < before->len; i++)
        g_assert_true(graphene_rect_equal(&g_array_index(before, graphene_rect_t, i),
                                          &g_array_index(after, graphene_rect_t, i)));
    g_assert_false(ns_trouble_panel_is_folded(panel_of(window)));
    NsChartTile *tile;
    for (size_t i = 0; (tile = ns_dashboard_tile(ns_window_dashboard(window), i)); i++)
        g_assert_false(covers(window, GTK_WIDGET(tile)));
    /* The logarithmic axis of the loss is offered, to the left of all other buttons. */
    GtkWidget *log = ui_find_button(GTK_WIDGET(ui_tile(window, 0)), "log");
    g_assert_true(gtk_widget_get_mapped(log) && !gtk_widget_get_prev_sibling(log));
    UI_UNTIL(offers(window, "placement"));
    /* The inspector ends above the panel, with its events. */
    ui_settle(GTK_WIDGET(window));
    GtkWidget *inspector = ui_find(window, "inspector_scroller");
    g_assert_false(covers(window, inspector));
    g_assert_cmpint(gtk_widget_get_height(inspector), >, 300);
    g_assert_cmpint(gtk_widget_get_width(GTK_WIDGET(panel_of(window))), <=,
                    gtk_widget_get_width(inspector));
    /* Nor is there space below its last button. */
    graphene_rect_t last, all;
    GtkWidget *go_on = button_of(window, "go-on"), *panel = GTK_WIDGET(panel_of(window));
    g_assert_true(gtk_widget_compute_bounds(go_on, GTK_WIDGET(window), &last));
    g_assert_true(gtk_widget_compute_bounds(panel, GTK_WIDGET(window), &all));
    g_assert_cmpfloat(last.origin.y + last.size.height + 16, >, all.origin.y + all.size.height);
    /* Without the inspector there is only its title, which is a button. */
    g_action_group_change_action_state(G_ACTION_GROUP(window), "inspector",
                                       g_variant_new_boolean(FALSE));
    g_assert_true(ns_trouble_panel_is_folded(panel_of(window)));
    ui_settle(GTK_WIDGET(window));
    g_assert_cmpint(gtk_widget_get_margin_bottom(inspector), ==, 0);
    g_assert_false(offers(window, "placement"));
    g_assert_cmpint(gtk_widget_get_height(GTK_WIDGET(panel_of(window))), <, 48);
    NsChartTile *stage = ns_dashboard_stage(ns_window_dashboard(window));
    int height = gtk_widget_get_height(GTK_WIDGET(stage));
    ns_trouble_panel_set_folded(panel_of(window), false);
    UI_UNTIL(offers(window, "placement"));
    /* The charts make way for the rest of it. */
    UI_UNTIL(gtk_widget_get_height(GTK_WIDGET(stage)) < height);
    ui_settle(GTK_WIDGET(window));
    for (size_t i = 0; (tile = ns_dashboard_tile(ns_window_dashboard(window), i)); i++)
        if (gtk_widget_get_mapped(GTK_WIDGET(tile)))
            g_assert_false(covers(window, GTK_WIDGET(tile)));
    g_assert_cmpint(gtk_widget_get_height(GTK_WIDGET(stage)), >, 200);
    /* Esc folds it again. */
    g_assert_true(ui_press(window, GDK_KEY_Escape));
    g_assert_true(ns_trouble_panel_is_folded(panel_of(window)));
    g_assert_true(has_trouble(window));
    UI_UNTIL(gtk_widget_get_height(GTK_WIDGET(stage)) == height);
    ui_close(window);
}

/* A card about the panel opens it where it would be folded, and points it out. */
static void test_card(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = So.\nsetup = placement=none lr=100 layers=12\n"
        "page = diagram\nhighlight = trouble\n"
        "[card]\ntitle = Two\ntext = So.\nhighlight = run\n"
        "[card]\ntitle = Three\ntext = So.\nhighlight = trouble\n"
        "[card]\ntitle = Four\ntext = So.\n";
    NsWindow *window = ui_open("");
    GtkWidget *panel = GTK_WIDGET(panel_of(window));
    ns_learn_pane_begin(window->learn_pane, ns_lesson_new(text, strlen(text), NULL), NULL);
    UI_WAIT(window, ui_is_ready);
    ns_session_run(window->session);
    UI_WAIT(window, has_trouble);
    ui_rest(window);
    g_assert_false(ns_trouble_panel_is_folded(panel_of(window)));
    g_assert_true(gtk_widget_has_css_class(panel, "pointed-out"));
    for (int pointed = 0; pointed < 2; pointed++) {
        ns_trouble_panel_set_folded(panel_of(window), true);
        g_signal_emit_by_name(ui_find_button(GTK_WIDGET(window->learn_pane), "Next"), "clicked");
        g_assert_true(ns_trouble_panel_is_folded(panel_of(window)) == !pointed);
        g_assert_true(gtk_widget_has_css_class(panel, "pointed-out") == pointed);
    }
    ui_close(window);
}

/* In the lowest window all of it can be scrolled to. */
static void test_low(void)
{
    NsWindow *window = open_in_trouble("placement=none lr=100 layers=12");
    gtk_window_set_default_size(GTK_WINDOW(window), 1280, 420);
    GtkWidget *panel = GTK_WIDGET(panel_of(window));
    UI_UNTIL(gtk_widget_get_height(GTK_WIDGET(window)) < 480);
    ui_settle(GTK_WIDGET(window));
    graphene_rect_t bounds;
    g_assert_true(gtk_widget_compute_bounds(panel, ui_find(window, "overlay"), &bounds));
    g_assert_cmpfloat(bounds.origin.y, >=, 0);
    g_assert_true(offers(window, "go-on"));
    ui_close(window);
}

/* What is set already is no remedy. */
static void test_offers(void)
{
    NsWindow *window = open_in_trouble("placement=pre clip=1 lr=30 layers=12 optimizer=sgd");
    g_assert_true(offers(window, "lr"));
    g_assert_false(offers(window, "warmup")); /* it was tried, and fails */
    g_assert_false(offers(window, "clip"));
    g_assert_false(offers(window, "placement"));
    ui_close(window);
}

/* What a remedy gave in its trial is what the run then gives. */
static void check_remedy(const char *assignments, const char *key, const char *value)
{
    NsWindow *window = open_in_trouble(assignments);
    NsSession *session = window->session;
    NsTrouble trouble;
    size_t n, i = 0;
    int64_t from;
    g_assert_true(ns_session_trouble(session, &trouble));
    const NsRemedy *remedies = ns_session_remedies(session, &n, &from);
    while (!g_str_equal(remedies[i].key, key)) i++;
    NsRemedy remedy = remedies[i];
    g_assert_cmpint(remedy.step, ==, trouble.step + NS_REMEDY_STEPS);
    /* The trial after a divergence does not pause at a spike that it survives. */
    ns_session_set_pause_on_trouble(session, trouble.spike);
    g_signal_emit_by_name(button_of(window, key), "clicked");
    g_autofree char *after = ns_settings_get(ns_session_settings(session), ns_param_find(key));
    g_assert_cmpstr(after, ==, value);
    g_assert_cmpint(session->fork_step, <=, trouble.step);
    UI_UNTIL(session->state != NS_TRAINER_PREPARING);
    ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, 2);
    UI_UNTIL(ns_session_steps(session) >= remedy.step);
    const NsHistory *history = session->view->history;
    int64_t record = ns_history_record(history, remedy.step);
    g_assert_cmpfloat_with_epsilon(ns_history_step(history, (size_t)record)->loss, remedy.loss,
                                   1e-4);
    ui_close(window);
}

static void test_remedies(void)
{
    check_remedy("placement=none lr=0.3 layers=12", "placement", "pre");
    check_remedy("placement=post lr=1 layers=4", "lr", "0.1");
}

static void test_close(void)
{
    NsWindow *window = open_in_trouble("placement=none lr=100 layers=12");
    NsTrouble trouble;
    while (has_trouble(window)) {
        g_signal_emit_by_name(button_of(window, "go-on"), "clicked");
        UI_UNTIL(!has_trouble(window) || !window->session->wants_run);
        if (window->session->state == NS_TRAINER_DIVERGED) break;
    }
    g_signal_emit_by_name(button_of(window, "go-on"), "clicked");
    UI_UNTIL(!has_trouble(window));
    g_assert_false(gtk_widget_get_visible(GTK_WIDGET(panel_of(window))));
    g_assert_false(ns_session_trouble(window->session, &trouble));
    ui_close(window);
}

static GtkWidget *new_window_with_toast(void)
{
    GtkWidget *window = gtk_window_new();
    gtk_window_set_child(GTK_WINDOW(window), ns_toast_new());
    ns_toast_show(gtk_window_get_child(GTK_WINDOW(window)), "It is done.", NULL, NULL, NULL);
    return window;
}

/* A toast that is shown before its window is waits for the window. */
static void test_toast_waits(void)
{
    GtkWidget *shown = new_window_with_toast(), *late = new_window_with_toast();
    GtkWidget *toast = gtk_window_get_child(GTK_WINDOW(shown));
    GtkWidget *waits = gtk_window_get_child(GTK_WINDOW(late));
    gtk_window_present(GTK_WINDOW(shown));
    UI_UNTIL(!ns_toast_text(toast));
    g_assert_cmpstr(ns_toast_text(waits), ==, "It is done.");
    gtk_window_present(GTK_WINDOW(late));
    UI_UNTIL(!ns_toast_text(waits));
    gtk_window_destroy(GTK_WINDOW(shown));
    gtk_window_destroy(GTK_WINDOW(late));
}

void ui_add_trouble_tests(void)
{
    g_test_add_func("/ui/trouble/words", test_words);
    g_test_add_func("/ui/trouble/seed", test_seed);
    g_test_add_func("/ui/trouble/worst", test_worst);
    g_test_add_func("/ui/trouble/evidence", test_evidence);
    g_test_add_func("/ui/trouble/first", test_first);
    g_test_add_func("/ui/trouble/twin", test_twin);
    g_test_add_func("/ui/trouble/huge", test_huge);
    g_test_add_func("/ui/trouble/card", test_card);
    g_test_add_func("/ui/trouble/place", test_place);
    g_test_add_func("/ui/trouble/low", test_low);
    g_test_add_func("/ui/trouble/offers", test_offers);
    g_test_add_func("/ui/trouble/remedies", test_remedies);
    g_test_add_func("/ui/trouble/close", test_close);
    g_test_add_func("/ui/trouble/toast-waits", test_toast_waits);
}
