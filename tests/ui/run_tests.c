/* Run, Pause, Step, Reset, and what becomes of a run.  SPDX-License-Identifier: MIT */
#include "core/store/lesson.h"
#include "tests/ui/support.h"
#include "ui/widgets/shell/close_guard.h"

#include <string.h>

static void test_run_and_pause(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    g_assert_cmpint(ns_session_steps(session), ==, 0);
    ui_click(window, "run_button");
    GtkLabel *label = GTK_LABEL(ui_find(window, "run_label"));
    g_assert_cmpstr(gtk_label_get_text(label), ==, "Pause");
    UI_WAIT(window, ui_has_stepped_five);
    ui_click(window, "run_button");
    UI_WAIT(window, ui_is_paused);
    g_assert_cmpstr(gtk_label_get_text(label), ==, "Run");
    int64_t steps = ns_session_steps(session);
    ui_rest(window);
    g_assert_cmpint(ns_session_steps(session), ==, steps);
    ui_click(window, "run_button");
    UI_UNTIL(ns_session_steps(session) > steps);
    ui_close(window);
}

static void test_step(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ui_click(window, "step_button");
    UI_WAIT(window, ui_has_stepped);
    UI_WAIT(window, ui_is_paused);
    g_assert_cmpint(ns_session_steps(session), ==, 1);
    ui_click(window, "step_button");
    UI_UNTIL(ns_session_steps(session) >= 2);
    ui_rest(window);
    g_assert_cmpint(ns_session_steps(session), ==, 2);
    g_assert_true(gtk_widget_is_sensitive(ui_find(window, "step_button")));
    ui_close(window);
}

static void test_reset(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_step(session, 5);
    UI_WAIT(window, ui_has_stepped_five);
    UI_WAIT(window, ui_is_paused);
    g_autoptr(NsHistory) before = ns_history_ref(session->view->history);
    ui_click(window, "reset_button");
    UI_WAIT(window, ui_is_ready);
    g_assert_cmpint(ns_session_steps(session), ==, 0);
    g_assert_true(session->view->previous.history == before);
    ns_session_step(session, 5);
    UI_WAIT(window, ui_has_stepped_five);
    for (size_t i = 0; i <= 5; i++) {
        double first = ns_history_step(before, i)->loss;
        double again = ns_history_step(session->view->history, i)->loss;
        g_assert_true(memcmp(&first, &again, sizeof first) == 0);
    }
    ui_close(window);
}

static void test_reset_without_step_keeps_previous_run(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    const NsHistory *first = session->view->history;
    ui_click(window, "reset_button");
    UI_UNTIL(session->view->history != first);
    g_assert_null(session->view->previous.history);
    ui_close(window);
}

static void test_words(void)
{
    NsWindow *window = ui_open("placement=pre layers=3 probe-every=1");
    UI_WAIT(window, ui_is_ready);
    const char *title = gtk_label_get_text(GTK_LABEL(ui_find(window, "title_label")));
    const char *subtitle = gtk_label_get_text(GTK_LABEL(ui_find(window, "subtitle_label")));
    g_assert_cmpstr(title, ==, "Pre-LN, 3 layers");
    g_assert_true(g_str_has_prefix(subtitle, "ready, step 0, loss "));
    ns_session_step(window->session, 5);
    UI_WAIT(window, ui_has_stepped_five);
    UI_WAIT(window, ui_is_paused);
    ui_rest(window);
    subtitle = gtk_label_get_text(GTK_LABEL(ui_find(window, "subtitle_label")));
    g_assert_true(g_str_has_prefix(subtitle, "paused at step 5, loss "));
    g_assert_null(strstr(subtitle, "steps/s"));
    /* The speed is beside the timeline, with what measuring takes and what that is. */
    GtkWidget *pace = ui_find_tip(GTK_WIDGET(window), "Measured steps per second");
    g_assert_nonnull(strstr(gtk_label_get_text(GTK_LABEL(pace)), "steps/s"));
    GtkWidget *cost = ui_find_tip(GTK_WIDGET(window), "Share of the time that measuring takes");
    g_assert_false(gtk_widget_get_visible(cost)); /* nothing is measured while it is paused */
    ns_session_run(window->session);
    UI_UNTIL(gtk_widget_get_visible(cost));
    ns_session_pause(window->session);
    UI_UNTIL(!gtk_widget_get_visible(cost));
    ui_close(window);
}

