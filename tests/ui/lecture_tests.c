/* Lecture mode: scenes by the keys of a presenter's remote, prepared in the background, and the way
 * back.  SPDX-License-Identifier: MIT */
#include "core/store/bundled.h"
#include "core/store/lecture.h"
#include "tests/ui/support.h"
#include "ui/widgets/charts/chart_tile.h"
#include "ui/widgets/charts/dashboard.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/windows.h"
#include "ui/widgets/settings/settings_pane.h"
#include "ui/widgets/shell/learning.h"
#include "ui/widgets/shell/lecture.h"
#include "ui/widgets/shell/open_file.h"
#include "ui/widgets/shell/remember.h"
#include "ui/widgets/shell/scene_dialog.h"

#include <glib/gstdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SMALL_LINES                                                                                \
    "layers = 2\nd-model = 16\nheads = 2\nseq = 16\nbatch = 4\neval-every = 0\nthreads = 2\n"
#define SCENES 8

/* The step to which the i-th scene runs. */
static int64_t step_of(size_t scene)
{
    return 10 + 5 * (int64_t)scene;
}

static char *write_lecture(const char *name, const char *text)
{
    char *path = g_build_filename(g_get_tmp_dir(), name, NULL);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    return path;
}

/* Eight scenes, every other one on the page of profiles. */
static char *write_scenes(void)
{
    GString *text = g_string_new("title = A test\n");
    for (size_t i = 0; i < SCENES; i++)
        g_string_append_printf(text,
                               "[scene]\ntitle = Scene %zu\nnote = Its sentence.\npage = %s\n%s"
                               "step = %d\nseed = %zu\n" SMALL_LINES
                               "[A]\nplacement = post\n[B]\nplacement = pre\n",
                               i + 1, i % 2 ? "profile" : "dashboard",
                               i % 2 ? "" : "chart = hidden-norm\n", (int)step_of(i), i + 1);
    g_autofree char *whole = g_string_free(text, FALSE);
    /* Tests that run at the same time have their own. */
    g_autofree char *name = g_strdup_printf("normscope-ui-%d.lecture", (int)getpid());
    return write_lecture(name, whole);
}

static bool shows(GtkWidget *root, const char *words)
{
    if (GTK_IS_LABEL(root) && gtk_widget_get_mapped(root) &&
        g_str_equal(gtk_label_get_text(GTK_LABEL(root)), words))
        return true;
    for (GtkWidget *child = gtk_widget_get_first_child(root); child;
         child = gtk_widget_get_next_sibling(child))
        if (shows(child, words)) return true;
    return false;
}

static bool is_at(NsWindow *window, size_t scene)
{
    g_autofree char *count = g_strdup_printf(
        scene + 1 < SCENES ? "%zu of %d" : "%zu of %d, the last", scene + 1, SCENES);
    g_autofree char *title = g_strdup_printf("Scene %zu", scene + 1);
    NsSession *session = window->session;
    return shows(GTK_WIDGET(window), count) && shows(GTK_WIDGET(window), title) &&
           session->experiment.lane[0].seed == (int)scene + 1;
}

static bool is_prepared(NsWindow *window)
{
    GtkWidget *next = ui_find_tip(GTK_WIDGET(window), "Next scene");
    return g_str_equal(gtk_widget_get_tooltip_text(next), "Next scene (Page Down)");
}

static void stroke(NsWindow *window, guint keyval)
{
    ui_stroke(GTK_WIDGET(window), keyval, 0);
}

