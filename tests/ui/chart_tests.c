/* Pointer and keyboard on the charts.  SPDX-License-Identifier: MIT */
#include "tests/ui/support.h"

#include "ui/plot/path.h"
#include "ui/widgets/chart_input.h"

#include <math.h>

enum { LOSS, GRADIENT, HIDDEN, HEATMAP, TILES };

static NsChartTile *tile_at(NsWindow *window, size_t i)
{
    return ns_dashboard_tile(ns_window_dashboard(window), i);
}

static NsChartView *chart_at(NsWindow *window, size_t i)
{
    return ns_chart_tile_chart(tile_at(window, i));
}

static const NsLens *lens_at(NsWindow *window, size_t i)
{
    return ns_chart_view_lens(chart_at(window, i));
}

static NsRange x_of(NsWindow *window, size_t i)
{
    return lens_at(window, i)->range[NS_LENS_X];
}

static bool same_range(NsRange a, NsRange b)
{
    return (a.lo == b.lo && a.hi == b.hi) || (ns_range_is_free(a) && ns_range_is_free(b));
}

static bool is_drawn(NsWindow *window)
{
    for (size_t i = 0; i < TILES; i++)
        if (!ns_chart_view_layout(chart_at(window, i))) return false;
    return true;
}

static bool shows_steps(NsWindow *window)
{
    const NsPlot *plot = ns_chart_view_plot(chart_at(window, LOSS));
    const NsPlot *map = ns_chart_view_plot(chart_at(window, HEATMAP));
    return plot && plot->n_series && plot->series[0].n >= 41 && map->heatmap &&
           map->heatmap->columns >= 41;
}

/* A window whose run has made 40 steps and rests. */
static NsWindow *open_paused(void)
{
    NsWindow *window = ui_open("layers=4 eval-every=20");
    UI_WAIT(window, ui_is_ready);
    ns_lab_step(ns_window_lab(window), 40);
    UI_UNTIL(ns_lab_steps(ns_window_lab(window)) >= 40);
    UI_WAIT(window, ui_is_paused);
    UI_WAIT(window, shows_steps);
    UI_WAIT(window, is_drawn);
    return window;
}

/* Where a share of the plot area lies on the widget. */
static NsPoint inside(NsChartView *chart, double across, double down)
{
    NsBox area = ns_plot_area(ns_chart_view_layout(chart));
    return (NsPoint){area.x + across * area.width, area.y + down * area.height};
}

static GtkEventController *controller_of(NsChartView *chart, GType type)
{
    g_autoptr(GListModel) all = gtk_widget_observe_controllers(GTK_WIDGET(chart));
    for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
        g_autoptr(GtkEventController) one = g_list_model_get_item(all, i);
        if (G_OBJECT_TYPE(one) == type) return one;
    }
    g_assert_not_reached();
}

static void move_to(NsChartView *chart, NsPoint at)
{
    g_signal_emit_by_name(controller_of(chart, GTK_TYPE_EVENT_CONTROLLER_MOTION), "motion", at.x,
                          at.y);
    ui_idle(40);
}

static void press_button(NsChartView *chart, int presses, NsPoint at)
{
    g_autoptr(GListModel) all = gtk_widget_observe_controllers(GTK_WIDGET(chart));
    for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
        g_autoptr(GtkEventController) one = g_list_model_get_item(all, i);
        if (GTK_IS_GESTURE_CLICK(one) &&
            gtk_gesture_single_get_button(GTK_GESTURE_SINGLE(one)) == GDK_BUTTON_PRIMARY)
            g_signal_emit_by_name(one, "pressed", presses, at.x, at.y);
    }
}

static void click(NsChartView *chart, NsPoint at, GdkModifierType modifiers)
{
    press_button(chart, 1, at);
    ns_chart_input_click(chart, 1, at.x, at.y, modifiers);
    ui_idle(20);
}

static void double_click(NsChartView *chart, NsPoint at)
{
    click(chart, at, 0);
    press_button(chart, 2, at);
    ns_chart_input_click(chart, 2, at.x, at.y, 0);
    ui_idle(20);
}

static bool press(NsChartView *chart, guint keyval, GdkModifierType modifiers)
{
    gboolean taken = FALSE;
    g_signal_emit_by_name(controller_of(chart, GTK_TYPE_EVENT_CONTROLLER_KEY), "key-pressed",
                          keyval, 0u, modifiers, &taken);
    return taken;
}

static void scroll(NsChartView *chart, double dy, GdkModifierType modifiers)
{
    g_assert_true(ns_chart_input_scroll(chart, 0, dy, modifiers));
    ui_idle(40);
}

static GtkWidget *chip_of(NsChartTile *tile)
{
    return ui_first(ui_first(GTK_WIDGET(tile), GTK_TYPE_BOX), GTK_TYPE_BUTTON);
}

