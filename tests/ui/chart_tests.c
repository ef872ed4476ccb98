/* Pointer and keyboard on the charts.  SPDX-License-Identifier: MIT */
#include "tests/ui/driver.h"

#include <math.h>

/* How much of the x axis is seen: there is room ahead of the newest step, and at both ends some
 * pixels more than the range of the axis. */
static double seen(NsChartView *chart)
{
    const NsPlotLayout *layout = ns_chart_view_layout(chart);
    NsBox area = ns_plot_area(layout);
    return ns_plot_pixel_to_x(layout, area.x + area.width) - ns_plot_pixel_to_x(layout, area.x);
}

static void test_wheel(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open_paused();
    NsChartView *chart = ui_chart(window, LOSS);
    double all = seen(chart);
    g_assert_cmpfloat(all, >=, 40);
    NsPoint at = ui_inside(chart, 0.25, 0.5);
    double x = ns_plot_pixel_to_x(ns_chart_view_layout(chart), at.x);
    ui_point(chart, at);
    g_assert_false(gtk_widget_get_visible(ui_chip(ui_tile(window, LOSS))));
    ui_scroll(chart, -2, 0);
    NsRange range = ui_x_range(window, LOSS);
    g_assert_cmpfloat_with_epsilon(seen(chart), all * 0.64, 0.001 * all);
    g_assert_cmpfloat_with_epsilon(ns_plot_pixel_to_x(ns_chart_view_layout(chart), at.x), x, 0.01);
    g_assert_true(ns_range_is_free(ui_view_state(window, LOSS)->range[NS_VIEW_STATE_LEFT]));
    /* The other chart over steps shows the same part; those over layers are as they were. */
    g_assert_true(ui_same_range(ui_x_range(window, HEATMAP), range));
    g_assert_true(ns_range_is_free(ui_x_range(window, GRADIENT)));
    g_assert_true(gtk_widget_get_visible(ui_chip(ui_tile(window, LOSS))));
    g_assert_true(gtk_widget_get_visible(ui_chip(ui_tile(window, HEATMAP))));
    g_assert_cmpstr(gtk_button_get_label(GTK_BUTTON(ui_chip(ui_tile(window, LOSS)))), ==, "Fit");

    /* With Shift it is the vertical axes' turn. */
    ui_scroll(chart, -1, GDK_SHIFT_MASK);
    g_assert_true(ui_same_range(ui_x_range(window, LOSS), range));
    g_assert_false(ns_range_is_free(ui_view_state(window, LOSS)->range[NS_VIEW_STATE_LEFT]));

    /* Out as far as it goes. */
    ui_scroll(chart, 20, 0);
    g_assert_true(ns_range_is_free(ui_x_range(window, LOSS)));
    g_assert_true(ns_range_is_free(ui_x_range(window, HEATMAP)));
    g_assert_cmpstr(gtk_button_get_label(GTK_BUTTON(ui_chip(ui_tile(window, LOSS)))), ==, "Fit");

    /* Beside the plot area the page scrolls. */
    ui_point(chart, (NsPoint){3, 3});
    ui_scroll(chart, -1, 0);
    g_assert_true(ns_range_is_free(ui_x_range(window, LOSS)));
    ui_close(window);
}

typedef struct {
    guint n;
    gint64 frame;
} Changes;

static void on_view_state_changed(NsChartView *chart, Changes *changes)
{
    GdkFrameClock *clock = gtk_widget_get_frame_clock(GTK_WIDGET(chart));
    gint64 frame = gdk_frame_clock_get_frame_counter(clock);
    g_assert_true(changes->n == 0 || frame > changes->frame);
    changes->frame = frame;
    changes->n++;
}

/* However many notches come in a frame, the view changes once, by all of them. */
static void test_merged_in_a_frame(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open_paused();
    NsChartView *chart = ui_chart(window, LOSS);
    Changes changes = {0};
    double all = seen(chart);
    ui_point(chart, ui_inside(chart, 0.5, 0.5));
    g_signal_connect(chart, "view-state-changed", G_CALLBACK(on_view_state_changed), &changes);
    ui_wheel(-6);
    g_assert_cmpuint(changes.n, ==, 0);
    UI_UNTIL(seen(chart) < all);
    ui_settle(GTK_WIDGET(chart));
    g_assert_cmpfloat_with_epsilon(seen(chart), all * pow(0.8, 6), 0.001 * all);
    g_assert_cmpuint(changes.n, <=, 6);
    ui_close(window);
}

