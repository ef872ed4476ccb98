/* One large chart, the others as thumbnails, and room for both.  SPDX-License-Identifier: MIT */
#include "tests/ui/driver.h"
#include "ui/plot/labels.h"
#include "ui/plot/layout-private.h"
#include "ui/widgets/common/preferences.h"

#define LEAST_PLOT 300 /* pixels of height */

static GtkWidget *enlarge_button(NsWindow *window, size_t i)
{
    GtkWidget *overlay = gtk_widget_get_first_child(GTK_WIDGET(ui_tile(window, i)));
    return gtk_widget_get_last_child(overlay);
}

static size_t legend_entries(NsChartView *chart)
{
    return ns_chart_view_layout(chart)->legend->len;
}

static bool has_part(NsChartView *chart, NsPart part)
{
    const GArray *labels = ns_chart_view_layout(chart)->labels;
    for (guint i = 0; i < labels->len; i++)
        if (g_array_index(labels, NsLabel, i).part == part) return true;
    return false;
}

/* Who presses a thumbnail gets its chart on the stage; what was there becomes a thumbnail. */
static void test_swap(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open_paused();
    NsDashboard *dashboard = ns_window_dashboard(window);
    g_assert_true(ns_dashboard_stage(dashboard) == ui_tile(window, LOSS));
    int wide = gtk_widget_get_width(GTK_WIDGET(ui_tile(window, LOSS)));
    g_assert_cmpint(wide, >, 2 * gtk_widget_get_width(GTK_WIDGET(ui_tile(window, GRADIENT))));
    ui_pointer_to(enlarge_button(window, GRADIENT), 40, 40);
    ui_click_here(GDK_BUTTON_PRIMARY);
    ui_settle(GTK_WIDGET(window));
    g_assert_true(ns_dashboard_stage(dashboard) == ui_tile(window, GRADIENT));
    g_assert_cmpint(gtk_widget_get_width(GTK_WIDGET(ui_tile(window, GRADIENT))), ==, wide);
    g_assert_true(gtk_window_get_focus(GTK_WINDOW(window)) ==
                  GTK_WIDGET(ui_chart(window, GRADIENT)));
    g_autofree char *kept = g_settings_get_string(ns_preferences(), "stage");
    g_assert_cmpstr(kept, ==, "gradient-norm");
    /* With the keyboard, and from the menu's key. */
    gtk_widget_grab_focus(enlarge_button(window, HIDDEN));
    ui_stroke(GTK_WIDGET(window), GDK_KEY_Return, 0);
    g_assert_true(ns_dashboard_stage(dashboard) == ui_tile(window, HIDDEN));
    ui_stroke(GTK_WIDGET(window), GDK_KEY_n, 0);
    g_assert_true(ns_dashboard_stage(dashboard) == ui_tile(window, HEATMAP));
    ui_stroke(GTK_WIDGET(window), GDK_KEY_m, 0);
    g_assert_true(ns_dashboard_maximized(dashboard) == ui_tile(window, HEATMAP));
    ui_stroke(GTK_WIDGET(window), GDK_KEY_n, 0);
    g_assert_true(ns_dashboard_maximized(dashboard) == ui_tile(window, LOSS));
    ui_close(window);
}

/* One legend and one subtitle for the page; thumbnails have a name, curves and no controls. */
static void test_thumbnails(void)
{
    NsWindow *window = ui_open_paused();
    g_assert_true(has_part(ui_chart(window, LOSS), NS_PART_SUBTITLE));
    for (size_t i = GRADIENT; i < TILES; i++) {
        NsChartView *chart = ui_chart(window, i);
        GtkWidget *tools =
            gtk_widget_get_parent(ui_first(GTK_WIDGET(ui_tile(window, i)), GTK_TYPE_MENU_BUTTON));
        g_assert_cmpuint(legend_entries(chart), ==, 0);
        g_assert_true(has_part(chart, NS_PART_TITLE));
        g_assert_false(has_part(chart, NS_PART_SUBTITLE) || has_part(chart, NS_PART_NOTE) ||
                       has_part(chart, NS_PART_LEFT_LABEL) || has_part(chart, NS_PART_RIGHT_LABEL));
        g_assert_false(gtk_widget_get_visible(tools));
        g_assert_false(gtk_widget_get_focusable(GTK_WIDGET(chart)));
        /* Whoever copies or saves it has all of it. */
        g_assert_nonnull(ns_chart_view_plot(chart)->subtitle);
    }
    ui_close(window);
}

/* The stage of the page that is shown, once it is drawn at its size. */
static NsBox plot_of_page(NsWindow *window)
{
    ui_settle(GTK_WIDGET(window));
    ui_rest(window);
    NsChartView *chart = ns_chart_tile_chart(ns_dashboard_stage(ns_window_dashboard(window)));
    UI_UNTIL(ns_chart_view_layout(chart) &&
             ns_chart_view_layout(chart)->width == gtk_widget_get_width(GTK_WIDGET(chart)));
    return ns_plot_area(ns_chart_view_layout(chart));
}

static void test_heights(void)
{
    static const int sizes[][2] = {{720, 800}, {1280, 800}, {1920, 1080}};
    static const char *const pages[] = {"dashboard", "profile",    "heatmap",
                                        "curves",    "similarity", "attention"};
    NsWindow *window = ui_open("probe-every=1 layers=4");
    NsSession *session = ns_window_session(window);
    UI_WAIT(window, ui_is_ready);
    ns_session_set_lanes(session, 2);
    ns_session_set_lane(session, 1, "placement", "pre");
    UI_UNTIL(ns_session_view(session)->started.n == 2 &&
             ns_session_state(session) == NS_TRAINER_READY);
    ns_session_step(session, 5);
    UI_UNTIL(ns_session_steps(session) == 5);
    UI_WAIT(window, ui_is_paused);
    for (size_t k = 0; k < G_N_ELEMENTS(sizes); k++) {
        gtk_window_set_default_size(GTK_WINDOW(window), sizes[k][0], sizes[k][1]);
        UI_UNTIL(gtk_widget_get_width(GTK_WIDGET(window)) == sizes[k][0]);
        for (size_t i = 0; i < G_N_ELEMENTS(pages); i++) {
            ns_page_stack_show(ns_window_pages(window), pages[i]);
            NsBox plot = plot_of_page(window);
            g_test_message("%s at %d: %g x %g", pages[i], sizes[k][0], plot.width, plot.height);
            g_assert_cmpfloat(plot.height, >=, LEAST_PLOT);
        }
    }
    ui_close(window);
}

void ui_add_stage_tests(void)
{
    g_test_add_func("/ui/stage/swap", test_swap);
    g_test_add_func("/ui/stage/thumbnails", test_thumbnails);
    g_test_add_func("/ui/stage/heights", test_heights);
}
