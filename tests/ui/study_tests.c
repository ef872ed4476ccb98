/* Sweeps and gradient checks in the window.  SPDX-License-Identifier: MIT */
#include "core/experiment/param.h"
#include "core/study/study_store.h"
#include "tests/ui/driver.h"

#include "ui/widgets/pages/phase_page.h"
#include "ui/widgets/run/gradient_check_panel.h"
#include "ui/widgets/shell/open_file.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* ---- Phase ---- */

static NsPhasePage *open_phase(NsWindow *window, const char *x, const char *y, int steps)
{
    NsPhasePage *page = NS_PHASE_PAGE(ui_show_page(window, "phase", NS_TYPE_PHASE_PAGE));
    gtk_editable_set_text(GTK_EDITABLE(page->values[0]), x);
    gtk_editable_set_text(GTK_EDITABLE(page->values[1]), y);
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(page->steps), steps);
    return page;
}

static void click_start(NsPhasePage *page)
{
    g_signal_emit_by_name(page->start, "clicked");
}

static const char *words(NsPhasePage *page)
{
    return gtk_label_get_text(GTK_LABEL(page->words));
}

static const char *start_label(NsPhasePage *page)
{
    return gtk_button_get_label(GTK_BUTTON(page->start));
}

static double setting(NsWindow *window, const char *key)
{
    return ns_settings_get_number(ns_session_settings(window->session), ns_param_find(key));
}

static void test_sweep(void)
{
    NsWindow *window = ui_open("");
    NsPhasePage *page = open_phase(window, "0.01, 0.1, 0.2", "Off, 10", 5);
    g_assert_true(page->planned && page->phases[0]->cells == 6); /* before any is trained */
    g_assert_nonnull(strstr(gtk_label_get_text(GTK_LABEL(page->hint)), "trains the 6 cells"));
    ns_phase_page_set_axes(page, "lr=0.01,0.1,0.2", "warmup=1,10", 5, NULL);
    g_assert_cmpstr(gtk_editable_get_text(GTK_EDITABLE(page->values[1])), ==, "off, 10");
    g_assert_cmpuint(page->charts[0]->plot->x.n_names, ==, 3);
    g_assert_false(gtk_widget_get_visible(page->queue));
    g_assert_false(gtk_widget_is_sensitive(page->export_));
    click_start(page);
    UI_UNTIL(strstr(words(page), "All 6 runs") != NULL);
    g_assert_cmpstr(start_label(page), ==, "Start");
    g_assert_true(gtk_widget_is_sensitive(page->export_));
    const NsPlot *plot = NS_CHART_VIEW(ui_first(GTK_WIDGET(page), NS_TYPE_CHART_VIEW))->plot;
    g_assert_cmpuint(plot->heatmap->columns, ==, 3);
    g_assert_cmpuint(plot->heatmap->rows, ==, 2);
    for (size_t i = 0; i < 6; i++) g_assert_true(isfinite(plot->heatmap->z[i]));
    g_assert_cmpfloat(gtk_progress_bar_get_fraction(GTK_PROGRESS_BAR(page->queue)), ==, 1);
    ui_close(window);
}

/* Enter at the crosshair and a click take both settings over. */
static void test_open_cell(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open("");
    NsPhasePage *page = open_phase(window, "0.01, 0.1, 0.2", "1, 10", 3);
    click_start(page);
    UI_UNTIL(ns_toast_text(window->toast) &&
             strstr(ns_toast_text(window->toast), "sweep is complete"));
    NsChartView *chart = NS_CHART_VIEW(ui_first(GTK_WIDGET(page), NS_TYPE_CHART_VIEW));
    UI_UNTIL(ns_chart_view_layout(chart) != NULL);
    ns_chart_view_point_at(chart, 2, 1);
    ui_press_on(chart, GDK_KEY_Return, 0);
    g_assert_cmpfloat(setting(window, "lr"), ==, 0.2);
    g_assert_cmpfloat(setting(window, "warmup"), ==, 10);
    UI_UNTIL(strstr(ns_toast_text(window->toast), "Peak learning rate 0.2 and Warm-up 10"));

    /* The opened cell leaves the sweep what it is: the same one is shown. */
    NsPhase *phase = page->phases[0];
    NsPoint at = ui_inside(chart, 0.5, 0.75);
    ui_click_at(chart, at, 0);
    g_assert_cmpfloat(setting(window, "lr"), ==, 0.1);
    g_assert_cmpfloat(setting(window, "warmup"), ==, 1);
    g_assert_true(page->phases[0] == phase);
    g_assert_cmpuint(chart->view_state.n_pins, ==, 0);
    ui_close(window);
}

