/* Runs of other programs in a window, and what a window does that nobody sees.
 * SPDX-License-Identifier: MIT */
#include "tests/ui/support.h"
#include "ui/widgets/charts/export_job.h"
#include "ui/widgets/charts/tile_controls.h"
#include "ui/widgets/run/inspector.h"
#include "ui/widgets/settings/settings_pane.h"
#include "ui/widgets/shell/open_file.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

static char *folder, *path; /* of this case */

static void set_up(void)
{
    folder = g_dir_make_tmp("normscope-watching-XXXXXX", NULL);
    g_assert_nonnull(folder);
    path = g_build_filename(folder, "mine.jsonl", NULL);
}

static void tear_down(void)
{
    g_remove(path);
    g_rmdir(folder);
    g_clear_pointer(&path, g_free);
    g_clear_pointer(&folder, g_free);
}

static void append(int first, int last)
{
    FILE *file = fopen(path, "a");
    g_assert_nonnull(file);
    for (int step = first; step <= last; step++)
        fprintf(file,
                "{\"step\":%d,\"loss\":%d,\"lr\":0.001,\"grad_norm\":{\"w2\":[1,2]},"
                "\"hidden_norm\":[3,4,5]}\n",
                step, 1000 - step);
    g_assert_cmpint(fclose(file), ==, 0);
}

static bool is_enabled(NsWindow *window, const char *action)
{
    return g_action_group_get_action_enabled(G_ACTION_GROUP(window), action);
}

static bool has_tab(NsWindow *window, const char *title)
{
    GtkWidget *tabs = ui_first(GTK_WIDGET(window->pages), GTK_TYPE_STACK_SWITCHER);
    GtkWidget *tab = gtk_widget_get_first_child(tabs);
    while (tab) {
        GtkWidget *label = ui_first(tab, GTK_TYPE_LABEL);
        if (g_str_equal(gtk_label_get_text(GTK_LABEL(label)), title)) break;
        tab = gtk_widget_get_next_sibling(tab);
    }
    g_assert_nonnull(tab);
    return gtk_widget_get_visible(tab);
}

enum { STEP = 0, LOSS = 2, BY_LAYER = 7, CURVE = 8 }; /* places in the list of meanings */

/* The list of what a column is taken for; NULL if it has none. */
static GtkDropDown *column_list(NsWindow *window, const char *column)
{
    GtkWidget *name = ui_find_tip(window->settings_pane, column);
    return name ? GTK_DROP_DOWN(gtk_widget_get_next_sibling(name)) : NULL;
}

