/* One large chart, the others as thumbnails, and room for both.  SPDX-License-Identifier: MIT */
#include "core/store/bundled.h"
#include "tests/ui/driver.h"
#include "ui/plot/plot-private.h"
#include "ui/widgets/charts/page.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/learn/learn_list.h"
#include "ui/widgets/settings/settings_pane.h"
#include "ui/widgets/shell/learning.h"

#include <math.h>
#include <string.h>

/* Pixels: the height of a large plot and of one of two in a column, and the size of one of two that
 * are side by side beside a card, above thumbnails with numbers. */
#define LEAST_PLOT 300
#define LEAST_OF_TWO 190
#define LEAST_ACROSS 230
#define LEAST_DOWN 250
#define BAR_ACROSS 160 /* of a thumbnail with a color bar */

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

/* Two charts stand side by side at the same size, which is larger than that of the others. */
static void expect_large(NsWindow *window, size_t one, size_t other)
{
    UI_WAIT(window, ui_is_drawn);
    GtkWidget *first = GTK_WIDGET(ui_tile(window, one));
    int width = gtk_widget_get_width(first), height = gtk_widget_get_height(first);
    for (size_t i = 0; i < TILES; i++) {
        GtkWidget *tile = GTK_WIDGET(ui_tile(window, i));
        int wide = gtk_widget_get_width(tile), high = gtk_widget_get_height(tile);
        graphene_rect_t bounds;
        g_assert_true(gtk_widget_compute_bounds(tile, first, &bounds));
        if (i == one || i == other) {
            g_assert_cmpint(ABS(wide - width), <=, 1);
            g_assert_cmpint(ABS(high - height), <=, 1);
            g_assert_cmpfloat(fabsf(bounds.origin.y), <=, 1);
        } else
            g_assert_cmpint(4 * wide * high, <, width * height);
    }
}

/* A thumbnail that is pressed becomes large, as does what was on the stage before it; the other
 * large chart becomes a thumbnail. */
static void test_swap(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open_paused();
    NsDashboard *dashboard = ns_window_dashboard(window);
    g_assert_true(ns_dashboard_stage(dashboard) == ui_tile(window, LOSS));
    expect_large(window, LOSS, GRADIENT);
    ui_pointer_to(enlarge_button(window, HIDDEN), 40, 40);
    ui_click_here(GDK_BUTTON_PRIMARY);
    ui_settle(GTK_WIDGET(window));
    g_assert_true(ns_dashboard_stage(dashboard) == ui_tile(window, HIDDEN));
    expect_large(window, LOSS, HIDDEN);
    g_assert_true(gtk_window_get_focus(GTK_WINDOW(window)) == GTK_WIDGET(ui_chart(window, HIDDEN)));
    g_autofree char *kept = g_settings_get_string(ns_preferences(), "stage");
    g_assert_cmpstr(kept, ==, "hidden-norm");
    /* With the keyboard, and from the menu's key. */
    gtk_widget_grab_focus(enlarge_button(window, GRADIENT));
    ui_stroke(GTK_WIDGET(window), GDK_KEY_Return, 0);
    g_assert_true(ns_dashboard_stage(dashboard) == ui_tile(window, GRADIENT));
    expect_large(window, GRADIENT, HIDDEN);
    /* What is large already is passed over. */
    ui_stroke(GTK_WIDGET(window), GDK_KEY_n, 0);
    g_assert_true(ns_dashboard_stage(dashboard) == ui_tile(window, HEATMAP));
    expect_large(window, GRADIENT, HEATMAP);
    ui_stroke(GTK_WIDGET(window), GDK_KEY_m, 0);
    g_assert_true(dashboard->maximized == ui_tile(window, HEATMAP));
    ui_stroke(GTK_WIDGET(window), GDK_KEY_n, 0);
    g_assert_true(dashboard->maximized == ui_tile(window, LOSS));
    ui_close(window);
}

/* Frames that the dashboard draws over its charts. */
static unsigned frames(GtkWidget *dashboard)
{
    GtkSnapshot *snapshot = gtk_snapshot_new();
    GTK_WIDGET_GET_CLASS(dashboard)->snapshot(dashboard, snapshot);
    GskRenderNode *node = gtk_snapshot_free_to_node(snapshot);
    unsigned n = 0;
    for (guint i = 0; i < gsk_container_node_get_n_children(node); i++) {
        GskRenderNode *child = gsk_container_node_get_child(node, i);
        n += gsk_render_node_get_node_type(child) == GSK_BORDER_NODE;
    }
    gsk_render_node_unref(node);
    return n;
}