/* Enter ends the number of steps, and Space runs the model again. */
static void test_steps_end_typing(void)
{
    NsWindow *window = ui_open("");
    NsPhasePage *page = open_phase(window, "0.01, 0.1", "1, 10", 5);
    GtkWidget *steps = page->steps;
    GtkEditable *text = gtk_editable_get_delegate(GTK_EDITABLE(steps));
    g_assert_true(gtk_widget_grab_focus(steps));
    gtk_editable_set_text(text, "7");
    g_signal_emit_by_name(text, "activate");
    GtkWidget *focus = gtk_root_get_focus(GTK_ROOT(window));
    g_assert_true(!focus || !gtk_widget_is_ancestor(focus, steps));
    g_assert_cmpint(gtk_spin_button_get_value_as_int(GTK_SPIN_BUTTON(steps)), ==, 7);
    ui_close(window);
}

static void test_stop(void)
{
    NsWindow *window = ui_open("");
    NsPhasePage *page = open_phase(window, "0.01, 0.1", "1, 10", 100000);
    click_start(page);
    g_assert_cmpstr(start_label(page), ==, "Stop");
    NsPhase *phase = page->phases[0];
    UI_UNTIL(ns_phase_cell(phase, 0).step > 2);
    click_start(page);
    UI_UNTIL(strstr(words(page), "Stopped after 0 of 4") != NULL);
    UI_UNTIL(ns_phase_cell(phase, 0).state == NS_CELL_WAITING);
    g_assert_cmpstr(start_label(page), ==, "Start");
    /* It goes on with the same sweep. */
    click_start(page);
    g_assert_true(page->phases[0] == phase);
    UI_UNTIL(ns_phase_cell(phase, 0).step > 2);
    UI_UNTIL(strstr(words(page), "left") != NULL);
    /* Other values are another sweep. */
    click_start(page);
    gtk_editable_set_text(GTK_EDITABLE(page->values[0]), "0.3");
    click_start(page);
    g_assert_cmpuint(page->phases[0]->cells, ==, 2);
    /* The window closes while it goes on. */
    ui_close(window);
}

/* Enter in a field begins what the field asks for; a sweep that goes on is stopped by no wrong
 * word, nor by Enter alone. */
static void test_enter_while_going(void)
{
    NsWindow *window = ui_open("");
    NsPhasePage *page = open_phase(window, "0.01, 0.1", "1, 10", 100000);
    GtkWidget *values = page->values[0];
    click_start(page);
    NsPhase *phase = page->phases[0];
    UI_UNTIL(ns_phase_cell(phase, 0).step > 2);
    g_signal_emit_by_name(values, "activate");
    g_assert_cmpstr(start_label(page), ==, "Stop");
    gtk_editable_set_text(GTK_EDITABLE(values), "5:a");
    g_signal_emit_by_name(values, "activate");
    g_assert_cmpstr(start_label(page), ==, "Stop");
    g_assert_true(page->phases[0] == phase);
    gtk_editable_set_text(GTK_EDITABLE(values), "0.3");
    g_signal_emit_by_name(values, "activate");
    g_assert_cmpstr(start_label(page), ==, "Stop");
    g_assert_cmpuint(page->phases[0]->cells, ==, 2);
    ui_close(window);
}

