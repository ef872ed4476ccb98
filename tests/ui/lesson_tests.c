/* Lessons, presets, predictions and class mode in the window.  SPDX-License-Identifier: MIT */
#include "core/experiment/assignment.h"
#include "core/store/bundled.h"
#include "tests/ui/support.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/style_manager.h"
#include "ui/widgets/learn/prediction.h"
#include "ui/widgets/settings/settings_pane.h"
#include "ui/widgets/shell/learning.h"
#include "ui/widgets/shell/open_file.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define SMALL "layers=2 d-model=16 heads=2 seq=16 batch=4 eval-every=0 threads=1"
#define SMALL_LINES                                                                                \
    "layers = 2\nd-model = 16\nheads = 2\nseq = 16\nbatch = 4\neval-every = 0\nthreads = 1\n"

static const char lesson_text[] =
    "title = A test\n"
    "summary = For a test.\n"
    "[card]\ntitle = One\ntext = Two lanes.\n"
    "setup = " SMALL "\nsetup-a = placement=post\nsetup-b = placement=pre\n"
    "highlight = layers\npage = dashboard\n"
    "[card]\ntitle = Two\ntext = More layers.\nhighlight = step\n"
    "do = layers=3\nrun = 6\n"
    "wait = setting A layers = 3 and setting B layers = 3 and applied and step >= 6\n"
    "[card]\ntitle = Three\ntext = A question.\n"
    "ask = Which?\nchoice = This\nwhy = It is not that.\n"
    "right = That\nwhy = Because.\nwait = answered\n"
    "[card]\ntitle = Four\ntext = A drawing.\ndraw = hidden-norm\ndraw-lane = b\nwait = drawn\n";

static NsLearnPane *begin(NsWindow *window)
{
    g_autoptr(GError) error = NULL;
    NsLesson *lesson = ns_lesson_new(lesson_text, strlen(lesson_text), &error);
    g_assert_no_error(error);
    NsLearnPane *pane = window->learn_pane;
    ns_learn_pane_begin(pane, lesson, NULL);
    return pane;
}

/* A button, or a check button, with this label. */
static void press(NsLearnPane *pane, const char *label)
{
    GtkWidget *button = NULL;
    g_test_message("%s", label);
    UI_UNTIL((button = ui_find_button(GTK_WIDGET(pane), label)) && gtk_widget_is_sensitive(button));
    if (GTK_IS_CHECK_BUTTON(button))
        gtk_check_button_set_active(GTK_CHECK_BUTTON(button), TRUE);
    else
        g_signal_emit_by_name(button, "clicked");
}

static bool has_label(GtkWidget *root, const char *part)
{
    if (GTK_IS_LABEL(root) && strstr(gtk_label_get_text(GTK_LABEL(root)), part) &&
        gtk_widget_get_visible(root))
        return true;
    for (GtkWidget *child = gtk_widget_get_first_child(root); child;
         child = gtk_widget_get_next_sibling(child))
        if (has_label(child, part)) return true;
    return false;
}

static bool is_set(NsSession *session, size_t lane, const char *key, const char *value)
{
    g_autofree char *is = ns_settings_get(&session->experiment.lane[lane], ns_param_find(key));
    return g_str_equal(is, value);
}

static void test_list(void)
{
    NsWindow *window = ui_open("");
    NsLearnPane *pane = window->learn_pane;
    g_assert_false(ns_learn_pane_is_open(pane));
    g_action_group_activate_action(G_ACTION_GROUP(window), "learn", NULL);
    g_assert_true(ns_learn_pane_is_open(pane));
    g_assert_cmpint(ns_learn_pane_card(pane), ==, -1);
    for (size_t i = 0; ns_lesson_choice(i); i++)
        g_assert_true(has_label(GTK_WIDGET(pane), ns_lesson_choice(i)->label));
    g_assert_false(gtk_widget_get_visible(GTK_WIDGET(window->pages)));
    g_action_group_activate_action(G_ACTION_GROUP(window), "learn", NULL);
    g_assert_false(ns_learn_pane_is_open(pane));
    g_assert_true(gtk_widget_get_visible(GTK_WIDGET(window->pages)));
    ui_close(window);
}

/* Esc closes the list, and a key of a page leads to it; so does a card, which covers nothing. */
static void test_list_is_left(void)
{
    NsWindow *window = ui_open("");
    NsLearnPane *pane = window->learn_pane;
    NsPageStack *pages = window->pages;
    UI_WAIT(window, ui_is_ready);
    ns_learn_pane_open(pane);
    g_assert_true(ui_press(window, GDK_KEY_Escape));
    g_assert_false(ns_learn_pane_is_open(pane));
    for (guint key = GDK_KEY_1; key <= GDK_KEY_2; key++) {
        ns_learn_pane_open(pane);
        g_assert_true(ui_press(window, key));
        g_assert_false(ns_learn_pane_is_open(pane));
        g_assert_true(gtk_widget_get_visible(GTK_WIDGET(pages)));
        g_assert_cmpstr(ns_page_stack_key(pages), ==, ns_page_kind(key - GDK_KEY_1)->key);
    }
    ns_learn_pane_open(pane);
    ns_page_stack_show(pages, "dashboard");
    g_assert_false(ns_learn_pane_is_open(pane));
    begin(window);
    g_assert_true(ui_press(window, GDK_KEY_2));
    g_assert_cmpint(ns_learn_pane_card(pane), ==, 0);
    g_assert_true(ui_press(window, GDK_KEY_Escape));
    g_assert_false(ns_learn_pane_is_open(pane));
    ui_close(window);
}