static void test_follow(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open_paused();
    NsSession *session = window->session;
    NsChartView *chart = ui_chart(window, LOSS);
    ui_point(chart, ui_inside(chart, 0.0, 0.5));
    ui_scroll(chart, -4, 0);
    NsRange range = ui_x_range(window, LOSS);
    g_assert_cmpfloat(range.hi, <, 30);
    ns_session_step(session, 5);
    UI_UNTIL(ns_session_steps(session) >= 45);
    ui_rest(window);
    g_assert_true(ui_same_range(ui_x_range(window, LOSS), range)); /* held where it is */
    g_signal_emit_by_name(ui_chip(ui_tile(window, HEATMAP)), "clicked");
    g_assert_false(ui_view_state(window, LOSS)->held);
    ns_session_step(session, 5);
    UI_UNTIL(ns_session_steps(session) >= 50);
    UI_WAIT(window, ui_is_paused);
    UI_UNTIL(ui_x_range(window, LOSS).hi >= 50);
    NsRange after = ui_x_range(window, LOSS);
    g_assert_cmpfloat_with_epsilon(after.hi - after.lo, range.hi - range.lo, 1e-6);
    UI_UNTIL(ui_same_range(ui_x_range(window, HEATMAP), after));
    /* What is left is to show everything. */
    GtkWidget *chip = ui_chip(ui_tile(window, LOSS));
    g_assert_cmpstr(gtk_button_get_label(GTK_BUTTON(chip)), ==, "Fit");
    g_signal_emit_by_name(chip, "clicked");
    g_assert_true(ns_view_state_is_fitted(ui_view_state(window, LOSS)));
    g_assert_false(gtk_widget_get_visible(chip));
    ui_close(window);
}

/* Behind the step that the run was told to run to, the axis has no space, until it goes on. */
static void test_run_to(void)
{
    NsWindow *window = ui_open_paused();
    NsChartView *chart = ui_chart(window, LOSS);
    ns_session_run_to(window->session, 60);
    UI_UNTIL(ns_session_steps(window->session) >= 60);
    UI_WAIT(window, ui_is_paused);
    UI_UNTIL(seen(chart) > 50);
    ui_settle(GTK_WIDGET(chart));
    g_assert_cmpfloat(seen(chart), <, 64);
    ns_session_step(window->session, 1);
    UI_UNTIL(seen(chart) > 70);
    ui_close(window);
}

/* A restart undoes a zoom, in which its first steps could not be seen, but not limits by number. */
static void test_restart(void)
{
    NsWindow *window = ui_open_paused();
    for (int typed = 0; typed < 2; typed++) {
        NsViewState *view_state = &ui_chart(window, LOSS)->view_state;
        ns_view_state_set_range(view_state, NS_VIEW_STATE_X, (NsRange){10, 30});
        ns_view_state_set_range(view_state, NS_VIEW_STATE_LEFT, (NsRange){1, 3});
        view_state->typed = typed;
        ns_chart_view_state_changed(ui_chart(window, LOSS));
        g_assert_false(ns_view_state_is_fitted(ui_view_state(window, HEATMAP)));
        unsigned id = window->session->id;
        ns_session_restart(window->session);
        UI_UNTIL(window->session->id > id && ui_is_ready(window));
        g_assert_true(ns_view_state_is_fitted(view_state) == !typed);
        g_assert_true(ns_view_state_is_fitted(ui_view_state(window, HEATMAP)) == !typed);
        ns_session_step(window->session, 5);
        UI_UNTIL(ns_session_steps(window->session) == 5);
        UI_WAIT(window, ui_is_paused);
    }
    ui_close(window);
}

/* The upper limit of the left axis. */
static double top_of(NsChartView *chart)
{
    g_assert_nonnull(ns_chart_view_layout(chart));
    return chart->rendered.left.hi;
}

/* An earlier run that is off the scale is shown by the button Fit, a card can ask for it, and the
 * next run has its own scale again. */