/* Of this thread, which draws: that of a busy machine's clock says nothing. */
static double seconds_of_work(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int64_t steps_at_title;

static void on_title(NsSession *session)
{
    steps_at_title = ns_session_steps(session);
}

/* All scenes by Page Down alone: each is at its step at the moment that it comes, and drawn within
 * a second; then back and forth through those that were shown, without a pause, and Escape. */
static void test_keys(void)
{
    if (!ui_has_input()) return;
    g_autofree char *path = write_scenes();
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    NsHistory *seen[SCENES - 1];
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, path, false);
    g_assert_true(is_at(window, 0));
    g_assert_null(ns_page_stack_find(window->pages, "profile"));
    g_signal_connect_swapped(ui_find(window, "lecture_title"), "notify::label",
                             G_CALLBACK(on_title), session);
    /* A presenter's remote blanks the screen with this key; it removes no lane. */
    stroke(window, GDK_KEY_b);
    g_assert_cmpuint(session->experiment.n, ==, 2);
    for (size_t i = 1; i < SCENES; i++) {
        UI_WAIT(window, is_prepared);
        seen[i - 1] = ns_history_ref(session->view->history);
        g_assert_nonnull(ns_page_stack_find(window->pages, "profile"));
        g_assert_cmpint(ns_session_steps(session), ==, step_of(i - 1));
        double begin = seconds_of_work();
        gint64 pressed = g_get_monotonic_time();
        stroke(window, GDK_KEY_Page_Down);
        double worked = seconds_of_work() - begin;
        double passed = (double)(g_get_monotonic_time() - pressed) / G_USEC_PER_SEC;
        g_test_message("scene %zu after %.3f s, %.3f s of work", i + 1, passed, worked);
        g_assert_cmpfloat(worked, <, 1);
        g_assert_true(is_at(window, i));
        g_assert_cmpint(steps_at_title, ==, step_of(i));
        g_assert_cmpint(ns_session_steps(session), ==, step_of(i));
        g_assert_false(session->wants_run);
        g_assert_cmpstr(ns_page_stack_key(window->pages), ==, i % 2 ? "profile" : "dashboard");
    }
    stroke(window, GDK_KEY_Page_Down); /* there is none */
    g_assert_true(is_at(window, SCENES - 1));
    for (size_t turn = 0; turn < 2 * SCENES - 4; turn++) {
        bool back = turn < SCENES - 1;
        size_t i = back ? SCENES - 2 - turn : turn - SCENES + 2;
        stroke(window, back ? GDK_KEY_Page_Up : GDK_KEY_Page_Down);
        g_assert_true(is_at(window, i));
        g_assert_true(session->view->history == seen[i]);
        g_assert_false(session->wants_run);
    }
    g_assert_true(is_at(window, SCENES - 3));
    for (size_t i = 0; i < SCENES - 1; i++) ns_history_unref(seen[i]);
    NsChartTile *stage = ns_dashboard_stage(ns_window_dashboard(window));
    g_assert_cmpstr(stage->own.kind->choice.key, ==, "profile");
    stroke(window, GDK_KEY_Escape);
    g_assert_false(ns_class_mode_is_on(window));
    UI_WAIT(window, ui_is_ready);
    g_unlink(path);
    ui_close(window);
}

/* How far a page can be scrolled; that of the paper grows while its figures come. */
static double most_of(GtkAdjustment *place)
{
    return gtk_adjustment_get_upper(place) - gtk_adjustment_get_page_size(place);
}

/* The keys show all of a page that is higher than the screen before another scene.  The claims of
 * the paper, with verdicts of two lines at most, have nothing to run. */
static void test_long_page(void)
{
    if (!ui_has_input()) return;
    static const char *const scenes = "[scene]\ntitle = Claims\npage = paper\n" SMALL_LINES
                                      "[scene]\ntitle = Curves\npage = curves\n" SMALL_LINES;
    g_autofree char *path = write_lecture("normscope-ui-long.lecture", scenes);
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, path, false);
    UI_UNTIL(shows(GTK_WIDGET(window), "1 of 2"));
    ui_settle(GTK_WIDGET(window));
    GtkWidget *page = GTK_WIDGET(ns_window_page(window));
    GtkWidget *scrolled = gtk_widget_get_ancestor(page, GTK_TYPE_SCROLLED_WINDOW);
    GtkAdjustment *place = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scrolled));
    GtkGrid *table = GTK_GRID(ui_first(page, GTK_TYPE_GRID));
    GtkWidget *cell;
    for (int row = 0; (cell = gtk_grid_get_child_at(table, 3, row)); row++)
        if (GTK_IS_LABEL(cell))
            g_assert_cmpint(pango_layout_get_line_count(gtk_label_get_layout(GTK_LABEL(cell))), <=,
                            2);
    int presses = 0;
    g_assert_cmpfloat(most_of(place), >, 0);
    g_assert_false(gtk_widget_get_mapped(ui_find(window, "lecture_run")));
    for (; gtk_adjustment_get_value(place) < most_of(place); presses++) {
        g_assert_true(shows(GTK_WIDGET(window), "1 of 2"));
        stroke(window, GDK_KEY_Page_Down);
    }
    g_assert_cmpint(presses, >, 1);
    stroke(window, GDK_KEY_Page_Down);
    UI_UNTIL(shows(GTK_WIDGET(window), "2 of 2, the last"));
    g_assert_true(gtk_widget_get_mapped(ui_find(window, "lecture_run")));
    stroke(window, GDK_KEY_Page_Up);
    UI_UNTIL(shows(GTK_WIDGET(window), "1 of 2"));
    g_assert_cmpfloat(gtk_adjustment_get_value(place), ==, 0);
    g_unlink(path);
    ui_close(window);
}

/* A key that comes too early shows a scene as it is, which goes on; and the keys belong to the
 * lecture although an entry has the focus. */