/* Whom nobody has greeted yet finds the first look; Learn leads from it to the list. */
static void test_greet(void)
{
    g_settings_reset(ns_preferences(), "greeted");
    NsWindow *window = ui_open("");
    NsLearnPane *pane = window->learn_pane;
    ns_window_greet(window);
    g_assert_cmpint(ns_learn_pane_card(pane), ==, 0);
    g_assert_nonnull(ui_find_button(GTK_WIDGET(pane), "Run to step 200"));
    g_assert_true(ui_find_class(GTK_WIDGET(window), "pointed-out") ==
                  ui_find(window, "run_button"));
    g_action_group_activate_action(G_ACTION_GROUP(window), "learn", NULL);
    g_assert_true(ns_learn_pane_is_open(pane));
    g_assert_cmpint(ns_learn_pane_card(pane), ==, -1);
    press(pane, "Continue with “Quick tour”");
    g_assert_cmpint(ns_learn_pane_card(pane), ==, 0);
    ui_close(window);
    window = ui_open("");
    ns_window_greet(window);
    g_assert_false(ns_learn_pane_is_open(window->learn_pane));
    ui_close(window);
}

/* A card that asks for what is there begins no other run. */
static void test_set_up_already(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    begin(window);
    UI_WAIT(window, ui_is_ready);
    NsHistory *history = session->view->history;
    begin(window);
    g_assert_cmpint(session->state, ==, NS_TRAINER_READY);
    g_assert_true(session->view->history == history);
    ns_session_step(session, 1);
    UI_WAIT(window, ui_has_stepped);
    begin(window);
    UI_WAIT(window, ui_is_ready);
    g_assert_cmpint(ns_session_steps(session), ==, 0);
    ui_close(window);
}

/* While the run of a card is being prepared, what the run before had made is on view; the card does
 * not take it for its own. */
static void test_earlier_run(void)
{
    static const char text[] = "title = A test\nsummary = For a test.\n"
                               "[card]\ntitle = One\ntext = Run.\nsetup = " SMALL "\nrun = 6\n"
                               "wait = step >= 6\n"
                               "[card]\ntitle = Two\ntext = Less.\ndo = layers=1\n"
                               "wait = setting A layers = 1 and applied\n"
                               "[card]\ntitle = Three\ntext = So.\n"
                               "[card]\ntitle = Four\ntext = So.\n";
    NsWindow *window = ui_open("layers=3");
    NsSession *session = window->session;
    NsLearnPane *pane = window->learn_pane;
    g_autoptr(GError) error = NULL;
    UI_WAIT(window, ui_is_ready);
    ns_session_step(session, 9);
    UI_UNTIL(ns_session_steps(session) == 9);
    UI_WAIT(window, ui_is_paused);
    NsLesson *lesson = ns_lesson_new(text, strlen(text), &error);
    g_assert_no_error(error);
    ns_learn_pane_begin(pane, lesson, NULL);
    g_assert_cmpint(ns_session_steps(session), ==, 9);
    g_assert_false(ns_learn_pane_is_done(pane));
    press(pane, "Run to step 6");
    UI_UNTIL(ns_session_steps(session) == 6);
    UI_UNTIL(ns_learn_pane_is_done(pane));
    /* A change that restarts a run by itself is applied when that has been prepared. */
    UI_WAIT(window, ui_is_paused);
    press(pane, "Next");
    ns_session_reset(session);
    UI_WAIT(window, ui_is_ready);
    g_assert_true(ns_session_set(session, "layers", "1"));
    g_assert_cmpuint(ns_session_pending(session), ==, 0);
    g_assert_false(ns_learn_pane_is_done(pane));
    UI_UNTIL(ns_learn_pane_is_done(pane));
    g_assert_cmpint(session->view->now.lane[0].layers, ==, 1);
    ui_close(window);
}