/* It is opened as any file is, follows its program, and takes no command; and away from it. */
static void test_open(void)
{
    static const char *const of_trainers[] = {"run",  "run-to", "step",           "reset",
                                              "fork", "undo",   "next-placement", "second-lane"};
    set_up();
    append(0, 5);
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    GtkWidget *row = ns_settings_pane_row(window->settings_pane, "layers");
    g_assert_true(gtk_widget_is_sensitive(row));
    ns_window_open(window, path, false);
    UI_UNTIL(ns_session_steps(session) == 5);
    g_assert_cmpstr(ns_toast_text(window->toast), ==,
                    "mine.jsonl is written by another program; new steps are shown live.");
    UI_UNTIL(!gtk_widget_is_sensitive(row));
    for (size_t i = 0; i < G_N_ELEMENTS(of_trainers); i++)
        g_assert_false(is_enabled(window, of_trainers[i]));
    g_assert_cmpstr(gtk_widget_get_tooltip_text(ui_find(window, "run_button")), ==,
                    "Another program trains this run");
    append(6, 40);
    NsChartTile *tile = ns_dashboard_tile(ns_window_dashboard(window), 0);
    UI_UNTIL(ns_session_steps(session) == 40 && !window->tick);
    const NsPlot *plot = tile->chart->plot;
    g_assert_cmpuint(plot->series[0].n, ==, 41);
    g_assert_null(plot->left.unit);
    g_action_group_activate_action(G_ACTION_GROUP(window), "back-ten", NULL);
    g_assert_cmpint(ns_session_shown_step(session), ==, 30);
    ns_window_open(window, path, false);
    g_assert_cmpstr(ns_toast_text(window->toast), ==, "This run is shown already.");

    /* The pages for which it has no data are not offered: a log has no model to draw. */
    g_assert_true(ns_page_stack_show(window->pages, "diagram"));
    g_assert_cmpstr(ns_page_stack_key(window->pages), ==, "dashboard");
    g_assert_false(has_tab(window, "Diagram") || has_tab(window, "Attention"));
    g_assert_true(has_tab(window, "Profile") && has_tab(window, "Heatmap"));
    g_assert_cmpuint(gtk_drop_down_get_selected(column_list(window, "hidden_norm")), ==, BY_LAYER);

    /* The log's only gradient is that of W₂; a run of this program has those of all matrices. */
    const NsFigureKind *kind = ns_figure_find("gradient-norm");
    g_autoptr(GArray) few = ns_tile_choices(kind, session->view, NS_QUANTITY_GRAD_W2);
    g_assert_cmpuint(few->len, ==, 1);

    GtkWidget *leave = ui_find_button(window->settings_pane, "Train here");
    g_signal_emit_by_name(leave, "clicked");
    UI_WAIT(window, ui_is_ready);
    g_autoptr(GArray) many = ns_tile_choices(kind, session->view, NS_QUANTITY_GRAD_W2);
    g_assert_cmpuint(many->len, >, 6);
    g_assert_true(has_tab(window, "Diagram") && has_tab(window, "Attention"));
    UI_UNTIL(gtk_widget_is_sensitive(row) && is_enabled(window, "run"));
    g_assert_cmpuint(session->view->n_pinned, ==, 1);
    ui_rest(window);
    ui_close(window);
    tear_down();
}

/* A preset opened after a log shows its page, which the log did not have. */
static void test_preset(void)
{
    set_up();
    g_assert_true(
        g_file_set_contents(path, "{\"step\":0,\"loss\":3}\n{\"step\":1,\"loss\":2}\n", -1, NULL));
    g_autofree char *preset = g_build_filename(folder, "a.preset", NULL);
    g_assert_true(g_file_set_contents(preset, "page = heatmap\nlayers = 2\n", -1, NULL));
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ns_page_stack_show(window->pages, "attention");
    ns_window_open(window, path, false);
    UI_UNTIL(g_str_equal(ns_page_stack_key(window->pages), "dashboard"));
    g_assert_false(has_tab(window, "Heatmap"));
    ns_window_open(window, preset, false);
    UI_WAIT(window, ui_is_ready);
    g_assert_true(has_tab(window, "Heatmap"));
    g_assert_cmpstr(ns_page_stack_key(window->pages), ==, "heatmap");
    ui_close(window);
    g_assert_cmpint(g_remove(preset), ==, 0);
    tear_down();
}

/* A chart shows a quantity that a log has in place of its own, which comes back after the log. */
static void test_own_charts(void)
{
    set_up();
    g_assert_true(g_file_set_contents(path,
                                      "{\"step\":0,\"loss\":3,\"grad_norm/w2/1\":1,"
                                      "\"grad_norm/w2/2\":2}\n{\"step\":4,\"loss\":2}\n",
                                      -1, NULL));
    g_autofree char *preset = g_build_filename(folder, "a.preset", NULL);
    g_assert_true(g_file_set_contents(preset, "page = layers\nlayers = 2\n", -1, NULL));
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ns_page_stack_show(window->pages, "layers");
    NsChartTile *tile = ns_dashboard_tile(ns_window_dashboard(window), 0);
    g_assert_cmpint(ns_chart_tile_spec(tile).quantity, ==, NS_QUANTITY_LAYER_ABLATION);
    ns_window_open(window, path, false);
    UI_UNTIL(ns_chart_tile_spec(tile).quantity == NS_QUANTITY_GRAD_W2);
    UI_UNTIL(ns_view_input(window->session->view).end == 4); /* that of the axis of a short log */
    ns_window_open(window, preset, false);
    UI_WAIT(window, ui_is_ready);
    g_assert_cmpint(ns_chart_tile_spec(tile).quantity, ==, NS_QUANTITY_LAYER_ABLATION);
    ui_close(window);
    g_assert_cmpint(g_remove(preset), ==, 0);
    tear_down();
}