static void test_early(void)
{
    if (!ui_has_input()) return;
    g_autofree char *path = write_scenes();
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    ns_window_open(window, path, false);
    stroke(window, GDK_KEY_F9);
    GtkWidget *row = ns_settings_pane_row(window->settings_pane, "layers");
    gtk_widget_grab_focus(ui_first(row, GTK_TYPE_ENTRY));
    for (size_t i = 1; i < 4; i++) {
        stroke(window, GDK_KEY_Page_Down);
        UI_UNTIL(is_at(window, i));
    }
    UI_UNTIL(ns_session_steps(session) == step_of(3) && !session->wants_run);
    stroke(window, GDK_KEY_Page_Up);
    g_assert_true(is_at(window, 2));
    UI_UNTIL(ns_session_steps(session) == step_of(2) && !session->wants_run);
    stroke(window, GDK_KEY_F11);
    g_assert_false(ns_class_mode_is_on(window));
    UI_WAIT(window, ui_is_ready);
    g_unlink(path);
    ui_close(window);
}

/* The records of a run in one text, to the last bit. */
static char *bits_of(NsSession *session)
{
    GString *text = g_string_new(NULL);
    for (size_t lane = 0; lane < 2; lane++) {
        NsHistory *history = session->view->histories[lane];
        for (size_t i = 0; i < ns_history_steps(history); i++)
            g_string_append_printf(text, "%a %a\n", ns_history_step(history, i)->loss,
                                   ns_history_step(history, i)->grad_norm);
    }
    return g_string_free(text, FALSE);
}

static void test_same_bits(void)
{
    g_autofree char *path = write_scenes();
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    ns_window_open(window, path, false);
    UI_WAIT(window, is_prepared);
    g_action_group_activate_action(G_ACTION_GROUP(window), "next-scene", NULL);
    g_assert_cmpint(ns_session_steps(session), ==, step_of(1));
    g_autofree char *prepared = bits_of(session);
    ns_session_restart(session);
    UI_UNTIL(ns_session_steps(session) == 0);
    ns_session_run_to(session, step_of(1));
    UI_UNTIL(ns_session_steps(session) == step_of(1));
    UI_WAIT(window, ui_is_paused);
    g_autofree char *trained = bits_of(session);
    g_assert_cmpstr(prepared, ==, trained);
    g_assert_cmpuint(strlen(prepared), >, 100);
    g_unlink(path);
    ui_close(window);
}

static bool is_open(NsWindow *window, const char *pane)
{
    g_autoptr(GVariant) state = g_action_group_get_action_state(G_ACTION_GROUP(window), pane);
    return g_variant_get_boolean(state);
}

/* The mode can be entered on every page, whether it has one chart, several or none, and after a
 * scene the page comes back. */
static void test_pages(void)
{
    g_autofree char *path = write_scenes();
    NsWindow *window = ui_open("layers=2");
    GActionGroup *actions = G_ACTION_GROUP(window);
    UI_WAIT(window, ui_is_ready);
    for (size_t i = 0; ns_page_kind(i); i++) {
        const char *page = ns_page_kind(i)->key;
        ns_page_stack_show(window->pages, page);
        ui_settle(GTK_WIDGET(window));
        g_action_group_activate_action(actions, "lecture-mode", NULL);
        ui_settle(GTK_WIDGET(window));
        g_action_group_activate_action(actions, "back", NULL);
        g_assert_cmpstr(ns_page_stack_key(window->pages), ==, page);
        ns_window_open(window, path, false);
        UI_WAIT(window, is_prepared);
        g_action_group_activate_action(actions, "back", NULL);
        g_assert_cmpstr(ns_page_stack_key(window->pages), ==, page);
        UI_WAIT(window, ui_is_ready);
    }
    g_unlink(path);
    ui_close(window);
}

/* The window is given back with its page, its chart, its panes and its run, and F11 leads on to the
 * scene that was left. */
