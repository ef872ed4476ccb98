/* Saved runs: their table, one of them on view, resets of a fork.  SPDX-License-Identifier: MIT */
#include "core/base/database_file.h"
#include "tests/session/driver.h"
#include "tests/ui/input.h"
#include "tests/ui/support.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/windows.h"
#include "ui/widgets/library/run_library.h"
#include "ui/widgets/shell/open_file.h"
#include "ui/widgets/shell/saved_runs.h"

#include <glib/gstdio.h>

#undef UI_PATIENCE_S
#define UI_PATIENCE_S 6
static char *above, *folder; /* of this case: that of the runs is in the other */

static void set_up(void)
{
    above = g_dir_make_tmp("normscope-library-XXXXXX", NULL);
    g_assert_nonnull(above);
    folder = g_build_filename(above, "runs", NULL);
}

static void tear_down(void)
{
    remove_all(above);
    g_clear_pointer(&above, g_free);
    g_clear_pointer(&folder, g_free);
}

/* The path of a run that was recorded and left. */
static char *record(const char *words, int64_t steps)
{
    NsSession *session = open_session(words, NULL);
    ns_session_set_recording(session, folder, 0);
    SESSION_UNTIL(session, session->state == NS_TRAINER_READY);
    ns_session_step(session, steps);
    wait_at_rest(session, steps);
    char *path = ns_session_path_on_view(session);
    g_object_unref(session);
    /* Until its writer has let go of it, it cannot be removed, nor gone on with. */
    UI_UNTIL(g_file_test(path, G_FILE_TEST_EXISTS) && !ns_database_file_is_locked(path));
    return path;
}

static bool has_tag(NsRunLibrary *library, const char *tag)
{
    for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(library->selection)); i++)
        if (g_strcmp0(ns_run_library_row(library, i)->tags, tag) == 0) return true;
    return false;
}

static GtkWidget *find_label(GtkWidget *root, const char *text)
{
    if (GTK_IS_LABEL(root) && g_str_equal(gtk_label_get_text(GTK_LABEL(root)), text)) return root;
    GtkWidget *found = NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(root); child && !found;
         child = gtk_widget_get_next_sibling(child))
        found = find_label(child, text);
    return found;
}

/* The check button of a row, from the top; counts `row` down. */
static GtkWidget *next_pin(GtkWidget *root, guint *row)
{
    if (GTK_IS_CHECK_BUTTON(root) && gtk_widget_get_mapped(root) && (*row)-- == 0) return root;
    GtkWidget *found = NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(root); child && !found;
         child = gtk_widget_get_next_sibling(child))
        found = next_pin(child, row);
    return found;
}

static GtkCheckButton *pin_in_row(GtkWidget *table, guint row)
{
    GtkWidget *pin = next_pin(table, &row);
    g_assert_nonnull(pin);
    return GTK_CHECK_BUTTON(pin);
}

/* A first start finds in the middle of the empty table what fills it. */
static void test_empty(void)
{
    set_up();
    GtkWidget *window = gtk_window_new(), *widget = ns_run_library_new(folder, folder, NULL);
    gtk_window_set_child(GTK_WINDOW(window), widget);
    gtk_window_present(GTK_WINDOW(window));
    NsRunLibrary *library = NS_RUN_LIBRARY(widget);
    UI_UNTIL(g_str_has_prefix(gtk_label_get_text(GTK_LABEL(library->empty)), "No run has been"));
    /* A run that is trained appears only if it is saved. */
    const char *const hints[] = {"Turn on “Save every run”", "train one, and it will appear here"};
    for (int on = 0; on < 2; on++) {
        ns_run_library_set_recording(library, on, 0, 1 << 20);
        const char *words = gtk_label_get_text(GTK_LABEL(library->empty));
        g_assert_nonnull(strstr(words, hints[on]));
        g_assert_null(strstr(words, hints[!on]));
    }
    g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(library->used)), ==, "");
    /* All of it is within reach on a narrow screen. */
    int least;
    gtk_widget_measure(window, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
    g_assert_cmpint(least, <=, 720);
    gtk_window_destroy(GTK_WINDOW(window));
    tear_down();
}