/* A frame moves with the chart to the stage, unless the user wants no animations. */
static void test_motion(void)
{
    NsWindow *window = ui_open_paused();
    GtkWidget *dashboard = GTK_WIDGET(ns_window_dashboard(window));
    GtkSettings *settings = gtk_settings_get_default();
    for (guint animations = 0; animations < 2; animations++) {
        NsChartTile *tile = ui_tile(window, animations ? HEATMAP : HIDDEN);
        int before = gtk_widget_get_height(GTK_WIDGET(tile));
        g_object_set(settings, "gtk-enable-animations", (gboolean)animations, NULL);
        gint64 since = g_get_monotonic_time();
        ns_dashboard_set_stage(NS_DASHBOARD(dashboard), tile);
        UI_UNTIL(gtk_widget_get_height(GTK_WIDGET(tile)) > before);
        unsigned n = frames(dashboard);
        bool slow = ns_motion(since) >= 1; /* the motion may have ended on a busy machine */
        if (!animations || !slow) g_assert_cmpuint(n, ==, animations);
    }
    UI_UNTIL(frames(dashboard) == 0);
    g_object_set(settings, "gtk-enable-animations", FALSE, NULL);
    ui_close(window);
}

/* One legend and one subtitle for the page; thumbnails have a name, curves or
 * a map with their axes, and no controls. */
static void test_thumbnails(void)
{
    NsWindow *window = ui_open_paused();
    for (size_t i = LOSS; i <= GRADIENT; i++)
        g_assert_true(has_part(ui_chart(window, i), NS_PART_SUBTITLE));
    for (size_t i = HIDDEN; i < TILES; i++) {
        NsChartView *chart = ui_chart(window, i);
        GtkWidget *tools =
            gtk_widget_get_parent(ui_first(GTK_WIDGET(ui_tile(window, i)), GTK_TYPE_MENU_BUTTON));
        g_assert_cmpuint(legend_entries(chart), ==, 0);
        g_assert_true(has_part(chart, NS_PART_TITLE));
        g_assert_false(has_part(chart, NS_PART_SUBTITLE) || has_part(chart, NS_PART_NOTE));
        g_assert_true(has_part(chart, NS_PART_LEFT_LABEL)); /* of a map, its lanes */
        g_assert_false(gtk_widget_get_visible(tools));
        g_assert_false(gtk_widget_get_focusable(GTK_WIDGET(chart)));
        /* Whoever copies or saves it has all of it. */
        g_assert_nonnull(chart->plot->subtitle);
    }
    ui_close(window);
}

/* The stage of the page that is shown, once it is drawn at its size. */
static NsBox plot_of_page(NsWindow *window)
{
    ui_settle(GTK_WIDGET(window));
    ui_rest(window);
    NsChartView *chart = ns_dashboard_stage(ns_window_dashboard(window))->chart;
    UI_UNTIL(ns_chart_view_layout(chart) &&
             ns_chart_view_layout(chart)->width == gtk_widget_get_width(GTK_WIDGET(chart)));
    return ns_plot_area(ns_chart_view_layout(chart));
}

/* The frame that the window draws around itself is part of its size. */
static void set_size(NsWindow *window, int width, int height)
{
    gtk_window_set_default_size(GTK_WINDOW(window), width, height);
    UI_UNTIL(ABS(gtk_widget_get_width(GTK_WIDGET(window)) - width) < 30);
}

static void open_lanes(NsWindow *window, size_t lanes)
{
    static const char *const placements[] = {"post", "pre", "deepnorm", "ln-scaling"};
    NsSession *session = window->session;
    ns_session_set_lanes(session, lanes);
    for (size_t i = 0; i < lanes; i++) ns_session_set_lane(session, i, "placement", placements[i]);
    ns_session_restart(session);
    UI_UNTIL(session->view->started.n == lanes && session->state == NS_TRAINER_READY);
    ns_session_step(session, 5);
    UI_UNTIL(ns_session_steps(session) == 5);
    UI_WAIT(window, ui_is_paused);
}

/* A thumbnail has the numbers and names of its axes, the letters of the lanes and a color bar with
 * numbers; in a low window only a map has numbers, at the left axis.  None has notes. */
