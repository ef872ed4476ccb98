/* A driver for charts: pointer and keys as a person uses them.  SPDX-License-Identifier: MIT */
#include "tests/ui/driver.h"
#include "ui/plot/plot-private.h"

#include <math.h>

NsChartTile *ui_tile(NsWindow *window, size_t i)
{
    return ns_dashboard_tile(ns_window_dashboard(window), i);
}

NsChartView *ui_chart(NsWindow *window, size_t i)
{
    return ui_tile(window, i)->chart;
}

const NsViewState *ui_view_state(NsWindow *window, size_t i)
{
    return &ui_chart(window, i)->view_state;
}

NsRange ui_x_range(NsWindow *window, size_t i)
{
    return ui_view_state(window, i)->range[NS_VIEW_STATE_X];
}

bool ui_same_range(NsRange a, NsRange b)
{
    return (a.lo == b.lo && a.hi == b.hi) || (ns_range_is_free(a) && ns_range_is_free(b));
}

bool ui_is_drawn(NsWindow *window)
{
    for (size_t i = 0; i < TILES; i++) {
        GtkWidget *chart = GTK_WIDGET(ui_chart(window, i));
        const NsPlotLayout *layout = ns_chart_view_layout(NS_CHART_VIEW(chart));
        if (!layout || layout->width != gtk_widget_get_width(chart)) return false;
        double below = layout->lower ? layout->lower->height : 0;
        if (fabs(layout->height + below - gtk_widget_get_height(chart)) > 1e-6) return false;
    }
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
    const NsPlot *plot = ui_chart(window, LOSS)->plot;
    const NsPlot *map = ui_chart(window, HEATMAP)->plot;
    return plot && plot->n_series && plot->series[0].n >= 41 && map->heatmap &&
           map->heatmap->columns >= 41 && has_series(ui_chart(window, GRADIENT)->plot, "step 40");
}

/* A window whose run has made 40 steps and rests. */
NsWindow *ui_open_paused(void)
{
    NsWindow *window = ui_open("layers=4 eval-every=20");
    UI_WAIT(window, ui_is_ready);
    ns_session_step(window->session, 40);
    UI_UNTIL(ns_session_steps(window->session) >= 40);
    UI_WAIT(window, ui_is_paused);
    UI_WAIT(window, shows_steps);
    UI_WAIT(window, ui_is_drawn);
    return window;
}

void ui_enlarge(NsChartView *chart)
{
    GtkWidget *tile = gtk_widget_get_ancestor(GTK_WIDGET(chart), NS_TYPE_CHART_TILE);
    if (!tile || !NS_CHART_TILE(tile)->compact) return;
    GtkWidget *page = gtk_widget_get_ancestor(tile, NS_TYPE_DASHBOARD);
    ns_dashboard_set_stage(NS_DASHBOARD(page), NS_CHART_TILE(tile));
    ui_settle(tile);
    UI_UNTIL(ns_chart_view_layout(chart));
}

/* Where a share of the plot area lies on the widget, but for the names at the ends of curves. */
NsPoint ui_inside(NsChartView *chart, double across, double down)
{
    ui_enlarge(chart);
    NsBox area = ns_plot_area(ns_chart_view_layout(chart));
    area.width -= ns_chart_view_layout(chart)->ends_space;
    double x = round(area.x + across * area.width), y = round(area.y + down * area.height);
    return (NsPoint){CLAMP(x, ceil(area.x), floor(area.x + area.width)),
                     CLAMP(y, ceil(area.y), floor(area.y + area.height))};
}

void ui_point(NsChartView *chart, NsPoint at)
{
    ui_enlarge(chart);
    ui_pointer_to(GTK_WIDGET(chart), at.x, at.y);
}

void ui_click_at(NsChartView *chart, NsPoint at, GdkModifierType modifiers)
{
    ui_point(chart, at);
    ui_hold(modifiers, true);
    ui_click_here(GDK_BUTTON_PRIMARY);
    ui_hold(modifiers, false);
    ui_settle(GTK_WIDGET(chart));
}

void ui_double_click_at(NsChartView *chart, NsPoint at)
{
    ui_point(chart, at);
    ui_double_click_here();
    ui_settle(GTK_WIDGET(chart));
}

void ui_drag(GtkWidget *widget, guint button, NsPoint from, NsPoint to, GdkModifierType modifiers)
{
    ui_pointer_to(widget, from.x, from.y);
    ui_hold(modifiers, true);
    ui_button(button, true);
    ui_pointer_to(widget, (from.x + to.x) / 2, (from.y + to.y) / 2);
    ui_pointer_to(widget, to.x, to.y);
    ui_button(button, false);
    ui_hold(modifiers, false);
    ui_settle(widget);
}

void ui_press_on(NsChartView *chart, guint keyval, GdkModifierType modifiers)
{
    ui_enlarge(chart);
    GtkRoot *window = gtk_widget_get_root(GTK_WIDGET(chart));
    if (gtk_root_get_focus(window) != GTK_WIDGET(chart)) gtk_widget_grab_focus(GTK_WIDGET(chart));
    ui_stroke(GTK_WIDGET(window), keyval, modifiers);
}

void ui_scroll(NsChartView *chart, int notches, GdkModifierType modifiers)
{
    ui_hold(modifiers, true);
    ui_wheel(notches);
    ui_hold(modifiers, false);
    ui_settle(GTK_WIDGET(chart));
}

GtkWidget *ui_chip(NsChartTile *tile)
{
    return tile->follow;
}

GtkWidget *ui_show_page(NsWindow *window, const char *key, GType type)
{
    UI_WAIT(window, ui_is_ready);
    g_action_group_change_action_state(G_ACTION_GROUP(window), "page", g_variant_new_string(key));
    GtkWidget *page = ui_first(GTK_WIDGET(window), type);
    g_assert_nonnull(page);
    UI_UNTIL(gtk_widget_get_mapped(page));
    return page;
}