/* The text below the title of the run on view, in the list of runs. */
static const char *present_facts(NsWindow *window)
{
    GtkWidget *row = gtk_widget_get_last_child(window->inspector->runs);
    if (!row) return "";
    GtkWidget *words = gtk_widget_get_first_child(row);
    return gtk_label_get_text(GTK_LABEL(gtk_widget_get_last_child(words)));
}

/* The list of runs names their lanes as the charts do. */
static void test_names(void)
{
    set_up();
    append(0, 5);
    g_autofree char *second = g_build_filename(folder, "second.csv", NULL);
    g_assert_true(g_file_set_contents(second, "step,loss\n0,3\n1,2\n", -1, NULL));
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    const char *const paths[] = {path, second, NULL};
    g_assert_true(ns_window_watch(window, paths));
    UI_UNTIL(strstr(present_facts(window), "mine 995, second 2"));
    /* In the pane, two files of one name are told apart by their folders. */
    g_autofree char *inner = g_build_filename(folder, "inner", NULL);
    g_autofree char *base = g_path_get_basename(path);
    g_autofree char *same = g_build_filename(inner, base, NULL);
    g_assert_cmpint(g_mkdir(inner, 0700), ==, 0);
    g_assert_true(g_file_set_contents(same, "{\"step\":0,\"loss\":3}\n", -1, NULL));
    const char *const two[] = {path, same, NULL};
    g_assert_true(ns_window_watch(window, two));
    UI_UNTIL(ui_find_tip(window->settings_pane, same));
    g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(ui_find_tip(window->settings_pane, same))), ==,
                    "inner");
    ui_close(window);
    g_assert_cmpint(g_remove(second) | g_remove(same) | g_remove(inner), ==, 0);
    tear_down();
}

/* Whether the first chart is the only one. */
static bool is_alone(NsDashboard *dashboard)
{
    size_t seen = 0;
    for (size_t i = 0; ns_dashboard_tile(dashboard, i); i++)
        if (gtk_widget_get_visible(GTK_WIDGET(ns_dashboard_tile(dashboard, i)))) seen++;
    return seen == 1 && ns_dashboard_stage(dashboard) == ns_dashboard_tile(dashboard, 0);
}

static int row_of(GtkDropDown *list)
{
    int column, row, width, height;
    GtkGrid *grid = GTK_GRID(gtk_widget_get_parent(GTK_WIDGET(list)));
    gtk_grid_query_child(grid, GTK_WIDGET(list), &column, &row, &width, &height);
    return row;
}

/* A table without a loss that is recognized: its columns can be chosen, and the choice is
 * remembered for the next table with these columns. */