static void test_set_up(void)
{
    NsWindow *window = ui_open_running("layers=4");
    NsSession *session = window->session;
    NsLearnPane *pane = begin(window);
    g_assert_cmpint(ns_learn_pane_card(pane), ==, 0);
    g_assert_cmpuint(session->experiment.n, ==, 2);
    UI_WAIT(window, ui_is_ready);
    g_assert_cmpint(ns_session_steps(session), ==, 0);
    g_assert_cmpuint(ns_session_pending(session), ==, 0);
    g_assert_true(is_set(session, 0, "placement", "post") &&
                  is_set(session, 1, "placement", "pre"));
    GtkWidget *row = ns_settings_pane_row(window->settings_pane, "layers");
    g_assert_true(ui_find_class(GTK_WIDGET(window), "pointed-out") == row);
    /* It waits for nothing. */
    g_assert_true(ns_learn_pane_is_done(pane));
    press(pane, "Next");
    g_assert_cmpint(ns_learn_pane_card(pane), ==, 1);
    g_assert_true(ui_find_class(GTK_WIDGET(window), "pointed-out") ==
                  ui_find(window, "step_button"));
    press(pane, "Back");
    g_assert_cmpint(ns_learn_pane_card(pane), ==, 0);
    ns_learn_pane_close(pane);
    g_assert_null(ui_find_class(GTK_WIDGET(window), "pointed-out"));
    ui_close(window);
}

/* The student does it by hand, or lets it be done. */
static void test_wait(gconstpointer by_hand)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    NsLearnPane *pane = begin(window);
    UI_WAIT(window, ui_is_ready);
    press(pane, "Next");
    g_assert_false(ns_learn_pane_is_done(pane));
    g_assert_nonnull(ui_find_button(GTK_WIDGET(pane), "Skip card"));
    if (by_hand) {
        ns_session_step(session, 6);
        UI_WAIT(window, ui_has_stepped_five);
        UI_WAIT(window, ui_is_paused);
        /* The setting is made, and waits. */
        g_assert_true(ns_session_set(session, "layers", "3"));
        g_assert_cmpint(ns_session_steps(session), ==, 6);
        g_assert_false(ns_learn_pane_is_done(pane));
        ns_session_restart(session);
    } else {
        GtkWidget *run = ui_find_button(GTK_WIDGET(pane), "Run to step 6");
        g_assert_false(gtk_widget_is_sensitive(run)); /* it would train the model before */
        press(pane, "Set it for me");
    }
    UI_WAIT(window, ui_is_ready);
    g_assert_false(ns_learn_pane_is_done(pane));
    if (by_hand)
        ns_session_step(session, 6);
    else
        press(pane, "Run to step 6");
    UI_UNTIL(ui_find_button(GTK_WIDGET(pane), "Next") != NULL);
    g_assert_true(ns_learn_pane_is_done(pane));
    UI_WAIT(window, ui_is_paused);
    g_assert_cmpint(ns_session_steps(session), ==, 6);
    g_assert_true(is_set(session, 1, "layers", "3") && is_set(session, 1, "placement", "pre"));
    press(pane, "Next");
    g_assert_cmpint(ns_learn_pane_card(pane), ==, 2);
    ui_close(window);
}

/* Run rests where the card says, and goes on when it is pressed again. */
static void test_run_rests(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    NsLearnPane *pane = begin(window);
    press(pane, "Next");
    press(pane, "Set it for me");
    g_assert_nonnull(ui_find_class(GTK_WIDGET(window), "pointed-out"));
    ui_click(window, "run_button");
    UI_UNTIL(ns_learn_pane_is_done(pane));
    UI_UNTIL(!ui_find_class(GTK_WIDGET(window), "pointed-out"));
    UI_WAIT(window, ui_is_paused);
    g_assert_cmpint(ns_session_steps(session), ==, 6);
    ui_click(window, "run_button");
    UI_UNTIL(ns_session_steps(session) > 8);
    ns_session_pause(session);
    UI_WAIT(window, ui_is_paused);
    ui_close(window);
}

/* Run is pressed while the model is still being prepared. */
static void test_run_at_once(void)
{
    NsWindow *window = ui_open("");
    NsLearnPane *pane = begin(window);
    press(pane, "Next");
    press(pane, "Set it for me");
    press(pane, "Run to step 6");
    UI_UNTIL(ns_learn_pane_is_done(pane));
    UI_WAIT(window, ui_is_paused);
    g_assert_cmpint(ns_session_steps(window->session), ==, 6);
    ui_close(window);
}

/* Alt+Right and Alt+Left, wherever the focus is. */
static void press_shortcut(GtkWidget *pane, guint keyval)
{
    g_autoptr(GListModel) controllers = gtk_widget_observe_controllers(pane);
    for (guint i = 0; i < g_list_model_get_n_items(controllers); i++) {
        g_autoptr(GtkEventController) keys = g_list_model_get_item(controllers, i);
        if (!GTK_IS_SHORTCUT_CONTROLLER(keys)) continue;
        for (guint k = 0; k < g_list_model_get_n_items(G_LIST_MODEL(keys)); k++) {
            g_autoptr(GtkShortcut) shortcut = g_list_model_get_item(G_LIST_MODEL(keys), k);
            GtkKeyvalTrigger *trigger = GTK_KEYVAL_TRIGGER(gtk_shortcut_get_trigger(shortcut));
            if (gtk_keyval_trigger_get_keyval(trigger) == keyval)
                gtk_shortcut_action_activate(gtk_shortcut_get_action(shortcut), 0, pane, NULL);
        }
    }
}

