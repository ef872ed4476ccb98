/* The actions of a window.  SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/window_actions.h"
#include "core/base/digits.h"
#include "core/base/words.h"
#include "core/experiment/param.h"
#include "core/model/placement.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/popovers.h"
#include "ui/widgets/common/windows.h"
#include "ui/widgets/run/gradient_check_panel.h"
#include "ui/widgets/run/transport.h"
#include "ui/widgets/settings/settings_pane.h"
#include "ui/widgets/shell/export_dialog.h"
#include "ui/widgets/shell/learning.h"
#include "ui/widgets/shell/lecture.h"
#include "ui/widgets/shell/open_file.h"
#include "ui/widgets/shell/saved_runs.h"

#define FAR 10 /* steps of the keys with Shift */

static void on_run(NsWindow *window)
{
    NsSession *session = window->session;
    if (session->wants_run) {
        ns_session_pause(session);
        return;
    }
    ns_window_open_inspector(window);
    if (!ns_learn_pane_run(window->learn_pane) && !ns_lecture_run(window)) ns_session_run(session);
}

static bool run_to(double number, gpointer window)
{
    NsSession *session = NS_WINDOW(window)->session;
    if (number <= (double)ns_session_steps(session) || number > 1e9) return false;
    ns_session_run_to(session, (int64_t)number);
    return true;
}

static bool run_until_loss(double number, gpointer window)
{
    if (number <= 0.0) return false;
    ns_session_run_until_loss(NS_WINDOW(window)->session, number);
    return true;
}

static void on_run_to(NsWindow *window)
{
    static const NsAsk ask = {N_("Run to step"), N_("Run"), "1000",
                              N_("Enter a later step, such as 1000."), run_to};
    ns_ask_popover(window->run_menu, &ask, window);
}

static void on_run_until_loss(NsWindow *window)
{
    static const NsAsk ask = {N_("Run until a loss is below"), N_("Run"), "2.0",
                              N_("Enter a positive loss, such as 1.8."), run_until_loss};
    ns_ask_popover(window->run_menu, &ask, window);
}

/* The actions that go on or back by steps. */
static const struct {
    const char *action;
    int64_t by;
} STEPS[] = {
    {"step", 1},        {"step-ten", FAR},         {"back-step", -1},
    {"back-ten", -FAR}, {"first", -INT64_MAX / 2},
};

/* Shows another recorded step; past the newest one, a new step is trained. */
static void on_step(NsWindow *window, GVariant *parameter, GAction *action)
{
    (void)parameter;
    NsSession *session = window->session;
    int64_t shown = ns_session_shown_step(session), newest = ns_session_steps(session);
    size_t i = 0;
    while (!g_str_equal(STEPS[i].action, g_action_get_name(action))) i++;
    int64_t to = MAX(shown + STEPS[i].by, ns_session_first_step(session));
    if (STEPS[i].by < 0 && to < newest)
        ns_session_show_step(session, to);
    else if (STEPS[i].by > 0 && ns_session_is_behind(session))
        ns_session_show_step(session, to >= newest ? -1 : to);
    else if (STEPS[i].by > 0 && !session->wants_run)
        ns_session_step(session, STEPS[i].by);
}

static void on_live(NsWindow *window)
{
    ns_session_show_step(window->session, -1);
}

static void on_to_start(gpointer data, gpointer toast)
{
    (void)data;
    NsWindow *window = NS_WINDOW(gtk_widget_get_root(toast));
    ns_session_reset_to_start(window->session);
}

static void on_reset(NsWindow *window)
{
    NsSession *session = window->session;
    int64_t fork = session->fork_step;
    ns_session_reset(session);
    if (fork == 0) return;
    g_autofree char *step = ns_group_digits(fork);
    g_autofree char *words = g_strdup_printf(_("Reset to step %s, where this run began."), step);
    ns_toast_show(window->toast, words, _("Reset to step 0"), on_to_start, NULL);
}

static void on_speed(NsWindow *window, GVariant *parameter, GAction *action)
{
    (void)parameter;
    NsSession *session = window->session;
    bool faster = g_str_equal(g_action_get_name(action), "faster");
    ns_session_set_speed(session, ns_speed_next(session->speed, faster));
    g_autofree char *words = ns_speed_words(session->speed);
    g_autofree char *sentence = g_strdup_printf(_("Speed: %s"), words);
    ns_window_toast(window, sentence);
}