static void test_columns(void)
{
    set_up();
    /* No earlier test has chosen a column of this name. */
    g_autofree char *score = g_strconcat("score", strrchr(folder, '-'), NULL);
    g_autofree char *text = g_strdup_printf("at,%s,w-1-rms,w-2-rms\n0,3,1,2\n5,2,3,4\n", score);
    g_autofree char *next = g_strdup_printf("at,%s,w-1-rms,w-2-rms\n0,8,1,2\n7,9,3,4\n", score);
    g_autofree char *table = g_build_filename(folder, "a.csv", NULL);
    g_autofree char *other = g_build_filename(folder, "b.csv", NULL);
    g_file_set_contents(table, text, -1, NULL);
    g_file_set_contents(other, next, -1, NULL);
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, table, false);
    UI_UNTIL(column_list(window, score) && column_list(window, "w-2-rms"));

    g_assert_cmpuint(gtk_drop_down_get_selected(column_list(window, score)), ==, CURVE);
    GtkWidget *grid = gtk_widget_get_parent(GTK_WIDGET(column_list(window, score)));
    GtkWidget *said = gtk_widget_get_last_child(gtk_widget_get_parent(grid));
    g_assert_true(g_str_has_prefix(gtk_label_get_text(GTK_LABEL(said)),
                                   "No column is recognized as the loss; choose one above."));
    int place = row_of(column_list(window, score));
    g_assert_cmpint(place, ==, 1);
    gtk_drop_down_set_selected(column_list(window, score), LOSS);
    UI_UNTIL(ns_session_steps(session) == 1);
    NsDashboard *dashboard = ns_window_dashboard(window);
    UI_UNTIL(is_alone(dashboard));
    UI_UNTIL(gtk_drop_down_get_selected(column_list(window, score)) == LOSS);
    /* A row that was chosen stays where it is. */
    g_assert_cmpint(row_of(column_list(window, score)), ==, place);
    gtk_drop_down_set_selected(column_list(window, "at"), STEP);
    UI_UNTIL(ns_session_steps(session) == 5);
    g_assert_cmpint(row_of(column_list(window, score)), ==, place);
    gtk_drop_down_set_selected(column_list(window, "w-1-rms"), BY_LAYER);
    UI_UNTIL(column_list(window, "w-{l}-rms"));
    UI_UNTIL(session->view->history && ns_history_layout(session->view->history)->layers == 2);
    /* What the log has by layer is beside the loss. */
    UI_UNTIL(!is_alone(dashboard));
    g_assert_cmpstr(ns_quantity(session->view->gradient)->choice.key, ==, "w-rms");
    g_action_group_change_action_state(G_ACTION_GROUP(window), "page",
                                       g_variant_new_string("profile"));
    NsPage *profile = ns_page_stack_find(window->pages, "profile");
    NsFigureSpec spec = ns_chart_tile_spec(ns_dashboard_tile(NS_DASHBOARD(profile), 0));
    g_assert_cmpstr(ns_quantity(spec.quantity)->choice.key, ==, "w-rms");
    g_action_group_change_action_state(G_ACTION_GROUP(window), "page",
                                       g_variant_new_string("dashboard"));
    /* These rows would be empty still. */
    for (guint i = 0; i < window->inspector->cells->len; i++) {
        const char *words = gtk_label_get_text(window->inspector->cells->pdata[i]);
        g_assert_false(g_str_equal(words, "Learning rate") || g_str_equal(words, "Gradient norm"));
    }
    g_assert_cmpstr(gtk_label_get_text(window->inspector->cells->pdata[5]), ==, "Loss");
    ns_window_open(window, other, false);
    UI_UNTIL(ns_session_steps(session) == 7);
    /* The pane names the log on view, whose columns are those of the one before. */
    UI_UNTIL(ui_find_tip(window->settings_pane, other));
    UI_UNTIL(ui_find_button(window->settings_pane, "Read as named"));
    g_signal_emit_by_name(ui_find_button(window->settings_pane, "Read as named"), "clicked");
    UI_UNTIL(column_list(window, score) &&
             gtk_drop_down_get_selected(column_list(window, score)) == CURVE);
    ui_close(window);
    g_assert_cmpint(g_remove(table) | g_remove(other), ==, 0);
    tear_down();
}

/* The entry of the step has room for a long one. */
static void test_large_step(void)
{
    set_up();
    g_file_set_contents(path, "{\"step\":5,\"loss\":3}\n{\"step\":5000000000,\"loss\":2}\n", -1,
                        NULL);
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, path, false);
    GtkEditable *entry = GTK_EDITABLE(ui_first(GTK_WIDGET(window->transport), GTK_TYPE_ENTRY));
    UI_UNTIL(g_str_equal(gtk_editable_get_text(entry), "5000000000"));
    UI_UNTIL(gtk_editable_get_width_chars(entry) == 10);
    ui_close(window);
    tear_down();
}