/* A jump of the loss pauses other runs, and this one no longer than a moment. */
static void test_run_over_jump(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = A rate that is far too large.\n"
        "setup = " SMALL " placement=pre warmup=1 lr=1\nrun = 30\nwait = step >= 30\n"
        "[card]\ntitle = Two\ntext = More.\n"
        "[card]\ntitle = Three\ntext = More.\n"
        "[card]\ntitle = Four\ntext = More.\n";
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    g_autoptr(GError) error = NULL;
    NsLesson *lesson = ns_lesson_new(text, strlen(text), &error);
    g_assert_no_error(error);
    ns_learn_pane_begin(window->learn_pane, lesson, NULL);
    UI_WAIT(window, ui_is_ready);
    press(window->learn_pane, "Run to step 30");
    UI_UNTIL(ns_learn_pane_is_done(window->learn_pane));
    NsHistory *history = session->view->history;
    g_assert_cmpuint(ns_history_events(history), >, 0);
    g_assert_cmpint(ns_history_event(history, 0)->kind, ==, NS_EVENT_SPIKE);
    g_assert_cmpint(ns_history_event(history, 0)->step, <, 30);
    ui_close(window);
}

/* A run that has come as far already is none of what a skipped card asked for. */
static void test_skip_after_run(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    NsLearnPane *pane = begin(window);
    UI_WAIT(window, ui_is_ready);
    press(pane, "Next");
    ns_session_step(session, 6);
    UI_UNTIL(ns_session_steps(session) == 6);
    UI_WAIT(window, ui_is_paused);
    press(pane, "Skip card");
    /* Again, at once: the new run is not prepared yet, and what is shown is the old one. */
    press(pane, "Back");
    g_signal_emit_by_name(ui_find_button(GTK_WIDGET(pane), "Run to step 6"), "clicked");
    UI_UNTIL(session->view->now.lane[0].layers == 3 && ns_session_steps(session) == 6);
    ui_close(window);
}

/* A run that a card asks for goes on when the card is skipped. */
static void test_skip_on_its_way(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    NsLearnPane *pane = begin(window);
    UI_WAIT(window, ui_is_ready);
    press(pane, "Next");
    press(pane, "Set it for me");
    UI_UNTIL(session->view->started.lane[0].layers == 3 && ui_is_ready(window));
    ns_session_step(session, 3);
    UI_UNTIL(ns_session_steps(session) == 3 && ui_is_paused(window));
    g_autoptr(NsHistory) history = ns_history_ref(session->view->histories[0]);
    press(pane, "Skip card");
    UI_UNTIL(ns_session_steps(session) == 6);
    g_assert_true(session->view->histories[0] == history);
    ui_close(window);
}

static void test_keys(void)
{
    NsWindow *window = ui_open("");
    NsLearnPane *pane = begin(window);
    UI_UNTIL(gtk_widget_is_sensitive(ui_find_button(GTK_WIDGET(pane), "Next")));
    press_shortcut(GTK_WIDGET(pane), GDK_KEY_Right);
    g_assert_cmpint(ns_learn_pane_card(pane), ==, 1);
    press_shortcut(GTK_WIDGET(pane), GDK_KEY_Left);
    g_assert_cmpint(ns_learn_pane_card(pane), ==, 0);
    ns_learn_pane_close(pane);
    press_shortcut(GTK_WIDGET(pane), GDK_KEY_Right);
    g_assert_cmpint(ns_learn_pane_card(pane), ==, -1);
    UI_WAIT(window, ui_is_ready);
    ui_close(window);
}

static void test_question(void)
{
    NsWindow *window = ui_open("");
    NsLearnPane *pane = begin(window);
    UI_WAIT(window, ui_is_ready);
    press(pane, "Next");
    press(pane, "Skip card");
    g_assert_false(ns_learn_pane_is_done(pane));
    g_assert_false(has_label(GTK_WIDGET(pane), "Because."));
    press(pane, "This");
    g_assert_true(has_label(GTK_WIDGET(pane), "✗ Not quite. It is not that."));
    g_assert_true(ns_learn_pane_is_done(pane));
    press(pane, "That");
    g_assert_true(has_label(GTK_WIDGET(pane), "✓ Yes. Because."));
    g_assert_false(has_label(GTK_WIDGET(pane), "Not quite"));
    ui_close(window);
}