/* sync_actions sets the states of these two. */
static void on_slow_motion(GSimpleAction *action, GVariant *state, gpointer window)
{
    (void)action;
    ns_session_set_slow_motion(NS_WINDOW(window)->session, g_variant_get_boolean(state));
}

static void on_pause_on_trouble(GSimpleAction *action, GVariant *state, gpointer window)
{
    (void)action;
    ns_session_set_pause_on_trouble(NS_WINDOW(window)->session, g_variant_get_boolean(state));
}

static void on_new_seed(NsWindow *window)
{
    g_autofree char *seed = g_strdup_printf("%d", g_random_int_range(1, 100000));
    NsSession *session = window->session;
    ns_session_set(session, "seed", seed);
    bool waits = ns_session_pending(session);
    g_autofree char *words = g_strdup_printf(
        waits ? _("The seed becomes %s with Restart or Fork.") : _("The seed is now %s."), seed);
    ns_session_report(session, words);
}

static void on_next_placement(NsWindow *window)
{
    NsSession *session = window->session;
    const NsChoice *next = ns_placement_choice(ns_session_settings(session)->placement + 1);
    if (!next) next = ns_placement_choice(0);
    /* The setting that the key changes may be out of sight. */
    if (ns_session_set(session, "placement", next->key)) ns_session_report_placement(session);
}

static void on_log(NsWindow *window)
{
    NsSession *session = window->session;
    ns_session_show_log(session, !session->view->log);
}

static void on_page(GSimpleAction *action, GVariant *key, gpointer window)
{
    if (ns_page_stack_show(NS_WINDOW(window)->pages, g_variant_get_string(key, NULL)))
        g_simple_action_set_state(action, key);
}

static void on_nth_page(GSimpleAction *action, GVariant *place, gpointer window)
{
    (void)action;
    const NsPageKind *kind = ns_page_kind((size_t)g_variant_get_int32(place) - 1);
    if (!kind) return;
    ns_window_close_lessons(window); /* the list may cover the page */
    ns_page_stack_show(NS_WINDOW(window)->pages, kind->key);
}

static void on_second_lane(NsWindow *window)
{
    NsSession *session = window->session;
    if (ns_lecture_menu(window)) return; /* remote controls of presenters have a key B, too */
    if (session->experiment.n > 1)
        ns_session_set_lanes(session, 1);
    else
        ns_session_add_lane(session);
}

static void on_undo(NsWindow *window, GVariant *parameter, GAction *action)
{
    (void)parameter;
    bool undo = g_str_equal(g_action_get_name(action), "undo");
    g_autofree char *words =
        (undo ? ns_session_undo_words : ns_session_redo_words)(window->session);
    (undo ? ns_session_undo : ns_session_redo)(window->session);
    if (words) ns_window_toast(window, words);
}

/* Switches the x axis of all charts over steps between logarithmic and the default of the figure.
 */
static void on_log_x(NsWindow *window)
{
    NsDashboard *dashboard = ns_window_dashboard(window);
    NsChartTile *tile;
    bool known = false, log = false;
    for (size_t i = 0; dashboard && (tile = ns_dashboard_tile(dashboard, i)); i++) {
        NsChartView *chart = tile->chart;
        NsViewState *view_state = &chart->view_state;
        if (tile->own.kind->abscissa != NS_OVER_STEPS) continue;
        if (!known) log = !view_state->rescaled[NS_VIEW_STATE_X];
        known = true;
        view_state->rescaled[NS_VIEW_STATE_X] = log;
        view_state->scale[NS_VIEW_STATE_X] = NS_SCALE_LOG;
        ns_chart_view_state_changed(chart);
    }
}

static void on_maximize(NsWindow *window)
{
    NsDashboard *dashboard = ns_window_dashboard(window);
    if (!dashboard) return;
    bool full = dashboard->maximized != NULL;
    ns_dashboard_maximize(dashboard, full ? NULL : ns_page_current(NS_PAGE(dashboard)));
}