static const char *text_below(GtkWidget *label)
{
    return label ? gtk_label_get_text(GTK_LABEL(gtk_widget_get_next_sibling(label))) : "";
}

/* The pane names the file that is read in a folder, and points to no columns where there are none.
 */
static void test_source(void)
{
    set_up();
    g_autofree char *inner = g_build_filename(folder, "files", NULL);
    g_autofree char *table = g_build_filename(inner, "metrics.csv", NULL);
    g_assert_cmpint(g_mkdir(inner, 0700), ==, 0);
    g_file_set_contents(table, "step,loss\n0,3\n1,2\n", -1, NULL);
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, folder, false);
    UI_UNTIL(g_str_has_prefix(text_below(ui_find_tip(window->settings_pane, folder)),
                              "files/metrics.csv\n"));
    g_file_set_contents(path, "", -1, NULL);
    const char *const paths[] = {path, NULL};
    g_assert_true(ns_session_watch(window->session, paths, NULL));
    UI_UNTIL(ui_find_tip(window->settings_pane, path));
    GtkWidget *name = ui_find_tip(window->settings_pane, path);
    g_assert_cmpstr(
        gtk_label_get_text(GTK_LABEL(gtk_widget_get_last_child(gtk_widget_get_parent(name)))), ==,
        "No step with a training loss has been read yet.");
    ui_close(window);
    g_assert_cmpint(g_remove(table) | g_rmdir(inner), ==, 0);
    tear_down();
}

/* Of a log without layers the page of curves has the loss and the gradient norm, and no more. */
static void test_gradient_norm(void)
{
    set_up();
    g_autofree char *table = g_build_filename(folder, "total.csv", NULL);
    g_file_set_contents(table, "step,loss,grad_norm\n0,3,1\n1,2,4\n2,1,2\n", -1, NULL);
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, table, false);
    UI_UNTIL(ns_session_steps(window->session) == 2);
    ns_page_stack_show(window->pages, "curves");
    ui_rest(window);
    NsDashboard *curves = NS_DASHBOARD(ns_page_stack_page(window->pages));
    guint seen = 0;
    for (size_t i = 0; ns_dashboard_tile(curves, i); i++) {
        NsChartTile *tile = ns_dashboard_tile(curves, i);
        if (!gtk_widget_get_visible(GTK_WIDGET(tile))) continue;
        seen++;
        if (!g_str_equal(tile->own.kind->choice.key, "steps")) continue;
        g_assert_cmpint(ns_chart_tile_spec(tile).quantity, ==, NS_QUANTITY_GRAD_TOTAL);
        g_assert_cmpuint(tile->chart->plot->n_series, ==, 1);
        seen += 10;
    }
    g_assert_cmpuint(seen, ==, 12);
    ui_close(window);
    g_assert_cmpint(g_remove(table), ==, 0);
    tear_down();
}

/* A window on the run of another program, which is at step 5. */
static NsWindow *open_watched(void)
{
    append(0, 5);
    NsWindow *window = ui_open("");
    ns_window_open(window, path, false);
    UI_UNTIL(ns_session_steps(window->session) == 5);
    return window;
}

static NsChartView *first_chart(NsWindow *window)
{
    return ns_dashboard_tile(ns_window_dashboard(window), 0)->chart;
}

/* Nothing is drawn of the steps that follow while nobody sees them. */
static void assert_not_drawn(NsWindow *window)
{
    NsChartView *chart = first_chart(window);
    uint64_t version = chart->plot->version;
    append(6, 40);
    UI_UNTIL(ns_session_steps(window->session) == 40);
    for (int i = 0; i < 10; i++) ui_turn();
    g_assert_cmpuint(chart->plot->version, ==, version);
}