static void test_prediction(void)
{
    NsWindow *window = ui_open("");
    NsLearnPane *pane = begin(window);
    UI_WAIT(window, ui_is_ready);
    press(pane, "Next");
    press(pane, "Skip card");
    press(pane, "Skip card");
    g_assert_cmpint(ns_learn_pane_card(pane), ==, 3);
    /* What was skipped is done, so that the drawing is of the model of which the card speaks. */
    UI_UNTIL(ns_session_steps(window->session) == 6);
    NsPrediction *prediction = NS_PREDICTION(ui_first(GTK_WIDGET(pane), NS_TYPE_PREDICTION));
    GtkWidget *compare = ui_find_button(GTK_WIDGET(pane), "Compare");
    g_assert_false(gtk_widget_is_sensitive(compare));
    for (size_t i = 0; i < 3; i++) ns_prediction_set(prediction, i, 4);
    g_assert_cmpuint(ns_prediction_missing(prediction), ==, 1);
    g_assert_true(has_label(GTK_WIDGET(pane), "Draw 1 more point."));
    g_assert_false(gtk_widget_is_sensitive(compare));
    ns_prediction_set(prediction, 3, 5);
    g_assert_cmpuint(ns_prediction_missing(prediction), ==, 0);
    g_assert_false(gtk_widget_get_visible(GTK_WIDGET(window->pages)));
    g_assert_false(gtk_widget_get_mapped(ui_find(window, "inspector_scroller")));
    press(pane, "Compare");
    g_assert_true(prediction->compared);
    g_assert_true(ns_learn_pane_is_done(pane));
    g_assert_true(has_label(GTK_WIDGET(pane), "correlation 0.77"));
    press(pane, "Finish");
    g_assert_cmpint(ns_learn_pane_card(pane), ==, -1);
    g_assert_true(ns_learn_pane_is_open(pane));
    ui_close(window);
}

static void drag(GtkWidget *widget, double x0, double y0, double x1, double y1)
{
    GtkEventController *gesture = ui_controller(widget, GTK_TYPE_GESTURE_DRAG, NULL);
    g_signal_emit_by_name(gesture, "drag-begin", x0, y0);
    g_signal_emit_by_name(gesture, "drag-update", x1 - x0, y1 - y0);
}

/* On its own in a window: what keys and pointer draw is what is scored. */
static void test_drawing(void)
{
    GtkWidget *window = gtk_window_new();
    int quantity = ns_choices_find(ns_quantity_choice, "grad-w2");
    GtkWidget *drawing = ns_prediction_new((NsQuantity)quantity, 0, 4, 1, 0.1, 10);
    NsPrediction *prediction = NS_PREDICTION(drawing);
    const double middle[] = {1, 1, 1, 1}, raised[] = {1, 1, pow(100, 2 / 24.0), 1};
    gtk_window_set_child(GTK_WINDOW(window), drawing);
    gtk_window_present(GTK_WINDOW(window));
    UI_UNTIL(gtk_widget_get_width(drawing) > 0);
    g_assert_null(ns_prediction_compare(prediction, middle, 4));
    g_assert_true(ui_key(drawing, GDK_KEY_Right, 0) && ui_key(drawing, GDK_KEY_Right, 0));
    g_assert_true(ui_key(drawing, GDK_KEY_Up, 0) && ui_key(drawing, GDK_KEY_Up, 0));
    g_assert_false(ui_key(drawing, GDK_KEY_a, 0));
    g_assert_cmpuint(ns_prediction_missing(prediction), ==, 0);
    g_assert_null(ns_prediction_compare(prediction, raised, 3));
    g_autofree char *words = ns_prediction_compare(prediction, raised, 4);
    g_assert_true(strstr(words, "correlation 1.00") && strstr(words, "factor of 1.0 "));
    g_autofree char *opposite = ns_prediction_compare(prediction, (double[]){1, 1, 0.7, 1}, 4);
    g_assert_nonnull(strstr(opposite, "correlation −1.00"));
    g_assert_false(ui_key(drawing, GDK_KEY_Up, 0));
    gtk_window_destroy(GTK_WINDOW(window));

    window = gtk_window_new();
    drawing = ns_prediction_new((NsQuantity)quantity, 0, 4, 1, 0.1, 10);
    gtk_window_set_child(GTK_WINDOW(window), drawing);
    gtk_window_present(GTK_WINDOW(window));
    UI_UNTIL(gtk_widget_get_width(drawing) > 0);
    int width = gtk_widget_get_width(drawing), height = gtk_widget_get_height(drawing);
    drag(drawing, 0, height, width, 0);
    const double rising[] = {0.1, 0.5, 2, 10};
    g_autofree char *stroke = ns_prediction_compare(NS_PREDICTION(drawing), rising, 4);
    g_assert_nonnull(strstr(stroke, "correlation 1.00"));
    g_assert_nonnull(strstr(stroke, "factor of 1.0 "));
    gtk_window_destroy(GTK_WINDOW(window));
}