static void on_next_chart(NsWindow *window)
{
    NsDashboard *dashboard = ns_window_dashboard(window);
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window));
    if (!dashboard) return;
    ns_dashboard_set_stage(dashboard, NULL);
    /* Keys act on the chart that has the focus, which is now this one. */
    if (focus && gtk_widget_is_ancestor(focus, GTK_WIDGET(dashboard)))
        gtk_widget_grab_focus(GTK_WIDGET(ns_dashboard_stage(dashboard)->chart));
}

/* Escape closes the topmost part, one at a time. */
static void on_back(NsWindow *window)
{
    NsLearnPane *lessons = window->learn_pane;
    NsTroublePanel *trouble = window->trouble;
    bool lecture = ns_lecture_menu(window) != NULL; /* which hides the trouble panel */
    if (ns_window_close_lessons(window)) return;
    if (!lecture && ns_trouble_panel_title(trouble) && !ns_trouble_panel_is_folded(trouble)) {
        ns_trouble_panel_set_folded(trouble, true);
        return;
    }
    if (ns_page_back(ns_window_page(window)) || ns_lecture_leave(window))
        return;
    else if (ns_learn_pane_is_open(lessons))
        ns_learn_pane_close(lessons);
    else
        ns_session_show_step(window->session, -1);
}

static void on_theory(NsWindow *window)
{
    NsSession *session = window->session;
    ns_session_show_theory(session, !session->view->theory);
    /* Not when the window closes, as a lesson may show them then. */
    if (ns_preferences()) g_settings_set_boolean(ns_preferences(), "theory", session->view->theory);
}

static void on_grid(NsWindow *window)
{
    NsDashboard *dashboard = ns_window_dashboard(window);
    if (dashboard) ns_dashboard_toggle_grid(dashboard);
}

/* The action of the current chart with the same name. */
static void on_copy(NsWindow *window, GVariant *parameter, GAction *action)
{
    (void)parameter;
    NsChartTile *tile = ns_page_current(ns_window_page(window));
    g_autofree char *of_tile = g_strconcat("tile.", g_action_get_name(action), NULL);
    if (tile) gtk_widget_activate_action(GTK_WIDGET(tile), of_tile, NULL);
}

static void on_export(NsWindow *window, GVariant *parameter, GAction *action)
{
    (void)parameter;
    static NsExportWhat current = NS_EXPORT_ONE, all = NS_EXPORT_SHEET;
    bool any = g_str_equal(g_action_get_name(action), "export");
    bool of_all = g_str_equal(g_action_get_name(action), "export-all");
    NsPage *page = ns_window_page(window);
    NsExportWhat *content = any ? &current : of_all ? &all : NULL;
    if (any && ns_page_save(page)) return;
    gtk_window_present(GTK_WINDOW(ns_export_dialog_new(window, ns_page_current(page), content)));
}

static void on_opened(const char *path, gpointer window)
{
    ns_window_open(window, path, false);
}

static void on_open(NsWindow *window)
{
    ns_file_dialog_open(GTK_WINDOW(window),
                        _("Open a run, a figure, a preset, a lecture or a text"), on_opened,
                        window);
}

static void on_menu(NsWindow *window)
{
    GtkWidget *menu = ns_lecture_menu(window);
    gtk_menu_button_popup(GTK_MENU_BUTTON(menu ? menu : window->menu_button));
}

static void on_gradient_check(NsWindow *window)
{
    ns_gradient_check_present(GTK_WINDOW(window), window->session);
}

static void on_pane(GSimpleAction *action, GVariant *state, gpointer data)
{
    NsWindow *window = data;
    bool settings = g_str_equal(g_action_get_name(G_ACTION(action)), "pane");
    GtkWidget *pane = settings ? window->settings_pane : GTK_WIDGET(window->inspector);
    ns_hide(gtk_widget_get_ancestor(pane, GTK_TYPE_SCROLLED_WINDOW), NS_HIDDEN_CLOSED,
            !g_variant_get_boolean(state));
    g_simple_action_set_state(action, state);
    if (!settings && !window->automatic) window->inspector_decided = true;
    ns_inspector_sync(window->inspector, ns_window_page(window));
}