static void test_large_thumbnails(void)
{
    static const int sizes[][2] = {{1280, 600}, {1280, 800}, {1440, 800}, {1920, 1080}};
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    open_lanes(window, 2);
    for (size_t k = 0; k < G_N_ELEMENTS(sizes); k++) {
        set_size(window, sizes[k][0], sizes[k][1]);
        bool high = sizes[k][1] > 600;
        for (size_t i = HIDDEN; i < TILES; i++) {
            NsChartView *chart = ui_chart(window, i);
            UI_UNTIL(ns_chart_view_layout(chart) && has_part(chart, NS_PART_X_TICK) == high);
            bool map = i == HEATMAP;
            /* In a narrow column the letters go before the bar. */
            bool bar = high && map && ns_chart_view_layout(chart)->width >= BAR_ACROSS;
            g_assert_true(bar || !map || sizes[k][1] == 600 || sizes[k][0] == 1440);
            g_assert_true(chart->compact);
            g_assert_true(has_part(chart, NS_PART_X_LABEL) == high);
            g_assert_true(has_part(chart, NS_PART_LEFT_LABEL) == (high || map));
            g_assert_true(has_part(chart, NS_PART_LEFT_TICK) == (high || map));
            g_assert_true(has_part(chart, NS_PART_BAR_TICK) == bar);
            g_assert_cmpuint(legend_entries(chart), ==, high && !map ? 2 : 0);
            g_assert_false(has_part(chart, NS_PART_NOTE));
            if (!legend_entries(chart)) continue;
            const NsPlotLayout *layout = ns_chart_view_layout(chart);
            guint label = g_array_index(layout->legend, NsLegendSample, 1).label;
            PangoLayout *text = g_array_index(layout->labels, NsLabel, label).text;
            g_assert_cmpstr(pango_layout_get_text(text), ==, "B");
        }
    }
    ui_close(window);
}

static void test_heights(void)
{
    static const int sizes[][2] = {{720, 800}, {1280, 800}, {1920, 1080}};
    static const char *const pages[] = {"dashboard", "profile",    "heatmap",
                                        "curves",    "similarity", "attention"};
    NsWindow *window = ui_open("probe-every=1 layers=4");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_set_lanes(session, 2);
    ns_session_set_lane(session, 1, "placement", "pre");
    UI_UNTIL(session->view->started.n == 2 && session->state == NS_TRAINER_READY);
    ns_session_step(session, 5);
    UI_UNTIL(ns_session_steps(session) == 5);
    UI_WAIT(window, ui_is_paused);
    for (size_t k = 0; k < G_N_ELEMENTS(sizes); k++) {
        set_size(window, sizes[k][0], sizes[k][1]);
        for (size_t i = 0; i < G_N_ELEMENTS(pages); i++) {
            ns_page_stack_show(window->pages, pages[i]);
            NsBox plot = plot_of_page(window);
            g_test_message("%s at %d: %g x %g", pages[i], sizes[k][0], plot.width, plot.height);
            bool two = ns_dashboard_tile(ns_window_dashboard(window), 2) != NULL;
            g_assert_cmpfloat(plot.height, >=, two ? LEAST_OF_TWO : LEAST_PLOT);
        }
    }
    ui_close(window);
}

/* In the smallest window the pane and every page beside it are within the window. */
static void test_beside_pane(void)
{
    g_autoptr(GString) faults = g_string_new(NULL);
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ns_session_set_lanes(window->session, 2);
    set_size(window, 720, 600);
    for (size_t i = 0; ns_page_kind(i); i++) {
        g_action_group_change_action_state(G_ACTION_GROUP(window), "pane",
                                           g_variant_new_boolean(FALSE));
        ns_page_stack_show(window->pages, ns_page_kind(i)->key);
        ui_settle(GTK_WIDGET(window));
        /* The figures of the paper come one a frame. */
        GtkWidget *last = gtk_widget_get_last_child(GTK_WIDGET(ns_window_page(window)));
        if (GTK_IS_FLOW_BOX(last))
            UI_UNTIL(gtk_widget_get_visible(gtk_widget_get_last_child(last)));
        ui_rest(window);
        g_action_group_change_action_state(G_ACTION_GROUP(window), "pane",
                                           g_variant_new_boolean(TRUE));
        ui_settle(GTK_WIDGET(window));
        ui_rest(window);
        graphene_rect_t pane, page;
        GtkWidget *whole = GTK_WIDGET(window);
        GtkWidget *settings = GTK_WIDGET(window->settings_pane);
        g_assert_true(gtk_widget_compute_bounds(settings, whole, &pane));
        g_assert_true(gtk_widget_compute_bounds(GTK_WIDGET(window->pages), whole, &page));
        bool begins = pane.origin.x >= 0;
        bool beside = page.origin.x >= pane.origin.x + pane.size.width;
        bool ends = page.origin.x + page.size.width <= (float)gtk_widget_get_width(whole);
        if (!begins || !beside || !ends)
            g_string_append_printf(faults, "%s ", ns_page_kind(i)->key);
    }
    g_assert_cmpstr(faults->str, ==, "");
    ui_close(window);
}

/* The window of a first start shows the loss and the gradient side by side, the tour beside them,
 * on a small screen, too. */