static void test_table(void)
{
    set_up();
    g_autofree char *first = record("warmup=1", 2), *second = record("warmup=100", 3);
    g_autoptr(GPtrArray) listed = ns_library_list(folder, true);
    const NsRecordedRun *newest = listed->pdata[0];
    /* The names of runs do not depend on those before them; columns show what differs. */
    g_assert_null(newest->differs);

    GtkWidget *window = gtk_window_new(), *widget = ns_run_library_new(folder, folder, NULL);
    NsRunLibrary *library = NS_RUN_LIBRARY(widget);
    gtk_window_set_child(GTK_WINDOW(window), widget);
    gtk_window_present(GTK_WINDOW(window));
    UI_UNTIL(g_list_model_get_n_items(G_LIST_MODEL(library->selection)) == 2);
    g_autofree char *used = g_strdup(gtk_label_get_text(GTK_LABEL(library->used)));
    g_assert_true(g_str_has_prefix(used, "2 runs, "));
    g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(library->empty)), ==, "");
    /* Pin, Experiment, Loss, Steps, Started, Warm-up, Size, Tags, Note. */
    GListModel *columns = gtk_column_view_get_columns(GTK_COLUMN_VIEW(library->table));
    g_assert_cmpuint(g_list_model_get_n_items(columns), ==, 9);
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, 5);
    g_assert_cmpstr(gtk_column_view_column_get_title(column), ==, "Warm-up");

    gtk_editable_set_text(GTK_EDITABLE(library->search), "warm 100");
    UI_UNTIL(g_list_model_get_n_items(G_LIST_MODEL(library->selection)) == 1);
    g_assert_cmpstr(ns_run_library_row(library, 0)->path, ==, second);
    gtk_editable_set_text(GTK_EDITABLE(library->tags), "lecture");
    g_signal_emit_by_name(library->tags, "activate");
    /* What else was being typed is still there, and is saved when another run is selected. */
    gtk_editable_set_text(GTK_EDITABLE(library->text), "half");
    UI_UNTIL(has_tag(library, "lecture"));
    g_assert_cmpstr(gtk_editable_get_text(GTK_EDITABLE(library->text)), ==, "half");
    gtk_editable_set_text(GTK_EDITABLE(library->search), "nothing");
    UI_UNTIL(g_list_model_get_n_items(G_LIST_MODEL(library->selection)) == 0 && !library->reading);
    g_assert_cmpstr(gtk_editable_get_text(GTK_EDITABLE(library->text)), ==, "");
    gtk_editable_set_text(GTK_EDITABLE(library->search), "half");
    UI_UNTIL(g_list_model_get_n_items(G_LIST_MODEL(library->selection)) == 1 && !library->reading);
    gtk_editable_set_text(GTK_EDITABLE(library->search), "lecture");
    UI_UNTIL(g_list_model_get_n_items(G_LIST_MODEL(library->selection)) == 1 && !library->reading);
    /* A run that got a name is called and found by it. */
    gtk_editable_set_text(GTK_EDITABLE(library->given), "Slow start");
    g_signal_emit_by_name(library->given, "activate");
    UI_UNTIL(g_list_model_get_n_items(G_LIST_MODEL(library->selection)) == 1 &&
             ns_run_library_row(library, 0)->given);
    gtk_editable_set_text(GTK_EDITABLE(library->search), "slow");
    UI_UNTIL(g_list_model_get_n_items(G_LIST_MODEL(library->selection)) == 1 && !library->reading);
    g_assert_nonnull(find_label(widget, "Slow start"));
    g_signal_emit_by_name(library->trash, "clicked");
    UI_UNTIL(g_list_model_get_n_items(G_LIST_MODEL(library->selection)) == 0);
    gtk_editable_set_text(GTK_EDITABLE(library->search), "");
    UI_UNTIL(g_list_model_get_n_items(G_LIST_MODEL(library->selection)) == 1);
    g_assert_cmpstr(ns_run_library_row(library, 0)->path, ==, first);
    g_assert_false(g_file_test(second, G_FILE_TEST_EXISTS));

    /* A log has a column for a setting in the files beside it. */
    for (int i = 0; i < 2; i++) {
        g_autofree char *run = g_strdup_printf("%s/log%d", folder, i);
        g_autofree char *log = g_build_filename(run, "log.csv", NULL);
        g_autofree char *config = g_build_filename(run, "config.json", NULL);
        g_autofree char *text = g_strdup_printf("{\"rank\": %d}", 4 + 6 * i);
        g_assert_cmpint(g_mkdir(run, 0700), ==, 0);
        g_assert_true(g_file_set_contents(log, "step,loss\n0,3\n1,2\n", -1, NULL));
        g_assert_true(g_file_set_contents(config, text, -1, NULL));
    }
    ns_run_library_reload(library);
    UI_UNTIL(g_list_model_get_n_items(G_LIST_MODEL(library->selection)) == 3);
    g_autoptr(GtkColumnViewColumn) rank = g_list_model_get_item(columns, 5);
    g_assert_cmpstr(gtk_column_view_column_get_title(rank), ==, "rank");
    gtk_column_view_sort_by_column(GTK_COLUMN_VIEW(library->table), rank, GTK_SORT_DESCENDING);
    g_assert_cmpstr(ns_run_library_row(library, 1)->name, ==, "log1");
    g_assert_cmpstr(ns_run_library_row(library, 2)->name, ==, "log0");
    gtk_editable_set_text(GTK_EDITABLE(library->search), "rank=4");
    UI_UNTIL(g_list_model_get_n_items(G_LIST_MODEL(library->selection)) == 1);
    for (int i = 0; i < 2; i++) {
        g_autofree char *run = g_strdup_printf("%s/log%d", folder, i);
        remove_all(run);
    }
    gtk_editable_set_text(GTK_EDITABLE(library->search), "");
    ns_run_library_reload(library);
    UI_UNTIL(g_list_model_get_n_items(G_LIST_MODEL(library->selection)) == 1);

    /* What cannot be read says why, whole. */
    g_autofree char *damaged = g_build_filename(folder, "damaged.nsrun", NULL);
    g_assert_true(g_file_set_contents(damaged, "no run", -1, NULL));
    ns_run_library_reload(library);
    UI_UNTIL(g_list_model_get_n_items(G_LIST_MODEL(library->selection)) == 2);
    guint at = g_str_equal(ns_run_library_row(library, 0)->path, damaged) ? 0 : 1;
    GtkSelectionModel *rows = gtk_column_view_get_model(GTK_COLUMN_VIEW(library->table));
    gtk_selection_model_select_item(rows, at, TRUE);
    g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(library->used)), ==,
                    ns_run_library_row(library, at)->wrong);
    gtk_selection_model_select_item(rows, 1 - at, TRUE);
    g_assert_true(g_str_has_prefix(gtk_label_get_text(GTK_LABEL(library->used)), "2 runs, "));
    gtk_window_destroy(GTK_WINDOW(window));
    tear_down();
}