static void test_preset(void)
{
    NsWindow *window = ui_open_running("");
    NsSession *session = window->session;
    static const char text[] =
        "title = Two\n" SMALL_LINES "hide = layers, export\nlarge-text = on\n"
        "[A]\nplacement = none\n[B]\nplacement = sandwich\n";
    g_auto(NsPreset) preset, saved;
    g_autoptr(GError) error = NULL;
    ns_preset_init(&preset);
    ns_preset_read(&preset, text, strlen(text), &error);
    g_assert_no_error(error);
    ns_window_open_preset(window, &preset);
    UI_WAIT(window, ui_is_ready);
    g_assert_cmpint(ns_session_steps(session), ==, 0);
    g_assert_true(is_set(session, 0, "placement", "none") &&
                  is_set(session, 1, "placement", "sandwich"));
    ns_window_make_preset(window, &saved);
    for (size_t i = 0; i < 2; i++) {
        g_autofree char *one = ns_settings_line(&preset.experiment.lane[i], true);
        g_autofree char *other = ns_settings_line(&saved.experiment.lane[i], true);
        g_assert_cmpstr(one, ==, other);
    }
    GtkWidget *row = ns_settings_pane_row(window->settings_pane, "layers");
    GtkWidget *other = ns_settings_pane_row(window->settings_pane, "lr");
    g_assert_true(ns_class_mode_is_on(window));
    g_assert_false(gtk_widget_get_visible(row));
    g_assert_true(gtk_widget_get_visible(other));
    g_assert_false(gtk_widget_get_visible(ui_find(window, "export_button")));
    g_assert_cmpfloat(ns_text_scale(row), >, 1.2);
    ns_window_open_preset(window, &preset);
    g_assert_false(gtk_widget_get_visible(row));
    GtkWidget *leave = ui_find_tip(GTK_WIDGET(window), "Leave class mode");
    g_assert_true(gtk_widget_get_visible(leave));
    g_signal_emit_by_name(leave, "clicked");
    g_assert_false(ns_class_mode_is_on(window));
    g_assert_true(gtk_widget_get_visible(row));
    g_assert_true(gtk_widget_get_visible(ui_find(window, "export_button")));
    g_assert_false(gtk_widget_get_visible(leave));
    g_assert_cmpfloat(ns_text_scale(row), <, 1.1);
    ui_close(window);
}

/* What a preset hides stays hidden, whatever else shows and hides it too. */
static void open_hiding(NsWindow *window, const char *hide)
{
    g_autofree char *text =
        g_strdup_printf("title = Less\n" SMALL_LINES "hide = %s\n[A]\nplacement = pre\n", hide);
    g_auto(NsPreset) preset;
    g_autoptr(GError) error = NULL;
    ns_preset_init(&preset);
    ns_preset_read(&preset, text, strlen(text), &error);
    g_assert_no_error(error);
    ns_window_open_preset(window, &preset);
    UI_WAIT(window, ui_is_ready);
}

static bool is_shown(NsWindow *window, const char *id)
{
    return gtk_widget_get_mapped(ui_find(window, id));
}

static void set_width(NsWindow *window, int width, bool pane_is_shown)
{
    gtk_window_set_default_size(GTK_WINDOW(window), width, 700);
    UI_UNTIL(is_shown(window, "pane_scroller") == pane_is_shown);
    ui_settle(GTK_WIDGET(window));
}

static void leave_class_mode(NsWindow *window)
{
    g_action_group_change_action_state(G_ACTION_GROUP(window), "class-mode",
                                       g_variant_new_boolean(FALSE));
    ui_settle(GTK_WIDGET(window));
}

static void test_preset_folds(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    set_width(window, 1200, true);
    open_hiding(window, "step, export, learn, inspector_scroller");
    static const char *const hidden[] = {"step_button", "export_button", "learn_button",
                                         "inspector_scroller"};
    for (size_t i = 0; i < G_N_ELEMENTS(hidden); i++) g_assert_false(is_shown(window, hidden[i]));
    set_width(window, 700, false);
    set_width(window, 1200, true);
    for (size_t i = 0; i < G_N_ELEMENTS(hidden); i++) g_assert_false(is_shown(window, hidden[i]));
    /* What the width hides, a preset that is left does not show. */
    set_width(window, 700, false);
    leave_class_mode(window);
    g_assert_true(is_shown(window, "learn_button"));
    g_assert_false(is_shown(window, "step_button") || is_shown(window, "export_button") ||
                   is_shown(window, "inspector_scroller"));
    set_width(window, 1200, true);
    for (size_t i = 0; i < G_N_ELEMENTS(hidden); i++) g_assert_true(is_shown(window, hidden[i]));
    /* A preset that comes while the header is folded hides what the width hides already. */
    set_width(window, 700, false);
    open_hiding(window, "export");
    set_width(window, 1200, true);
    g_assert_false(is_shown(window, "export_button"));
    leave_class_mode(window);
    g_assert_true(is_shown(window, "export_button"));
    ui_close(window);
}

/* Charts are there as long as their lanes, panes as their keys say, a banner's button as the run
 * needs it; and none of them brings back what a preset hides. */