static void test_problem(void)
{
    NsWindow *window = ui_open("");
    NsPhasePage *page = open_phase(window, "0.01, x", "1, 10", 5);
    click_start(page);
    g_assert_true(page->planned);
    g_assert_true(gtk_widget_has_css_class(page->hint, "error"));
    g_assert_nonnull(strstr(gtk_label_get_text(GTK_LABEL(page->hint)), "not a number"));
    gtk_editable_set_text(GTK_EDITABLE(page->values[0]), "0.01");
    g_signal_emit_by_name(page->values[0], "activate");
    g_assert_false(gtk_widget_has_css_class(page->hint, "error"));
    g_assert_true(page->phases[0] && !page->planned);
    ui_close(window);
}

/* Another setting comes with usual values. */
static void test_axes(void)
{
    NsWindow *window = ui_open("");
    NsPhasePage *page = NS_PHASE_PAGE(ui_show_page(window, "phase", NS_TYPE_PHASE_PAGE));
    GListModel *keys = gtk_drop_down_get_model(GTK_DROP_DOWN(page->key[1]));
    for (guint i = 0; i < g_list_model_get_n_items(keys); i++) {
        gtk_drop_down_set_selected(GTK_DROP_DOWN(page->key[1]), i);
        g_autoptr(GObject) item = g_list_model_get_item(keys, i);
        const char *label = gtk_string_object_get_string(GTK_STRING_OBJECT(item));
        const NsParam *param = NULL;
        for (size_t k = 0; ns_param(k); k++)
            if (g_str_equal(ns_param(k)->label, label)) param = ns_param(k);
        g_autofree char *text = g_strdup_printf(
            "%s=%s", param->key, gtk_editable_get_text(GTK_EDITABLE(page->values[1])));
        g_auto(NsStudyAxis) axis = {0};
        g_autoptr(GError) error = NULL;
        ns_study_axis_read(&axis, text, &error);
        g_assert_no_error(error);
    }
    ui_close(window);
}

/* Every lane has a sweep of its own beside the others; a cell belongs to its lane. */
static void test_side_by_side(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    NsPhasePage *page = open_phase(window, "0.01, 0.1", "1, 10", 3);
    g_assert_false(gtk_widget_get_visible(page->side));
    ns_session_set_lanes(session, 2);
    ns_session_set_lane(session, 1, "placement", "pre");
    ns_session_set_active(session, 0);
    gtk_check_button_set_active(GTK_CHECK_BUTTON(page->side), TRUE);
    click_start(page);
    g_assert_true(gtk_widget_get_visible(page->side));
    GtkWidget *first = ui_first(GTK_WIDGET(page), NS_TYPE_CHART_VIEW);
    GtkWidget *second = gtk_widget_get_next_sibling(first);
    g_assert_true(gtk_widget_get_visible(second));
    UI_UNTIL(g_str_equal(words(page), "All 8 runs are done"));
    const NsPlot *left = NS_CHART_VIEW(first)->plot;
    const NsPlot *right = NS_CHART_VIEW(second)->plot;
    g_assert_true(g_str_has_prefix(left->subtitle, "A: Post-LN, "));
    g_assert_true(g_str_has_prefix(right->subtitle, "B: Pre-LN, "));
    UI_UNTIL(left->heatmap->lo == right->heatmap->lo && left->heatmap->hi == right->heatmap->hi);
    if (ui_has_input()) {
        UI_UNTIL(ns_chart_view_layout(NS_CHART_VIEW(second)));
        ui_click_at(NS_CHART_VIEW(second), ui_inside(NS_CHART_VIEW(second), 0.25, 0.25), 0);
        g_assert_cmpuint(session->active, ==, 1);
    }
    ui_close(window);
}

static void set_text(GtkWidget *grid, int row, const char *text)
{
    gtk_editable_set_text(GTK_EDITABLE(gtk_grid_get_child_at(GTK_GRID(grid), 1, row)), text);
}

/* Pixels from the left and from the top of the page. */
static graphene_rect_t place_on(NsPhasePage *page, GtkWidget *widget)
{
    graphene_rect_t place;
    g_assert_true(gtk_widget_compute_bounds(widget, GTK_WIDGET(page), &place));
    return place;
}