/* A folder that is opened is listed, unless it is a single run. */
static void test_open_folder(void)
{
    set_up();
    g_autofree char *inner = g_build_filename(folder, "one", NULL);
    g_assert_cmpint(g_mkdir_with_parents(inner, 0700), ==, 0);
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    for (int i = 0; i < 3; i++) {
        g_autofree char *log = g_strdup_printf("%s/lr_1e-%d.csv", i ? folder : inner, i + 2);
        g_assert_true(g_file_set_contents(log, "step,loss\n0,3\n1,2\n", -1, NULL));
    }
    ns_window_open(window, folder, false);
    NsRunLibrary *library = ns_saved_runs_present(window);
    UI_UNTIL(g_list_model_get_n_items(G_LIST_MODEL(library->selection)) == 3 && !library->reading);
    /* Which folder it is stands above its runs, and in the words where there are none. */
    GtkWindow *side = GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(library)));
    g_assert_cmpstr(gtk_window_get_title(side), ==, folder);
    g_autofree char *bare = g_build_filename(folder, "nothing", NULL);
    g_assert_cmpint(g_mkdir(bare, 0700), ==, 0);
    ns_window_open(window, bare, false);
    UI_UNTIL(g_str_equal(gtk_label_get_text(GTK_LABEL(library->empty)),
                         "There are no runs in “nothing”."));
    g_assert_cmpstr(gtk_window_get_title(side), ==, bare);
    g_signal_emit_by_name(library->own, "clicked");
    g_assert_cmpstr(gtk_window_get_title(side), ==, "Saved runs");
    gtk_window_close(side);
    ns_window_open(window, inner, false);
    UI_UNTIL(ns_session_is_watching(session) && ns_session_steps(session) == 1);
    ui_close(window);
    tear_down();
}