static void test_first_screen(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    int widths[] = {gtk_widget_get_width(GTK_WIDGET(window)), 1280};
    NsLearnPane *pane = window->learn_pane;
    gtk_widget_activate_action(GTK_WIDGET(pane), NS_LEARN_BEGIN, "u", 0);
    UI_WAIT(window, ui_is_ready);
    for (size_t i = 0; i < G_N_ELEMENTS(widths); i++) {
        set_size(window, widths[i], 800);
        UI_UNTIL(!ui_tile(window, GRADIENT)->compact);
        g_assert_false(ui_tile(window, LOSS)->compact);
        g_assert_true(ui_tile(window, HIDDEN)->compact);
        graphene_rect_t loss, gradient;
        GtkWidget *page = GTK_WIDGET(ns_window_dashboard(window));
        g_assert_true(gtk_widget_compute_bounds(GTK_WIDGET(ui_tile(window, LOSS)), page, &loss));
        g_assert_true(
            gtk_widget_compute_bounds(GTK_WIDGET(ui_tile(window, GRADIENT)), page, &gradient));
        g_assert_cmpfloat(loss.origin.y, ==, gradient.origin.y);
    }
    /* The ratio of the lanes has a place below them even if the legend has two rows. */
    NsSession *session = window->session;
    ns_session_step(session, 2);
    UI_UNTIL(ns_session_steps(session) == 2);
    UI_WAIT(window, ui_is_paused);
    ui_settle(GTK_WIDGET(window));
    g_assert_nonnull(ns_chart_view_layout(ui_tile(window, GRADIENT)->chart)->plot->lower);
    ui_close(window);
}

static void next_card(NsLearnPane *pane)
{
    GtkEventController *keys = ui_controller(GTK_WIDGET(pane), GTK_TYPE_SHORTCUT_CONTROLLER, NULL);
    g_autoptr(GtkShortcut) next = g_list_model_get_item(G_LIST_MODEL(keys), 0);
    gtk_shortcut_action_activate(gtk_shortcut_get_action(next), 0, GTK_WIDGET(pane), NULL);
}

/* The chart that a card speaks of is a large one, and large enough. */
static void test_lesson(void)
{
    static const char text[] = "title = A test\nsummary = For a test.\n"
                               "[card]\ntitle = One\ntext = The loss of two models, and what else "
                               "there is to say of either in a text of some length.\n"
                               "setup = layers=2 d-model=16 heads=2 seq=16 batch=4 threads=1\n"
                               "setup-a = placement=post\nsetup-b = placement=pre\n"
                               "highlight = hidden-norm\npage = dashboard\n"
                               "[card]\ntitle = Two\ntext = Less.\nhighlight = gradient-norm\n"
                               "[card]\ntitle = Three\ntext = Both.\nhighlight = loss\n"
                               "[card]\ntitle = Four\ntext = Neither.\nhighlight = run\n"
                               "[card]\ntitle = Five\ntext = A control beside a chart.\n"
                               "highlight = run\nchart = hidden-norm:hidden-rms\n"
                               "[card]\ntitle = Six\ntext = And another.\n"
                               "highlight = lr\nchart = gradient-norm\n";
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    set_size(window, 1280, 800);
    int before = gtk_widget_get_width(GTK_WIDGET(window->pages));
    g_autoptr(GError) error = NULL;
    NsLesson *lesson = ns_lesson_new(text, strlen(text), &error);
    g_assert_no_error(error);
    NsLearnPane *pane = window->learn_pane;
    ns_learn_pane_begin(pane, lesson, NULL);
    UI_WAIT(window, ui_is_ready);
    static const size_t large[] = {HIDDEN, GRADIENT, LOSS, LOSS, HIDDEN, HIDDEN};
    for (size_t card = 0; card < G_N_ELEMENTS(large); card++) {
        NsBox plot = plot_of_page(window);
        g_assert_cmpfloat(plot.width, >=, LEAST_ACROSS);
        g_assert_cmpfloat(plot.height, >=, LEAST_DOWN);
        g_assert_true(ns_dashboard_stage(ns_window_dashboard(window)) ==
                      ui_tile(window, large[card]));
        g_assert_cmpint(gtk_widget_get_width(GTK_WIDGET(window->pages)), ==, before);
        /* One that was put away comes back. */
        if (card == 4)
            ns_chart_tile_set_kind(ui_tile(window, GRADIENT), ns_figure_find("schedule"));
        if (card + 1 < G_N_ELEMENTS(large)) next_card(pane);
    }
    g_assert_true(ui_tile(window, HIDDEN)->own.kind == ns_figure_find("gradient-norm"));
    g_assert_cmpint(window->session->view->hidden, ==, NS_QUANTITY_HIDDEN_RMS);
    /* The inspector beside a card takes the place of the settings, and the card stays. */
    GtkWidget *settings = ui_find(window, "pane_scroller");
    for (int open = 1; open >= 0; open--) {
        g_action_group_activate_action(G_ACTION_GROUP(window), "inspector", NULL);
        ui_settle(GTK_WIDGET(window));
        g_assert_true(gtk_widget_get_visible(ui_find(window, "inspector_scroller")) == open);
        g_assert_true(gtk_widget_get_visible(settings) != open);
        g_assert_cmpint(gtk_orientable_get_orientation(GTK_ORIENTABLE(window->row)), ==,
                        GTK_ORIENTATION_HORIZONTAL);
    }
    g_assert_cmpint(gtk_widget_get_width(GTK_WIDGET(window->pages)), ==, before);
    ns_learn_pane_close(pane);
    ui_settle(GTK_WIDGET(window));
    g_assert_true(gtk_widget_get_visible(ui_find(window, "inspector_scroller")));
    ui_close(window);
}