static void test_fit_all(void)
{
    NsWindow *window = ui_open_paused();
    NsSession *session = window->session;
    NsChartView *chart = ui_chart(window, LOSS);
    GtkWidget *chip = ui_chip(ui_tile(window, LOSS));
    for (int run = 0; run < 4; run++) {
        unsigned id = session->id;
        g_assert_true(ns_session_set(session, "placement", run ? "post" : "none"));
        g_assert_true(ns_session_set(session, "init-scale", run ? "1" : "4"));
        if (run == 3) g_signal_emit_by_name(window->learn_pane, "chart", "", TRUE);
        ns_session_restart(session);
        UI_UNTIL(session->id > id && ui_is_ready(window));
        g_assert_true(chart->view_state.all == (run == 3));
        ns_session_step(session, 5);
        UI_UNTIL(ns_session_steps(session) == 5);
        UI_WAIT(window, ui_is_paused);
        ui_settle(GTK_WIDGET(chart));
        if (run != 1) continue;
        double top = top_of(chart);
        UI_UNTIL(gtk_widget_get_visible(chip));
        g_assert_true(g_str_has_prefix(gtk_widget_get_tooltip_text(chip), "Show the earlier run"));
        g_signal_emit_by_name(chip, "clicked");
        g_assert_cmpfloat(top_of(chart), >, 2 * top);
        g_assert_true(g_str_has_prefix(gtk_widget_get_tooltip_text(chip), "Fit the axes"));
        g_signal_emit_by_name(chip, "clicked");
        g_assert_cmpfloat_with_epsilon(top_of(chart), top, 1e-6);
        g_assert_true(gtk_widget_get_visible(chip));
        g_signal_emit_by_name(chip, "clicked");
    }
    g_signal_emit_by_name(window->learn_pane, "chart", "", FALSE);
    g_assert_false(chart->view_state.all);
    ui_close(window);
}

static void drag(NsChartView *chart, NsPoint from, NsPoint to, GdkModifierType modifiers)
{
    ui_drag(GTK_WIDGET(chart), GDK_BUTTON_PRIMARY, from, to, modifiers);
}

static void test_drag(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open_paused();
    NsChartView *chart = ui_chart(window, LOSS);
    NsPoint from = ui_inside(chart, 0.25, 0.2), to = ui_inside(chart, 0.75, 0.7);
    double lo = ns_plot_pixel_to_x(ns_chart_view_layout(chart), from.x);
    double hi = ns_plot_pixel_to_x(ns_chart_view_layout(chart), to.x);
    drag(chart, to, from, 0); /* from any corner */
    g_assert_cmpfloat_with_epsilon(ui_x_range(window, LOSS).lo, lo, 0.01);
    g_assert_cmpfloat_with_epsilon(ui_x_range(window, LOSS).hi, hi, 0.01);
    g_assert_false(ns_range_is_free(ui_view_state(window, LOSS)->range[NS_VIEW_STATE_LEFT]));
    g_assert_cmpuint(ui_view_state(window, LOSS)->n_pins, ==, 0);

    /* Panning keeps the width. */
    drag(chart, ui_inside(chart, 0.5, 0.5), ui_inside(chart, 0.6, 0.5), GDK_SHIFT_MASK);
    NsRange panned = ui_x_range(window, LOSS);
    g_assert_cmpfloat(panned.lo, <, lo);
    g_assert_cmpfloat_with_epsilon(panned.hi - panned.lo, hi - lo, 0.01);
    ui_drag(GTK_WIDGET(chart), GDK_BUTTON_MIDDLE, ui_inside(chart, 0.6, 0.5),
            ui_inside(chart, 0.5, 0.5), 0);
    g_assert_cmpfloat_with_epsilon(ui_x_range(window, LOSS).lo, lo, 0.01);
    g_assert_cmpfloat_with_epsilon(ui_x_range(window, LOSS).hi, hi, 0.01);
    g_assert_cmpuint(ui_view_state(window, LOSS)->n_pins, ==, 0);

    /* A flat box zooms the steps only, a narrow one the values only. */
    ui_double_click_at(chart, ui_inside(chart, 0.5, 0.5));
    g_assert_true(ns_view_state_is_fitted(ui_view_state(window, LOSS)));
    drag(chart, ui_inside(chart, 0.3, 0.5), ui_inside(chart, 0.6, 0.5), 0);
    g_assert_false(ns_range_is_free(ui_x_range(window, LOSS)));
    g_assert_true(ns_range_is_free(ui_view_state(window, LOSS)->range[NS_VIEW_STATE_LEFT]));
    ui_double_click_at(chart, ui_inside(chart, 0.5, 0.5));
    drag(chart, ui_inside(chart, 0.5, 0.2), ui_inside(chart, 0.5, 0.6), 0);
    g_assert_true(ns_range_is_free(ui_x_range(window, LOSS)));
    g_assert_false(ns_range_is_free(ui_view_state(window, LOSS)->range[NS_VIEW_STATE_LEFT]));
    ui_close(window);
}