static void test_finished(void)
{
    NsWindow *window = ui_open("steps=4");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ui_click(window, "run_button");
    UI_UNTIL(session->state == NS_TRAINER_FINISHED);
    g_assert_cmpint(ns_session_steps(session), ==, 4);
    g_assert_false(gtk_widget_is_sensitive(ui_find(window, "run_button")));
    g_assert_true(gtk_widget_is_sensitive(ui_find(window, "reset_button")));
    ui_close(window);
}

static void test_diverged(void)
{
    NsWindow *window = ui_open("placement=none lr=100 layers=12");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ui_click(window, "run_button");
    UI_WAIT(window, ui_is_diverged);
    ui_rest(window);
    /* The panel tells it, and so the banner does not. */
    g_assert_nonnull(session->problem);
    g_assert_false(ui_has_banner(window));
    g_assert_true(g_str_has_prefix(ns_trouble_panel_title(window->trouble), "Diverged"));
    g_assert_false(gtk_widget_is_sensitive(ui_find(window, "run_button")));
    ui_click(window, "reset_button");
    UI_WAIT(window, ui_is_ready);
    UI_UNTIL(!ns_trouble_panel_title(window->trouble));
    g_assert_false(ui_has_banner(window));
    g_assert_true(gtk_widget_is_sensitive(ui_find(window, "run_button")));
    ui_close(window);
}

static void test_close_while_running(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ui_click(window, "run_button");
    UI_WAIT(window, ui_has_stepped_five);
    ui_close(window);
    NsWindow *preparing = ui_open("");
    ui_close(preparing);
}

/* While a model takes long to prepare, the change that needs it can be taken back there. */
static void test_stop_preparing(void)
{
    NsWindow *window = ui_open("layers=2");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    g_assert_false(gtk_widget_is_visible(window->stop));
    ns_session_set(session, "layers", "1500");
    UI_UNTIL(session->state == NS_TRAINER_PREPARING);
    session->launched -= 2 * G_USEC_PER_SEC; /* a fast machine needs less than a second */
    UI_UNTIL(gtk_widget_get_mapped(window->stop));
    g_assert_cmpint(session->state, ==, NS_TRAINER_PREPARING);
    g_signal_emit_by_name(window->stop, "clicked");
    UI_WAIT(window, ui_is_ready);
    g_assert_cmpint(session->run->lane[0].layers, ==, 2);
    g_assert_false(gtk_widget_is_visible(window->stop));
    ui_close(window);
}

static void count(int *signals)
{
    ++*signals;
}

/* Less than a minute of training is not worth a question. */
static void test_close_asks(void)
{
    NsWindow *window = ui_open_running("");
    g_assert_false(ns_close_guard_asks(window));
    /* A preset, a scene or a handout that was saved does not have the run. */
    int saved = 0;
    g_signal_connect_swapped(window, "saved", G_CALLBACK(count), &saved);
    ns_window_toast_file(window, "Saved", "/tmp/normscope.preset");
    g_assert_cmpint(saved, ==, 0);
    GtkWidget *question = ns_close_guard_ask(window);
    g_assert_true(ns_close_guard_ask(window) == question);
    gtk_dialog_response(GTK_DIALOG(question), GTK_RESPONSE_CANCEL);
    ui_settle(GTK_WIDGET(window));
    g_assert_true(gtk_widget_get_mapped(GTK_WIDGET(window)));
    /* Answered with Close, the window goes. */
    gpointer weak = window;
    g_object_add_weak_pointer(G_OBJECT(window), &weak);
    gtk_dialog_response(GTK_DIALOG(ns_close_guard_ask(window)), 2);
    UI_UNTIL(weak == NULL);
}

#define SMALL "d-model=16 heads=2 seq=16 batch=4 eval-every=0 threads=1"

static void press(NsLearnPane *pane, const char *label)
{
    GtkWidget *button = NULL;
    UI_UNTIL((button = ui_find_button(GTK_WIDGET(pane), label)) &&
             gtk_widget_is_sensitive(button) && gtk_widget_get_mapped(button));
    g_signal_emit_by_name(button, "clicked");
}