static void test_wheel(void)
{
    NsWindow *window = open_paused();
    NsChartView *chart = chart_at(window, LOSS);
    NsPoint at = inside(chart, 0.25, 0.5);
    double x = ns_plot_pixel_to_x(ns_chart_view_layout(chart), at.x);
    move_to(chart, at);
    g_assert_false(gtk_widget_get_visible(chip_of(tile_at(window, LOSS))));
    scroll(chart, -2, 0);
    NsRange range = x_of(window, LOSS);
    g_assert_cmpfloat_with_epsilon(range.hi - range.lo, 40 * 0.64, 1.5);
    g_assert_cmpfloat_with_epsilon(ns_plot_pixel_to_x(ns_chart_view_layout(chart), at.x), x, 0.01);
    g_assert_true(ns_range_is_free(lens_at(window, LOSS)->range[NS_LENS_LEFT]));
    /* The other chart over steps shows the same part; those over layers are as they were. */
    g_assert_true(same_range(x_of(window, HEATMAP), range));
    g_assert_true(ns_range_is_free(x_of(window, GRADIENT)));
    g_assert_true(gtk_widget_get_visible(chip_of(tile_at(window, LOSS))));
    g_assert_true(gtk_widget_get_visible(chip_of(tile_at(window, HEATMAP))));
    g_assert_cmpstr(gtk_button_get_label(GTK_BUTTON(chip_of(tile_at(window, LOSS)))), ==, "Follow");

    /* With Shift it is the vertical axes' turn. */
    scroll(chart, -1, GDK_SHIFT_MASK);
    g_assert_true(same_range(x_of(window, LOSS), range));
    g_assert_false(ns_range_is_free(lens_at(window, LOSS)->range[NS_LENS_LEFT]));
    g_assert_false(ns_range_is_free(lens_at(window, LOSS)->range[NS_LENS_RIGHT]));

    /* Out as far as it goes. */
    scroll(chart, 20, 0);
    g_assert_true(ns_range_is_free(x_of(window, LOSS)));
    g_assert_true(ns_range_is_free(x_of(window, HEATMAP)));
    g_assert_cmpstr(gtk_button_get_label(GTK_BUTTON(chip_of(tile_at(window, LOSS)))), ==, "Fit");

    /* Beside the plot area the page scrolls. */
    move_to(chart, (NsPoint){3, 3});
    g_assert_false(ns_chart_input_scroll(chart, 0, -1, 0));
    ui_close(window);
}

static void count(guint *n)
{
    ++*n;
}

static void test_merged_in_a_frame(void)
{
    NsWindow *window = open_paused();
    NsChartView *chart = chart_at(window, LOSS);
    guint changes = 0;
    move_to(chart, inside(chart, 0.5, 0.5));
    g_signal_connect_swapped(chart, "lens-changed", G_CALLBACK(count), &changes);
    for (int i = 0; i < 50; i++) ns_chart_input_scroll(chart, 0, -0.05, 0);
    g_assert_cmpuint(changes, ==, 0);
    UI_UNTIL(changes > 0);
    ui_idle(40);
    g_assert_cmpuint(changes, ==, 1);
    NsRange range = x_of(window, LOSS);
    g_assert_cmpfloat_with_epsilon(range.hi - range.lo, 40 * pow(0.8, 2.5), 1.5);
    ui_close(window);
}

static void test_follow(void)
{
    NsWindow *window = open_paused();
    NsLab *lab = ns_window_lab(window);
    NsChartView *chart = chart_at(window, LOSS);
    move_to(chart, inside(chart, 0.0, 0.5));
    scroll(chart, -4, 0);
    NsRange range = x_of(window, LOSS);
    g_assert_cmpfloat(range.hi, <, 30);
    ns_lab_step(lab, 5);
    UI_UNTIL(ns_lab_steps(lab) >= 45);
    UI_WAIT(window, ui_is_paused);
    ui_idle(100);
    g_assert_true(same_range(x_of(window, LOSS), range)); /* held where it is */
    g_signal_emit_by_name(chip_of(tile_at(window, HEATMAP)), "clicked");
    g_assert_false(lens_at(window, LOSS)->held);
    ns_lab_step(lab, 5);
    UI_UNTIL(ns_lab_steps(lab) >= 50);
    UI_WAIT(window, ui_is_paused);
    UI_UNTIL(x_of(window, LOSS).hi >= 50);
    NsRange after = x_of(window, LOSS);
    g_assert_cmpfloat_with_epsilon(after.hi - after.lo, range.hi - range.lo, 1e-6);
    g_assert_true(same_range(x_of(window, HEATMAP), after));
    /* What is left is to show everything. */
    GtkWidget *chip = chip_of(tile_at(window, LOSS));
    g_assert_cmpstr(gtk_button_get_label(GTK_BUTTON(chip)), ==, "Fit");
    g_signal_emit_by_name(chip, "clicked");
    g_assert_true(ns_lens_is_fitted(lens_at(window, LOSS)));
    g_assert_false(gtk_widget_get_visible(chip));
    ui_close(window);
}