static void test_double_click(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open_paused();
    NsDashboard *dashboard = ns_window_dashboard(window);
    NsChartView *chart = ui_chart(window, HEATMAP);
    NsPoint middle = ui_inside(chart, 0.5, 0.5);
    ui_point(chart, middle);
    ui_scroll(chart, -3, 0);
    g_assert_false(ns_view_state_is_fitted(ui_view_state(window, HEATMAP)));
    ui_double_click_at(chart, middle);
    g_assert_true(ns_view_state_is_fitted(ui_view_state(window, HEATMAP)));
    g_assert_cmpuint(ui_view_state(window, HEATMAP)->n_pins, ==, 0);
    g_assert_null(dashboard->maximized);
    ui_double_click_at(chart, (NsPoint){12, 8});
    g_assert_true(dashboard->maximized == ui_tile(window, HEATMAP));
    ui_close(window);
}

static void count_change(int *changes)
{
    ++*changes;
}

static void test_pins(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open_paused();
    NsSession *session = window->session;
    NsChartView *chart = ui_chart(window, LOSS);
    ui_point(chart, ui_inside(chart, 0.25, 0.5));
    g_assert_true(ns_chart_view_has_tip(chart));
    ui_click_at(chart, ui_inside(chart, 0.25, 0.5), 0);
    g_assert_cmpuint(ui_view_state(window, LOSS)->n_pins, ==, 1);
    g_assert_false(ns_chart_view_has_tip(chart)); /* it would say the same */
    NsPin first = ui_view_state(window, LOSS)->pins[0];
    g_assert_cmpuint(first.number, ==, 1);
    g_assert_cmpint(session->view->step, ==, llround(first.x));
    ui_click_at(chart, ui_inside(chart, 0.75, 0.5), 0);
    g_assert_cmpuint(ui_view_state(window, LOSS)->n_pins, ==, 2);
    g_assert_cmpint(session->view->step, ==, llround(ui_view_state(window, LOSS)->pins[1].x));
    /* A cell of the heatmap, with its layer. */
    NsChartView *map = ui_chart(window, HEATMAP);
    int changes = 0;
    gulong counting =
        g_signal_connect_swapped(session, "view-changed", G_CALLBACK(count_change), &changes);
    ui_click_at(map, ui_inside(map, 0.5, 0.1), 0);
    g_signal_handler_disconnect(session, counting);
    g_assert_cmpint(changes, ==, 1);
    g_assert_cmpint(session->view->layer, ==, 4);
    g_assert_cmpfloat(ui_view_state(window, HEATMAP)->pins[0].row, ==, 4);
    g_assert_false(ns_chart_view_has_tip(map));
    ui_point(map, ui_inside(map, 0.5, 0.4)); /* another layer at the same step */
    g_assert_true(ns_chart_view_has_tip(map));
    g_assert_cmpint(session->view->step, ==, llround(ui_view_state(window, HEATMAP)->pins[0].x));
    /* A layer says nothing of the step. */
    NsChartView *profile = ui_chart(window, GRADIENT);
    ui_click_at(profile, ui_inside(profile, 0.0, 0.5), 0);
    g_assert_cmpuint(ui_view_state(window, GRADIENT)->n_pins, ==, 1);
    g_assert_cmpint(session->view->step, ==, llround(ui_view_state(window, HEATMAP)->pins[0].x));

    /* Clicked again, or with Delete, they go. */
    ui_enlarge(chart);
    double px = ns_plot_x_to_pixel(ns_chart_view_layout(chart), first.x);
    ui_click_at(chart, (NsPoint){px, ui_inside(chart, 0, 0.5).y}, 0);
    g_assert_cmpuint(ui_view_state(window, LOSS)->n_pins, ==, 1);
    g_assert_cmpuint(ui_view_state(window, LOSS)->pins[0].number, ==, 2);
    ui_point(chart, ui_inside(chart, 0.4, 0.5));
    ui_press_on(chart, GDK_KEY_Delete, 0);
    g_assert_cmpuint(ui_view_state(window, LOSS)->n_pins, ==, 0);
    ui_stroke(GTK_WIDGET(window), GDK_KEY_Escape, 0);
    g_assert_cmpuint(ui_view_state(window, HEATMAP)->n_pins, ==, 0);
    g_assert_cmpuint(ui_view_state(window, GRADIENT)->n_pins, ==, 0);
    g_assert_cmpint(session->view->step, ==, -1);
    ui_close(window);
}