/* Two rows, where the panes at both sides leave them room; more where they do not. */
static void test_rows(void)
{
    NsWindow *window = ui_open("");
    ns_session_set_lanes(window->session, 2);
    gtk_window_set_default_size(GTK_WINDOW(window), 1280, 800);
    NsPhasePage *page = open_phase(window, "1e-4:1e-1:7", "1, 10, 100", 3);
    ui_settle(GTK_WIDGET(window));
    graphene_rect_t columns = place_on(page, page->key[0]), rows = place_on(page, page->key[1]);
    g_assert_cmpfloat(rows.origin.y, ==, columns.origin.y);
    g_assert_cmpfloat(rows.origin.x, >, columns.origin.x + columns.size.width);
    graphene_rect_t start = place_on(page, page->start), side = place_on(page, page->side);
    graphene_rect_t steps = place_on(page, page->steps);
    g_assert_cmpfloat(start.origin.y, ==, steps.origin.y);
    g_assert_cmpfloat(side.origin.y, <, steps.origin.y + steps.size.height);
    gtk_window_set_default_size(GTK_WINDOW(window), 720, 800);
    UI_UNTIL(gtk_widget_get_width(GTK_WIDGET(window)) < 800);
    ui_settle(GTK_WIDGET(window));
    for (int axis = 0; axis < 2; axis++) {
        graphene_rect_t range = place_on(page, page->range[axis]);
        g_assert_cmpfloat(range.origin.x + range.size.width, <=,
                          gtk_widget_get_width(GTK_WIDGET(page)));
    }
    ui_close(window);
}

/* A range is set in fields, which show the one that there is. */
static void test_range(void)
{
    NsWindow *window = ui_open("");
    NsPhasePage *page = open_phase(window, "1e-4:1e-1:7", "1, 10, 100", 3);
    for (int axis = 0; axis < 2; axis++) {
        GtkWidget *popover =
            GTK_WIDGET(gtk_menu_button_get_popover(GTK_MENU_BUTTON(page->range[axis])));
        GtkWidget *grid = gtk_popover_get_child(GTK_POPOVER(popover));
        gtk_menu_button_popup(GTK_MENU_BUTTON(page->range[axis]));
        UI_UNTIL(gtk_widget_get_visible(popover));
        GtkWidget *count = gtk_grid_get_child_at(GTK_GRID(grid), 1, 2);
        g_assert_cmpint(gtk_spin_button_get_value_as_int(GTK_SPIN_BUTTON(count)), ==, axis ? 3 : 7);
        set_text(grid, 0, axis ? "10" : "1e-3");
        set_text(grid, 1, axis ? "30" : "1e-2");
        gtk_spin_button_set_value(GTK_SPIN_BUTTON(count), 3);
        gtk_check_button_set_active(GTK_CHECK_BUTTON(gtk_grid_get_child_at(GTK_GRID(grid), 0, 3)),
                                    axis == 0);
        g_assert_cmpstr(gtk_editable_get_text(GTK_EDITABLE(page->values[axis])), ==,
                        axis ? "10:30:3:linear" : "1e-3:1e-2:3:log");
        gtk_popover_popdown(GTK_POPOVER(popover));
        ui_settle(GTK_WIDGET(window));
    }
    click_start(page);
    const NsPhase *phase = page->phases[0];
    g_assert_cmpstr(phase->x->values[1], ==, "0.00316");
    g_assert_cmpstr(phase->y->values[1], ==, "20");
    gtk_drop_down_set_selected(GTK_DROP_DOWN(page->key[0]), 0);
    ui_close(window);
}

static char *axis_words(NsPhasePage *page, int axis)
{
    GObject *key = gtk_drop_down_get_selected_item(GTK_DROP_DOWN(page->key[axis]));
    return g_strdup_printf("%s: %s", gtk_string_object_get_string(GTK_STRING_OBJECT(key)),
                           gtk_editable_get_text(GTK_EDITABLE(page->values[axis])));
}