static void drag(NsChartView *chart, NsPoint from, NsPoint to, bool pans)
{
    double dx = to.x - from.x, dy = to.y - from.y;
    ns_chart_input_press(chart, from.x, from.y);
    g_assert_false(ns_chart_input_drag(chart, 1, 1, pans));
    g_assert_true(ns_chart_input_drag(chart, dx / 2, dy / 2, pans));
    ui_idle(40);
    g_assert_true(ns_chart_input_drag(chart, dx, dy, pans));
    ui_idle(40);
    ns_chart_input_drop(chart, dx, dy);
    ui_idle(40);
}

static void test_drag(void)
{
    NsWindow *window = open_paused();
    NsChartView *chart = chart_at(window, LOSS);
    NsPoint from = inside(chart, 0.25, 0.2), to = inside(chart, 0.75, 0.7);
    double lo = ns_plot_pixel_to_x(ns_chart_view_layout(chart), from.x);
    double hi = ns_plot_pixel_to_x(ns_chart_view_layout(chart), to.x);
    drag(chart, to, from, false); /* from any corner */
    g_assert_cmpfloat_with_epsilon(x_of(window, LOSS).lo, lo, 0.01);
    g_assert_cmpfloat_with_epsilon(x_of(window, LOSS).hi, hi, 0.01);
    g_assert_false(ns_range_is_free(lens_at(window, LOSS)->range[NS_LENS_LEFT]));
    g_assert_cmpuint(lens_at(window, LOSS)->n_pins, ==, 0);

    /* Panning keeps the width. */
    drag(chart, inside(chart, 0.5, 0.5), inside(chart, 0.6, 0.5), true);
    NsRange panned = x_of(window, LOSS);
    g_assert_cmpfloat(panned.lo, <, lo);
    g_assert_cmpfloat_with_epsilon(panned.hi - panned.lo, hi - lo, 0.01);

    /* A flat box zooms the steps only, a narrow one the values only. */
    double_click(chart, inside(chart, 0.5, 0.5));
    g_assert_true(ns_lens_is_fitted(lens_at(window, LOSS)));
    drag(chart, inside(chart, 0.3, 0.5), inside(chart, 0.6, 0.5), false);
    g_assert_false(ns_range_is_free(x_of(window, LOSS)));
    g_assert_true(ns_range_is_free(lens_at(window, LOSS)->range[NS_LENS_LEFT]));
    double_click(chart, inside(chart, 0.5, 0.5));
    drag(chart, inside(chart, 0.5, 0.2), inside(chart, 0.5, 0.6), false);
    g_assert_true(ns_range_is_free(x_of(window, LOSS)));
    g_assert_false(ns_range_is_free(lens_at(window, LOSS)->range[NS_LENS_LEFT]));
    ui_close(window);
}

static void test_double_click(void)
{
    NsWindow *window = open_paused();
    NsDashboard *dashboard = ns_window_dashboard(window);
    NsChartView *chart = chart_at(window, HEATMAP);
    NsPoint middle = inside(chart, 0.5, 0.5);
    move_to(chart, middle);
    scroll(chart, -3, 0);
    g_assert_false(ns_lens_is_fitted(lens_at(window, HEATMAP)));
    double_click(chart, middle);
    g_assert_true(ns_lens_is_fitted(lens_at(window, HEATMAP)));
    g_assert_cmpuint(lens_at(window, HEATMAP)->n_pins, ==, 0);
    g_assert_null(ns_dashboard_maximised(dashboard));
    double_click(chart, (NsPoint){12, 8});
    g_assert_true(ns_dashboard_maximised(dashboard) == tile_at(window, HEATMAP));
    ui_close(window);
}