static void test_too_many_pins(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open_paused();
    NsChartView *chart = ui_chart(window, LOSS);
    ui_press_on(chart, GDK_KEY_Home, 0);
    for (int i = 0; i < NS_VIEW_STATE_PINS; i++) {
        ui_press_on(chart, GDK_KEY_Return, 0);
        ui_press_on(chart, GDK_KEY_Right, 0);
    }
    g_assert_cmpuint(ui_view_state(window, LOSS)->n_pins, ==, NS_VIEW_STATE_PINS);
    g_assert_null(ns_toast_text(window->toast));
    ui_press_on(chart, GDK_KEY_Return, 0);
    g_assert_cmpuint(ui_view_state(window, LOSS)->n_pins, ==, NS_VIEW_STATE_PINS);
    g_assert_true(g_str_has_prefix(ns_toast_text(window->toast), "9 readings are pinned"));
    ui_close(window);
}

static double read_x(NsChartView *chart)
{
    const NsReading *reading = ns_chart_view_reading(chart);
    return reading ? reading->x : (double)NAN;
}

static void test_keyboard(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open_paused();
    NsChartView *chart = ui_chart(window, LOSS);
    gtk_widget_grab_focus(GTK_WIDGET(chart));
    ui_press_on(chart, GDK_KEY_End, 0);
    g_assert_cmpfloat(read_x(chart), ==, 40);
    /* What is read is said, and then what the chart shows. */
    g_autofree char *said = gtk_test_accessible_check_property(
        GTK_ACCESSIBLE(chart), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "");
    g_assert_nonnull(strstr(said, "step 40, training: "));
    g_assert_nonnull(strstr(said, "Loss; training "));
    ui_press_on(chart, GDK_KEY_Left, 0);
    g_assert_cmpfloat(read_x(chart), ==, 39);
    ui_press_on(chart, GDK_KEY_Page_Up, 0);
    g_assert_cmpfloat(read_x(chart), ==, 29);
    ui_press_on(chart, GDK_KEY_Right, 0);
    ui_press_on(chart, GDK_KEY_Page_Down, 0);
    g_assert_cmpfloat(read_x(chart), ==, 40);
    ui_press_on(chart, GDK_KEY_Page_Down, 0);
    g_assert_cmpfloat(read_x(chart), ==, 40);
    ui_press_on(chart, GDK_KEY_Home, 0);
    g_assert_cmpfloat(read_x(chart), ==, 0);
    g_assert_false(ui_key(GTK_WIDGET(chart), GDK_KEY_Up, 0)); /* it has no rows */
    /* The same step in the other chart over steps. */
    g_assert_cmpfloat(read_x(ui_chart(window, HEATMAP)), ==, 0);
    g_assert_null(ns_chart_view_reading(ui_chart(window, HIDDEN)));

    /* Zoomed in, the view goes along with the crosshair. */
    for (int i = 0; i < 6; i++) ui_press_on(chart, GDK_KEY_plus, GDK_SHIFT_MASK);
    g_assert_cmpfloat(ui_x_range(window, LOSS).hi, <, 20);
    ui_press_on(chart, GDK_KEY_End, 0);
    g_assert_cmpfloat(read_x(chart), ==, 40);
    g_assert_cmpfloat(ui_x_range(window, LOSS).hi, >=, 40);
    NsRange before = ui_x_range(window, LOSS);
    ui_press_on(chart, GDK_KEY_minus, 0);
    g_assert_cmpfloat(ui_x_range(window, LOSS).lo, <, before.lo);
    ui_press_on(chart, GDK_KEY_Left, GDK_SHIFT_MASK);
    g_assert_cmpfloat(ui_x_range(window, LOSS).hi, <, 40);
    ui_press_on(chart, GDK_KEY_Up, GDK_SHIFT_MASK);
    g_assert_false(ns_range_is_free(ui_view_state(window, LOSS)->range[NS_VIEW_STATE_LEFT]));
    ui_press_on(chart, GDK_KEY_0, 0);
    g_assert_true(ns_view_state_is_fitted(ui_view_state(window, LOSS)));
    ui_press_on(chart, GDK_KEY_plus, 0);
    ui_press_on(chart, GDK_KEY_0, 0);
    g_assert_true(ns_view_state_is_fitted(ui_view_state(window, LOSS)));
    g_assert_false(ui_key(GTK_WIDGET(chart), GDK_KEY_c, GDK_CONTROL_MASK));

    /* Rows of a heatmap. */
    NsChartView *map = ui_chart(window, HEATMAP);
    ui_press_on(map, GDK_KEY_End, 0);
    double row = ns_chart_view_reading(map)->row;
    ui_press_on(map, GDK_KEY_Up, 0);
    g_assert_cmpfloat(ns_chart_view_reading(map)->row, ==, row + 1);
    /* Row 3 is layer 4. */
    for (int i = 0; i < 4; i++) ui_press_on(map, GDK_KEY_Up, 0);
    g_assert_cmpfloat(ns_chart_view_reading(map)->row, ==, 3);
    g_assert_cmpfloat(read_x(ui_chart(window, GRADIENT)), ==, 4);
    ui_close(window);
}

