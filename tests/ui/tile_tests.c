/* What the menu and the controls of a tile do.  SPDX-License-Identifier: MIT */
#include "tests/ui/driver.h"

#include "ui/plot/plot-private.h"
#include "ui/widgets/charts/dashboard.h"
#include "ui/widgets/common/style_manager.h"

#include <math.h>

static void count(guint *n)
{
    ++*n;
}

static void test_kinds(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open("probe-every=1");
    NsSession *session = window->session;
    NsChartTile *tile = ui_tile(window, HIDDEN);
    NsChartView *chart = tile->chart;
    UI_WAIT(window, ui_is_ready);
    ns_session_step(session, 6);
    UI_UNTIL(ns_session_steps(session) >= 6);
    UI_WAIT(window, ui_is_paused);
    UI_WAIT(window, ui_is_drawn);
    ui_point(ui_chart(window, LOSS), ui_inside(ui_chart(window, LOSS), 0.5, 0.5));
    ui_scroll(ui_chart(window, LOSS), -1, 0);
    for (size_t i = 0; ns_figure_kind(i); i++) {
        const NsFigureKind *kind = ns_figure_kind(i);
        gtk_widget_activate_action(GTK_WIDGET(tile), "tile.kind", "s", kind->choice.key);
        g_assert_true(tile->own.kind == kind);
        UI_UNTIL(ns_chart_view_layout(chart));
        const NsPlot *plot = chart->plot;
        /* A comparison says that there is nothing to compare with yet. */
        g_assert_true(plot->n_series > 0 || plot->heatmap || (plot->empty && *plot->empty));
        gtk_test_accessible_assert_property(GTK_WIDGET(chart), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                            kind->choice.label);
        gtk_test_accessible_assert_property(GTK_WIDGET(tile), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                            kind->choice.label);
        /* It joins the charts that have its abscissa. */
        bool steps = kind->abscissa == NS_OVER_STEPS;
        g_assert_true(ns_range_is_free(ui_x_range(window, HIDDEN)) == !steps);
        GtkWidget *drop_down = ui_first(GTK_WIDGET(tile), GTK_TYPE_DROP_DOWN);
        /* A place is the last layer and the first head. */
        bool chosen = kind->subject != NS_SUBJECT_NONE;
        g_assert_true(gtk_widget_get_visible(drop_down) == chosen);
        if (!chosen) continue;
        GListModel *choices = gtk_drop_down_get_model(GTK_DROP_DOWN(drop_down));
        g_assert_cmpuint(g_list_model_get_n_items(choices), >=, 2);
        guint other = gtk_drop_down_get_selected(GTK_DROP_DOWN(drop_down)) ? 0 : 1;
        uint64_t version = plot->version;
        gtk_drop_down_set_selected(GTK_DROP_DOWN(drop_down), other);
        g_autoptr(GtkStringObject) word = g_list_model_get_item(choices, other);
        UI_UNTIL(chart->plot->version != version);
        if (kind->subject == NS_SUBJECT_QUANTITY)
            g_assert_cmpstr(ns_quantity(ns_chart_tile_input(tile).quantity)->choice.label, ==,
                            gtk_string_object_get_string(word));
    }
    /* A quantity that the next figure can show stays. */
    gtk_widget_activate_action(GTK_WIDGET(tile), "tile.kind", "s", "steps");
    GtkWidget *drop_down = ui_first(GTK_WIDGET(tile), GTK_TYPE_DROP_DOWN);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(drop_down), 2);
    NsQuantity quantity = ns_chart_tile_input(tile).quantity;
    gtk_widget_activate_action(GTK_WIDGET(tile), "tile.kind", "s", "profile");
    g_assert_cmpint(ns_chart_tile_input(tile).quantity, ==, quantity);
    ui_close(window);
}