/* With other columns where they are given. */
static void write_sweep(NsPhasePage *page, const char *path, const char *x)
{
    NsWindow *window = NS_WINDOW(gtk_widget_get_root(GTK_WIDGET(page)));
    const NsFigureInput input = {.phase = page->phases[0], .log = true, .step = -1};
    g_auto(NsProvenance) provenance;
    ns_phase_provenance(input.phase, &provenance);
    if (x) {
        g_free(provenance.x);
        provenance.x = g_strdup(x);
    }
    g_autoptr(NsFigure) figure = ns_figure_create(&ns_phase_kind);
    const NsPlot *plot = ns_figure_update(figure, &input);
    ns_save_plots(window->session, &plot, 1, &provenance, path);
    g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
}

/* The figure of a sweep sets the page up as it was; one whose axes make no sense is told. */
static void test_open_sweep(void)
{
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "phase.svg", NULL);
    NsWindow *window = ui_open("layers=3");
    NsPhasePage *page = open_phase(window, "0.01, 0.2", "", 4);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(page->key[1]), 0);
    g_autofree char *x = axis_words(page, 0), *y = axis_words(page, 1);
    click_start(page);
    UI_UNTIL(strstr(words(page), " runs are done") != NULL);
    write_sweep(page, path, NULL);
    ui_close(window);

    window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, path, false);
    g_assert_cmpstr(ns_page_stack_key(window->pages), ==, "phase");
    g_assert_cmpstr(ns_toast_text(window->toast), ==,
                    "Set up as in phase.svg. Press Start to train the runs of its sweep.");
    page = NS_PHASE_PAGE(ns_window_page(window));
    g_autofree char *x_again = axis_words(page, 0), *y_again = axis_words(page, 1);
    g_assert_cmpstr(x_again, ==, x);
    g_assert_cmpstr(y_again, ==, y);
    g_assert_cmpfloat(setting(window, "layers"), ==, 3);
    click_start(page);
    g_assert_cmpint(page->phases[0]->settings->steps, ==, 4);

    write_sweep(page, path, "wings=1,2");
    ns_window_open(window, path, false);
    g_assert_nonnull(strstr(ns_toast_text(window->toast), "wings"));
    g_autofree char *kept = axis_words(page, 0);
    g_assert_cmpstr(kept, ==, x);
    ui_close(window);
    g_unlink(path);
    g_rmdir(folder);
}

/* Writes results of a study as if its cells had been trained: all but the last. */
static char *write_results(const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", &error);
    char *path = g_build_filename(folder, "a.nsstudy", NULL);
    g_auto(NsStudy) study;
    ns_study_init(&study);
    g_assert_true(ns_study_read(&study, text, strlen(text), &error));
    g_assert_true(ns_study_check(&study, &error));
    const NsStoreOptions options = {.end = ns_study_cells(&study), .lease = 60};
    g_autoptr(NsStudyStore) store = ns_study_store_open(path, &study, &options, &error);
    g_assert_no_error(error);
    for (size_t i = 0; i + 1 < options.end; i++) {
        NsStudyCell cell = ns_cell_in(NS_CELL_DONE);
        cell.first = 5;
        cell.value = cell.validation = 2 + (double)i / 10;
        g_assert_true(ns_study_store_keep(store, i, &cell, &error));
    }
    return path;
}

/* As another process does. */
static void keep_cell(const char *path, size_t i, const NsStudyCell *cell)
{
    g_autoptr(GError) error = NULL;
    g_auto(NsStudy) study;
    ns_study_init(&study);
    g_autoptr(NsStudyStore) store = ns_study_store_read(path, &study, &error);
    g_assert_no_error(error);
    g_assert_true(ns_study_store_keep(store, i, cell, &error));
}

static void remove_results(const char *path)
{
    static const char *const logs[] = {"-wal", "-shm"};
    for (size_t i = 0; i < G_N_ELEMENTS(logs); i++) {
        g_autofree char *log = g_strconcat(path, logs[i], NULL);
        g_unlink(log);
    }
    g_autofree char *folder = g_path_get_dirname(path);
    g_assert_cmpint(g_remove(path), ==, 0);
    g_assert_cmpint(g_rmdir(folder), ==, 0);
}