/* A pointer that rests on one chart leaves the crosshair to the keyboard on another, although GTK
 * tells of it again whenever something has a new size. */
static void test_pointer_rests(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open_paused();
    NsChartView *chart = ui_chart(window, LOSS), *other = ui_chart(window, HIDDEN);
    ui_point(other, ui_inside(other, 0.5, 0.5));
    g_assert_nonnull(ns_chart_view_reading(other));
    ui_press_on(chart, GDK_KEY_End, 0);
    g_assert_cmpfloat(read_x(chart), ==, 40);
    for (int i = 1; i <= 3; i++) {
        gtk_widget_queue_resize(GTK_WIDGET(window));
        ui_press_on(chart, GDK_KEY_Left, 0);
        g_assert_cmpfloat(read_x(chart), ==, 40 - i);
    }
    g_assert_null(ns_chart_view_reading(other));
    /* Once it moves, it is followed again. */
    ui_point(other, ui_inside(other, 0.25, 0.5));
    g_assert_nonnull(ns_chart_view_reading(other));
    g_assert_null(ns_chart_view_reading(chart));
    ui_close(window);
}

static void test_space(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open_paused();
    NsChartView *chart = ui_chart(window, LOSS);
    gtk_widget_grab_focus(GTK_WIDGET(chart));
    /* Where the keyboard went to the chart, Space is the chart's. */
    gtk_window_set_focus_visible(GTK_WINDOW(window), TRUE);
    ui_press_on(chart, GDK_KEY_Home, 0);
    ui_press_on(chart, GDK_KEY_space, 0);
    g_assert_cmpuint(ui_view_state(window, LOSS)->n_pins, ==, 1);
    g_assert_false(window->session->wants_run);
    /* A chart that was clicked leaves it to the run. */
    ui_click_at(chart, ui_inside(chart, 0.75, 0.5), 0);
    g_assert_true(gtk_widget_has_focus(GTK_WIDGET(chart)));
    ui_stroke(GTK_WIDGET(window), GDK_KEY_space, 0);
    g_assert_true(window->session->wants_run);
    g_assert_cmpuint(ui_view_state(window, LOSS)->n_pins, ==, 2);
    ui_close(window);
}