/* Beside a card the rate of a warm-up is below the loss, even with the legend of an earlier run. */
static void test_rate(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = Run.\n"
        "setup = layers=2 d-model=16 heads=2 seq=16 batch=4 threads=1 warmup=1\n"
        "setup-a = placement=post\nsetup-b = placement=pre\nchart = loss\npage = dashboard\n"
        "[card]\ntitle = Two\ntext = So.\n[card]\ntitle = Three\ntext = So.\n"
        "[card]\ntitle = Four\ntext = So.\n";
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    set_size(window, 1280, 800);
    NsLesson *lesson = ns_lesson_new(text, strlen(text), NULL);
    ns_learn_pane_begin(window->learn_pane, lesson, NULL);
    for (int run = 0; run < 2; run++) {
        UI_WAIT(window, ui_is_ready);
        ns_session_step(session, 5);
        UI_UNTIL(ns_session_steps(session) == 5);
        UI_WAIT(window, ui_is_paused);
        if (run) break;
        ns_session_set(session, "warmup", "10");
        ns_session_restart(session);
    }
    g_assert_cmpfloat(plot_of_page(window).height, >=, LEAST_DOWN);
    NsChartView *chart = ns_dashboard_stage(ns_window_dashboard(window))->chart;
    g_assert_nonnull(ns_chart_view_layout(chart)->lower);
    ui_close(window);
}

static double top_of(NsWindow *window, const char *key)
{
    GtkWidget *row = ns_settings_pane_row(window->settings_pane, key);
    graphene_rect_t bounds;
    ui_settle(GTK_WIDGET(window));
    g_assert_true(gtk_widget_compute_bounds(row, GTK_WIDGET(window), &bounds));
    return (double)bounds.origin.y;
}

/* Changes that wait, and a setting that cannot be, move no control. */
static void test_rows_stay(void)
{
    NsWindow *window = ui_open_paused();
    NsSession *session = window->session;
    double warmup = top_of(window, "warmup"), lr = top_of(window, "lr");
    ns_session_set(session, "layers", "3");
    g_assert_cmpuint(ns_session_pending(session), >, 0);
    g_assert_cmpfloat(top_of(window, "warmup"), ==, warmup);
    ns_session_set(session, "heads", "5");
    g_assert_cmpfloat(top_of(window, "lr"), ==, lr);
    g_assert_cmpfloat(top_of(window, "warmup"), ==, warmup);
    ns_session_drop_pending(session);
    g_assert_cmpfloat(top_of(window, "warmup"), ==, warmup);
    ui_close(window);
}

static bool is_row_shown(NsWindow *window, const char *key)
{
    return gtk_widget_get_visible(ns_settings_pane_row(window->settings_pane, key));
}

static void set_class_mode(NsWindow *window, bool on)
{
    g_action_group_change_action_state(G_ACTION_GROUP(window), "class-mode",
                                       g_variant_new_boolean(on));
}

/* A class sees the settings that the card speaks of or in which the lanes differ, and few more. */
static void test_class_settings(void)
{
    NsWindow *window = ui_open_paused();
    NsSession *session = window->session;
    NsLearnPane *pane = window->learn_pane;
    static const char *const always[] = {"placement", "layers", "warmup", "lr"};
    set_class_mode(window, true);
    for (size_t i = 0; i < G_N_ELEMENTS(always); i++)
        g_assert_true(is_row_shown(window, always[i]));
    g_assert_false(is_row_shown(window, "text") || is_row_shown(window, "optimizer"));
    g_signal_emit_by_name(pane, "point-out", "optimizer");
    g_assert_true(is_row_shown(window, "optimizer") && is_row_shown(window, NS_MORE_SETTINGS));
    g_signal_emit_by_name(pane, "point-out", "loss");
    g_assert_false(is_row_shown(window, "optimizer") || is_row_shown(window, "text"));
    ns_session_set_lanes(session, 2);
    ns_session_set_lane(session, 1, "optimizer", "sgd");
    g_signal_emit_by_name(pane, "point-out", "loss");
    g_assert_true(is_row_shown(window, "optimizer"));
    set_class_mode(window, false);
    g_signal_emit_by_name(pane, "point-out", "loss");
    g_assert_true(is_row_shown(window, "text") && is_row_shown(window, NS_MORE_SETTINGS));
    ui_close(window);
}