static void test_preset_hides_parts(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    GActionGroup *actions = G_ACTION_GROUP(window);
    UI_WAIT(window, ui_is_ready);
    open_hiding(window, "loss, pane_scroller, banner_button");
    GtkWidget *loss = ns_window_part(window, "loss");
    g_assert_true(NS_IS_CHART_TILE(loss));
    g_assert_false(gtk_widget_get_visible(loss));
    ns_session_step(session, 3);
    UI_UNTIL(ns_session_steps(session) == 3);
    ns_session_show_step(session, 1);
    g_assert_false(gtk_widget_get_visible(loss));
    for (int i = 0; i < 2; i++) {
        g_action_group_activate_action(actions, "pane", NULL);
        g_assert_false(is_shown(window, "pane_scroller"));
    }
    leave_class_mode(window);
    g_assert_true(gtk_widget_get_visible(loss) && is_shown(window, "pane_scroller"));
    g_action_group_activate_action(actions, "pane", NULL);
    g_assert_false(is_shown(window, "pane_scroller"));
    open_hiding(window, "pane_scroller, banner_button");
    leave_class_mode(window);
    g_assert_false(is_shown(window, "pane_scroller") || is_shown(window, "banner_button"));
    ui_close(window);
}

/* A file that is dropped, opened or named on the command line. */
static void test_preset_file(void)
{
    NsWindow *window = ui_open_running("");
    NsSession *session = window->session;
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "normscope-ui-test.preset", NULL);
    g_assert_true(g_file_set_contents(
        path, "title = T\nlarge-text = on\n" SMALL_LINES "[A]\nlr = 0.01\n[B]\nlr = 0.02\n", -1,
        NULL));
    ns_window_open(window, path, false);
    g_assert_cmpuint(session->experiment.n, ==, 2);
    g_assert_true(is_set(session, 0, "lr", "0.01") && is_set(session, 1, "lr", "0.02"));
    g_assert_true(ns_class_mode_is_on(window));
    UI_WAIT(window, ui_is_ready);
    g_assert_cmpint(ns_session_steps(session), ==, 0);
    g_assert_true(g_file_set_contents(path, "title = T\nlayers = many\n", -1, NULL));
    ns_window_open(window, path, false);
    g_assert_nonnull(strstr(ns_toast_text(window->toast), "Line 2"));
    g_assert_cmpuint(session->experiment.n, ==, 2);
    g_unlink(path);
    ui_close(window);
}

/* Charts in class mode have larger text, too. */
static void test_chart_style(void)
{
    NsWindow *window = ui_open("");
    double size = ns_chart_style_for(GTK_WIDGET(window))->text_size;
    ns_class_mode_set(window, true, NULL);
    g_assert_cmpfloat(ns_chart_style_for(GTK_WIDGET(window))->text_size, >, 1.2 * size);
    ns_class_mode_set(window, false, NULL);
    g_assert_cmpfloat(ns_chart_style_for(GTK_WIDGET(window))->text_size, <, 1.01 * size);
    UI_WAIT(window, ui_is_ready);
    ui_close(window);
}

static void test_preset_action(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    g_action_group_activate_action(G_ACTION_GROUP(window), "preset",
                                   g_variant_new_string("sgd-adam"));
    g_assert_cmpuint(window->session->experiment.n, ==, 3);
    g_assert_true(is_set(window->session, 0, "optimizer", "sgd"));
    g_assert_nonnull(ns_toast_text(window->toast));
    UI_WAIT(window, ui_is_ready);
    ui_close(window);
}

static void test_class_mode(void)
{
    NsWindow *window = ui_open("");
    g_action_group_change_action_state(G_ACTION_GROUP(window), "class-mode",
                                       g_variant_new_boolean(TRUE));
    g_assert_true(ns_class_mode_is_on(window));
    GtkWidget *button = ui_find(window, "inspector_button");
    g_assert_false(gtk_widget_get_visible(button)); /* nor its pane */
    g_action_group_change_action_state(G_ACTION_GROUP(window), "class-mode",
                                       g_variant_new_boolean(FALSE));
    g_assert_false(ns_class_mode_is_on(window));
    g_assert_true(gtk_widget_get_visible(button));
    ui_close(window);
}

/* Whether a page of charts has the chart of a card. */
static bool has_chart(NsWindow *window, const char *chart)
{
    g_autoptr(GArray) specs = g_array_new(FALSE, FALSE, sizeof(NsFigureSpec));
    g_autoptr(GError) error = NULL;
    NsDashboard *dashboard = ns_window_dashboard(window);
    NsChartTile *tile;
    g_assert_true(dashboard && ns_figure_specs_read(specs, chart, &error));
    g_assert_no_error(error);
    for (size_t i = 0; (tile = ns_dashboard_tile(dashboard, i)); i++)
        if (tile->own.kind == g_array_index(specs, NsFigureSpec, 0).kind) return true;
    return false;
}

/* Every part that a lesson of the program points out, and every page it asks for, is there; and
 * beside charts every card names one. */