static void test_pins(void)
{
    NsWindow *window = open_paused();
    NsLab *lab = ns_window_lab(window);
    NsChartView *chart = chart_at(window, LOSS);
    click(chart, inside(chart, 0.25, 0.5), 0);
    g_assert_cmpuint(lens_at(window, LOSS)->n_pins, ==, 1);
    NsPin first = lens_at(window, LOSS)->pins[0];
    g_assert_cmpuint(first.number, ==, 1);
    g_assert_cmpint(ns_lab_view(lab)->step, ==, llround(first.x));
    click(chart, inside(chart, 0.75, 0.5), 0);
    g_assert_cmpuint(lens_at(window, LOSS)->n_pins, ==, 2);
    g_assert_cmpint(ns_lab_view(lab)->step, ==, llround(lens_at(window, LOSS)->pins[1].x));
    /* A cell of the heatmap, with its layer. */
    NsChartView *map = chart_at(window, HEATMAP);
    click(map, inside(map, 0.5, 0.1), 0);
    g_assert_cmpfloat(lens_at(window, HEATMAP)->pins[0].row, ==, 4);
    g_assert_cmpint(ns_lab_view(lab)->step, ==, llround(lens_at(window, HEATMAP)->pins[0].x));
    /* A layer says nothing of the step. */
    NsChartView *profile = chart_at(window, GRADIENT);
    click(profile, inside(profile, 0.0, 0.5), 0);
    g_assert_cmpuint(lens_at(window, GRADIENT)->n_pins, ==, 1);
    g_assert_cmpint(ns_lab_view(lab)->step, ==, llround(lens_at(window, HEATMAP)->pins[0].x));

    /* Clicked again, or with Delete, they go. */
    double px = ns_plot_x_to_pixel(ns_chart_view_layout(chart), first.x);
    click(chart, (NsPoint){px, inside(chart, 0, 0.5).y}, 0);
    g_assert_cmpuint(lens_at(window, LOSS)->n_pins, ==, 1);
    g_assert_cmpuint(lens_at(window, LOSS)->pins[0].number, ==, 2);
    move_to(chart, inside(chart, 0.4, 0.5));
    g_assert_true(press(chart, GDK_KEY_Delete, 0));
    g_assert_cmpuint(lens_at(window, LOSS)->n_pins, ==, 0);
    g_assert_true(ui_press(window, GDK_KEY_Escape));
    g_assert_cmpuint(lens_at(window, HEATMAP)->n_pins, ==, 0);
    g_assert_cmpuint(lens_at(window, GRADIENT)->n_pins, ==, 0);
    g_assert_cmpint(ns_lab_view(lab)->step, ==, -1);
    ui_close(window);
}

static void test_too_many_pins(void)
{
    NsWindow *window = open_paused();
    NsChartView *chart = chart_at(window, LOSS);
    press(chart, GDK_KEY_Home, 0);
    for (int i = 0; i < NS_LENS_PINS; i++) {
        g_printerr("%g\n", ns_chart_view_reading(chart)->x);
        press(chart, GDK_KEY_Return, 0);
        press(chart, GDK_KEY_Right, 0);
    }
    g_assert_cmpuint(lens_at(window, LOSS)->n_pins, ==, NS_LENS_PINS);
    g_assert_null(ns_window_toast_text(window));
    press(chart, GDK_KEY_Return, 0);
    g_assert_cmpuint(lens_at(window, LOSS)->n_pins, ==, NS_LENS_PINS);
    g_assert_true(g_str_has_prefix(ns_window_toast_text(window), "9 readings are pinned"));
    ui_idle(50);
    ui_close(window);
}

static double read_x(NsChartView *chart)
{
    const NsReading *reading = ns_chart_view_reading(chart);
    return reading ? reading->x : (double)NAN;
}

static void test_keyboard(void)
{
    NsWindow *window = open_paused();
    NsChartView *chart = chart_at(window, LOSS);
    gtk_widget_grab_focus(GTK_WIDGET(chart));
    g_assert_true(press(chart, GDK_KEY_End, 0));
    g_assert_cmpfloat(read_x(chart), ==, 40);
    g_assert_true(press(chart, GDK_KEY_Left, 0));
    g_assert_cmpfloat(read_x(chart), ==, 39);
    g_assert_true(press(chart, GDK_KEY_Page_Up, 0));
    g_assert_cmpfloat(read_x(chart), ==, 29);
    g_assert_true(press(chart, GDK_KEY_Right, 0));
    g_assert_true(press(chart, GDK_KEY_Page_Down, 0));
    g_assert_cmpfloat(read_x(chart), ==, 40);
    g_assert_true(press(chart, GDK_KEY_Page_Down, 0));
    g_assert_cmpfloat(read_x(chart), ==, 40);
    g_assert_true(press(chart, GDK_KEY_Home, 0));
    g_assert_cmpfloat(read_x(chart), ==, 0);
    g_assert_false(press(chart, GDK_KEY_Up, 0));
    /* The same step in the other chart over steps. */
    g_assert_cmpfloat(read_x(chart_at(window, HEATMAP)), ==, 0);
    g_assert_null(ns_chart_view_reading(chart_at(window, HIDDEN)));

    /* Zoomed in, the view goes along with the crosshair. */
    for (int i = 0; i < 6; i++) g_assert_true(press(chart, GDK_KEY_plus, GDK_SHIFT_MASK));
    g_assert_cmpfloat(x_of(window, LOSS).hi, <, 20);
    g_assert_true(press(chart, GDK_KEY_End, 0));
    g_assert_cmpfloat(read_x(chart), ==, 40);
    g_assert_cmpfloat(x_of(window, LOSS).hi, ==, 40);
    NsRange before = x_of(window, LOSS);
    g_assert_true(press(chart, GDK_KEY_minus, 0));
    g_assert_cmpfloat(x_of(window, LOSS).lo, <, before.lo);
    g_assert_true(press(chart, GDK_KEY_Left, GDK_SHIFT_MASK));
    g_assert_cmpfloat(x_of(window, LOSS).hi, <, 40);
    g_assert_true(press(chart, GDK_KEY_Up, GDK_SHIFT_MASK));
    g_assert_false(ns_range_is_free(lens_at(window, LOSS)->range[NS_LENS_LEFT]));
    g_assert_true(press(chart, GDK_KEY_0, 0));
    g_assert_true(ns_lens_is_fitted(lens_at(window, LOSS)));
    press(chart, GDK_KEY_plus, 0);
    g_assert_true(press(chart, GDK_KEY_f, 0));
    g_assert_true(ns_lens_is_fitted(lens_at(window, LOSS)));
    g_assert_false(press(chart, GDK_KEY_c, GDK_CONTROL_MASK));

    /* Rows of a heatmap. */
    NsChartView *map = chart_at(window, HEATMAP);
    press(map, GDK_KEY_End, 0);
    double row = ns_chart_view_reading(map)->row;
    g_assert_true(press(map, GDK_KEY_Up, 0));
    g_assert_cmpfloat(ns_chart_view_reading(map)->row, ==, row + 1);
    /* Row 3 is layer 4. */
    for (int i = 0; i < 4; i++) press(map, GDK_KEY_Up, 0);
    g_assert_cmpfloat(ns_chart_view_reading(map)->row, ==, 3);
    g_assert_cmpfloat(read_x(chart_at(window, GRADIENT)), ==, 4);
    ui_close(window);
}