static void test_back(void)
{
    g_autofree char *path = write_scenes();
    NsWindow *window = ui_open("layers=3");
    NsSession *session = window->session;
    GActionGroup *actions = G_ACTION_GROUP(window);
    UI_WAIT(window, ui_is_ready);
    ns_session_run_to(session, 7);
    UI_UNTIL(ns_session_steps(session) == 7);
    UI_WAIT(window, ui_is_paused);
    ns_window_show_chart(window, "gradient-norm:grad-wq");
    ns_session_select_layer(session, 2);
    g_action_group_change_action_state(actions, "inspector", g_variant_new_boolean(FALSE));
    ns_window_open(window, path, false);
    UI_WAIT(window, is_prepared);
    g_assert_false(is_open(window, "pane") || is_open(window, "inspector"));
    g_assert_true(is_open(window, "lecture-mode"));
    /* Beside its chart a scene has the first large chart of a new window. */
    NsFigureSpec second = ns_chart_tile_spec(ns_dashboard_second(ns_window_dashboard(window)));
    g_assert_cmpstr(second.kind->choice.key, ==, "loss");
    g_assert_cmpint(session->view->gradient, ==, NS_QUANTITY_GRAD_W2);
    g_assert_false(gtk_widget_get_mapped(GTK_WIDGET(window->transport)));
    g_action_group_activate_action(actions, "next-scene", NULL);
    g_assert_true(is_at(window, 1));
    g_assert_cmpint(session->view->layer, ==, 0);
    g_action_group_activate_action(actions, "back", NULL);
    g_assert_false(is_open(window, "lecture-mode"));
    g_assert_cmpint(session->view->layer, ==, 2);
    g_assert_cmpint(ns_session_steps(session), ==, 7);
    g_assert_cmpuint(session->experiment.n, ==, 1);
    g_assert_cmpint(session->experiment.lane[0].layers, ==, 3);
    g_assert_cmpstr(ns_page_stack_key(window->pages), ==, "dashboard");
    NsChartTile *stage = ns_dashboard_stage(ns_window_dashboard(window));
    g_assert_cmpstr(stage->own.kind->choice.key, ==, "gradient-norm");
    g_assert_cmpint(session->view->gradient, ==, NS_QUANTITY_GRAD_WQ);
    stage = ns_dashboard_second(ns_window_dashboard(window));
    g_assert_cmpstr(stage->own.kind->choice.key, ==, "loss");
    g_assert_true(is_open(window, "pane") && !is_open(window, "inspector"));
    g_assert_false(ns_class_mode_is_on(window));
    size_t n;
    ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, 1); /* scenes are no earlier runs */
    ns_session_run_to(session, 9);
    UI_UNTIL(ns_session_steps(session) == 9);
    g_action_group_activate_action(actions, "lecture-mode", NULL);
    g_assert_cmpint(ns_session_steps(session), ==, 9);
    UI_WAIT(window, is_prepared);
    g_action_group_activate_action(actions, "next-scene", NULL);
    g_assert_true(is_at(window, 1));
    g_unlink(path);
    ui_close(window);
}

static void test_mistakes(void)
{
    static const struct {
        const char *text, *words;
    } lectures[] = {
        {"title = T\n[scene]\nlayers = 2\n\n[scene]\nlayers = many\n",
         "“normscope-ui-bad.lecture”: Line 6: "},
        {"title = T\n[scene]\nlayers = 2\n[scene]\npage = dashbord\n",
         "“normscope-ui-bad.lecture”: Line 4: this scene has the page “dashbord”; the pages are "
         "dashboard, "},
        {"title = T\n[scene]\nchart = lost\n", "“normscope-ui-bad.lecture”: Line 2: "},
    };
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    for (size_t i = 0; i < G_N_ELEMENTS(lectures); i++) {
        g_autofree char *path = write_lecture("normscope-ui-bad.lecture", lectures[i].text);
        ns_window_open(window, path, false);
        g_test_message("%s", ns_toast_text(window->toast));
        g_assert_true(g_str_has_prefix(ns_toast_text(window->toast), lectures[i].words));
        g_assert_false(ns_class_mode_is_on(window));
        g_unlink(path);
    }
    ui_close(window);
}

/* In lecture mode without a lecture, the key for the next scene says where lectures are. */
static void test_none(void)
{
    NsWindow *window = ui_open("");
    GActionGroup *actions = G_ACTION_GROUP(window);
    UI_WAIT(window, ui_is_ready);
    g_assert_false(g_action_group_get_action_enabled(actions, "next-scene"));
    g_action_group_activate_action(actions, "lecture-mode", NULL);
    g_action_group_activate_action(actions, "next-scene", NULL);
    g_assert_true(g_str_has_prefix(ns_toast_text(window->toast), "No lecture is open."));
    /* All settings, such as the number of seeds, are a click away. */
    GtkWidget *settings = ui_find_tip(ui_find(window, "lecture_bar"), "Settings pane");
    g_signal_emit_by_name(settings, "clicked");
    g_assert_true(is_open(window, "pane"));
    g_signal_emit_by_name(settings, "clicked");
    g_assert_false(is_open(window, "pane"));
    g_assert_true(ns_lecture_leave(window));
    ui_close(window);
}

/* The list of lessons has the bundled lectures, too. */
static void test_list(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ns_learn_pane_open(window->learn_pane);
    for (size_t i = 0; ns_lecture_choice(i); i++)
        g_assert_nonnull(ui_button_to(GTK_WIDGET(window->learn_pane), ns_lecture_choice(i)->key));
    GtkWidget *first = ui_button_to(GTK_WIDGET(window->learn_pane), ns_lecture_choice(0)->key);
    g_signal_emit_by_name(first, "clicked");
    g_assert_nonnull(ns_lecture_menu(window));
    g_assert_false(ns_learn_pane_is_open(window->learn_pane));
    g_assert_true(ns_lecture_leave(window));
    ui_close(window);
}