/* The controls of a tile leave its title whole, and end above what follows it. */
static void check_title(NsChartTile *tile)
{
    NsChartView *chart = tile->chart;
    UI_UNTIL(ns_chart_view_layout(chart));
    ui_enlarge(chart);
    const GArray *labels = ns_chart_view_layout(chart)->labels;
    const NsLabel *title = &g_array_index(labels, NsLabel, 0);
    g_assert_cmpint(title->part, ==, NS_PART_TITLE);
    g_assert_false(pango_layout_is_ellipsized(title->text));
    const NsLabel *next = labels->len > 1 ? &g_array_index(labels, NsLabel, 1) : title;
    bool below = next->part == NS_PART_SUBTITLE || next->part == NS_PART_LEGEND;
    GtkWidget *tool = gtk_widget_get_parent(ui_first(GTK_WIDGET(tile), GTK_TYPE_MENU_BUTTON));
    for (tool = gtk_widget_get_first_child(tool); tool; tool = gtk_widget_get_next_sibling(tool)) {
        graphene_rect_t bounds;
        if (!gtk_widget_get_visible(tool) || !gtk_widget_get_child_visible(tool)) continue;
        g_assert_true(gtk_widget_compute_bounds(tool, GTK_WIDGET(tile), &bounds));
        g_assert_cmpfloat(title->box.x + title->box.width, <, bounds.origin.x);
        if (below) g_assert_cmpfloat(next->box.y, >, bounds.origin.y + bounds.size.height);
    }
}

static void test_titles(void)
{
    static const char *const pages[] = {"dashboard", "curves", "attention"};
    NsWindow *window = ui_open("probe-every=1");
    UI_WAIT(window, ui_is_ready);
    for (size_t i = 0; i < G_N_ELEMENTS(pages); i++) {
        ns_page_stack_show(window->pages, pages[i]);
        ui_rest(window);
        NsDashboard *page = NS_DASHBOARD(ns_window_page(window));
        NsChartTile *tile;
        for (size_t k = 0; (tile = ns_dashboard_tile(page, k)); k++)
            if (gtk_widget_get_visible(GTK_WIDGET(tile))) check_title(tile);
    }
    ui_close(window);
}

static GtkWidget *open_limits(NsChartTile *tile)
{
    gtk_widget_activate_action(GTK_WIDGET(tile), "tile.limits", NULL);
    GtkWidget *overlay = gtk_widget_get_first_child(GTK_WIDGET(tile));
    for (GtkWidget *child = gtk_widget_get_first_child(overlay); child;
         child = gtk_widget_get_next_sibling(child))
        if (GTK_IS_POPOVER(child)) return child;
    g_assert_not_reached();
}

static GtkWidget *cell(GtkWidget *popover, int column, int row)
{
    GtkWidget *grid = gtk_popover_get_child(GTK_POPOVER(popover));
    return gtk_grid_get_child_at(GTK_GRID(grid), column, row);
}

static void type(GtkWidget *field, const char *text)
{
    gtk_editable_set_text(GTK_EDITABLE(field), text);
    g_signal_emit_by_name(field, "activate");
}

static void test_limits(void)
{
    NsWindow *window = ui_open_paused();
    NsChartTile *tile = ui_tile(window, LOSS);
    GtkWidget *popover = open_limits(tile);
    const NsViewState *view_state = ui_view_state(window, LOSS);
    GtkWidget *hint = cell(popover, 0, NS_VIEW_STATE_AXES + 1);
    ui_settle(GTK_WIDGET(window));
    type(cell(popover, 1, 1), "10");
    type(cell(popover, 2, 1), "20");
    g_assert_true(ui_same_range(view_state->range[NS_VIEW_STATE_X], (NsRange){10, 20}));
    g_assert_true(ui_same_range(ui_x_range(window, HEATMAP), (NsRange){10, 20}));
    type(cell(popover, 2, 2), "8.5");
    g_assert_cmpfloat(view_state->range[NS_VIEW_STATE_LEFT].hi, ==, 8.5);
    g_assert_true(isnan(view_state->range[NS_VIEW_STATE_LEFT].lo));
    /* What cannot be is said and changes nothing. */
    type(cell(popover, 1, 2), "nine");
    g_assert_true(gtk_widget_get_visible(hint));
    g_assert_true(isnan(view_state->range[NS_VIEW_STATE_LEFT].lo));
    type(cell(popover, 1, 2), "9");
    g_assert_true(gtk_widget_get_visible(hint));
    type(cell(popover, 1, 2), "0");
    g_assert_false(gtk_widget_get_visible(hint));
    g_assert_cmpfloat(view_state->range[NS_VIEW_STATE_LEFT].lo, ==, 0);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(cell(popover, 3, 2)), 1 + NS_SCALE_LOG);
    g_assert_true(gtk_widget_get_visible(hint));
    g_assert_false(view_state->rescaled[NS_VIEW_STATE_LEFT]);
    type(cell(popover, 1, 2), "");
    g_assert_true(view_state->rescaled[NS_VIEW_STATE_LEFT]);
    g_assert_cmpint(view_state->scale[NS_VIEW_STATE_LEFT], ==, NS_SCALE_LOG);
    gtk_popover_popdown(GTK_POPOVER(popover));
    ui_settle(GTK_WIDGET(window));
    gtk_widget_activate_action(GTK_WIDGET(tile), "tile.reset", NULL);
    g_assert_true(ns_view_state_is_fitted(view_state));
    /* A heatmap has cells of equal size. */
    popover = open_limits(ui_tile(window, HEATMAP));
    g_assert_false(gtk_widget_get_sensitive(cell(popover, 3, 1)));
    ui_close(window);
}