static void test_space(void)
{
    NsWindow *window = open_paused();
    NsChartView *chart = chart_at(window, LOSS);
    gtk_widget_grab_focus(GTK_WIDGET(chart));
    /* Where the keyboard went to the chart, Space is the chart's. */
    gtk_window_set_focus_visible(GTK_WINDOW(window), TRUE);
    g_assert_false(ui_press(window, GDK_KEY_space));
    press(chart, GDK_KEY_Home, 0);
    g_assert_true(press(chart, GDK_KEY_space, 0));
    g_assert_cmpuint(lens_at(window, LOSS)->n_pins, ==, 1);
    gtk_window_set_focus_visible(GTK_WINDOW(window), FALSE);
    g_assert_true(ui_press(window, GDK_KEY_space));
    g_assert_true(ns_lab_is_running(ns_window_lab(window)));
    ui_close(window);
}

static void test_crosshairs(void)
{
    NsWindow *window = open_paused();
    NsChartView *chart = chart_at(window, HEATMAP);
    NsPoint at = inside(chart, 0.5, 0.1);
    move_to(chart, at);
    double step = read_x(chart);
    g_assert_cmpfloat(step, >, 0);
    g_assert_cmpfloat(read_x(chart_at(window, LOSS)), ==, step);
    g_assert_cmpfloat(read_x(chart_at(window, GRADIENT)), ==, 4);
    g_assert_cmpfloat(read_x(chart_at(window, HIDDEN)), ==, 4);
    move_to(chart_at(window, GRADIENT), inside(chart_at(window, GRADIENT), 0, 0.5));
    g_assert_cmpfloat(read_x(chart_at(window, HIDDEN)), ==, 1);
    g_assert_null(ns_chart_view_reading(chart_at(window, LOSS)));
    g_signal_emit_by_name(
        controller_of(chart_at(window, GRADIENT), GTK_TYPE_EVENT_CONTROLLER_MOTION), "leave");
    for (size_t i = 0; i < TILES; i++) g_assert_null(ns_chart_view_reading(chart_at(window, i)));
    ui_close(window);
}