/* ---- Every page ---- */

typedef struct {
    GtkWidget *window;
    const char *where;
    GString *faults; /* a line each */
} Walk;

static void report(const Walk *walk, const char *what, const char *words)
{
    g_string_append_printf(walk->faults, "%s: %s “%s”\n", walk->where, what, words);
}

static void check_keys(const Walk *walk, const NsPlotLayout *layout);

static void check_chart(const Walk *walk, NsChartView *chart)
{
    const NsPlotLayout *layout = ns_chart_view_layout(chart);
    if (layout) check_keys(walk, layout);
    for (guint i = 0; layout && i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        const char *words = pango_layout_get_text(label->text);
        const NsBox *box = &label->box;
        if (pango_layout_is_ellipsized(label->text)) report(walk, "cut in a chart:", words);
        if (box->x < -1 || box->x + box->width > layout->width + 1 || box->y < -1 ||
            box->y + box->height > layout->height + layout->lower_y + 1)
            report(walk, "leaves its chart:", words);
    }
}

/* Of two curves with names; a theory without a lane of its own has the color of text. */
static bool looks_the_same(const NsSeries *a, const NsSeries *b)
{
    bool plain = a->theory && !a->tinted;
    return a->kind == b->kind && a->theory == b->theory && a->previous == b->previous &&
           a->tinted == b->tinted && a->muted == b->muted && a->dash == b->dash &&
           (plain || a->style == b->style);
}

static void check_keys(const Walk *walk, const NsPlotLayout *layout)
{
    for (guint i = 0; i < layout->legend->len; i++)
        for (guint k = 0; k < i; k++) {
            const NsSeries *one = g_array_index(layout->legend, NsLegendSample, i).series;
            const NsSeries *other = g_array_index(layout->legend, NsLegendSample, k).series;
            if (one == other) continue;
            g_autofree char *both =
                g_strdup_printf("%s / %s", ns_series_name(one), ns_series_name(other));
            if (looks_the_same(one, other)) report(walk, "one key for two curves:", both);
            if (g_str_equal(ns_series_name(one), ns_series_name(other)))
                report(walk, "one name for two curves:", both);
        }
}

/* What clips a label on the way to the screen, but for what scrolls there. */
static void check_label(const Walk *walk, GtkWidget *label)
{
    const char *words = gtk_label_get_text(GTK_LABEL(label));
    PangoLayout *layout = gtk_label_get_layout(GTK_LABEL(label));
    int width, height;
    bool scrolls = false;
    pango_layout_get_pixel_size(layout, &width, &height);
    if (pango_layout_is_ellipsized(layout)) report(walk, "cut:", words);
    if (width > gtk_widget_get_width(label) + 1 || height > gtk_widget_get_height(label) + 1)
        report(walk, "larger than its place:", words);
    for (GtkWidget *place = gtk_widget_get_parent(label); place;
         place = gtk_widget_get_parent(place)) {
        graphene_rect_t bounds;
        bool clips = gtk_widget_get_overflow(place) == GTK_OVERFLOW_HIDDEN || GTK_IS_PANED(place) ||
                     place == walk->window;
        scrolls |= GTK_IS_VIEWPORT(place) || GTK_IS_SCROLLED_WINDOW(place);
        if (!clips || !gtk_widget_compute_bounds(label, place, &bounds)) continue;
        if (bounds.origin.x < -1 ||
            bounds.origin.x + bounds.size.width > (float)gtk_widget_get_width(place) + 1)
            report(walk, "leaves at a side:", words);
        else if (!scrolls && (bounds.origin.y < -1 || bounds.origin.y + bounds.size.height >
                                                          (float)gtk_widget_get_height(place) + 1))
            report(walk, "leaves above or below:", words);
        else
            continue;
        return;
    }
}

static bool is_cut(GtkWidget *text)
{
    const char *words = gtk_editable_get_text(GTK_EDITABLE(text));
    g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(text, words);
    int width = 0;
    pango_layout_get_pixel_size(layout, &width, NULL);
    return width > gtk_widget_get_width(text);
}