static void on_text(GObject *clipboard, GAsyncResult *result, gpointer text)
{
    *(char **)text = gdk_clipboard_read_text_finish(GDK_CLIPBOARD(clipboard), result, NULL);
}

static void test_copy(void)
{
    NsWindow *window = ui_open_paused();
    GdkClipboard *clipboard = gtk_widget_get_clipboard(GTK_WIDGET(window));
    ui_enlarge(ui_chart(window, GRADIENT));
    gtk_widget_grab_focus(GTK_WIDGET(ui_chart(window, GRADIENT)));
    g_assert_true(ui_press_late(window, GDK_KEY_c, GDK_CONTROL_MASK));
    g_autofree char *text = NULL;
    gdk_clipboard_read_text_async(clipboard, NULL, on_text, &text);
    UI_UNTIL(text);
    g_assert_true(strstr(text, "\nGradient norm of W2,step 40,4,") != NULL);
    g_assert_true(g_str_has_prefix(ns_toast_text(window->toast), "Copied all data"));
    g_assert_true(ui_press_late(window, GDK_KEY_C, GDK_CONTROL_MASK | GDK_SHIFT_MASK));
    g_assert_true(
        gdk_content_formats_contain_gtype(gdk_clipboard_get_formats(clipboard), GDK_TYPE_TEXTURE));
    g_assert_false(ui_press_late(window, GDK_KEY_c, 0));
    g_assert_false(ui_press_late(window, GDK_KEY_c, GDK_CONTROL_MASK | GDK_ALT_MASK));
    ui_close(window);
}

static void test_context_menu(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open_paused();
    NsChartTile *tile = ui_tile(window, LOSS);
    NsChartView *chart = ui_chart(window, LOSS);
    GtkWidget *overlay = gtk_widget_get_first_child(GTK_WIDGET(tile));
    ui_press_on(chart, GDK_KEY_Menu, 0);
    ui_settle(GTK_WIDGET(window));
    GtkWidget *menu = gtk_widget_get_last_child(overlay);
    g_assert_true(GTK_IS_POPOVER_MENU(menu));
    g_assert_true(gtk_widget_get_mapped(menu));
    gtk_popover_popdown(GTK_POPOVER(menu));
    ui_settle(GTK_WIDGET(window));
    /* Again, elsewhere: still one. */
    g_signal_emit_by_name(chart, "menu", 100.0, 100.0);
    ui_settle(GTK_WIDGET(window));
    g_assert_true(GTK_IS_POPOVER_MENU(gtk_widget_get_last_child(overlay)));
    UI_UNTIL(!GTK_IS_POPOVER(gtk_widget_get_prev_sibling(gtk_widget_get_last_child(overlay))));
    ui_close(window);
}

static bool is_pale(NsChartView *chart, const char *label)
{
    const NsPlot *plot = chart->plot;
    for (size_t i = 0; i < plot->n_series; i++)
        if (g_strcmp0(plot->series[i].label, label) == 0) return plot->series[i].muted;
    g_assert_not_reached();
}

static bool has_series(NsChartView *chart, const char *label)
{
    const NsPlot *plot = chart->plot;
    for (size_t i = 0; i < plot->n_series; i++)
        if (g_strcmp0(plot->series[i].label, label) == 0) return true;
    return false;
}