static void test_parts(void)
{
    NsWindow *window = ui_open("");
    for (size_t i = 0; ns_lesson_choice(i); i++) {
        g_autoptr(NsLesson) lesson = ns_lesson_open(i, NULL);
        for (size_t c = 0; c < lesson->n; c++) {
            const NsCard *card = &lesson->card[c];
            const char *part = card->highlight, *page = card->page;
            if (page) g_assert_true(ns_page_stack_show(window->pages, page));
            bool named = card->chart || (part && ns_figure_find(part));
            if (ns_window_dashboard(window)) g_assert_true(named);
            if (card->chart && ns_window_dashboard(window))
                g_assert_true(has_chart(window, card->chart));
            /* On the page Diagram every card names the direction of the arrows. */
            if (g_strcmp0(page, "diagram") == 0) g_assert_nonnull(card->chart);
            if (!part) continue;
            g_test_message("%s", part);
            g_assert_nonnull(ns_window_part(window, part));
        }
    }
    ui_close(window);
}

/* A row of the settings that are folded away is unfolded and brought into view. */
static void test_unfold(void)
{
    NsWindow *window = ui_open("");
    GtkWidget *pane = window->settings_pane;
    GtkWidget *row = ns_settings_pane_row(pane, "momentum");
    GtkExpander *more = GTK_EXPANDER(ns_settings_pane_row(pane, NS_MORE_SETTINGS));
    UI_WAIT(window, ui_is_ready);
    g_assert_false(gtk_expander_get_expanded(more));
    g_signal_emit_by_name(window->learn_pane, "point-out", "layers");
    g_assert_false(gtk_expander_get_expanded(more));
    g_signal_emit_by_name(window->learn_pane, "point-out", "momentum");
    g_assert_true(gtk_expander_get_expanded(more));
    g_assert_true(ui_find_class(GTK_WIDGET(window), "pointed-out") == row);
    GtkWidget *scroller = gtk_widget_get_ancestor(row, GTK_TYPE_SCROLLED_WINDOW);
    graphene_rect_t bounds;
    UI_UNTIL(gtk_widget_get_mapped(row) && gtk_widget_compute_bounds(row, scroller, &bounds) &&
             bounds.size.height > 0 && bounds.origin.y >= 0 &&
             bounds.origin.y + bounds.size.height <= (float)gtk_widget_get_height(scroller));
    /* Where it is folded away again, it is not pointed out any more once another is. */
    gtk_expander_set_expanded(more, FALSE);
    g_signal_emit_by_name(window->learn_pane, "point-out", "layers");
    g_assert_false(gtk_widget_has_css_class(row, "pointed-out"));
    ui_close(window);
}

static void test_other_settings(void)
{
    static const char *const settings[][2] = {{"threads", "2"}, {"recompute", "on"}, {"lr", "0.5"}};
    NsWindow *window = ui_open("");
    GtkWidget *button = ui_find_button(GTK_WIDGET(begin(window)), "Use the lesson’s settings");
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        g_assert_true(ns_session_set(window->session, settings[i][0], settings[i][1]));
        ns_learn_pane_set_page(window->learn_pane, "dashboard"); /* it looks at once */
        g_assert_true(gtk_widget_get_visible(gtk_widget_get_parent(button)) == (i == 2));
    }
    ui_close(window);
}

void ui_add_lesson_tests(void)
{
    g_test_add_func("/ui/lesson/unfold", test_unfold);
    g_test_add_func("/ui/lesson/list", test_list);
    g_test_add_func("/ui/lesson/list-is-left", test_list_is_left);
    g_test_add_func("/ui/lesson/greet", test_greet);
    g_test_add_func("/ui/lesson/earlier-run", test_earlier_run);
    g_test_add_func("/ui/lesson/set-up", test_set_up);
    g_test_add_func("/ui/lesson/set-up-already", test_set_up_already);
    g_test_add_data_func("/ui/lesson/by-hand", GINT_TO_POINTER(true), test_wait);
    g_test_add_data_func("/ui/lesson/by-button", GINT_TO_POINTER(false), test_wait);
    g_test_add_func("/ui/lesson/run-rests", test_run_rests);
    g_test_add_func("/ui/lesson/run-at-once", test_run_at_once);
    g_test_add_func("/ui/lesson/run-over-jump", test_run_over_jump);
    g_test_add_func("/ui/lesson/skip-after-run", test_skip_after_run);
    g_test_add_func("/ui/lesson/skip-on-its-way", test_skip_on_its_way);
    g_test_add_func("/ui/lesson/other-settings", test_other_settings);
    g_test_add_func("/ui/lesson/keys", test_keys);
    g_test_add_func("/ui/lesson/question", test_question);
    g_test_add_func("/ui/lesson/prediction", test_prediction);
    g_test_add_func("/ui/lesson/drawing", test_drawing);
    g_test_add_func("/ui/lesson/preset", test_preset);
    g_test_add_func("/ui/lesson/preset-folds", test_preset_folds);
    g_test_add_func("/ui/lesson/preset-hides-parts", test_preset_hides_parts);
    g_test_add_func("/ui/lesson/preset-file", test_preset_file);
    g_test_add_func("/ui/lesson/chart-style", test_chart_style);
    g_test_add_func("/ui/lesson/preset-action", test_preset_action);
    g_test_add_func("/ui/lesson/class-mode", test_class_mode);
    g_test_add_func("/ui/lesson/parts", test_parts);
}