static void test_crosshairs(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open_paused();
    NsChartView *chart = ui_chart(window, HEATMAP);
    NsPoint at = ui_inside(chart, 0.5, 0.1);
    ui_point(chart, at);
    double step = read_x(chart);
    g_assert_cmpfloat(step, >, 0);
    g_assert_cmpfloat(read_x(ui_chart(window, LOSS)), ==, step);
    g_assert_cmpfloat(read_x(ui_chart(window, GRADIENT)), ==, 4);
    g_assert_cmpfloat(read_x(ui_chart(window, HIDDEN)), ==, 4);
    ui_point(ui_chart(window, GRADIENT), ui_inside(ui_chart(window, GRADIENT), 0, 0.5));
    g_assert_cmpfloat(read_x(ui_chart(window, HIDDEN)), ==, 1);
    g_assert_null(ns_chart_view_reading(ui_chart(window, LOSS)));
    ui_pointer_away();
    ui_settle(GTK_WIDGET(window));
    for (size_t i = 0; i < TILES; i++) g_assert_null(ns_chart_view_reading(ui_chart(window, i)));

    /* Under a pointer that rests the steps move, and the others follow. */
    ui_point(ui_chart(window, LOSS), ui_inside(ui_chart(window, LOSS), 0.5, 0.5));
    double before = read_x(ui_chart(window, LOSS));
    ns_session_step(window->session, 20);
    UI_UNTIL(read_x(ui_chart(window, LOSS)) > before + 5);
    UI_WAIT(window, ui_is_paused);
    UI_UNTIL(read_x(ui_chart(window, HEATMAP)) == read_x(ui_chart(window, LOSS)));
    ui_close(window);
}

/* A place on the name of a series, in the legend or at the end of its curve. */
static NsPoint on_legend(NsChartView *chart, int series)
{
    const NsPlotLayout *layout = ns_chart_view_layout(chart);
    NsBox area = ns_plot_area(layout);
    for (double y = 0; y < area.y + area.height; y += 2)
        for (double x = 0; x < area.x + area.width; x += 2)
            if (ns_plot_legend_at(layout, x, y) == series) return (NsPoint){x + 2, y + 2};
    g_assert_not_reached();
}

static bool is_hidden(NsChartView *chart, const char *label)
{
    return ns_view_state_hides(&chart->view_state, label);
}

static void test_legend(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open_paused();
    NsChartView *chart = ui_chart(window, LOSS);
    const NsPlot *plot = chart->plot;
    g_assert_cmpuint(plot->n_series, ==, 2);
    ui_click_at(chart, on_legend(chart, 0), 0);
    g_assert_true(is_hidden(chart, "training"));
    g_assert_cmpuint(ui_view_state(window, LOSS)->n_pins, ==, 0);
    /* Its name is still there, to bring it back; and it is read no more. */
    ui_point(chart, ui_inside(chart, 0.5, 0.5));
    g_assert_null(strstr(ns_chart_view_reading(chart)->text, "training"));
    ui_click_at(chart, on_legend(chart, 0), 0);
    g_assert_false(is_hidden(chart, "training"));
    ui_click_at(chart, on_legend(chart, 1), GDK_ALT_MASK);
    g_assert_true(is_hidden(chart, "training") && !is_hidden(chart, "validation"));
    ui_click_at(chart, on_legend(chart, 1), GDK_CONTROL_MASK);
    for (size_t i = 0; i < plot->n_series; i++)
        g_assert_false(is_hidden(chart, plot->series[i].label));
    /* Two quick clicks are two clicks, and no maximizing. */
    ui_double_click_at(chart, on_legend(chart, 1));
    g_assert_false(is_hidden(chart, "validation"));
    g_assert_null(ns_window_dashboard(window)->maximized);
    ui_close(window);
}

void ui_add_chart_tests(void)
{
    g_test_add_func("/ui/chart/wheel", test_wheel);
    g_test_add_func("/ui/chart/merged-in-a-frame", test_merged_in_a_frame);
    g_test_add_func("/ui/chart/restart", test_restart);
    g_test_add_func("/ui/chart/fit-all", test_fit_all);
    g_test_add_func("/ui/chart/run-to", test_run_to);
    g_test_add_func("/ui/chart/follow", test_follow);
    g_test_add_func("/ui/chart/drag", test_drag);
    g_test_add_func("/ui/chart/double-click", test_double_click);
    g_test_add_func("/ui/chart/pins", test_pins);
    g_test_add_func("/ui/chart/too-many-pins", test_too_many_pins);
    g_test_add_func("/ui/chart/keyboard", test_keyboard);
    g_test_add_func("/ui/chart/pointer-rests", test_pointer_rests);
    g_test_add_func("/ui/chart/space", test_space);
    g_test_add_func("/ui/chart/crosshairs", test_crosshairs);
    g_test_add_func("/ui/chart/legend", test_legend);
}