static void test_smoothing(void)
{
    NsWindow *window = ui_open_paused();
    NsSession *session = window->session;
    NsChartView *chart = ui_chart(window, LOSS);
    g_assert_false(is_pale(chart, "training"));
    g_assert_true(ui_press(window, GDK_KEY_s));
    UI_UNTIL(has_series(chart, "training, EMA 0.9"));
    g_assert_true(is_pale(chart, "training"));

    /* The slider in the menu of a chart over steps; what it passes in a frame acts once. */
    GtkWidget *scale = NULL;
    GtkWidget *button =
        gtk_widget_get_last_child(ui_first(GTK_WIDGET(ui_tile(window, LOSS)), GTK_TYPE_BOX));
    gtk_menu_button_popup(GTK_MENU_BUTTON(button));
    ui_settle(GTK_WIDGET(window));
    scale =
        ui_first(GTK_WIDGET(gtk_menu_button_get_popover(GTK_MENU_BUTTON(button))), GTK_TYPE_SCALE);
    g_assert_nonnull(scale);
    g_assert_cmpfloat(gtk_range_get_value(GTK_RANGE(scale)), ==, 0.9);
    guint changes = 0;
    gulong handler = g_signal_connect_swapped(session, "view-changed", G_CALLBACK(count), &changes);
    for (int i = 0; i <= 20; i++) gtk_range_set_value(GTK_RANGE(scale), 0.5 + 0.01 * i);
    UI_UNTIL(changes > 0);
    ui_settle(GTK_WIDGET(window));
    g_assert_cmpuint(changes, ==, 1);
    g_signal_handler_disconnect(session, handler);
    UI_UNTIL(has_series(chart, "training, EMA 0.7"));
    gtk_range_set_value(GTK_RANGE(scale), 0);
    UI_UNTIL(session->view->smoothing.kind == NS_SMOOTH_NONE);
    gtk_menu_button_popdown(GTK_MENU_BUTTON(button));
    ui_settle(GTK_WIDGET(window));
    /* On again as it was. */
    g_assert_true(ui_press(window, GDK_KEY_s));
    UI_UNTIL(has_series(chart, "training, EMA 0.7"));
    /* Of a long run the losses are smoothed unless that is switched off; off and on again. */
    ns_session_show_smoothing(session, (NsSmoothing){NS_SMOOTH_AUTO, 0});
    UI_UNTIL(!is_pale(chart, "training"));
    ns_session_run_to(session, 500);
    UI_UNTIL(ns_session_steps(session) == 500 && has_series(chart, "training, EMA 0.9"));
    g_assert_true(ui_press(window, GDK_KEY_s));
    UI_UNTIL(!is_pale(chart, "training"));
    g_assert_true(ui_press(window, GDK_KEY_s));
    UI_UNTIL(is_pale(chart, "training"));
    g_assert_cmpint(session->view->smoothing.kind, ==, NS_SMOOTH_AUTO);
    /* A heatmap has no such thing. */
    button =
        gtk_widget_get_last_child(ui_first(GTK_WIDGET(ui_tile(window, HEATMAP)), GTK_TYPE_BOX));
    g_assert_null(
        ui_first(GTK_WIDGET(gtk_menu_button_get_popover(GTK_MENU_BUTTON(button))), GTK_TYPE_SCALE));
    ui_close(window);
}

