/* The figures of the paper in the window.  SPDX-License-Identifier: MIT */
#include "core/study/paper.h"
#include "tests/ui/driver.h"

#include "ui/widgets/pages/paper_page.h"
#include "ui/widgets/pages/phase_page.h"

#include <glib/gstdio.h>
#include <string.h>
#include <time.h>

static size_t study_at(const char *key)
{
    int i = ns_choices_find(ns_paper_choice, key);
    g_assert_cmpint(i, >=, 0);
    return (size_t)i;
}

static GtkWidget *card_at(GtkWidget *page, size_t i)
{
    GtkFlowBox *flow = GTK_FLOW_BOX(ui_first(page, GTK_TYPE_FLOW_BOX));
    return GTK_WIDGET(gtk_flow_box_get_child_at_index(flow, (int)i));
}

/* The figures are made one a frame, after the table. */
static const NsPlot *plot_of(GtkWidget *page, size_t i)
{
    UI_UNTIL(ui_first(card_at(page, i), NS_TYPE_CHART_VIEW));
    return NS_CHART_VIEW(ui_first(card_at(page, i), NS_TYPE_CHART_VIEW))->plot;
}

/* The row of a study's title in the table of claims. */
static int title_row(size_t i)
{
    int row = 1;
    for (size_t k = 0; k < i; k++) row += 1 + (int)ns_paper_claims(ns_paper_study(k));
    return row;
}

static GtkWidget *title_at(GtkWidget *page, size_t i)
{
    return gtk_grid_get_child_at(GTK_GRID(ui_first(page, GTK_TYPE_GRID)), 0, title_row(i));
}

static GtkWidget *run_button(GtkWidget *page, size_t i)
{
    return ui_find_tip(title_at(page, i), "Run this study, or cancel it");
}

static const char *run_label(GtkWidget *page, size_t i)
{
    GtkWidget *words = ui_first(run_button(page, i), GTK_TYPE_STACK);
    return gtk_label_get_text(GTK_LABEL(gtk_stack_get_visible_child(GTK_STACK(words))));
}

static void toggle_study(GtkWidget *page, size_t i)
{
    g_signal_emit_by_name(run_button(page, i), "clicked");
}

/* Whether a study was run here: before, it shows the results of the report. */
static bool was_run(GtkWidget *page, size_t i)
{
    return g_str_equal(run_label(page, i), "Run again");
}

/* The cell of the table of claims in the row of a study's first claim. */
static GtkWidget *cell_at(GtkWidget *page, size_t i, int column)
{
    return gtk_grid_get_child_at(GTK_GRID(ui_first(page, GTK_TYPE_GRID)), column, title_row(i) + 1);
}

/* Which runs the verdicts of a study are from. */
static const char *origin(GtkWidget *page, size_t i)
{
    GtkWidget *left = gtk_widget_get_first_child(title_at(page, i));
    return gtk_label_get_text(GTK_LABEL(gtk_widget_get_last_child(left)));
}

/* The file in which the page stored the result of a study, or NULL. */
static char *stored_result(const char *key)
{
    g_autofree char *folder = g_build_filename(g_get_user_data_dir(), "normscope", "paper", NULL);
    g_autofree char *begin = g_strconcat(key, "-", NULL);
    g_autoptr(GDir) files = g_dir_open(folder, 0, NULL);
    const char *name;
    while (files && (name = g_dir_read_name(files)))
        if (g_str_has_prefix(name, begin)) return g_build_filename(folder, name, NULL);
    return NULL;
}

static void remove_stored_result(const char *key)
{
    g_autofree char *path = stored_result(key);
    if (path) g_assert_cmpint(g_unlink(path), ==, 0);
}

static const char *cell_words(GtkWidget *page, size_t i, int column)
{
    return gtk_label_get_text(GTK_LABEL(cell_at(page, i, column)));
}

/* The summary has as many of each verdict as there are rows with its sign. */
static void check_summary(GtkWidget *page)
{
    static const char *const signs[] = {"✓", "?", "✗", "–"};
    size_t n[G_N_ELEMENTS(signs)] = {0}, rows = 0;
    for (size_t i = 0; ns_paper_study(i); i++)
        for (unsigned k = 0; k < ns_paper_claims(ns_paper_study(i)); k++, rows++) {
            GtkGrid *table = GTK_GRID(ui_first(page, GTK_TYPE_GRID));
            GtkWidget *cell = gtk_grid_get_child_at(table, 3, title_row(i) + 1 + (int)k);
            for (size_t s = 0; s < G_N_ELEMENTS(signs); s++)
                if (g_str_has_prefix(gtk_label_get_text(GTK_LABEL(cell)), signs[s])) n[s]++;
        }
    g_autofree char *words =
        g_strdup_printf("%zu claims: %zu agree, %zu undecided, %zu disagree, %zu without a verdict",
                        rows, n[0], n[1], n[2], n[3]);
    g_assert_cmpuint(rows, ==, n[0] + n[1] + n[2] + n[3]);
    g_assert_cmpuint(n[0], >, 0);
    g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(ui_first(page, GTK_TYPE_LABEL))), ==, words);
}