static void on_pytorch_path(const char *path, gpointer window)
{
    int64_t step = 0;
    g_autoptr(GError) error = NULL;
    g_autofree char *name = g_filename_display_basename(path);
    if (ns_session_save_pytorch(NS_WINDOW(window)->session, path, &step, &error)) {
        g_autofree char *digits = ns_group_digits(step);
        g_autofree char *saved = g_strdup_printf(_("Saved step %s as %s"), digits, name);
        ns_window_toast_file(window, saved, path);
    } else {
        ns_window_toast(window, error->message);
    }
}

static void on_save_pytorch(NsWindow *window)
{
    ns_file_dialog_save(GTK_WINDOW(window), _("Save the lane as a PyTorch script"), "model.py",
                        on_pytorch_path, window);
}

/* In class mode there are no settings to search. */
static void on_search(NsWindow *window)
{
    GtkWidget *more = ns_settings_pane_row(window->settings_pane, NS_MORE_SETTINGS);
    GtkWidget *search = ns_settings_pane_row(window->settings_pane, NS_SEARCH_SETTINGS);
    if (!gtk_widget_get_visible(more)) return;
    g_action_group_change_action_state(G_ACTION_GROUP(window), "pane", g_variant_new_boolean(TRUE));
    ns_settings_pane_unfold(window->settings_pane, search);
    gtk_widget_grab_focus(search);
}

static const NsWindowCommand COMMANDS[] = {
    {.action = "run", .run = G_CALLBACK(on_run)},
    {.action = "run-to", .run = G_CALLBACK(on_run_to)},
    {.action = "run-until-loss", .run = G_CALLBACK(on_run_until_loss)},
    {.action = "live", .run = G_CALLBACK(on_live)},
    {.action = "reset", .run = G_CALLBACK(on_reset)},
    {.action = "reset-to-start", .run = G_CALLBACK(ns_session_reset_to_start), .of_session = true},
    {.action = "fork", .run = G_CALLBACK(ns_session_fork), .of_session = true},
    {.action = "slower", .run = G_CALLBACK(on_speed)},
    {.action = "faster", .run = G_CALLBACK(on_speed)},
    {.action = "reset-settings", .run = G_CALLBACK(ns_session_set_defaults), .of_session = true},
    {.action = "new-seed", .run = G_CALLBACK(on_new_seed)},
    {.action = "next-placement", .run = G_CALLBACK(on_next_placement)},
    {.action = "second-lane", .run = G_CALLBACK(on_second_lane)},
    {.action = "search-settings", .run = G_CALLBACK(on_search)},
    {.action = "undo", .run = G_CALLBACK(on_undo)},
    {.action = "redo", .run = G_CALLBACK(on_undo)},
    {.action = "log-x", .run = G_CALLBACK(on_log_x)},
    {.action = "log", .run = G_CALLBACK(on_log)},
    {.action = "smooth", .run = G_CALLBACK(ns_session_toggle_smoothing), .of_session = true},
    {.action = "theory", .run = G_CALLBACK(on_theory)},
    {.action = "grid", .run = G_CALLBACK(on_grid)},
    {.action = "copy-data", .run = G_CALLBACK(on_copy)},
    {.action = "copy-image", .run = G_CALLBACK(on_copy)},
    {.action = "menu", .run = G_CALLBACK(on_menu)},
    {.action = "maximize", .run = G_CALLBACK(on_maximize)},
    {.action = "next-chart", .run = G_CALLBACK(on_next_chart)},
    {.action = "back", .run = G_CALLBACK(on_back)},
    {.action = "export", .run = G_CALLBACK(on_export)},
    {.action = "export-all", .run = G_CALLBACK(on_export)},
    {.action = "export-chart", .run = G_CALLBACK(on_export)},
    {.action = "open", .run = G_CALLBACK(on_open)},
    {.action = "runs", .run = G_CALLBACK(ns_saved_runs_present)},
    {.action = "save-pytorch", .run = G_CALLBACK(on_save_pytorch)},
    {.action = "stop-watching", .run = G_CALLBACK(ns_session_stop_watching), .of_session = true},
    {.action = "gradient-check", .run = G_CALLBACK(on_gradient_check)},
};