static void test_kinds(void)
{
    NsWindow *window = ui_open("probe-every=1");
    NsLab *lab = ns_window_lab(window);
    NsChartTile *tile = tile_at(window, HIDDEN);
    NsChartView *chart = ns_chart_tile_chart(tile);
    UI_WAIT(window, ui_is_ready);
    ns_lab_step(lab, 6);
    UI_UNTIL(ns_lab_steps(lab) >= 6);
    UI_WAIT(window, ui_is_paused);
    UI_WAIT(window, is_drawn);
    move_to(chart_at(window, LOSS), inside(chart_at(window, LOSS), 0.5, 0.5));
    scroll(chart_at(window, LOSS), -1, 0);
    for (size_t i = 0; ns_figure_kind(i); i++) {
        const NsFigureKind *kind = ns_figure_kind(i);
        gtk_widget_activate_action(GTK_WIDGET(tile), "tile.kind", "s", kind->choice.key);
        g_assert_true(ns_chart_tile_kind(tile) == kind);
        UI_UNTIL(ns_chart_view_layout(chart));
        const NsPlot *plot = ns_chart_view_plot(chart);
        g_assert_true(plot->n_series > 0 || plot->heatmap);
        gtk_test_accessible_assert_property(GTK_WIDGET(chart), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                            kind->choice.label);
        /* It joins the charts that have its abscissa. */
        bool steps = kind->abscissa == NS_OVER_STEPS;
        g_assert_true(ns_range_is_free(x_of(window, HIDDEN)) == !steps);
        GtkWidget *drop_down = ui_first(GTK_WIDGET(tile), GTK_TYPE_DROP_DOWN);
        g_assert_true(gtk_widget_get_visible(drop_down) == (kind->subject != NS_SUBJECT_NONE));
        if (kind->subject == NS_SUBJECT_NONE) continue;
        GListModel *choices = gtk_drop_down_get_model(GTK_DROP_DOWN(drop_down));
        g_assert_cmpuint(g_list_model_get_n_items(choices), >=, 2);
        guint other = gtk_drop_down_get_selected(GTK_DROP_DOWN(drop_down)) ? 0 : 1;
        uint64_t version = plot->version;
        gtk_drop_down_set_selected(GTK_DROP_DOWN(drop_down), other);
        g_autoptr(GtkStringObject) word = g_list_model_get_item(choices, other);
        UI_UNTIL(ns_chart_view_plot(chart)->version != version);
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
    NsWindow *window = open_paused();
    NsChartTile *tile = tile_at(window, LOSS);
    GtkWidget *popover = open_limits(tile);
    const NsLens *lens = lens_at(window, LOSS);
    GtkWidget *hint = cell(popover, 0, NS_LENS_AXES + 1);
    ui_idle(50);
    type(cell(popover, 1, 1), "10");
    type(cell(popover, 2, 1), "20");
    g_assert_true(same_range(lens->range[NS_LENS_X], (NsRange){10, 20}));
    g_assert_true(same_range(x_of(window, HEATMAP), (NsRange){10, 20}));
    type(cell(popover, 2, 2), "8.5");
    g_assert_cmpfloat(lens->range[NS_LENS_LEFT].hi, ==, 8.5);
    g_assert_true(isnan(lens->range[NS_LENS_LEFT].lo));
    /* What cannot be is said and changes nothing. */
    type(cell(popover, 1, 2), "nine");
    g_assert_true(gtk_widget_get_visible(hint));
    g_assert_true(isnan(lens->range[NS_LENS_LEFT].lo));
    type(cell(popover, 1, 2), "9");
    g_assert_true(gtk_widget_get_visible(hint));
    type(cell(popover, 1, 2), "0");
    g_assert_false(gtk_widget_get_visible(hint));
    g_assert_cmpfloat(lens->range[NS_LENS_LEFT].lo, ==, 0);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(cell(popover, 3, 2)), 1 + NS_SCALE_LOG);
    g_assert_true(gtk_widget_get_visible(hint));
    g_assert_false(lens->rescaled[NS_LENS_LEFT]);
    type(cell(popover, 1, 2), "");
    g_assert_true(lens->rescaled[NS_LENS_LEFT]);
    g_assert_cmpint(lens->scale[NS_LENS_LEFT], ==, NS_SCALE_LOG);
    gtk_popover_popdown(GTK_POPOVER(popover));
    ui_idle(50);
    gtk_widget_activate_action(GTK_WIDGET(tile), "tile.reset", NULL);
    g_assert_true(ns_lens_is_fitted(lens));
    /* A heatmap has cells of equal size, and no right axis. */
    popover = open_limits(tile_at(window, HEATMAP));
    g_assert_false(gtk_widget_get_sensitive(cell(popover, 3, 1)));
    g_assert_null(cell(popover, 1, 3));
    ui_close(window);
}

static bool late_press(NsWindow *window, guint keyval, GdkModifierType modifiers)
{
    g_autoptr(GListModel) controllers = gtk_widget_observe_controllers(GTK_WIDGET(window));
    for (guint i = 0; i < g_list_model_get_n_items(controllers); i++) {
        g_autoptr(GtkEventController) keys = g_list_model_get_item(controllers, i);
        if (g_strcmp0(gtk_event_controller_get_name(keys), "normscope-late-keys") != 0) continue;
        gboolean taken = FALSE;
        g_signal_emit_by_name(keys, "key-pressed", keyval, 0u, modifiers, &taken);
        return taken;
    }
    g_assert_not_reached();
}

static void on_text(GObject *clipboard, GAsyncResult *result, gpointer text)
{
    *(char **)text = gdk_clipboard_read_text_finish(GDK_CLIPBOARD(clipboard), result, NULL);
}