/* The page begins with the results of the report, which a run here replaces, also after a restart
 * of the program; what cannot be read is as if nothing had been run. */
static void test_paper(void)
{
    remove_stored_result("depth");
    NsWindow *window = ui_open("");
    GtkWidget *page = ui_show_page(window, "paper", NS_TYPE_PAPER_PAGE);
    size_t depth = study_at("depth");
    g_assert_cmpstr(cell_words(page, depth, 0), ==, "Log-log slope of Post-LN");
    g_assert_cmpstr(cell_words(page, depth, 1), ==, "0 (−0.15\u00a0to\u00a00.15)");
    g_autofree char *reported = g_strdup(cell_words(page, depth, 2));
    g_assert_cmpstr(reported, ==, "0.01 ± 0.04");
    g_assert_cmpstr(cell_words(page, depth, 3), ==, "✓ agrees");
    g_assert_true(gtk_widget_has_css_class(cell_at(page, depth, 3), "success"));
    g_autofree char *report = g_strdup(origin(page, depth));
    g_assert_cmpstr(report, ==,
                    "Report of the release, 2026-11-26: claims fixed on 2026-11-26, new seeds 1001 "
                    "to 1005");
    g_assert_cmpuint(plot_of(page, depth)->n_series, ==, 4);
    g_assert_cmpstr(plot_of(page, depth)->note, ==, "Mean and 16–84% range of 5 seeds.");
    check_summary(page);
    toggle_study(page, depth);
    g_assert_cmpstr(run_label(page, depth), ==, "Queued");
    gtk_label_set_text(GTK_LABEL(ui_first(page, GTK_TYPE_LABEL)), "to be counted again");
    UI_UNTIL(was_run(page, depth));
    check_summary(page);
    g_autofree char *repeated = g_strdup(cell_words(page, depth, 2));
    g_assert_cmpstr(repeated, !=, reported); /* other seeds */
    g_assert_cmpstr(cell_words(page, depth, 3), ==, "✓ agrees");
    g_assert_cmpuint(plot_of(page, depth)->n_series, ==, 4);
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *here = g_date_time_format(
        now, "Repeated here on %F: seeds 1 to 5, already seen when the claims were fixed");
    g_assert_cmpstr(origin(page, depth), ==, here);
    UI_WAIT(window, ui_has_toast);
    ui_close(window);

    for (int damaged = 0; damaged < 2; damaged++) {
        g_autofree char *path = stored_result("depth");
        g_assert_nonnull(path);
        if (damaged) g_assert_true(g_file_set_contents(path, "{", -1, NULL));
        window = ui_open("");
        page = ui_show_page(window, "paper", NS_TYPE_PAPER_PAGE);
        g_assert_true(was_run(page, depth) == !damaged);
        g_assert_cmpstr(cell_words(page, depth, 2), ==, damaged ? reported : repeated);
        g_assert_cmpstr(origin(page, depth), ==, damaged ? report : here);
        g_assert_cmpuint(plot_of(page, depth)->n_series, ==, 4);
        ui_close(window);
    }
    remove_stored_result("depth");
}

/* The figures come one a frame, so that no frame takes long; the claims of an undecided one state
 * what its interval crosses.  No column has much more room than the claims. */
static void test_paper_table(void)
{
    NsWindow *window = ui_open("");
    gtk_window_set_default_size(GTK_WINDOW(window), 1280, 800);
    GtkWidget *page = ui_show_page(window, "paper", NS_TYPE_PAPER_PAGE);
    for (size_t i = 0; ns_paper_study(i); i++)
        g_assert_null(ui_first(card_at(page, i), NS_TYPE_CHART_VIEW));
    size_t wide = study_at("fig3a");
    g_assert_cmpstr(cell_words(page, wide, 2), ==, "1.66 (1.34\u00a0to\u00a02.07)");
    g_assert_cmpstr(cell_words(page, wide, 3), ==,
                    "? undecided: 1.34\u00a0to\u00a02.07 crosses\u00a01.5");
    ui_settle(GTK_WIDGET(window));
    int claims = gtk_widget_get_width(cell_at(page, wide, 0));
    for (int column = 1; column < 4; column++)
        g_assert_cmpint(gtk_widget_get_width(cell_at(page, wide, column)), <, claims * 6 / 5);
    /* A click on the title makes the figure that it leads to. */
    size_t last = study_at("coordinate-check-depth");
    g_signal_emit_by_name(ui_first(title_at(page, last), GTK_TYPE_BUTTON), "clicked");
    GtkWidget *focus = gtk_root_get_focus(GTK_ROOT(window));
    g_assert_true(focus && gtk_widget_is_ancestor(focus, card_at(page, last)));
    ui_close(window);
}