static const GActionEntry ACTIONS[] = {
    {.name = "page", .parameter_type = "s", .state = "''", .change_state = on_page},
    {.name = "nth-page", .parameter_type = "i", .activate = on_nth_page},
    {.name = "pane", .state = "true", .change_state = on_pane},
    {.name = "inspector", .state = "false", .change_state = on_pane},
    {.name = "slow-motion", .state = "false", .change_state = on_slow_motion},
    {.name = "pause-on-trouble", .state = "true", .change_state = on_pause_on_trouble},
};

/* Enables the actions that the session and the shown page allow. */
static void sync_actions(NsWindow *window)
{
    NsSession *session = window->session;
    NsPage *page = ns_window_page(window);
    int64_t shown = ns_session_shown_step(session);
    bool chart = ns_page_current(page) != NULL, charts = ns_window_dashboard(window) != NULL;
    bool own = !ns_session_is_watching(session);
    bool can_run = ns_session_can_run(session), can_reset = ns_session_can_reset(session);
    bool after = shown > ns_session_first_step(session), before = ns_session_is_behind(session);
    bool can_step = before || (can_run && !session->wants_run);
    const struct {
        const char *action;
        bool enabled;
    } allowed[] = {
        {"copy-data", chart},
        {"copy-image", chart},
        {"maximize", chart},
        {"export-all", charts},
        {"grid", charts},
        {"next-chart", charts},
        {"log-x", charts},
        {"reset-settings", own},
        {"new-seed", own},
        {"next-placement", own},
        {"second-lane", own},
        {"gradient-check", own},
        {"save-pytorch", own},
        {"stop-watching", !own},
        {"undo", own && session->undo->len > 0},
        {"redo", own && session->redo->len > 0},
        {"run", can_run},
        {"run-to", can_run},
        {"run-until-loss", can_run},
        {"step", can_step},
        {"step-ten", can_step},
        {"back-step", after},
        {"back-ten", after},
        {"first", after},
        {"live", before},
        {"reset", can_reset},
        {"reset-to-start", can_reset && session->fork_step > 0},
        {"fork", ns_session_can_fork(session)},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(allowed); i++)
        ns_window_enable(window, allowed[i].action, allowed[i].enabled);
    ns_window_set_state(window, "slow-motion", session->slow);
    ns_window_set_state(window, "pause-on-trouble", session->pause_on_trouble);
    GAction *shown_page = g_action_map_lookup_action(G_ACTION_MAP(window), "page");
    const char *key = ns_page_stack_key(window->pages);
    g_simple_action_set_state(G_SIMPLE_ACTION(shown_page), g_variant_new_string(key));
}

void ns_window_add_actions(NsWindow *window)
{
    ns_window_add_commands(window, COMMANDS, G_N_ELEMENTS(COMMANDS));
    for (size_t i = 0; i < G_N_ELEMENTS(STEPS); i++)
        ns_add_command(G_ACTION_MAP(window), STEPS[i].action, G_CALLBACK(on_step), window);
    g_action_map_add_action_entries(G_ACTION_MAP(window), ACTIONS, G_N_ELEMENTS(ACTIONS), window);
    NsSession *session = window->session;
    NsPageStack *pages = window->pages;
    ns_session_listen(session, "status-changed", G_CALLBACK(sync_actions), window);
    ns_session_listen(session, "view-changed", G_CALLBACK(sync_actions), window);
    g_signal_connect(window, "progressed", G_CALLBACK(sync_actions), NULL);
    ns_connect(pages, "switched", G_CALLBACK(sync_actions), window);
    sync_actions(window);
}

/* ---- Keys ---- */

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
    {"<Control>f", "win.search-settings", NS_KEY_ALWAYS, {0}},
    {"F9", "win.pane", NS_KEY_ALWAYS, {0}},
    {"<Control>F9", "win.inspector", NS_KEY_ALWAYS, {0}},
    {"F10", "win.menu", NS_KEY_ALWAYS, {0}},
    {"F11", "win.lecture-mode", NS_KEY_ALWAYS, {0}},
    {"Page_Down", "win.page-down", NS_KEY_ALWAYS, {0}},
    {"Page_Up", "win.page-up", NS_KEY_ALWAYS, {0}},
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