/* The button Folder, and pinned runs in the color of a setting. */
static void test_folder(void)
{
    set_up();
    g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
    for (int i = 0; i < 3; i++) {
        g_autofree char *log =
            g_strdup_printf("%s/lr_1e-%d_opt=%s.csv", folder, i + 2, i == 1 ? "sgd" : "adam");
        g_assert_true(g_file_set_contents(log, "step,loss\n0,3\n1,2\n", -1, NULL));
    }
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    NsRunLibrary *library = ns_saved_runs_present(window);
    g_autoptr(GFile) file = g_file_new_for_path(folder);
    g_signal_emit_by_name(library->folder, "clicked");
    UI_UNTIL(ui_file_dialog());
    gtk_file_chooser_set_file(GTK_FILE_CHOOSER(ui_file_dialog()), file, NULL);
    ui_answer_file_dialog(GTK_RESPONSE_ACCEPT);
    UI_UNTIL(g_list_model_get_n_items(G_LIST_MODEL(library->selection)) == 3 && !library->reading);

    /* Rows that did not change are not replaced. */
    const NsRecordedRun *first = ns_run_library_row(library, 0);
    for (guint i = 0; i < 3; i++) {
        gtk_check_button_set_active(pin_in_row(library->table, i), TRUE);
        UI_UNTIL(session->view->n_pinned == i + 1 && !library->reading);
    }
    g_assert_true(ns_run_library_row(library, 0) == first);
    gtk_check_button_set_active(pin_in_row(library->table, 1), FALSE);
    g_assert_cmpuint(session->view->n_pinned, ==, 2);
    size_t n;
    ns_session_pin_run(session, ns_session_runs(session, &n)[1].id, false);
    g_assert_false(gtk_check_button_get_active(pin_in_row(library->table, 0)));
    for (guint i = 0; i < 2; i++) gtk_check_button_set_active(pin_in_row(library->table, i), TRUE);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(library->color), 1);
    double shades[3];
    for (unsigned i = 0; i < 3; i++) {
        const NsEarlierLane *lane = &session->view->pinned[i];
        g_assert_true(g_str_has_prefix(lane->name, "lr 0.0"));
        shades[MIN(strlen(lane->name) - strlen("lr 0.01"), 2)] = lane->shade;
    }
    g_assert_cmpfloat(shades[0], ==, 1);
    g_assert_cmpfloat_with_epsilon(shades[1], 0.5, 1e-6);
    g_assert_cmpfloat_with_epsilon(shades[2], 0.001, 1e-6);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(library->color), 2);
    unsigned of[2] = {9, 9};
    for (unsigned i = 0; i < 3; i++) {
        const NsEarlierLane *lane = &session->view->pinned[i];
        bool sgd = g_str_equal(lane->name, "opt sgd");
        g_assert_true(sgd || g_str_equal(lane->name, "opt adam"));
        g_assert_cmpfloat(lane->shade, ==, 0);
        g_assert_true(of[sgd] == 9 || of[sgd] == lane->lane);
        of[sgd] = lane->lane;
    }
    g_assert_cmpuint(of[0], !=, of[1]);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(library->color), 0);
    g_assert_false(g_str_has_prefix(session->view->pinned[0].name, "opt "));
    /* Escape in the search removes the words first, and then closes the window. */
    gtk_editable_set_text(GTK_EDITABLE(library->search), "sgd");
    g_signal_emit_by_name(library->search, "stop-search");
    g_assert_cmpstr(gtk_editable_get_text(GTK_EDITABLE(library->search)), ==, "");
    g_signal_emit_by_name(library->search, "stop-search");
    g_assert_null(ns_side_window_raise(GTK_WINDOW(window), "Saved runs"));
    ui_close(window);
    tear_down();
}