/* The lanes of a study stand side by side, with its axes and their settings. */
static void test_open_study(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    g_autofree char *path = write_results("steps = 7\nlayers = 3\n[grid]\nlr = 0.1,0.2,0.4\n"
                                          "warmup = 1,10\n[A]\nplacement = post\n"
                                          "[B]\nplacement = pre\n");
    ns_window_open(window, path, false);
    NsPhasePage *page = NULL;
    UI_UNTIL((page = NS_PHASE_PAGE(ui_first(GTK_WIDGET(window), NS_TYPE_PHASE_PAGE))) &&
             page->phases[0]);
    NsSession *session = window->session;
    g_assert_cmpuint(session->experiment.n, ==, 2);
    g_assert_cmpint(session->experiment.lane[1].layers, ==, 3);
    g_assert_cmpstr(gtk_editable_get_text(GTK_EDITABLE(page->values[0])), ==, "0.1, 0.2, 0.4");
    g_assert_cmpfloat(gtk_spin_button_get_value(GTK_SPIN_BUTTON(page->steps)), ==, 7);
    g_assert_true(gtk_check_button_get_active(GTK_CHECK_BUTTON(page->side)));
    /* Cell 2 of the study is lane A at lr=0.2, cell 3 is lane B there. */
    g_assert_cmpfloat(ns_phase_cell(page->phases[0], 1).loss, ==, 2.2);
    const NsPlot *plot = NS_CHART_VIEW(ui_first(GTK_WIDGET(page), NS_TYPE_CHART_VIEW))->plot;
    UI_UNTIL(gtk_widget_get_mapped(GTK_WIDGET(page)));
    g_assert_cmpuint(plot->heatmap->columns, ==, 3);
    g_assert_cmpuint(plot->heatmap->rows, ==, 2);
    g_assert_cmpstr(words(page), ==, "Stopped after 11 of 12 runs");
    /* Start trains the one that is missing, and it alone; another process has found it since. */
    NsStudyCell cell = ns_cell_in(NS_CELL_DONE);
    cell.value = cell.first = cell.validation = 7;
    keep_cell(path, 11, &cell);
    click_start(page);
    UI_UNTIL(g_str_equal(words(page), "All 12 runs are done"));
    g_assert_cmpfloat(ns_phase_cell(page->phases[0], 1).loss, ==, 2.2);
    ui_close(window);
    remove_results(path);
}

/* The text of a study: Start trains it into the file beside it, where it is found again. */
static void test_open_study_text(void)
{
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "b.study", NULL);
    g_autofree char *out = g_build_filename(folder, "b.nsstudy", NULL);
    const char *text = "steps = 2\nlayers = 1\n[grid]\nlr = 0.1,0.2\nwarmup = 1,10\n";
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    for (int round = 0; round < 2; round++) {
        NsWindow *window = ui_open("");
        UI_WAIT(window, ui_is_ready);
        ns_window_open(window, path, false);
        NsPhasePage *page = NULL;
        UI_UNTIL((page = NS_PHASE_PAGE(ui_first(GTK_WIDGET(window), NS_TYPE_PHASE_PAGE))) &&
                 page->phases[0]);
        if (!round) {
            g_assert_cmpstr(words(page), ==, "Stopped after 0 of 4 runs");
            g_assert_false(g_file_test(out, G_FILE_TEST_EXISTS));
            click_start(page);
        }
        UI_UNTIL(g_str_equal(words(page), "All 4 runs are done"));
        ui_close(window);
    }
    g_unlink(path);
    remove_results(out);
}

/* What has no grid changes nothing. */
static void test_open_other_study(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    g_autofree char *path = write_results("steps = 7\nlayers = 3\n[grid]\nlr = 0.1,0.2\n");
    ns_window_open(window, path, false);
    UI_UNTIL(ns_toast_text(window->toast) &&
             strstr(ns_toast_text(window->toast), "Nothing was changed"));
    g_assert_cmpfloat(setting(window, "layers"), ==, 2);
    ui_close(window);
    remove_results(path);
}

/* ---- Gradient checks ---- */