/* A lecture that was left in its middle begins at its first scene and offers the other one. */
static void test_continue(void)
{
    g_autofree char *path = write_scenes();
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, path, false);
    for (int i = 0; i < 3; i++)
        g_action_group_activate_action(G_ACTION_GROUP(window), "next-scene", NULL);
    UI_UNTIL(is_at(window, 3));
    ui_close(window);
    for (int i = 0; i < 2; i++) {
        window = ui_open_window("");
        UI_WAIT(window, ui_is_ready);
        ns_window_open(window, path, false);
        g_assert_true(is_at(window, 0));
        g_assert_cmpstr(ns_toast_text(window->toast), ==, "You left this lecture at scene 4 of 8.");
        if (i == 0) ui_close(window);
    }
    g_signal_emit_by_name(ui_find_button(window->toast, "Continue at scene 4"), "clicked");
    g_assert_true(is_at(window, 3));
    /* The offer ends with the first scene. */
    ns_window_open(window, path, false);
    g_assert_nonnull(ns_toast_text(window->toast));
    g_action_group_activate_action(G_ACTION_GROUP(window), "next-scene", NULL);
    g_assert_null(ns_toast_text(window->toast));
    while (!is_at(window, SCENES - 1))
        g_action_group_activate_action(G_ACTION_GROUP(window), "next-scene", NULL);
    g_action_group_activate_action(G_ACTION_GROUP(window), "back", NULL);
    ns_window_toast(window, "Nothing.");
    ns_window_open(window, path, false);
    g_assert_cmpstr(ns_toast_text(window->toast), ==, "Nothing.");
    g_unlink(path);
    ui_close(window);
}

/* The sentence of a scene is pale, and says why, while the settings are not the scene's. */
static void test_stale(void)
{
    g_autofree char *path = write_scenes();
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, path, false);
    UI_UNTIL(ns_session_steps(session) == step_of(0) && !session->wants_run);
    GtkWidget *note = ui_find(window, "lecture_note");
    g_assert_false(gtk_widget_has_css_class(note, "stale"));
    g_assert_null(gtk_widget_get_tooltip_text(note));
    /* One that acts at once, one that waits for a new run. */
    static const char *const changes[][2] = {{"warmup", "77"}, {"layers", "3"}};
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
        ns_session_set(session, changes[i][0], changes[i][1]);
        if (i == 1) ns_session_restart(session);
        UI_UNTIL(gtk_widget_has_css_class(note, "stale"));
        if (i == 1) UI_WAIT(window, ui_is_ready);
        g_assert_true(gtk_widget_has_css_class(note, "stale"));
        g_assert_cmpstr(gtk_widget_get_tooltip_text(note), ==,
                        "The settings are not those of the scene");
        ns_session_undo(session);
        UI_UNTIL(!gtk_widget_has_css_class(note, "stale"));
    }
    ns_session_set(session, "warmup", "77");
    UI_UNTIL(gtk_widget_has_css_class(note, "stale"));
    g_action_group_activate_action(G_ACTION_GROUP(window), "next-scene", NULL);
    g_assert_false(gtk_widget_has_css_class(note, "stale"));
    g_unlink(path);
    ui_close(window);
}

/* A lecture that begins while the run before an earlier one is read returns to that run. */
static void test_back_at_once(void)
{
    g_autofree char *path = write_scenes();
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    NsWindow *window = ui_open("layers=3");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_set_recording(session, folder, 0);
    ns_session_restart(session);
    UI_WAIT(window, ui_is_ready);
    ns_session_run_to(session, 7);
    UI_UNTIL(ns_session_steps(session) == 7);
    UI_WAIT(window, ui_is_paused);
    for (int i = 0; i < 2; i++) {
        ns_window_open(window, path, false);
        /* A run stays on view until the next one is prepared; then its file has its checkpoints. */
        if (i == 0) UI_UNTIL(session->runs->len == 1);
        ns_session_set_checkpoint_bytes(session, 1);
        g_assert_true(is_at(window, 0));
        g_action_group_activate_action(G_ACTION_GROUP(window), "back", NULL);
        g_assert_cmpuint(session->opening, >, 0);
    }
    UI_UNTIL(ns_session_steps(session) == 7);
    g_assert_cmpint(session->experiment.lane[0].layers, ==, 3);
    g_unlink(path);
    ui_close(window);
}