static bool would_save(const char *path)
{
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(ui_file_dialog()));
    return file && g_strcmp0(g_file_peek_path(file), path) == 0;
}

/* A click of the pointer in the middle of a button. */
static void click(GtkWidget *button)
{
    ui_settle(button);
    ui_pointer_to(button, gtk_widget_get_width(button) / 2.0, gtk_widget_get_height(button) / 2.0);
    ui_click_here(GDK_BUTTON_PRIMARY);
}

static NsRunLibrary *present_again(NsWindow *window, NsRunLibrary *library, bool own)
{
    if (library) gtk_window_close(GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(library))));
    library = ns_saved_runs_present(window);
    UI_UNTIL(!library->reading);
    g_assert_true(gtk_widget_get_visible(library->own) == !own);
    return library;
}

/* The buttons CSV, Folder and Saved Runs; the folder that was shown last comes back. */
static void test_buttons(void)
{
    set_up();
    g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
    for (int i = 0; i < 2; i++) {
        g_autofree char *log = g_strdup_printf("%s/lr_1e-%d.csv", folder, i + 2);
        g_assert_true(g_file_set_contents(log, "step,loss\n0,3\n1,2\n", -1, NULL));
    }
    NsWindow *window = ui_open("");
    NsRunLibrary *library = present_again(window, NULL, true);
    g_autoptr(GFile) file = g_file_new_for_path(folder);
    click(library->folder);
    UI_UNTIL(ui_file_dialog());
    gtk_file_chooser_set_file(GTK_FILE_CHOOSER(ui_file_dialog()), file, NULL);
    ui_answer_file_dialog(GTK_RESPONSE_ACCEPT);
    UI_UNTIL(g_list_model_get_n_items(G_LIST_MODEL(library->selection)) == 2 && !library->reading);
    library = present_again(window, library, false);
    g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(library->selection)), ==, 2);

    g_autofree char *table = g_build_filename(above, "table.csv", NULL), *text = NULL;
    g_autoptr(GFile) parent = g_file_new_for_path(above);
    click(library->csv);
    UI_UNTIL(ui_file_dialog());
    gtk_file_chooser_set_current_folder(GTK_FILE_CHOOSER(ui_file_dialog()), parent, NULL);
    gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(ui_file_dialog()), "table.csv");
    UI_UNTIL(would_save(table));
    ui_answer_file_dialog(GTK_RESPONSE_ACCEPT);
    UI_UNTIL(g_file_test(table, G_FILE_TEST_EXISTS));
    g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(library->used)), ==,
                    "The table is in “table.csv”.");
    g_assert_true(g_file_get_contents(table, &text, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, 4); /* its head, two runs, and nothing */
    g_assert_nonnull(strstr(text, "lr_1e-3.csv"));

    click(library->own);
    UI_UNTIL(g_list_model_get_n_items(G_LIST_MODEL(library->selection)) != 2 && !library->reading);
    library = present_again(window, library, true);
    g_settings_set_string(ns_preferences(), "runs-folder", "file:///nowhere/at/all");
    library = present_again(window, library, true);
    gtk_window_close(GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(library))));
    ui_close(window);
    tear_down();
}