/* Back and "Continue" leave a run of the card as it is. */
static void test_run_stays(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = Run.\nsetup = layers=2 " SMALL "\nrun = 6\nwait = step >= 6\n"
        "[card]\ntitle = Two\ntext = Look.\n"
        "[card]\ntitle = Three\ntext = Anew.\nsetup = layers=2 " SMALL "\n"
        "[card]\ntitle = Four\ntext = Look.\n";
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    NsLearnPane *pane = window->learn_pane;
    ns_learn_pane_begin(pane, ns_lesson_new(text, strlen(text), NULL), NULL);
    UI_WAIT(window, ui_is_ready);
    press(pane, "Run to step 6");
    UI_UNTIL(ns_learn_pane_is_done(pane));
    UI_WAIT(window, ui_is_paused);
    press(pane, "Next");
    press(pane, "Back");
    g_assert_cmpint(session->state, ==, NS_TRAINER_PAUSED);
    g_assert_true(ns_learn_pane_is_done(pane));
    press(pane, "Back");
    press(pane, "Continue with “A test”");
    g_assert_cmpint(session->state, ==, NS_TRAINER_PAUSED);
    g_assert_cmpint(ns_session_steps(session), ==, 6);
    /* A new card with a setup begins a run, another setting is taken back. */
    press(pane, "Next");
    press(pane, "Next");
    g_assert_cmpint(session->state, ==, NS_TRAINER_PREPARING);
    UI_WAIT(window, ui_is_ready);
    press(pane, "Back");
    ns_session_set(session, "lr", "0.01");
    press(pane, "Back");
    g_assert_cmpint(session->state, ==, NS_TRAINER_PREPARING);
    UI_WAIT(window, ui_is_ready);
    ui_close(window);
}

static bool offers(NsLearnPane *pane, const char *label)
{
    GtkWidget *button = ui_find_button(GTK_WIDGET(pane), label);
    return button && gtk_widget_get_mapped(button);
}

/* A card about a step that the run has gone past shows that step, and offers it where another one
 * is shown. */
static void test_step_of_card(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = So.\nsetup = layers=2 " SMALL "\n"
        "[card]\ntitle = Two\ntext = It is {grad-w2(A,0,1)}.\nhighlight = gradient-norm\n"
        "[card]\ntitle = Three\ntext = It was {loss(A,0)}.\nchart = loss\n"
        "[card]\ntitle = Four\ntext = Run.\nchart = gradient-norm\nrun = 4\n"
        "[card]\ntitle = Five\ntext = So.\nchart = gradient-norm\n";
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    NsLearnPane *pane = window->learn_pane;
    ns_learn_pane_begin(pane, ns_lesson_new(text, strlen(text), NULL), NULL);
    UI_WAIT(window, ui_is_ready);
    ns_session_step(session, 2);
    UI_UNTIL(ns_session_shown_step(session) == 2);
    UI_WAIT(window, ui_is_paused);
    press(pane, "Next");
    g_assert_cmpint(ns_session_shown_step(session), ==, 0);
    ns_session_run_to(session, 3);
    UI_UNTIL(ns_session_shown_step(session) == 3 && offers(pane, "Show step 0"));
    UI_WAIT(window, ui_is_paused);
    press(pane, "Show step 0");
    g_assert_cmpint(ns_session_shown_step(session), ==, 0);
    UI_UNTIL(!offers(pane, "Show step 0"));
    /* A chart over steps, and a card that runs, follow the newest step. */
    press(pane, "Next");
    g_assert_cmpint(ns_session_shown_step(session), ==, 3);
    press(pane, "Next");
    g_assert_cmpint(ns_session_shown_step(session), ==, 3);
    ns_session_run_to(session, 5);
    UI_UNTIL(ns_session_steps(session) == 5);
    press(pane, "Next");
    g_assert_cmpint(ns_session_shown_step(session), ==, 4);
    ui_close(window);
}

void ui_add_run_tests(void)
{
    g_test_add_func("/ui/run/close-asks", test_close_asks);
    g_test_add_func("/ui/run/run-and-pause", test_run_and_pause);
    g_test_add_func("/ui/run/step", test_step);
    g_test_add_func("/ui/run/reset", test_reset);
    g_test_add_func("/ui/run/reset-without-step", test_reset_without_step_keeps_previous_run);
    g_test_add_func("/ui/run/words", test_words);
    g_test_add_func("/ui/run/stop-preparing", test_stop_preparing);
    g_test_add_func("/ui/run/finished", test_finished);
    g_test_add_func("/ui/run/diverged", test_diverged);
    g_test_add_func("/ui/run/stays-for-a-card", test_run_stays);
    g_test_add_func("/ui/run/step-of-a-card", test_step_of_card);
    g_test_add_func("/ui/run/close-while-running", test_close_while_running);
}