/* The list of lessons gives way to lecture mode and to a scene on the page behind it. */
static void test_over_list(void)
{
    g_autofree char *path = write_scenes();
    NsWindow *window = ui_open("");
    GActionGroup *actions = G_ACTION_GROUP(window);
    GtkWidget *pages = GTK_WIDGET(window->pages);
    UI_WAIT(window, ui_is_ready);
    g_action_group_activate_action(actions, "learn", NULL);
    g_action_group_activate_action(actions, "lecture-mode", NULL);
    g_assert_true(gtk_widget_get_visible(pages));
    g_action_group_activate_action(actions, "learn", NULL);
    g_assert_false(gtk_widget_get_visible(pages));
    ns_window_open(window, path, false);
    g_assert_true(is_at(window, 0));
    g_assert_true(gtk_widget_get_visible(pages));
    g_unlink(path);
    ui_close(window);
}

/* A preset leaves class mode as little as a scene does. */
static void test_preset_in_class(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    GtkWidget *row = ns_settings_pane_row(window->settings_pane, "momentum");
    g_action_group_change_action_state(G_ACTION_GROUP(window), "class-mode",
                                       g_variant_new_boolean(TRUE));
    g_action_group_activate_action(G_ACTION_GROUP(window), "preset",
                                   g_variant_new_string("first-screen"));
    g_assert_true(ns_class_mode_is_on(window));
    g_assert_false(gtk_widget_get_visible(row));
    UI_WAIT(window, ui_is_ready);
    g_auto(NsExperiment) first = {0};
    ns_session_first_experiment(&first);
    for (size_t i = 0; i < 2; i++) {
        g_autofree char *one = ns_settings_line(&first.lane[i], true);
        g_autofree char *other = ns_settings_line(&window->session->experiment.lane[i], true);
        g_assert_cmpstr(one, ==, other);
    }
    ui_close(window);
}

/* What a lecture does to the window is not what its user chose, also if the window is closed in the
 * middle. */
static void test_settings(void)
{
    g_autofree char *path = write_scenes();
    NsWindow *window = ui_open("");
    GSettings *preferences = ns_preferences();
    g_settings_set_boolean(preferences, "inspector-pane", TRUE);
    ns_remember_window(window);
    GActionGroup *actions = G_ACTION_GROUP(window);
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, path, false);
    UI_WAIT(window, is_prepared);
    g_action_group_activate_action(actions, "next-scene", NULL);
    g_assert_cmpstr(ns_page_stack_key(window->pages), ==, "profile");
    ui_close(window);
    g_autofree char *page = g_settings_get_string(preferences, "page");
    g_assert_cmpstr(page, ==, "dashboard");
    g_assert_true(g_settings_get_boolean(preferences, "pause-on-trouble"));
    g_assert_true(g_settings_get_boolean(preferences, "settings-pane"));
    g_assert_true(g_settings_get_boolean(preferences, "inspector-pane"));
    g_settings_reset(preferences, "inspector-pane");
    g_unlink(path);
}

/* Nor is what a lesson showed before the lecture, which comes back when it is left. */
static void test_settings_after(void)
{
    g_autofree char *path = write_scenes();
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    g_autofree char *usual = g_settings_get_string(ns_preferences(), "hidden");
    ns_remember_window(window);
    UI_WAIT(window, ui_is_ready);
    g_signal_emit_by_name(window->learn_pane, "chart", "hidden-norm:token-cosine", FALSE);
    ns_window_open(window, path, false);
    UI_WAIT(window, is_prepared);
    ns_session_show_hidden(session, NS_QUANTITY_HIDDEN_NORM);
    g_assert_true(ns_lecture_leave(window));
    g_assert_cmpint(session->view->hidden, ==, NS_QUANTITY_TOKEN_COSINE);
    g_autofree char *stored = g_settings_get_string(ns_preferences(), "hidden");
    g_assert_cmpstr(stored, ==, usual);
    UI_WAIT(window, ui_is_ready);
    ui_close(window);
    g_unlink(path);
}

static bool toast_is(NsWindow *window, const char *words)
{
    return g_strcmp0(ns_toast_text(window->toast), words) == 0;
}

/* That an earlier run made room waits until nothing else is said, and is not said in a lecture. */
static void test_housekeeping(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ns_window_toast(window, "One.");
    g_signal_emit_by_name(window->session, "housekeeping", "Two.");
    g_assert_true(toast_is(window, "One."));
    UI_UNTIL(toast_is(window, "Two."));
    UI_UNTIL(!ns_toast_text(window->toast));
    g_action_group_activate_action(G_ACTION_GROUP(window), "lecture-mode", NULL);
    g_signal_emit_by_name(window->session, "housekeeping", "Three.");
    g_assert_null(ns_toast_text(window->toast));
    ui_close(window);
}