static void test_copy(void)
{
    NsWindow *window = open_paused();
    GdkClipboard *clipboard = gtk_widget_get_clipboard(GTK_WIDGET(window));
    gtk_widget_grab_focus(GTK_WIDGET(chart_at(window, GRADIENT)));
    g_assert_true(late_press(window, GDK_KEY_c, GDK_CONTROL_MASK));
    g_autofree char *text = NULL;
    gdk_clipboard_read_text_async(clipboard, NULL, on_text, &text);
    UI_UNTIL(text);
    g_assert_true(strstr(text, "\nGradient norm of W2,step 40,4,") != NULL);
    g_assert_true(g_str_has_prefix(ns_window_toast_text(window), "Copied the data"));
    g_assert_true(late_press(window, GDK_KEY_C, GDK_CONTROL_MASK | GDK_SHIFT_MASK));
    g_assert_true(
        gdk_content_formats_contain_gtype(gdk_clipboard_get_formats(clipboard), GDK_TYPE_TEXTURE));
    g_assert_false(late_press(window, GDK_KEY_c, 0));
    g_assert_false(late_press(window, GDK_KEY_c, GDK_CONTROL_MASK | GDK_ALT_MASK));
    ui_close(window);
}

static void test_context_menu(void)
{
    NsWindow *window = open_paused();
    NsChartTile *tile = tile_at(window, LOSS);
    NsChartView *chart = chart_at(window, LOSS);
    GtkWidget *overlay = gtk_widget_get_first_child(GTK_WIDGET(tile));
    g_assert_true(press(chart, GDK_KEY_Menu, 0));
    ui_idle(50);
    GtkWidget *menu = gtk_widget_get_last_child(overlay);
    g_assert_true(GTK_IS_POPOVER_MENU(menu));
    g_assert_true(gtk_widget_get_mapped(menu));
    gtk_popover_popdown(GTK_POPOVER(menu));
    ui_idle(50);
    /* Again, elsewhere: still one. */
    g_signal_emit_by_name(chart, "menu", 100.0, 100.0);
    ui_idle(50);
    g_assert_true(GTK_IS_POPOVER_MENU(gtk_widget_get_last_child(overlay)));
    g_assert_false(GTK_IS_POPOVER(gtk_widget_get_prev_sibling(gtk_widget_get_last_child(overlay))));
    ui_close(window);
}

/* A place on the legend's entry of a series. */
static NsPoint on_legend(NsChartView *chart, int series)
{
    const NsPlotLayout *layout = ns_chart_view_layout(chart);
    NsBox area = ns_plot_area(layout);
    for (double y = 0; y < area.y; y += 2)
        for (double x = 0; x < area.x + area.width; x += 2)
            if (ns_plot_legend_at(layout, x, y) == series) return (NsPoint){x + 2, y + 2};
    g_assert_not_reached();
}

static bool is_hidden(NsChartView *chart, const char *label)
{
    return ns_lens_hides(ns_chart_view_lens(chart), label);
}

static void test_legend(void)
{
    NsWindow *window = open_paused();
    NsChartView *chart = chart_at(window, LOSS);
    const NsPlot *plot = ns_chart_view_plot(chart);
    g_assert_cmpuint(plot->n_series, ==, 3);
    click(chart, on_legend(chart, 0), 0);
    g_assert_true(is_hidden(chart, "training"));
    g_assert_cmpuint(lens_at(window, LOSS)->n_pins, ==, 0);
    /* It is still in the legend, to be brought back; and it is read no more. */
    move_to(chart, inside(chart, 0.5, 0.5));
    g_assert_null(strstr(ns_chart_view_reading(chart)->text, "training"));
    click(chart, on_legend(chart, 0), 0);
    g_assert_false(is_hidden(chart, "training"));
    click(chart, on_legend(chart, 2), GDK_ALT_MASK);
    g_assert_true(is_hidden(chart, "training") && is_hidden(chart, "validation"));
    g_assert_false(is_hidden(chart, "learning rate"));
    click(chart, on_legend(chart, 2), GDK_CONTROL_MASK);
    for (size_t i = 0; i < plot->n_series; i++)
        g_assert_false(is_hidden(chart, plot->series[i].label));
    /* Two quick clicks are two clicks, and no maximising. */
    double_click(chart, on_legend(chart, 1));
    g_assert_false(is_hidden(chart, "validation"));
    g_assert_null(ns_dashboard_maximised(ns_window_dashboard(window)));
    ui_close(window);
}

static bool is_pale(NsChartView *chart, const char *label)
{
    const NsPlot *plot = ns_chart_view_plot(chart);
    for (size_t i = 0; i < plot->n_series; i++)
        if (g_strcmp0(plot->series[i].label, label) == 0) return plot->series[i].pale;
    g_assert_not_reached();
}

static bool has_series(NsChartView *chart, const char *label)
{
    const NsPlot *plot = ns_chart_view_plot(chart);
    for (size_t i = 0; i < plot->n_series; i++)
        if (g_strcmp0(plot->series[i].label, label) == 0) return true;
    return false;
}