static NsGradientCheckPanel *open_gradient_check(NsWindow *window)
{
    g_action_group_activate_action(G_ACTION_GROUP(window), "gradient-check", NULL);
    NsGradientCheckPanel *panel = ns_gradient_check_present(GTK_WINDOW(window), window->session);
    UI_UNTIL(gtk_widget_get_mapped(GTK_WIDGET(panel)));
    return panel;
}

static const char *table_text(NsGradientCheckPanel *panel, int column, int row)
{
    GtkGrid *grid = GTK_GRID(panel->table);
    GtkWidget *cell = gtk_grid_get_child_at(grid, column, row);
    return cell ? gtk_label_get_text(GTK_LABEL(cell)) : NULL;
}

static const char *verdict(NsGradientCheckPanel *panel)
{
    return gtk_label_get_text(GTK_LABEL(panel->verdict));
}

/* What a check says is what is shown, good or bad. */
static void test_gradient_check_table(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    NsGradientCheckPanel *panel = open_gradient_check(window);
    NsGradientCheck check = {.step = 7,
                             .layer = 2,
                             .n = 2,
                             .known = 2,
                             .unknown = 2,
                             .worst = 3e-4,
                             .worst_random = 2e-3,
                             .agrees = true};
    g_strlcpy(check.row[0].tensor, "blk1.attn.wq", sizeof check.row[0].tensor);
    g_strlcpy(check.row[1].tensor, "blk1.attn.bk", sizeof check.row[1].tensor);
    check.row[0].along = (NsDerivative){0.25, 0.250075, 3e-4, 1e-3, 1e-5};
    check.row[0].random = (NsDerivative){0.01, 0.01002, 2e-3, 1e-3, 1e-4};
    check.row[1].along = (NsDerivative){1e-9, 0, 0.5, 1e-3, 0.4};
    check.row[1].random = check.row[1].along;
    ns_gradient_check_panel_show(panel, &check);
    g_assert_cmpstr(table_text(panel, 0, 1), ==, "blk1.attn.wq");
    g_assert_cmpstr(table_text(panel, 1, 1), ==, "0.25000");
    g_assert_cmpstr(table_text(panel, 3, 1), ==, "3.0×10⁻⁴");
    g_assert_cmpstr(table_text(panel, 3, 2), ==, "unknown");
    g_assert_null(table_text(panel, 0, 3));
    g_test_message("%s", verdict(panel));
    g_assert_nonnull(strstr(verdict(panel), "the gradients agree"));
    g_assert_nonnull(strstr(verdict(panel), "blk1.attn.wq"));
    g_assert_nonnull(strstr(verdict(panel), "2 of 4 derivatives are unknown"));
    g_assert_true(gtk_widget_has_css_class(panel->verdict, "success"));
    check.step = 57;
    check.worst = 0.5;
    check.agrees = false;
    ns_gradient_check_panel_show(panel, &check);
    g_assert_nonnull(strstr(verdict(panel), "do not agree"));
    g_assert_true(gtk_widget_has_css_class(panel->verdict, "error"));
    g_assert_false(gtk_widget_has_css_class(panel->verdict, "success"));
    const NsPlot *plot = panel->chart->plot;
    g_assert_cmpuint(plot->series[0].n, ==, 2);
    g_assert_cmpfloat(plot->series[0].x[1], ==, 57);
    g_assert_cmpfloat(plot->series[0].y[1], ==, 0.5);
    /* Another layer begins anew. */
    check.layer = 1;
    ns_gradient_check_panel_show(panel, &check);
    g_assert_cmpuint(panel->chart->plot->series[0].n, ==, 1);
    g_strlcpy(check.problem, "There is no layer 9.", sizeof check.problem);
    ns_gradient_check_panel_show(panel, &check);
    g_assert_cmpstr(verdict(panel), ==, "There is no layer 9.");
    ui_close(window);
}

/* The running model is checked, now and again every 50 steps, and goes on. */
static guint lanes_offered(NsGradientCheckPanel *panel)
{
    return g_list_model_get_n_items(gtk_drop_down_get_model(GTK_DROP_DOWN(panel->lane)));
}