static bool overlaps(NsWindow *window, GtkWidget *widget)
{
    graphene_rect_t place, other;
    g_assert_true(gtk_widget_compute_bounds(window->toast, GTK_WIDGET(window), &place));
    g_assert_true(gtk_widget_compute_bounds(widget, GTK_WIDGET(window), &other));
    g_assert_cmpfloat(place.size.height, >, 0);
    return graphene_rect_intersection(&place, &other, NULL);
}

/* A toast lies at the lower end of the settings, where it covers neither pages nor pending changes;
 * without that pane of the page; in a lecture below the bar.  A click removes it. */
static void test_toast(void)
{
    static const char *const modes[] = {NULL, "class-mode", "pane", "lecture-mode"};
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ns_session_step(window->session, 2);
    UI_UNTIL(ns_session_steps(window->session) == 2);
    UI_WAIT(window, ui_is_paused);
    GtkWidget *restart = ui_find_button(window->settings_pane, "Restart");
    for (size_t i = 0; i < G_N_ELEMENTS(modes); i++) {
        if (modes[i]) g_action_group_activate_action(G_ACTION_GROUP(window), modes[i], NULL);
        for (int pending = 0; pending < (i < 2 ? 2 : 1); pending++) {
            if (pending) ns_session_set(window->session, "layers", "5");
            g_assert_true((ns_session_pending(window->session) > 0) == pending);
            ns_toast_show(window->toast, "Layers is 6 again, and the models of the lesson stay.",
                          "Back to before the lesson", NULL, NULL);
            UI_UNTIL(gtk_revealer_get_child_revealed(GTK_REVEALER(window->toast)));
            ui_rest(window);
            GtkWidget *bar = ui_find(window, "lecture_bar"), *pages = GTK_WIDGET(window->pages);
            bool lecture = gtk_widget_get_visible(bar);
            g_assert_true(lecture == (i == 3));
            g_assert_true(overlaps(window, pages) == (i > 1));
            g_assert_false(overlaps(window, lecture ? bar : GTK_WIDGET(window->transport)));
            if (pending) g_assert_false(overlaps(window, restart));
            if (i == 2) g_assert_false(overlaps(window, gtk_widget_get_first_child(pages)));
            GtkWidget *box = gtk_revealer_get_child(GTK_REVEALER(window->toast));
            g_signal_emit_by_name(ui_controller(box, GTK_TYPE_GESTURE_CLICK, NULL), "released", 1,
                                  5.0, 5.0);
            g_assert_null(ns_toast_text(window->toast));
            ns_session_drop_pending(window->session);
        }
    }
    ui_close(window);
}

static const char *run_words(NsWindow *window)
{
    GtkWidget *words = ui_first(ui_find(window, "lecture_run"), GTK_TYPE_STACK);
    return gtk_label_get_text(GTK_LABEL(gtk_stack_get_visible_child(GTK_STACK(words))));
}

static int left_of(NsWindow *window, GtkWidget *widget)
{
    graphene_rect_t place;
    g_assert_true(gtk_widget_compute_bounds(widget, GTK_WIDGET(window), &place));
    return (int)place.origin.x;
}

/* A scene that is about a run begins at its first step; Run, which names the step, stops there, and
 * after that it goes on as elsewhere.  The note beside the status keeps its width meanwhile.  From
 * another scene the way back leads to the run, not to its first step. */
static void test_run(void)
{
    g_autofree char *path = write_lecture("normscope-ui-run.lecture",
                                          "title = T\n[scene]\ntitle = Run\nrun = 6\n" SMALL_LINES
                                          "[scene]\ntitle = Other\nseed = 2\n" SMALL_LINES);
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, path, false);
    UI_WAIT(window, ui_is_ready);
    GtkWidget *run = ui_find(window, "lecture_run"), *status = ui_find(window, "lecture_status");
    ui_rest(window);
    g_assert_true(ns_session_steps(session) == 0 && session->view->run_to == 6);
    g_assert_cmpstr(run_words(window), ==, "Run to step 6");
    int left = left_of(window, status);
    g_signal_emit_by_name(run, "clicked");
    g_assert_cmpstr(run_words(window), ==, "Pause");
    UI_UNTIL(ns_session_steps(session) == 6 && !session->wants_run);
    UI_UNTIL(g_strcmp0(run_words(window), "Run") == 0);
    ui_rest(window);
    g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(status)), ==, "step 6");
    g_assert_cmpint(left_of(window, status), ==, left);
    gtk_label_set_text(GTK_LABEL(status), "step 1,234");
    ui_rest(window);
    g_assert_cmpint(left_of(window, status), ==, left);
    g_signal_emit_by_name(run, "clicked");
    UI_UNTIL(ns_session_steps(session) > 6);
    g_action_group_activate_action(G_ACTION_GROUP(window), "next-scene", NULL);
    UI_UNTIL(session->experiment.lane[0].seed == 2 && ns_session_steps(session) == 0);
    g_action_group_activate_action(G_ACTION_GROUP(window), "previous-scene", NULL);
    UI_UNTIL(ns_session_steps(session) > 6);
    g_assert_cmpstr(run_words(window), ==, "Run");
    g_assert_null(ns_toast_text(window->toast));
    g_assert_true(ns_lecture_leave(window));
    g_unlink(path);
    ui_close(window);
}