/* A grip that is dragged sets the warm-up, inside what it may be. */
static void test_handle(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    NsChartView *chart = ui_chart(window, LOSS);
    UI_WAIT(window, ui_is_ready);
    g_signal_emit_by_name(chart, "handle-moved", 0, 20.4);
    g_assert_cmpint(ns_session_settings(session)->warmup, ==, 20);
    g_signal_emit_by_name(chart, "handle-moved", 0, -5.0);
    g_assert_cmpint(ns_session_settings(session)->warmup, ==, 1);
    g_signal_emit_by_name(chart, "handle-moved", 0, (double)NAN);
    g_assert_cmpint(ns_session_settings(session)->warmup, ==, 1);

    /* With the pointer, on the chart that has it. */
    gtk_widget_activate_action(GTK_WIDGET(ui_tile(window, LOSS)), "tile.kind", "s", "schedule");
    ns_session_set(session, "warmup", "100");
    UI_UNTIL(ns_chart_view_layout(chart) && chart->plot->n_markers > 0 &&
             chart->plot->markers[0].x == 100);
    ui_rest(window);
    const NsPlotLayout *layout = ns_chart_view_layout(chart);
    NsPoint grip = {round(ns_plot_x_to_pixel(layout, 100)), 0};
    while (ns_plot_handle_at(layout, grip.x, grip.y) < 0) {
        grip.y += 2;
        g_assert_cmpfloat(grip.y, <, 1000);
    }
    double to = ns_plot_pixel_to_x(layout, ns_plot_x_to_pixel(layout, 100) + 60);
    ui_drag(GTK_WIDGET(chart), GDK_BUTTON_PRIMARY, grip, (NsPoint){grip.x + 60, grip.y}, 0);
    g_assert_cmpfloat(to, >, 110);
    g_assert_cmpfloat_with_epsilon((double)ns_session_settings(session)->warmup, to, 1);
    g_assert_true(ns_view_state_is_fitted(ui_view_state(window, LOSS)));

    /* The peak goes up and down, at the grip at its right end, while it runs: slowly, or the axis
     * would have moved the grip away before a busy machine presses there. */
    ns_session_set(session, "steps", "1000000");
    ns_session_set_speed(session, 10);
    ns_session_set_pause_on_trouble(session, false);
    ns_session_run(session);
    UI_WAIT(window, ui_has_stepped_five);
    ui_settle(GTK_WIDGET(window));
    double peak = ns_session_settings(session)->lr;
    layout = ns_chart_view_layout(chart);
    NsBox area = ns_plot_area(layout);
    grip = (NsPoint){round(area.x + area.width), round(ns_plot_y_to_pixel(layout, peak))};
    while (ns_plot_handle_at(layout, grip.x, grip.y) != 1) {
        grip.x -= 1;
        g_assert_cmpfloat(grip.x, >, area.x);
    }
    double right = grip.x;
    while (ns_plot_handle_at(layout, grip.x, grip.y) == 1) grip.x -= 1;
    grip.x = round((grip.x + right) / 2); /* its middle: the axis moves while it runs */
    ui_drag(GTK_WIDGET(chart), GDK_BUTTON_PRIMARY, grip, (NsPoint){grip.x, grip.y + 40}, 0);
    g_assert_cmpfloat(ns_session_settings(session)->lr, <, 0.95 * peak);
    g_assert_cmpfloat(ns_session_settings(session)->lr, >, 0);
    g_assert_cmpfloat_with_epsilon((double)ns_session_settings(session)->warmup, to, 1);
    g_assert_true(session->wants_run);
    g_assert_null(session->problem);
    ui_close(window);
}

static void test_theory(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    g_assert_false(ns_chart_tile_input(ui_tile(window, GRADIENT)).theory);
    GtkWidget *note = ui_find_tip(GTK_WIDGET(ui_tile(window, LOSS)), "About this chart");
    g_assert_false(gtk_widget_get_visible(note));
    g_assert_true(ui_press(window, GDK_KEY_t));
    g_assert_true(session->view->theory);
    g_assert_true(ns_chart_tile_input(ui_tile(window, GRADIENT)).theory);
    /* The note is behind a button, which a class does not see. */
    NsChartView *chart = ui_chart(window, GRADIENT);
    ui_enlarge(chart);
    note = ui_find_tip(GTK_WIDGET(ui_tile(window, GRADIENT)), "About this chart");
    UI_UNTIL(gtk_widget_get_visible(note));
    g_assert_nonnull(chart->plot->note);
    g_assert_null(ns_chart_view_layout(chart)->note);
    g_action_group_change_action_state(G_ACTION_GROUP(window), "class-mode",
                                       g_variant_new_boolean(TRUE));
    ns_session_step(session, 1);
    UI_UNTIL(!gtk_widget_get_visible(note));
    ui_close(window);
}

static void test_grid(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    g_assert_true(ui_press(window, GDK_KEY_g));
    for (size_t i = 0; i < TILES; i++) g_assert_true(ui_view_state(window, i)->no_grid);
    g_assert_true(ui_press(window, GDK_KEY_g));
    for (size_t i = 0; i < TILES; i++) g_assert_false(ui_view_state(window, i)->no_grid);
    ui_close(window);
}

/* Below the losses stands what each lane writes at the step on view; typing a text asks for the
 * next token of each. */