static void check_words(const Walk *walk, GtkWidget *widget)
{
    /* A tooltip may not have its place yet. */
    bool apart = GTK_IS_NATIVE(widget) && widget != walk->window;
    if (apart || !gtk_widget_get_mapped(widget)) return;
    /* The texts of the lanes are shown as far as there is space. */
    if (gtk_widget_has_css_class(widget, "continuations")) return;
    if (NS_IS_CHART_VIEW(widget)) check_chart(walk, NS_CHART_VIEW(widget));
    if (GTK_IS_TEXT(widget) && is_cut(widget))
        report(walk, "cut:", gtk_editable_get_text(GTK_EDITABLE(widget)));
    if (GTK_IS_LABEL(widget)) check_label(walk, widget);
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        check_words(walk, child);
}

/* The charts of a page that are no thumbnails. */
static void check_heights(const Walk *walk, GtkWidget *widget)
{
    if (!gtk_widget_get_mapped(widget)) return;
    if (NS_IS_CHART_TILE(widget) && NS_CHART_TILE(widget)->compact) return;
    if (NS_IS_CHART_VIEW(widget)) {
        NsChartView *chart = NS_CHART_VIEW(widget);
        UI_UNTIL(ns_chart_view_layout(chart));
        double height = ns_plot_area(ns_chart_view_layout(chart)).height;
        g_autofree char *words =
            g_strdup_printf("%s, %.0f pixels", chart->kind->choice.key, height);
        if (height < LEAST_OF_TWO) report(walk, "low chart:", words);
    }
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        check_heights(walk, child);
}

/* All pages at three sizes. */
static void walk_pages(NsWindow *window, const char *what, GString *faults)
{
    static const int sizes[][2] = {{720, 800}, {1280, 800}, {1920, 1080}};
    for (size_t k = 0; k < G_N_ELEMENTS(sizes); k++) {
        set_size(window, sizes[k][0], sizes[k][1]);
        for (size_t i = 0; ns_page_kind(i); i++) {
            g_autofree char *where =
                g_strdup_printf("%s, %s, %d wide", ns_page_kind(i)->key, what, sizes[k][0]);
            Walk walk = {GTK_WIDGET(window), where, faults};
            ns_page_stack_show(window->pages, ns_page_kind(i)->key);
            ui_settle(GTK_WIDGET(window));
            ui_rest(window);
            ui_settle(GTK_WIDGET(window));
            check_words(&walk, GTK_WIDGET(window));
            check_heights(&walk, GTK_WIDGET(ns_window_page(window)));
        }
    }
}

static void test_all_pages(void)
{
    static const size_t lanes[] = {1, 2, 4};
    static const struct {
        const char *name, *style;
        bool class;
    } looks[] = {{"", "light", false}, {", dark", "dark", false}, {", class mode", "light", true}};
    GActionGroup *application = G_ACTION_GROUP(ui_application());
    g_autoptr(GString) faults = g_string_new(NULL);
    NsWindow *window = ui_open("probe-every=1 layers=6");
    UI_WAIT(window, ui_is_ready);
    for (size_t i = 0; i < G_N_ELEMENTS(lanes); i++) {
        open_lanes(window, lanes[i]);
        for (size_t k = 0; k < G_N_ELEMENTS(looks); k++) {
            g_autofree char *what = g_strdup_printf("%zu lanes%s", lanes[i], looks[k].name);
            set_class_mode(window, looks[k].class);
            g_action_group_change_action_state(application, "style",
                                               g_variant_new_string(looks[k].style));
            walk_pages(window, what, faults);
        }
    }
    g_assert_cmpstr(faults->str, ==, "");
    ui_close(window);
}

/* ---- Every lesson ---- */

static const int sizes_of_cards[][2] = {{1280, 720}, {720, 600}};

/* A long number in place of each that would be measured. */
static void fill(char **texts)
{
    g_autoptr(GRegex) numbers = g_regex_new("\\{[^}]*\\}", 0, 0, NULL);
    for (; *texts; texts++) {
        char *text = g_regex_replace_literal(numbers, *texts, -1, 0, "{0.00123}", 0, NULL);
        g_free(*texts);
        *texts = text;
    }
}

/* A card does not scroll, or by two lines where the window is small, and its buttons are where
 * those of the other cards are. */
static void check_place(const Walk *walk, NsWindow *window, size_t size)
{
    static graphene_point_t places[G_N_ELEMENTS(sizes_of_cards)];
    GtkWidget *pane = GTK_WIDGET(window->learn_pane);
    GtkOrientable *row = GTK_ORIENTABLE(gtk_widget_get_parent(pane));
    UI_UNTIL((gtk_orientable_get_orientation(row) == GTK_ORIENTATION_VERTICAL) == (size == 1));
    ns_learn_pane_set_page(window->learn_pane, ns_page_stack_key(window->pages));
    ui_rest(window);
    GtkWidget *box = ui_first(pane, GTK_TYPE_SCROLLED_WINDOW);
    GtkAdjustment *at = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(box));
    double hidden = gtk_adjustment_get_upper(at) - gtk_adjustment_get_page_size(at);
    g_autofree char *words =
        g_strdup_printf("%g pixels hidden at a width of %d", hidden, sizes_of_cards[size][0]);
    if (hidden > (size ? 30 : 0)) report(walk, "scrolls:", words);
    graphene_rect_t back;
    g_assert_true(
        gtk_widget_compute_bounds(ui_find_button(pane, "Back"), GTK_WIDGET(window), &back));
    if (places[size].x < 1) places[size] = back.origin;
    if (size == 0 && !graphene_point_near(&places[size], &back.origin, 1))
        report(walk, "Back is at another place", words);
}