/* Of this thread, whatever else the machine does. */
static double seconds_of_work(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The table gets its first size in a few times the time in which it is made. */
static void test_paper_layout(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    double begin = seconds_of_work();
    ns_page_stack_create(window->pages, "paper");
    double made = seconds_of_work();
    GtkWidget *page = ui_show_page(window, "paper", NS_TYPE_PAPER_PAGE);
    GtkWidget *table = ui_first(page, GTK_TYPE_GRID);
    UI_UNTIL(gtk_widget_get_height(table) > 0);
    double laid_out = seconds_of_work();
    g_test_message("made in %.3f s, laid out in %.3f s", made - begin, laid_out - made);
    g_assert_cmpfloat(laid_out - made, <, 5 * (made - begin));
    ui_close(window);
}

static void export_by_key(NsWindow *window)
{
    g_action_group_activate_action(G_ACTION_GROUP(window), "export", NULL);
    ui_answer_file_dialog(GTK_RESPONSE_CANCEL);
}

/* Ctrl+E exports what these pages show, or says what must be done first. */
static void test_export_by_key(void)
{
    remove_stored_result("hidden-scale");
    NsWindow *window = ui_open("");
    GtkWidget *page = ui_show_page(window, "paper", NS_TYPE_PAPER_PAGE);
    g_assert_true(g_action_group_get_action_enabled(G_ACTION_GROUP(window), "export"));
    g_action_group_activate_action(G_ACTION_GROUP(window), "export", NULL);
    g_assert_nonnull(strstr(ns_toast_text(window->toast), "press Export below"));
    toggle_study(page, study_at("hidden-scale"));
    UI_UNTIL(was_run(page, study_at("hidden-scale")));
    export_by_key(window);
    NsPhasePage *phase = NS_PHASE_PAGE(ui_show_page(window, "phase", NS_TYPE_PHASE_PAGE));
    g_action_group_activate_action(G_ACTION_GROUP(window), "export", NULL);
    g_assert_nonnull(strstr(ns_toast_text(window->toast), "press Start first"));
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(phase->steps), 1);
    g_signal_emit_by_name(phase->start, "clicked");
    export_by_key(window);
    ui_close(window);
}

static const char *estimate(GtkWidget *page, size_t i)
{
    GtkWidget *below = gtk_widget_get_next_sibling(run_button(page, i));
    return gtk_label_get_text(GTK_LABEL(gtk_widget_get_first_child(below)));
}

/* Every card shows what the report measured, can export it, then says how long it takes here. */
static void test_paper_cards(void)
{
    remove_stored_result("depth");
    remove_stored_result("hidden-scale");
    NsWindow *window = ui_open("");
    gint64 before = g_get_monotonic_time(); /* estimates begin two seconds later, or more */
    GtkWidget *page = ui_show_page(window, "paper", NS_TYPE_PAPER_PAGE);
    for (; g_get_monotonic_time() < before + 1000000; ui_turn())
        g_assert_cmpstr(estimate(page, 0), ==, "");
    for (size_t i = 0; ns_paper_study(i); i++) {
        const NsPlot *plot = plot_of(page, i);
        g_assert_true(!plot->series[0].theory);
        g_assert_false(plot->note && strstr(plot->note, "expected"));
        GtkWidget *save = ui_find_tip(card_at(page, i), "Save the figure of this study");
        g_assert_true(gtk_widget_is_sensitive(save));
        g_assert_cmpstr(run_label(page, i), ==, "Repeat here");
    }
    for (size_t i = 0; ns_paper_study(i); i++)
        UI_UNTIL(g_str_has_prefix(estimate(page, i), "about "));
    ui_close(window);
}

/* Of two the second waits, and can be taken back; so can the first. */
static void test_paper_queue(void)
{
    NsWindow *window = ui_open("");
    GtkWidget *page = ui_show_page(window, "paper", NS_TYPE_PAPER_PAGE);
    size_t warmup = study_at("warmup"), depth = study_at("depth");
    ui_settle(GTK_WIDGET(window));
    int width = gtk_widget_get_width(run_button(page, warmup));
    g_assert_cmpint(width, >, 0);
    toggle_study(page, warmup);
    toggle_study(page, depth);
    UI_UNTIL(g_str_equal(run_label(page, warmup), "Stop"));
    UI_UNTIL(gtk_widget_get_mapped(ui_first(title_at(page, warmup), GTK_TYPE_PROGRESS_BAR)));
    /* Under the pointer is the same button as before. */
    g_assert_cmpint(gtk_widget_get_width(run_button(page, warmup)), ==, width);
    g_assert_cmpstr(run_label(page, depth), ==, "Queued");
    toggle_study(page, depth);
    g_assert_true(g_str_has_prefix(run_label(page, depth), "Repeat here"));
    toggle_study(page, warmup);
    g_assert_true(g_str_has_prefix(run_label(page, warmup), "Repeat here"));
    ui_settle(GTK_WIDGET(window));
    g_assert_false(was_run(page, warmup) || was_run(page, depth));
    /* The window closes while one runs. */
    toggle_study(page, warmup);
    ui_close(window);
}

void ui_add_paper_tests(void)
{
    g_test_add_func("/ui/paper/run", test_paper);
    g_test_add_func("/ui/paper/export-by-key", test_export_by_key);
    g_test_add_func("/ui/paper/table", test_paper_table);
    g_test_add_func("/ui/paper/layout", test_paper_layout);
    g_test_add_func("/ui/paper/cards", test_paper_cards);
    g_test_add_func("/ui/paper/queue", test_paper_queue);
}