static bool is_shown(NsWindow *window)
{
    const char *toast = ns_toast_text(window->toast);
    return toast && !g_str_has_prefix(toast, "Reading ");
}

/* Its curves are on view as when it was live, and it goes on. */
static void test_open(void)
{
    set_up();
    g_autofree char *path = record("", 4);
    NsWindow *window = ui_open("layers=3");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, path, false);
    UI_WAIT(window, is_shown);
    g_assert_cmpstr(ns_toast_text(window->toast), ==,
                    "“Post-LN, 2 layers” opened at step 4. Run continues it.");
    g_assert_cmpint(ns_session_steps(session), ==, 4);
    g_assert_cmpint(ns_session_settings(session)->layers, ==, 2);
    ns_session_step(session, 3);
    wait_at_rest(session, 7);
    g_assert_cmpint(ns_session_first_step(session), ==, 0);
    ui_close(window);
    tear_down();
}

/* What a run measured and its file does not have is measured again, from its checkpoint. */
static void test_maps(void)
{
    set_up();
    g_autofree char *path = record("probe-every=1", 4);
    NsWindow *window = ui_open("layers=3");
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, path, false);
    UI_WAIT(window, is_shown);
    static const char *const pages[] = {"similarity", "attention"};
    for (size_t i = 0; i < G_N_ELEMENTS(pages); i++) {
        ns_page_stack_show(window->pages, pages[i]);
        NsChartTile *tile = ns_dashboard_tile(ns_window_dashboard(window), 0);
        UI_UNTIL(tile->chart->plot && tile->chart->plot->heatmap);
        g_assert_true(g_str_has_suffix(tile->chart->plot->moment, "step 4"));
    }
    ui_close(window);
    tear_down();
}

/* A file that is no run says so, and changes nothing. */
static void test_refused(void)
{
    set_up();
    g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
    g_autofree char *path = g_build_filename(folder, "a.nsrun", NULL);
    g_assert_true(g_file_set_contents(path, "no run", -1, NULL));
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, path, false);
    UI_WAIT(window, is_shown);
    g_assert_true(g_str_has_suffix(ns_toast_text(window->toast), " Nothing was changed."));
    ui_close(window);
    tear_down();
}

/* A fork is reset to where it was forked, and from there to step 0. */
static void test_reset(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_step(session, 3);
    wait_at_rest(session, 3);
    ns_session_set(session, "beta1", "0.5");
    ns_session_fork(session);
    UI_UNTIL(session->fork_step == 3 && ui_is_ready(window));
    ns_session_step(session, 2);
    wait_at_rest(session, 5);
    g_assert_nonnull(ui_find_tip(GTK_WIDGET(window), "Back to step 3, where this run began (R)"));
    g_action_group_activate_action(G_ACTION_GROUP(window), "reset", NULL);
    g_assert_cmpstr(ns_toast_text(window->toast), ==, "Reset to step 3, where this run began.");
    UI_UNTIL(ns_session_steps(session) == 3 && ui_is_ready(window));
    GtkWidget *button = ui_find_button(GTK_WIDGET(window), "Reset to step 0");
    g_assert_nonnull(button);
    g_signal_emit_by_name(button, "clicked");
    UI_UNTIL(ns_session_steps(session) == 0 && ui_is_ready(window));
    g_assert_nonnull(
        ui_find_tip(GTK_WIDGET(window), "Back to step 0 and the same initial weights (R)"));
    g_assert_cmpint(session->fork_step, ==, 0);
    ui_close(window);
}

static size_t count_events(NsSession *session)
{
    size_t n, events = 0;
    const NsSessionMark *marks = ns_session_marks(session, &n);
    for (size_t i = 0; i < n; i++) events += marks[i].kind == NS_SESSION_MARK_SETTING;
    return events;
}