static void test_smoothing(void)
{
    NsWindow *window = open_paused();
    NsLab *lab = ns_window_lab(window);
    NsChartView *chart = chart_at(window, LOSS);
    g_assert_false(is_pale(chart, "training"));
    g_assert_true(ui_press(window, GDK_KEY_s));
    UI_UNTIL(has_series(chart, "training, EMA 0.9"));
    g_assert_true(is_pale(chart, "training"));

    /* The slider in the menu of a chart over steps; what it passes in a frame acts once. */
    GtkWidget *scale = NULL;
    GtkWidget *button =
        gtk_widget_get_last_child(ui_first(GTK_WIDGET(tile_at(window, LOSS)), GTK_TYPE_BOX));
    gtk_menu_button_popup(GTK_MENU_BUTTON(button));
    ui_idle(50);
    scale =
        ui_first(GTK_WIDGET(gtk_menu_button_get_popover(GTK_MENU_BUTTON(button))), GTK_TYPE_SCALE);
    g_assert_nonnull(scale);
    g_assert_cmpfloat(gtk_range_get_value(GTK_RANGE(scale)), ==, 0.9);
    guint changes = 0;
    gulong handler = g_signal_connect_swapped(lab, "view-changed", G_CALLBACK(count), &changes);
    for (int i = 0; i <= 20; i++) gtk_range_set_value(GTK_RANGE(scale), 0.5 + 0.01 * i);
    UI_UNTIL(changes > 0);
    ui_idle(50);
    g_assert_cmpuint(changes, ==, 1);
    g_signal_handler_disconnect(lab, handler);
    UI_UNTIL(has_series(chart, "training, EMA 0.7"));
    gtk_range_set_value(GTK_RANGE(scale), 0);
    UI_UNTIL(ns_lab_view(lab)->smoothing.kind == NS_SMOOTH_NONE);
    gtk_menu_button_popdown(GTK_MENU_BUTTON(button));
    ui_idle(50);
    /* On again as it was. */
    g_assert_true(ui_press(window, GDK_KEY_s));
    UI_UNTIL(has_series(chart, "training, EMA 0.7"));
    /* A heatmap has no such thing. */
    button =
        gtk_widget_get_last_child(ui_first(GTK_WIDGET(tile_at(window, HEATMAP)), GTK_TYPE_BOX));
    g_assert_null(
        ui_first(GTK_WIDGET(gtk_menu_button_get_popover(GTK_MENU_BUTTON(button))), GTK_TYPE_SCALE));
    ui_close(window);
}

static void test_theory(void)
{
    NsWindow *window = ui_open("");
    NsLab *lab = ns_window_lab(window);
    UI_WAIT(window, ui_is_ready);
    g_assert_true(ns_chart_tile_input(tile_at(window, GRADIENT)).theory);
    g_assert_true(ui_press(window, GDK_KEY_t));
    g_assert_false(ns_lab_view(lab)->theory);
    g_assert_false(ns_chart_tile_input(tile_at(window, GRADIENT)).theory);
    ui_close(window);
}

static void test_grid(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    g_assert_true(ui_press(window, GDK_KEY_g));
    for (size_t i = 0; i < TILES; i++) g_assert_true(lens_at(window, i)->no_grid);
    g_assert_true(ui_press(window, GDK_KEY_g));
    for (size_t i = 0; i < TILES; i++) g_assert_false(lens_at(window, i)->no_grid);
    ui_close(window);
}

void ui_add_chart_tests(void)
{
    g_test_add_func("/ui/chart/wheel", test_wheel);
    g_test_add_func("/ui/chart/merged-in-a-frame", test_merged_in_a_frame);
    g_test_add_func("/ui/chart/follow", test_follow);
    g_test_add_func("/ui/chart/drag", test_drag);
    g_test_add_func("/ui/chart/double-click", test_double_click);
    g_test_add_func("/ui/chart/pins", test_pins);
    g_test_add_func("/ui/chart/too-many-pins", test_too_many_pins);
    g_test_add_func("/ui/chart/keyboard", test_keyboard);
    g_test_add_func("/ui/chart/space", test_space);
    g_test_add_func("/ui/chart/crosshairs", test_crosshairs);
    g_test_add_func("/ui/chart/kinds", test_kinds);
    g_test_add_func("/ui/chart/limits", test_limits);
    g_test_add_func("/ui/chart/copy", test_copy);
    g_test_add_func("/ui/chart/context-menu", test_context_menu);
    g_test_add_func("/ui/chart/legend", test_legend);
    g_test_add_func("/ui/chart/smoothing", test_smoothing);
    g_test_add_func("/ui/chart/theory", test_theory);
    g_test_add_func("/ui/chart/grid", test_grid);
}