static void test_continuations(void)
{
    NsWindow *window = ui_open("sample-every=2 steps=5");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    GtkWidget *lines = ui_find_class(GTK_WIDGET(window), "continuations");
    GtkWidget *line = gtk_widget_get_first_child(gtk_widget_get_first_child(lines));
    UI_UNTIL(gtk_widget_get_visible(lines));
    g_autofree char *before = g_strdup(gtk_label_get_text(GTK_LABEL(line)));
    ns_session_step(session, 5);
    UI_UNTIL(session->view->histories[0] && ns_session_steps(session) == 5);
    const NsContinuation *last = ns_history_continuation_at(session->view->histories[0], 5);
    g_assert_cmpint(last->step, >=, 4);
    g_autofree char *first_line = g_strndup(last->text, strcspn(last->text, "\n"));
    UI_UNTIL(strstr(gtk_label_get_text(GTK_LABEL(line)), first_line));
    ns_session_show_step(session, 1); /* that of step 0 */
    GtkWidget *at = gtk_widget_get_first_child(gtk_widget_get_last_child(lines));
    UI_UNTIL(g_str_equal(gtk_label_get_text(GTK_LABEL(at)), "Text at step 0"));
    UI_UNTIL(g_str_equal(gtk_label_get_text(GTK_LABEL(line)), before));

    /* Its color goes with the style, without a new step. */
    ns_styles_set_scheme(NS_SCHEME_LIGHT);
    ui_rest(window);
    g_autofree char *light = g_strdup(gtk_label_get_label(GTK_LABEL(line)));
    ns_styles_set_scheme(NS_SCHEME_DARK);
    UI_UNTIL(!g_str_equal(gtk_label_get_label(GTK_LABEL(line)), light));
    ns_styles_set_scheme(NS_SCHEME_LIGHT);
    UI_UNTIL(g_str_equal(gtk_label_get_label(GTK_LABEL(line)), light));
    ns_styles_set_scheme(NS_SCHEME_SYSTEM);

    /* There is space for it beside the inspector, too. */
    g_action_group_change_action_state(G_ACTION_GROUP(window), "inspector",
                                       g_variant_new_boolean(TRUE));
    UI_UNTIL(gtk_widget_get_width(lines) < 350);
    g_assert_true(gtk_widget_get_child_visible(lines));

    GtkWidget *button = ui_find_class(lines, "ask-models");
    gtk_menu_button_popup(GTK_MENU_BUTTON(button));
    GtkWidget *popover = GTK_WIDGET(gtk_menu_button_get_popover(GTK_MENU_BUTTON(button)));
    GtkWidget *entry = ui_first(popover, GTK_TYPE_ENTRY), *bar;
    UI_UNTIL((bar = ui_first(popover, GTK_TYPE_PROGRESS_BAR)) && gtk_widget_get_visible(bar));
    double share = gtk_progress_bar_get_fraction(GTK_PROGRESS_BAR(bar));
    g_assert_cmpfloat(share, >, 0);
    gtk_editable_set_text(GTK_EDITABLE(entry), "q");
    UI_UNTIL(fabs(gtk_progress_bar_get_fraction(GTK_PROGRESS_BAR(bar)) - share) > 0);
    gtk_menu_button_popdown(GTK_MENU_BUTTON(button));
    ui_close(window);
}

/* Of charts next to each other only that of one step names it; the axis of the other one does. */
static void test_step_once(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ns_session_step(window->session, 3);
    UI_UNTIL(ns_session_steps(window->session) == 3 && ui_is_paused(window));
    NsChartView *loss = ui_chart(window, LOSS), *gradient = ui_chart(window, GRADIENT);
    UI_UNTIL(g_str_has_suffix(gradient->shown.subtitle, ", no warm-up, step 3"));
    UI_UNTIL(g_str_has_suffix(loss->plot->subtitle, ", step 3"));
    g_assert_true(g_str_has_suffix(loss->shown.subtitle, ", no warm-up"));
    ui_close(window);
}

void ui_add_tile_tests(void)
{
    g_test_add_func("/ui/tile/step-once", test_step_once);
    g_test_add_func("/ui/tile/continuations", test_continuations);
    g_test_add_func("/ui/tile/kinds", test_kinds);
    g_test_add_func("/ui/tile/titles", test_titles);
    g_test_add_func("/ui/tile/limits", test_limits);
    g_test_add_func("/ui/tile/copy", test_copy);
    g_test_add_func("/ui/tile/context-menu", test_context_menu);
    g_test_add_func("/ui/tile/smoothing", test_smoothing);
    g_test_add_func("/ui/tile/handle", test_handle);
    g_test_add_func("/ui/tile/theory", test_theory);
    g_test_add_func("/ui/tile/grid", test_grid);
}