/* Events are listed first of all lists, under a heading that is not there without them. */
static void test_events_listed(void)
{
    NsWindow *window = ui_open_running("");
    NsSession *session = window->session;
    GtkWidget *inspector = GTK_WIDGET(window->inspector);
    ns_session_pause(session);
    UI_WAIT(window, ui_is_paused);
    GtkWidget *list = ui_first(inspector, GTK_TYPE_LIST_BOX);
    /* Changes that come within a moment are one. */
    for (int i = 2; count_events(session) < 3; i++) {
        g_assert_true(count_events(session) > 0 || !gtk_widget_get_visible(list));
        g_autofree char *steps = g_strdup_printf("%d", i);
        ns_session_set(session, "warmup", steps);
        int64_t next = ns_session_steps(session) + 1;
        ns_session_step(session, 1);
        wait_at_rest(session, next);
    }
    ui_rest(window);
    ns_inspector_sync(window->inspector, ns_window_page(window));
    GtkListBox *events = GTK_LIST_BOX(list);
    g_assert_nonnull(gtk_list_box_get_row_at_index(events, 1));
    g_assert_true(gtk_widget_get_mapped(list));
    g_assert_true(gtk_widget_get_mapped(gtk_widget_get_prev_sibling(list)));
    ui_close(window);
}

/* The events of a run go with it, also where the next run has one at the same step. */
static void test_events_of_run(void)
{
    NsWindow *window = ui_open("placement=none layers=60");
    NsSession *session = window->session;
    GtkWidget *list = ui_first(GTK_WIDGET(window->inspector), GTK_TYPE_LIST_BOX);
    GtkListBox *events = GTK_LIST_BOX(list);
    g_autofree char *before = NULL;
    for (int i = 0; i < 2; i++) {
        if (i > 0) {
            ns_session_set(session, "layers", "50");
            ns_session_restart(session);
        }
        UI_WAIT(window, ui_is_ready);
        ns_inspector_sync(window->inspector, ns_window_page(window));
        GtkListBoxRow *row = gtk_list_box_get_row_at_index(events, 0);
        g_assert_nonnull(row);
        g_assert_null(gtk_list_box_get_row_at_index(events, 1));
        GtkWidget *words = gtk_widget_get_last_child(gtk_list_box_row_get_child(row));
        const char *text = gtk_label_get_text(GTK_LABEL(words));
        g_test_message("%s", text);
        if (i > 0) g_assert_cmpstr(text, !=, before);
        if (i == 0) before = g_strdup(text);
    }
    ui_close(window);
}

/* The memory of checkpoints is what the spin button says, from the next run on. */
static void test_checkpoints(void)
{
    set_up();
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    g_assert_cmpuint(session->most_checkpoint_bytes, ==, (size_t)256 << 20);
    NsRunLibrary *library = ns_saved_runs_present(window);
    GtkSpinButton *spin = GTK_SPIN_BUTTON(library->checkpoints);
    g_assert_cmpfloat(gtk_spin_button_get_value(spin), ==, 256);
    gtk_spin_button_set_value(spin, 64);
    g_assert_cmpuint(session->most_checkpoint_bytes, ==, (size_t)64 << 20);
    gtk_window_close(GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(library))));
    UI_WAIT(window, ui_is_ready);
    ui_close(window);
    tear_down();
}

void ui_add_library_tests(void)
{
    g_test_add_func("/ui/library/empty", test_empty);
    g_test_add_func("/ui/library/table", test_table);
    g_test_add_func("/ui/library/open-folder", test_open_folder);
    g_test_add_func("/ui/library/folder", test_folder);
    g_test_add_func("/ui/library/buttons", test_buttons);
    g_test_add_func("/ui/library/open", test_open);
    g_test_add_func("/ui/library/maps", test_maps);
    g_test_add_func("/ui/library/refused", test_refused);
    g_test_add_func("/ui/library/reset", test_reset);
    g_test_add_func("/ui/library/events-listed", test_events_listed);
    g_test_add_func("/ui/library/events-of-run", test_events_of_run);
    g_test_add_func("/ui/library/checkpoints", test_checkpoints);
}
