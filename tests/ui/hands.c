/* Hands for charts.  SPDX-License-Identifier: MIT */
#include "tests/ui/hands.h"

#include "ui/widgets/chart_input.h"

NsChartTile *ui_tile(NsWindow *window, size_t i)
{
    return ns_dashboard_tile(ns_window_dashboard(window), i);
}

NsChartView *ui_chart(NsWindow *window, size_t i)
{
    return ns_chart_tile_chart(ui_tile(window, i));
}

const NsLens *ui_lens(NsWindow *window, size_t i)
{
    return ns_chart_view_lens(ui_chart(window, i));
}

NsRange ui_x_range(NsWindow *window, size_t i)
{
    return ui_lens(window, i)->range[NS_LENS_X];
}

bool ui_same_range(NsRange a, NsRange b)
{
    return (a.lo == b.lo && a.hi == b.hi) || (ns_range_is_free(a) && ns_range_is_free(b));
}

bool ui_is_drawn(NsWindow *window)
{
    for (size_t i = 0; i < TILES; i++)
        if (!ns_chart_view_layout(ui_chart(window, i))) return false;
    return true;
}

static bool has_series(const NsPlot *plot, const char *label)
{
    for (size_t i = 0; plot && i < plot->n_series; i++)
        if (g_strcmp0(plot->series[i].label, label) == 0) return true;
    return false;
}

static bool shows_steps(NsWindow *window)
{
    const NsPlot *plot = ns_chart_view_plot(ui_chart(window, LOSS));
    const NsPlot *map = ns_chart_view_plot(ui_chart(window, HEATMAP));
    return plot && plot->n_series && plot->series[0].n >= 41 && map->heatmap &&
           map->heatmap->columns >= 41 &&
           has_series(ns_chart_view_plot(ui_chart(window, GRADIENT)), "step 40");
}

/* A window whose run has made 40 steps and rests. */
NsWindow *ui_open_paused(void)
{
    NsWindow *window = ui_open("layers=4 eval-every=20");
    UI_WAIT(window, ui_is_ready);
    ns_lab_step(ns_window_lab(window), 40);
    UI_UNTIL(ns_lab_steps(ns_window_lab(window)) >= 40);
    UI_WAIT(window, ui_is_paused);
    UI_WAIT(window, shows_steps);
    UI_WAIT(window, ui_is_drawn);
    return window;
}

/* Where a share of the plot area lies on the widget. */
NsPoint ui_inside(NsChartView *chart, double across, double down)
{
    NsBox area = ns_plot_area(ns_chart_view_layout(chart));
    return (NsPoint){area.x + across * area.width, area.y + down * area.height};
}

void ui_point(NsChartView *chart, NsPoint at)
{
    g_signal_emit_by_name(ui_controller(GTK_WIDGET(chart), GTK_TYPE_EVENT_CONTROLLER_MOTION, NULL),
                          "motion", at.x, at.y);
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

void ui_click_at(NsChartView *chart, NsPoint at, GdkModifierType modifiers)
{
    press_button(chart, 1, at);
    ns_chart_input_click(chart, 1, at.x, at.y, modifiers);
    ui_idle(20);
}

void ui_double_click_at(NsChartView *chart, NsPoint at)
{
    ui_click_at(chart, at, 0);
    press_button(chart, 2, at);
    ns_chart_input_click(chart, 2, at.x, at.y, 0);
    ui_idle(20);
}

bool ui_press_on(NsChartView *chart, guint keyval, GdkModifierType modifiers)
{
    return ui_key(GTK_WIDGET(chart), keyval, modifiers);
}

void ui_scroll(NsChartView *chart, double dy, GdkModifierType modifiers)
{
    g_assert_true(ns_chart_input_scroll(chart, 0, dy, modifiers));
    ui_idle(40);
}

GtkWidget *ui_chip(NsChartTile *tile)
{
    return ui_first(ui_first(GTK_WIDGET(tile), GTK_TYPE_BOX), GTK_TYPE_BUTTON);
}