static void test_gradient_check_live(void)
{
    NsWindow *window = ui_open_running("");
    NsGradientCheckPanel *panel = open_gradient_check(window);
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(panel->layer), 2);
    g_signal_emit_by_name(panel->check, "clicked");
    g_assert_false(gtk_widget_is_sensitive(panel->check));
    UI_UNTIL(strstr(verdict(panel), "layer 2 of A") != NULL);
    g_test_message("%s", verdict(panel));
    g_assert_nonnull(strstr(verdict(panel), "the gradients agree"));
    g_assert_true(gtk_widget_is_sensitive(panel->check));
    g_assert_nonnull(table_text(panel, 0, 6));
    gtk_check_button_set_active(GTK_CHECK_BUTTON(panel->repeat), TRUE);
    UI_UNTIL(panel->chart->plot->series[0].n >= 3);
    const NsSeries *series = &panel->chart->plot->series[0];
    for (size_t i = 1; i < series->n; i++)
        g_assert_cmpfloat(series->x[i] - series->x[i - 1], >=, NS_GRADIENT_CHECK_EVERY);
    g_assert_true(window->session->wants_run);
    /* A lane without weights cannot be checked before a restart. */
    guint n = lanes_offered(panel);
    ns_session_add_lane(window->session);
    ui_turn();
    g_assert_true(ns_session_pending(window->session));
    g_assert_cmpuint(lanes_offered(panel), ==, n);
    ns_session_restart(window->session);
    UI_UNTIL(lanes_offered(panel) == n + 1);
    ui_close(window);
}

/* Of several seeds the one that is checked is named. */
static void test_gradient_check_seeds(void)
{
    NsWindow *window = ui_open("seeds=3");
    UI_WAIT(window, ui_is_ready);
    NsGradientCheckPanel *panel = open_gradient_check(window);
    g_signal_emit_by_name(panel->check, "clicked");
    UI_UNTIL(strstr(verdict(panel), "layer 1 of A") != NULL);
    g_test_message("%s", verdict(panel));
    g_assert_nonnull(strstr(verdict(panel), "Seed 1 of 3 was checked."));
    ui_close(window);
}

/* A layer that is selected anywhere is the one that is checked. */
static void test_gradient_check_layer(void)
{
    NsWindow *window = ui_open("layers=4");
    UI_WAIT(window, ui_is_ready);
    NsGradientCheckPanel *panel = open_gradient_check(window);
    GtkSpinButton *layer = GTK_SPIN_BUTTON(panel->layer);
    ns_session_select_layer(window->session, 3);
    g_assert_cmpint(gtk_spin_button_get_value_as_int(layer), ==, 3);
    double least, most;
    gtk_spin_button_get_range(layer, &least, &most);
    g_assert_cmpfloat(most, ==, 4);
    g_assert_true(panel == open_gradient_check(window));
    ui_close(window);
}

void ui_add_study_tests(void)
{
    g_test_add_func("/ui/phase/sweep", test_sweep);
    g_test_add_func("/ui/phase/side-by-side", test_side_by_side);
    g_test_add_func("/ui/phase/rows", test_rows);
    g_test_add_func("/ui/phase/steps-end-typing", test_steps_end_typing);
    g_test_add_func("/ui/phase/range", test_range);
    g_test_add_func("/ui/phase/open-figure", test_open_sweep);
    g_test_add_func("/ui/phase/open-study", test_open_study);
    g_test_add_func("/ui/phase/open-study-text", test_open_study_text);
    g_test_add_func("/ui/phase/open-other-study", test_open_other_study);
    g_test_add_func("/ui/phase/open-cell", test_open_cell);
    g_test_add_func("/ui/phase/stop", test_stop);
    g_test_add_func("/ui/phase/enter-while-going", test_enter_while_going);
    g_test_add_func("/ui/phase/problem", test_problem);
    g_test_add_func("/ui/phase/axes", test_axes);
    g_test_add_func("/ui/gradient-check/table", test_gradient_check_table);
    g_test_add_func("/ui/gradient-check/live", test_gradient_check_live);
    g_test_add_func("/ui/gradient-check/seeds", test_gradient_check_seeds);
    g_test_add_func("/ui/gradient-check/layer", test_gradient_check_layer);
}