static void on_exported(GObject *source, GAsyncResult *result, gpointer done)
{
    (void)source;
    g_autoptr(GError) error = NULL;
    g_autofree char *written = g_task_propagate_pointer(G_TASK(result), &error);
    g_assert_no_error(error);
    g_assert_nonnull(written);
    *(bool *)done = true;
}

/* A figure of it has no experiment inside, and a command that draws the file again. */
static void test_export(void)
{
    set_up();
    NsWindow *window = open_watched();
    NsSession *session = window->session;
    g_auto(NsSheet) sheet;
    ns_sheet_init(&sheet);
    g_assert_true(ns_sheet_read(&sheet, "loss", NULL));
    NsExportRequest request = {.sheet = &sheet, .what = NS_EXPORT_SHEET, .format = NS_FORMAT_SVG};
    ns_export_choices_init(&request.choices);
    const NsView *view = session->view;
    g_autofree char *command = ns_export_command(view, &request, "loss.svg");
    g_autofree char *expected = g_strdup_printf(
        "normscope-cli chart --from %s --figure loss --step 5 --out loss.svg", path);
    g_assert_cmpstr(command, ==, expected);
    g_autofree char *figure = g_build_filename(folder, "loss.svg", NULL), *text = NULL;
    bool done = false;
    ns_export_async(view, &request, figure, on_exported, &done);
    UI_UNTIL(done);
    g_assert_true(g_file_get_contents(figure, &text, NULL, NULL));
    g_assert_null(strstr(text, "settings"));
    g_remove(figure);
    ui_close(window);
    tear_down();
}

/* A window that nobody sees draws nothing while its run goes on, and catches up. */
static void test_unseen(void)
{
    set_up();
    NsWindow *window = open_watched();
    ui_rest(window);
    NsChartView *chart = first_chart(window);
    gtk_widget_set_visible(GTK_WIDGET(window), FALSE);
    assert_not_drawn(window);
    uint64_t version = chart->plot->version;
    gtk_window_present(GTK_WINDOW(window));
    UI_UNTIL(chart->plot->version > version);
    g_assert_cmpuint(chart->plot->series[0].n, ==, 41);
    ui_rest(window);
    ui_close(window);
    tear_down();
}

static bool is_minimized(NsWindow *window)
{
    GdkSurface *surface = gtk_native_get_surface(GTK_NATIVE(window));
    return gdk_toplevel_get_state(GDK_TOPLEVEL(surface)) & GDK_TOPLEVEL_STATE_MINIMIZED;
}

/* The same, minimized. */
static void test_minimized(void)
{
    set_up();
    NsWindow *window = open_watched();
    ui_rest(window);
    NsChartView *chart = first_chart(window);
    if (!ui_minimize(GTK_WIDGET(window), true)) {
        g_test_skip("events need an X server");
    } else {
        UI_WAIT(window, is_minimized);
        assert_not_drawn(window);
        uint64_t version = chart->plot->version;
        ui_minimize(GTK_WIDGET(window), false);
        UI_UNTIL(chart->plot->version > version);
    }
    ui_close(window);
    tear_down();
}

void ui_add_watching_tests(void)
{
    g_test_add_func("/ui/watching/open", test_open);
    g_test_add_func("/ui/watching/preset", test_preset);
    g_test_add_func("/ui/watching/names", test_names);
    g_test_add_func("/ui/watching/columns", test_columns);
    g_test_add_func("/ui/watching/large-step", test_large_step);
    g_test_add_func("/ui/watching/source", test_source);
    g_test_add_func("/ui/watching/gradient-norm", test_gradient_norm);
    g_test_add_func("/ui/watching/own-charts", test_own_charts);
    g_test_add_func("/ui/watching/export", test_export);
    g_test_add_func("/ui/watching/unseen", test_unseen);
    g_test_add_func("/ui/watching/minimized", test_minimized);
}