/* A scene whose page takes a while to create is announced in the next frame, also while a run is
 * going, and a second press goes on from there. */
static void test_announced(void)
{
    static const char *const scenes = "[scene]\ntitle = Run\nstep = 100000\n" SMALL_LINES
                                      "[scene]\ntitle = Claims\npage = paper\n" SMALL_LINES
                                      "[scene]\ntitle = Last\npage = phase\n" SMALL_LINES;
    g_autofree char *path = write_lecture("normscope-ui-announced.lecture", scenes);
    NsWindow *window = ui_open("");
    GActionGroup *actions = G_ACTION_GROUP(window);
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, path, false);
    UI_UNTIL(ns_session_steps(window->session) > 0);
    g_action_group_activate_action(actions, "next-scene", NULL);
    g_assert_true(shows(GTK_WIDGET(window), "Claims") && shows(GTK_WIDGET(window), "2 of 3"));
    g_assert_true(shows(GTK_WIDGET(window), "preparing"));
    g_assert_null(ns_page_stack_find(window->pages, "paper"));
    UI_UNTIL(ns_page_stack_find(window->pages, "paper"));
    g_assert_cmpstr(ns_page_stack_key(window->pages), ==, "paper");
    g_assert_false(shows(GTK_WIDGET(window), "preparing"));
    g_action_group_activate_action(actions, "previous-scene", NULL);
    g_assert_true(shows(GTK_WIDGET(window), "Run"));
    g_action_group_activate_action(actions, "next-scene", NULL);
    g_action_group_activate_action(actions, "next-scene", NULL);
    g_assert_true(shows(GTK_WIDGET(window), "3 of 3, the last"));
    g_assert_false(g_action_group_get_action_enabled(actions, "next-scene"));
    /* Nothing comes after the lecture was left. */
    g_assert_true(ns_lecture_leave(window));
    UI_WAIT(window, ui_is_ready);
    g_assert_null(ns_page_stack_find(window->pages, "phase"));
    g_unlink(path);
    ui_close(window);
}

/* Escape leaves the maximized chart and the pins first, then the mode. */
static void test_escape(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    stroke(window, GDK_KEY_F11);
    NsDashboard *dashboard = ns_window_dashboard(window);
    stroke(window, GDK_KEY_m);
    g_assert_nonnull(dashboard->maximized);
    stroke(window, GDK_KEY_Escape);
    g_assert_null(dashboard->maximized);
    g_assert_true(is_open(window, "lecture-mode"));
    stroke(window, GDK_KEY_Escape);
    g_assert_false(is_open(window, "lecture-mode"));
    ui_close(window);
}

void ui_add_lecture_tests(void)
{
    g_test_add_func("/ui/lecture/announced", test_announced);
    g_test_add_func("/ui/lecture/escape", test_escape);
    g_test_add_func("/ui/lecture/run", test_run);
    g_test_add_func("/ui/lecture/settings", test_settings);
    g_test_add_func("/ui/lecture/settings-after", test_settings_after);
    g_test_add_func("/ui/lecture/none", test_none);
    g_test_add_func("/ui/lecture/list", test_list);
    g_test_add_func("/ui/lecture/continue", test_continue);
    g_test_add_func("/ui/lecture/housekeeping", test_housekeeping);
    g_test_add_func("/ui/lecture/toast", test_toast);
    g_test_add_func("/ui/lecture/keys", test_keys);
    g_test_add_func("/ui/lecture/early", test_early);
    g_test_add_func("/ui/lecture/long-page", test_long_page);
    g_test_add_func("/ui/lecture/back-at-once", test_back_at_once);
    g_test_add_func("/ui/lecture/same-bits", test_same_bits);
    g_test_add_func("/ui/lecture/back", test_back);
    g_test_add_func("/ui/lecture/pages", test_pages);
    g_test_add_func("/ui/lecture/mistakes", test_mistakes);
    g_test_add_func("/ui/lecture/stale", test_stale);
    g_test_add_func("/ui/lecture/over-list", test_over_list);
    g_test_add_func("/ui/lecture/preset-in-class", test_preset_in_class);
}