/* The words after each answer, too, which may be long. */
static void check_card(const Walk *walk, NsWindow *window, const NsCard *card)
{
    GtkWidget *pane = GTK_WIDGET(window->learn_pane);
    for (size_t k = G_N_ELEMENTS(sizes_of_cards); k-- > 0;) {
        set_size(window, sizes_of_cards[k][0], sizes_of_cards[k][1]);
        check_place(walk, window, k);
    }
    for (size_t i = 0; i < card->n_choices; i++) {
        gtk_check_button_set_active(GTK_CHECK_BUTTON(ui_find_button(pane, card->choices[i])), TRUE);
        check_place(walk, window, 0);
        check_words(walk, pane);
    }
    set_size(window, 1280, 800);
    if (card->draws || g_strcmp0(card->page, "dashboard") != 0) return;
    NsBox plot = plot_of_page(window);
    g_autofree char *words = g_strdup_printf("%.0f x %.0f", plot.width, plot.height);
    bool small = plot.width < LEAST_ACROSS || plot.height < LEAST_DOWN;
    if (small) report(walk, "small chart:", words);
    check_words(walk, GTK_WIDGET(window));
}

#define STEPS 20

/* With some steps of every model, so that the learning rate has an axis; the runs that cards ask
 * for would take minutes. */
static void test_all_lessons(void)
{
    g_autoptr(GString) faults = g_string_new(NULL);
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    NsLearnPane *pane = window->learn_pane;
    UI_WAIT(window, ui_is_ready);
    set_size(window, 1280, 800);
    for (size_t i = 0; ns_lesson_choice(i); i++) {
        g_autoptr(GError) error = NULL;
        NsLesson *lesson = ns_lesson_open(i, &error);
        g_assert_no_error(error);
        size_t n = lesson->n; /* the last card frees it */
        for (size_t k = 0; k < n; k++) fill(lesson->card[k].texts);
        for (size_t k = 0; k < n; k++) lesson->card[k].run = 0;
        ns_learn_pane_begin(pane, lesson, NULL);
        for (size_t k = 0; k < n; k++) {
            g_autofree char *where = g_strdup_printf("lesson %zu, card %zu", i, k + 1);
            Walk walk = {GTK_WIDGET(window), where, faults};
            g_test_message("%s", where);
            g_assert_cmpint(ns_learn_pane_card(pane), ==, (int)k);
            UI_UNTIL(session->state != NS_TRAINER_PREPARING);
            UI_UNTIL(ns_session_steps(session) >= lesson->card[k].start);
            UI_UNTIL(!session->wants_run);
            int64_t wanted = session->experiment.lane[0].layers > 12 ? 1 : STEPS;
            ns_session_step(session, wanted - ns_session_steps(session));
            UI_UNTIL(ns_session_steps(session) >= wanted);
            check_card(&walk, window, &lesson->card[k]);
            next_card(pane);
        }
    }
    g_assert_cmpstr(faults->str, ==, "");
    ui_close(window);
}

void ui_add_stage_tests(void)
{
    g_test_add_func("/ui/stage/class-settings", test_class_settings);
    g_test_add_func("/ui/stage/swap", test_swap);
    g_test_add_func("/ui/stage/motion", test_motion);
    g_test_add_func("/ui/stage/thumbnails", test_thumbnails);
    g_test_add_func("/ui/stage/large-thumbnails", test_large_thumbnails);
    g_test_add_func("/ui/stage/heights", test_heights);
    g_test_add_func("/ui/stage/beside-pane", test_beside_pane);
    g_test_add_func("/ui/stage/first-screen", test_first_screen);
    g_test_add_func("/ui/stage/lesson", test_lesson);
    g_test_add_func("/ui/stage/rows-stay", test_rows_stay);
    g_test_add_func("/ui/stage/rate", test_rate);
}

void ui_add_stage_stress_tests(void)
{
    g_test_add_func("/ui/stage-stress/all-pages", test_all_pages);
    g_test_add_func("/ui/stage-stress/all-lessons", test_all_lessons);
}
