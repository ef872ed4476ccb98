/* Cards of lessons and the stage: what a card says has been measured, and what is on view is its
 * run.  SPDX-License-Identifier: MIT */
#include "core/store/bundled.h"
#include "core/store/lesson.h"
#include "tests/ui/driver.h"
#include "tests/ui/support.h"
#include "ui/widgets/charts/dashboard.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/diagram/diagram_page.h"
#include "ui/widgets/learn/learn_list.h"
#include "ui/widgets/settings/settings_pane.h"
#include "ui/widgets/shell/learning.h"
#include "ui/widgets/shell/open_file.h"
#include "ui/widgets/shell/remember.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define SMALL "d-model=16 heads=2 seq=16 batch=4 eval-every=0 threads=1"
#define LARGE "layers=120 d-model=128 heads=4 seq=64 batch=8 eval-every=0 threads=1"

static NsLearnPane *begin(NsWindow *window, const char *text)
{
    g_autoptr(GError) error = NULL;
    NsLesson *lesson = ns_lesson_new(text, strlen(text), &error);
    g_assert_no_error(error);
    NsLearnPane *pane = window->learn_pane;
    ns_learn_pane_begin(pane, lesson, NULL);
    return pane;
}

static GtkWidget *find_label(GtkWidget *root, const char *part)
{
    if (GTK_IS_LABEL(root) && gtk_widget_get_mapped(root) &&
        strstr(gtk_label_get_text(GTK_LABEL(root)), part))
        return root;
    GtkWidget *found = NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(root); child && !found;
         child = gtk_widget_get_next_sibling(child))
        found = find_label(child, part);
    return found;
}

static bool says(NsLearnPane *pane, const char *part)
{
    return find_label(GTK_WIDGET(pane), part) != NULL;
}

static void press(NsLearnPane *pane, const char *label)
{
    GtkWidget *button = NULL;
    UI_UNTIL((button = ui_find_button(GTK_WIDGET(pane), label)) &&
             gtk_widget_is_sensitive(button) && gtk_widget_get_mapped(button));
    g_signal_emit_by_name(button, "clicked");
}

/* A card that speaks of step 6 says nothing before, offers to run there, and has the numbers of the
 * run; after a reset it waits again. */
static void test_data(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = Run.\nsetup = layers=2 " SMALL "\nrun = 6\nwait = step >= 6\n"
        "[card]\ntitle = Two\ntext = A is at {loss(A,6)}, and {1+1} is two.\n"
        "[card]\ntitle = Three\ntext = So.\n"
        "[card]\ntitle = Four\ntext = A {layer} stays.\n";
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    NsLearnPane *pane = begin(window, text);
    UI_WAIT(window, ui_is_ready);
    ns_session_set_speed(session, 4);
    press(pane, "Skip card");
    g_assert_cmpint(ns_learn_pane_card(pane), ==, 1);
    UI_UNTIL(says(pane, "measured at step 6; the run is at step 1."));
    g_assert_false(says(pane, "A is at"));
    g_assert_true(says(pane, "Two"));
    GtkWidget *next = ui_find_button(GTK_WIDGET(pane), "Next");
    g_assert_false(gtk_widget_has_css_class(next, "suggested-action"));
    ns_session_set_speed(session, 0);
    UI_UNTIL(says(pane, "A is at"));
    g_assert_true(gtk_widget_has_css_class(next, "suggested-action"));
    g_assert_cmpint(ns_session_steps(session), ==, 6);
    const NsStep *last = ns_history_step(session->view->history, 6);
    g_autofree char *words = g_strdup_printf("A is at %.2f, and 2.00 is two.", last->loss);
    g_assert_true(says(pane, words));
    UI_WAIT(window, ui_is_paused);
    ns_session_reset(session);
    UI_UNTIL(says(pane, "the run is at step 0."));
    press(pane, "Run to step 6");
    UI_UNTIL(says(pane, words));
    press(pane, "Next");
    press(pane, "Next");
    UI_UNTIL(says(pane, "A {layer} stays."));
    ui_close(window);
}

/* A card without numbers waits for no step; a lesson is not done before its last card said what it
 * has to say. */
static void test_no_numbers(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = Run.\nsetup = layers=2 " SMALL "\nrun = 6\nwait = step >= 6\n"
        "[card]\ntitle = Two\ntext = Look.\n"
        "[card]\ntitle = Three\ntext = A is at {loss(A,6)}.\n"
        "[card]\ntitle = Four\ntext = A was at {loss(A,5)}.\n";
    NsWindow *window = ui_open("");
    NsLearnPane *pane = window->learn_pane;
    g_autofree char *done = g_strdup_printf("%s (done)", ns_lesson_choice(0)->label);
    ns_session_set_speed(window->session, 4);
    for (int hasty = 1; hasty >= 0; hasty--) {
        g_autoptr(GError) error = NULL;
        NsLesson *lesson = ns_lesson_new(text, strlen(text), &error);
        g_assert_no_error(error);
        ns_learn_pane_begin(pane, lesson, ns_lesson_choice(0)->key);
        UI_WAIT(window, ui_is_ready);
        press(pane, "Skip card");
        UI_UNTIL(says(pane, "Look."));
        g_assert_cmpint(ns_session_steps(window->session), <, 6);
        press(pane, "Next");
        press(pane, "Next");
        if (!hasty) UI_UNTIL(says(pane, "A was at"));
        press(pane, "Finish");
        g_assert_cmpint(says(pane, done), ==, !hasty);
        ns_session_reset(window->session);
    }
    ui_close(window);
}

static graphene_rect_t place_of(NsWindow *window, const char *label)
{
    graphene_rect_t place;
    ui_settle(GTK_WIDGET(window));
    GtkWidget *button = ui_find_button(GTK_WIDGET(window->learn_pane), label);
    g_assert_true(gtk_widget_compute_bounds(button, GTK_WIDGET(window), &place));
    return place;
}

/* Beside a drawing the buttons are where they are beside the pages. */
static void test_drawing(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = Draw.\nsetup = layers=2 " SMALL
        "\ndraw = grad-w2\nwait = drawn\n[card]\ntitle = Two\ntext = So.\n"
        "[card]\ntitle = Three\ntext = So.\n[card]\ntitle = Four\ntext = So.\n";
    NsWindow *window = ui_open("");
    NsLearnPane *pane = begin(window, text);
    UI_WAIT(window, ui_is_ready);
    gtk_window_set_default_size(GTK_WINDOW(window), 1280, 720);
    g_assert_false(gtk_widget_get_visible(GTK_WIDGET(window->pages)));
    graphene_rect_t before = place_of(window, "Back");
    press(pane, "Skip card");
    g_assert_true(gtk_widget_get_visible(GTK_WIDGET(window->pages)));
    graphene_rect_t after = place_of(window, "Back");
    g_assert_true(graphene_rect_equal(&before, &after));
    ui_close(window);
}

/* A card that waits for a divergence does not wait for the step to which its run would have gone.
 */
static void test_data_of_divergence(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = Run.\nsetup = " SMALL
        " layers=60 placement=none lr=1e-6\nrun = 30\nwait = diverged A\n"
        "[card]\ntitle = Two\ntext = It diverged.\n"
        "[card]\ntitle = Three\ntext = So.\n[card]\ntitle = Four\ntext = So.\n";
    NsWindow *window = ui_open("");
    NsLearnPane *pane = begin(window, text);
    UI_WAIT(window, ui_is_ready);
    press(pane, "Run to step 30");
    UI_UNTIL(ns_learn_pane_is_done(pane));
    press(pane, "Next");
    UI_UNTIL(says(pane, "It diverged."));
    g_assert_cmpint(ns_session_steps(window->session), <, 30);
    ui_close(window);
}

/* A setup that begins at a later step is trained up to there at once. */
static void test_start(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = The first update is {update-ratio(A,1,1)}.\nsetup = "
        "layers=2 " SMALL "\nstart = 1\n"
        "[card]\ntitle = Two\ntext = So.\n[card]\ntitle = Three\ntext = So.\n"
        "[card]\ntitle = Four\ntext = So.\n";
    NsWindow *window = ui_open("");
    NsLearnPane *pane = begin(window, text);
    UI_UNTIL(says(pane, "The first update is 0.0"));
    g_assert_cmpint(ns_session_steps(window->session), ==, 1);
    UI_WAIT(window, ui_is_paused);
    /* The same again begins no other run. */
    NsHistory *history = window->session->view->history;
    begin(window, text);
    g_assert_true(window->session->view->history == history);
    ui_close(window);
}

/* While a model is being prepared the charts of the one before fade, a line reports it, and Next
 * waits. */
static void test_preparing(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = Many layers.\nsetup = " LARGE "\n"
        "[card]\ntitle = Two\ntext = So.\n[card]\ntitle = Three\ntext = So.\n"
        "[card]\ntitle = Four\ntext = So.\n";
    NsWindow *window = ui_open_running("");
    NsSession *session = window->session;
    GtkWidget *pages = GTK_WIDGET(window->pages);
    g_assert_false(gtk_widget_has_css_class(pages, "stale"));
    NsLearnPane *pane = begin(window, text);
    g_assert_cmpint(session->state, ==, NS_TRAINER_PREPARING);
    g_assert_true(gtk_widget_has_css_class(pages, "stale"));
    GtkWidget *next = ui_find_button(GTK_WIDGET(pane), "Next");
    g_assert_false(gtk_widget_is_sensitive(next));
    UI_UNTIL(find_label(GTK_WIDGET(window), "Preparing 120 layers…"));
    UI_UNTIL(gtk_widget_is_sensitive(next));
    g_assert_cmpint(session->state, !=, NS_TRAINER_PREPARING);
    g_assert_false(gtk_widget_has_css_class(pages, "stale"));
    g_assert_null(find_label(GTK_WIDGET(window), "Preparing"));
    ui_close(window);
}

/* Next has the focus again after it has waited.  The title keeps off the buttons above it. */
static void test_focus(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = One.\nsetup = layers=2 " SMALL "\n"
        "[card]\ntitle = Two\ntext = Two.\nsetup = " SMALL " layers=3\n"
        "[card]\ntitle = Three\ntext = So.\n[card]\ntitle = Four\ntext = So.\n";
    NsWindow *window = ui_open("");
    NsLearnPane *pane = begin(window, text);
    UI_UNTIL(gtk_widget_is_sensitive(ui_find_button(GTK_WIDGET(pane), "Next")));
    gtk_widget_grab_focus(ui_find_button(GTK_WIDGET(pane), "Next"));
    press(pane, "Next");
    g_assert_false(gtk_widget_is_sensitive(ui_find_button(GTK_WIDGET(pane), "Next")));
    UI_UNTIL(gtk_widget_has_focus(ui_find_button(GTK_WIDGET(pane), "Next")));
    ui_rest(window);
    graphene_rect_t button, title;
    GtkWidget *words = ui_find_class(GTK_WIDGET(pane), "card-title");
    g_assert_true(gtk_widget_compute_bounds(ui_find_button(GTK_WIDGET(pane), "Next"),
                                            GTK_WIDGET(pane), &button));
    g_assert_true(gtk_widget_compute_bounds(words, GTK_WIDGET(pane), &title));
    bool beside = title.origin.x >= button.origin.x + button.size.width;
    float gap = beside ? title.origin.x - button.origin.x - button.size.width
                       : title.origin.y - button.origin.y - button.size.height;
    g_assert_cmpfloat(gap, >=, 12);
    ui_close(window);
}

static bool has_trouble(NsWindow *window)
{
    return ns_trouble_panel_title(window->trouble) != NULL;
}

/* Beside a card the panel of trouble stands on the thumbnails, not on the card nor on the chart of
 * which it speaks. */
static void test_trouble(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = Run.\nsetup = " SMALL
        " layers=60 placement=none lr=1e-6\npage = dashboard\nchart = loss\nrun = 30\n"
        "wait = diverged A\n"
        "[card]\ntitle = Two\ntext = So.\n[card]\ntitle = Three\ntext = So.\n"
        "[card]\ntitle = Four\ntext = So.\n";
    NsWindow *window = ui_open("");
    NsLearnPane *pane = begin(window, text);
    GtkWidget *panel = GTK_WIDGET(window->trouble);
    UI_WAIT(window, ui_is_ready);
    ui_settle(GTK_WIDGET(window));
    press(pane, "Run to step 30");
    UI_WAIT(window, has_trouble);
    UI_UNTIL(gtk_widget_get_mapped(panel));
    ui_rest(window);
    g_assert_false(ns_trouble_panel_is_folded(window->trouble));
    GtkWidget *others[] = {GTK_WIDGET(pane),
                           GTK_WIDGET(ns_dashboard_stage(ns_window_dashboard(window)))};
    graphene_rect_t bounds, other;
    g_assert_true(gtk_widget_compute_bounds(panel, GTK_WIDGET(window), &bounds));
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        g_assert_true(gtk_widget_compute_bounds(others[i], GTK_WIDGET(window), &other));
        g_assert_false(graphene_rect_intersection(&bounds, &other, NULL));
    }
    ui_close(window);
}

/* A card that asks for a change accepts and acknowledges it, and the next ones have the settings of
 * the lesson again, and its run. */
static void test_try(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = Run.\nsetup = layers=2 " SMALL
        "\nsetup-b = placement=pre\nrun = 6\nwait = step >= 6\n"
        "[card]\ntitle = Two\ntext = Move it.\ntry = placement\ntried = You moved it.\n"
        "[card]\ntitle = Three\ntext = A is at {loss(A,6)}.\n"
        "[card]\ntitle = Four\ntext = Set it.\ndo = warmup=7\n";
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    NsLearnPane *pane = begin(window, text);
    UI_WAIT(window, ui_is_ready);
    press(pane, "Run to step 6");
    UI_UNTIL(ns_learn_pane_is_done(pane));
    UI_WAIT(window, ui_is_paused);
    ns_session_show_step(session, 2);
    press(pane, "Next");
    g_assert_cmpint(ns_session_shown_step(session), ==, 6);
    UI_UNTIL(says(pane, "Move it."));
    g_assert_false(says(pane, "You moved it."));
    ns_session_set_lane(session, 0, "placement", "pre");
    UI_UNTIL(says(pane, "You moved it."));
    g_assert_false(says(pane, "may not apply"));
    /* Another setting is none of those that the card asks for. */
    ns_session_set(session, "lr", "0.01");
    UI_UNTIL(says(pane, "may not apply"));
    g_assert_false(says(pane, "You moved it."));
    ns_session_undo(session);
    UI_UNTIL(says(pane, "You moved it."));
    NsHistory *history = session->view->histories[0];
    press(pane, "Next");
    UI_UNTIL(says(pane, "A is at"));
    g_assert_false(ns_session_pending(session));
    g_assert_true(session->view->histories[0] == history);
    /* A run with the change gives way to that of the lesson. */
    press(pane, "Back");
    ns_session_set_lane(session, 0, "placement", "pre");
    ns_session_restart(session);
    UI_UNTIL(says(pane, "You moved it.") || says(pane, "the run is at step 0"));
    UI_WAIT(window, ui_is_ready);
    press(pane, "Next");
    UI_UNTIL(says(pane, "A is at"));
    g_assert_cmpint(ns_session_steps(session), ==, 6);
    g_assert_false(says(pane, "may not apply"));
    ui_close(window);
}

/* A setting that acts at once leaves the run at its step: the card says that a new one is missing.
 */
static void test_again(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = Run.\nsetup = layers=2 " SMALL "\nrun = 6\nwait = step >= 6\n"
        "[card]\ntitle = Two\ntext = Set it.\ndo = warmup=7\nrun = 6\n"
        "wait = new-run and setting A warmup >= 7 and applied and step >= 6\n"
        "[card]\ntitle = Three\ntext = So.\n[card]\ntitle = Four\ntext = So.\n";
    static const char words[] = "press Reset, then Run";
    NsWindow *window = ui_open("");
    NsLearnPane *pane = begin(window, text);
    UI_WAIT(window, ui_is_ready);
    press(pane, "Run to step 6");
    UI_UNTIL(ns_learn_pane_is_done(pane));
    UI_WAIT(window, ui_is_paused);
    press(pane, "Next");
    UI_UNTIL(says(pane, "Set it."));
    g_assert_false(says(pane, words));
    ns_session_set(window->session, "warmup", "7");
    UI_UNTIL(says(pane, words));
    g_assert_false(ns_learn_pane_is_done(pane));
    ui_click(window, "reset_button");
    UI_UNTIL(!says(pane, words));
    UI_WAIT(window, ui_is_ready);
    ui_click(window, "run_button");
    UI_UNTIL(ns_learn_pane_is_done(pane));
    UI_WAIT(window, ui_is_paused);
    /* The card stays done when it is shown again, also from the list of lessons. */
    press(pane, "Next");
    press(pane, "Back");
    g_assert_true(ns_learn_pane_is_done(pane) && !says(pane, words));
    ns_learn_pane_open(pane);
    gtk_widget_activate_action(GTK_WIDGET(pane), NS_LEARN_RESUME, NULL);
    g_assert_true(ns_learn_pane_is_done(pane) && !says(pane, words));
    /* Nor does it say so while a run with these settings is being prepared. */
    press(pane, "Back");
    press(pane, "Run to step 6");
    UI_UNTIL(ns_learn_pane_is_done(pane));
    UI_WAIT(window, ui_is_paused);
    press(pane, "Next");
    press(pane, "Set it for me");
    g_assert_false(says(pane, words));
    ui_close(window);
}

/* Slow motion, and the run in it, end on a card that does not show the diagram. */
static void test_slow_motion(void)
{
    static const char text[] = "title = A test\nsummary = For a test.\n"
                               "[card]\ntitle = One\ntext = So.\nsetup = layers=2 " SMALL
                               "\npage = diagram\nchart = diagram\n"
                               "[card]\ntitle = Two\ntext = So.\npage = diagram\nchart = diagram\n"
                               "[card]\ntitle = Three\ntext = So.\npage = dashboard\nchart = loss\n"
                               "[card]\ntitle = Four\ntext = So.\n";
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    NsLearnPane *pane = begin(window, text);
    UI_WAIT(window, ui_is_ready);
    ns_session_set_slow_motion(session, true);
    ui_click(window, "run_button");
    press(pane, "Next");
    g_assert_true(session->slow && session->wants_run);
    press(pane, "Next");
    g_assert_false(session->slow || session->wants_run);
    ui_close(window);
}

/* A card about the diagram chooses the direction of its arrows. */
static void test_direction(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = So.\nsetup = layers=2 " SMALL
        "\npage = diagram\nchart = diagram-gradient\n"
        "[card]\ntitle = Two\ntext = So.\npage = diagram\nchart = diagram\n"
        "[card]\ntitle = Three\ntext = So.\n[card]\ntitle = Four\ntext = So.\n";
    NsWindow *window = ui_open("");
    NsLearnPane *pane = begin(window, text);
    NsDiagramPage *page = NS_DIAGRAM_PAGE(ns_window_page(window));
    g_assert_cmpint(ns_diagram_page_flow(page), ==, NS_FLOW_GRADIENT);
    press(pane, "Next");
    g_assert_cmpint(ns_diagram_page_flow(page), ==, NS_FLOW_SIGNAL);
    ui_close(window);
}

static const char change_text[] =
    "title = A test\nsummary = For a test.\n"
    "[card]\ntitle = One\ntext = Run.\nsetup = layers=2 " SMALL "\nrun = 6\nwait = step >= 6\n"
    "[card]\ntitle = Two\ntext = Change.\nchange = lr=0.01\nrun = 9\n"
    "wait = setting A lr >= 0.01 and step >= 9\n"
    "[card]\ntitle = Three\ntext = The rate was {lr(A,6)}, and is {lr(A,7)}.\n"
    "[card]\ntitle = Four\ntext = So.\n";

/* The rate changes in the run of the card before, at its end. */
static void test_change(gconstpointer label)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    NsLearnPane *pane = begin(window, change_text);
    UI_WAIT(window, ui_is_ready);
    g_autoptr(NsHistory) history = ns_history_ref(session->view->histories[0]);
    press(pane, "Skip card");
    if (!label || g_str_equal(label, "Set it for me")) {
        UI_UNTIL(ns_session_steps(session) == 6);
        GtkWidget *run = ui_find_button(GTK_WIDGET(pane), "Run to step 9");
        g_assert_false(gtk_widget_is_sensitive(run));
    }
    if (label)
        press(pane, label); /* Skip at once, while the run is on its way to step 6 */
    else
        ns_session_set(session, "lr", "0.01");
    if (!label || g_str_equal(label, "Set it for me")) {
        press(pane, "Run to step 9");
        UI_UNTIL(ns_learn_pane_is_done(pane));
        g_assert_false(says(pane, "this card may"));
        press(pane, "Next");
    }
    UI_UNTIL(ns_session_steps(session) == 9 && says(pane, "The rate was 0.00300, and is 0.0100."));
    g_assert_false(says(pane, "this card may"));
    g_assert_true(session->view->histories[0] == history);
    g_assert_cmpuint(ns_history_events(history), ==, 1);
    g_assert_cmpint(ns_history_event(history, 0)->step, ==, 7);
    ui_close(window);
}

/* A run that went on without the change is none of the lesson; a button makes one that is. */
static void test_change_at_another_step(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    NsLearnPane *pane = begin(window, change_text);
    UI_WAIT(window, ui_is_ready);
    press(pane, "Skip card");
    UI_UNTIL(ns_session_steps(session) == 6);
    UI_WAIT(window, ui_is_paused);
    g_assert_false(says(pane, "this card may"));
    ns_session_step(session, 1);
    UI_UNTIL(says(pane, "at step 6, as the lesson does"));
    press(pane, "Use the lesson’s settings");
    UI_UNTIL(ns_session_steps(session) == 6 && session->experiment.lane[0].lr > 0.009);
    press(pane, "Run to step 9");
    press(pane, "Next");
    UI_UNTIL(says(pane, "The rate was 0.00300, and is 0.0100."));
    /* Settings of another run, on a card that follows. */
    ns_session_set(session, "layers", "1");
    UI_UNTIL(says(pane, "about other settings"));
    press(pane, "Use the lesson’s settings");
    UI_UNTIL(says(pane, "This card shows what is measured at step 9"));
    UI_UNTIL(says(pane, "The rate was 0.00300, and is 0.0100."));
    g_assert_cmpint(session->view->started.lane[0].layers, ==, 2);
    g_assert_false(says(pane, "this card may"));
    ui_close(window);
}

/* An answer is still there when the card is shown again, but not when the lesson begins again. */
static void test_answer(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = Look.\nsetup = layers=2 " SMALL "\n"
        "ask = Why?\nright = So\nwhy = It is so.\nchoice = Else\nwhy = It is not.\nwait = "
        "answered\n"
        "[card]\ntitle = Two\ntext = Look.\n[card]\ntitle = Three\ntext = Look.\n"
        "[card]\ntitle = Four\ntext = Look.\n";
    NsWindow *window = ui_open("");
    NsLearnPane *pane = begin(window, text);
    UI_WAIT(window, ui_is_ready);
    gtk_check_button_set_active(GTK_CHECK_BUTTON(ui_find_button(GTK_WIDGET(pane), "Else")), TRUE);
    g_assert_true(ns_learn_pane_is_done(pane));
    press(pane, "Next");
    press(pane, "Back");
    GtkWidget *verdict = find_label(GTK_WIDGET(pane), "✗ Not quite. It is not.");
    g_assert_true(gtk_widget_has_css_class(verdict, "error"));
    g_assert_true(ns_learn_pane_is_done(pane));
    begin(window, text);
    g_assert_false(ns_learn_pane_is_done(pane));
    UI_WAIT(window, ui_is_ready);
    ui_close(window);
}

static const char takes_over[] =
    "title = A test\nsummary = For a test.\n"
    "[card]\ntitle = One\ntext = So.\nsetup = layers=2 " SMALL "\n"
    "page = profile\nhighlight = momentum\n"
    "[card]\ntitle = Two\ntext = So.\npage = dashboard\n"
    "chart = gradient-norm:update-ratio\n"
    "[card]\ntitle = Three\ntext = So.\n[card]\ntitle = Four\ntext = So.\n";

/* A lesson and a preset begin with charts that are not pinned, the usual two of them large. */
static void test_charts(void)
{
    NsWindow *window = ui_open("");
    NsViewState *view_state = &ui_tile(window, LOSS)->chart->view_state;
    UI_WAIT(window, ui_is_ready);
    ns_window_show_chart(window, "gradient-norm:grad-wq");
    ns_window_show_chart(window, "hidden-norm");
    ns_view_state_pin(view_state, 0, NAN);
    begin(window, "title = A test\nsummary = For a test.\n"
                  "[card]\ntitle = One\ntext = Look.\nsetup = layers=2 " SMALL "\n"
                  "[card]\ntitle = Two\ntext = Look.\n[card]\ntitle = Three\ntext = Look.\n"
                  "[card]\ntitle = Four\ntext = Look.\n");
    g_assert_cmpuint(view_state->n_pins, ==, 0);
    NsDashboard *dashboard = ns_window_dashboard(window);
    g_assert_true(ns_dashboard_stage(dashboard) == ui_tile(window, LOSS));
    g_assert_true(ns_dashboard_second(dashboard) == ui_tile(window, GRADIENT));
    g_assert_cmpint(window->session->view->gradient, ==, NS_QUANTITY_GRAD_W2);
    /* The same for a lesson that does not begin with the dashboard. */
    ns_view_state_pin(view_state, 0, NAN);
    begin(window, takes_over);
    g_assert_cmpuint(view_state->n_pins, ==, 0);
    ns_view_state_pin(view_state, 0, NAN);
    g_action_group_activate_action(G_ACTION_GROUP(window), "preset",
                                   g_variant_new_string("first-screen"));
    g_assert_cmpuint(view_state->n_pins, ==, 0);
    UI_WAIT(window, ui_is_ready);
    /* A log that cannot be read changes nothing. */
    g_autofree char *empty = g_dir_make_tmp("normscope-empty-XXXXXX", NULL);
    g_autofree char *notes = g_build_filename(empty, "notes.md", NULL);
    g_assert_true(g_file_set_contents(notes, "notes", -1, NULL));
    ns_view_state_pin(view_state, 0, NAN);
    g_assert_false(ns_window_watch(window, (const char *const[]){empty, NULL}));
    g_assert_cmpuint(view_state->n_pins, ==, 1);
    g_remove(notes);
    g_rmdir(empty);
    ui_close(window);
}

/* A lesson that is chosen from the list begins whatever page was shown before. */
static void test_other_page(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    NsLearnPane *pane = window->learn_pane;
    ns_page_stack_show(window->pages, "profile");
    ns_learn_pane_open(pane);
    g_assert_cmpint(ns_learn_pane_card(pane), <, 0);
    gtk_widget_activate_action(GTK_WIDGET(pane), NS_LEARN_BEGIN, "u", 1);
    g_assert_cmpint(ns_learn_pane_card(pane), ==, 0);
    ui_close(window);
}

/* Whatever its width, no line of a text ends after the hyphen of a name. */
static void test_hyphen(void)
{
    GtkWidget *label =
        g_object_ref_sink(ns_learn_label_new("A is Post-LN, B is Pre-LN.", NULL, 20));
    g_autoptr(PangoLayout) text = pango_layout_copy(gtk_label_get_layout(GTK_LABEL(label)));
    int width;
    pango_layout_set_width(text, -1);
    for (pango_layout_get_pixel_size(text, &width, NULL); width > 80; width--) {
        pango_layout_set_width(text, width * PANGO_SCALE);
        for (int i = 1; i < pango_layout_get_line_count(text); i++) {
            int start = pango_layout_get_line_readonly(text, i)->start_index;
            g_assert_cmpint(pango_layout_get_text(text)[start - 1], !=, '-');
        }
    }
    g_object_unref(label);
}

/* A card that shows theory lines does so while it is shown, and no longer. */
static void test_theory(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = Theory.\nsetup = layers=2 " SMALL "\ntheory = on\n"
        "[card]\ntitle = Two\ntext = None.\n[card]\ntitle = Three\ntext = Again.\ntheory = on\n"
        "[card]\ntitle = Four\ntext = Still.\ntheory = on\n";
    for (int usual = 0; usual < 2; usual++) {
        NsWindow *window = ui_open("");
        NsSession *session = window->session;
        ns_session_show_theory(session, usual);
        NsLearnPane *pane = begin(window, text);
        UI_UNTIL(gtk_widget_is_sensitive(ui_find_button(GTK_WIDGET(pane), "Next")));
        g_assert_true(session->view->theory);
        press(pane, "Next");
        g_assert_false(session->view->theory);
        press(pane, "Next");
        press(pane, "Next");
        g_assert_true(session->view->theory);
        if (usual)
            ns_learn_pane_close(pane);
        else
            press(pane, "Finish");
        g_assert_cmpint(session->view->theory, ==, usual);
        ui_close(window);
    }
}

static void assert_stored(const char *key, const char *value)
{
    g_autofree char *stored = g_settings_get_string(ns_preferences(), key);
    g_assert_cmpstr(stored, ==, value);
}

/* What a lesson shows is not what its user chose, also if the window is closed in its middle; what
 * the user chooses meanwhile is. */
static void test_stored(void)
{
    NsWindow *window = ui_open("");
    g_settings_set_string(ns_preferences(), "gradient", "grad-w1");
    ns_remember_window(window);
    UI_WAIT(window, ui_is_ready);
    NsLearnPane *pane = begin(window, takes_over);
    UI_WAIT(window, ui_is_ready);
    g_assert_cmpstr(ns_page_stack_key(window->pages), ==, "profile");
    assert_stored("page", "dashboard");
    GtkWidget *more = ns_settings_pane_row(window->settings_pane, NS_MORE_SETTINGS);
    g_assert_true(gtk_expander_get_expanded(GTK_EXPANDER(more)));
    press(pane, "Next");
    g_assert_false(gtk_expander_get_expanded(GTK_EXPANDER(more)));
    g_assert_cmpint(window->session->view->gradient, ==, NS_QUANTITY_UPDATE_RATIO);
    ns_session_show_hidden(window->session, NS_QUANTITY_TOKEN_COSINE);
    press(pane, "Back");
    ui_close(window);
    assert_stored("gradient", "grad-w1");
    assert_stored("hidden", "token-cosine");
    assert_stored("page", "dashboard");
    g_assert_false(g_settings_get_boolean(ns_preferences(), NS_MORE_SETTINGS));
}

/* After a lesson its models stay, and a button brings back the run, the settings, the charts and
 * the layer from before it. */
static void test_way_back(void)
{
    NsWindow *window = ui_open("layers=3");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_run_to(session, 7);
    UI_UNTIL(ns_session_steps(session) == 7);
    UI_WAIT(window, ui_is_paused);
    ns_window_show_chart(window, "gradient-norm:grad-wq");
    ns_session_select_layer(session, 2);
    NsLearnPane *pane = begin(window, takes_over);
    g_assert_cmpint(session->view->layer, ==, 0);
    UI_WAIT(window, ui_is_ready);
    press(pane, "Next");
    begin(window, takes_over); /* another lesson at once */
    press(pane, "Next");
    ns_session_run_to(session, 4);
    UI_UNTIL(ns_session_steps(session) == 4);
    UI_WAIT(window, ui_is_paused);
    ns_learn_pane_close(pane);
    g_assert_cmpint(ns_session_steps(session), ==, 4);
    g_assert_cmpint(session->view->gradient, ==, NS_QUANTITY_UPDATE_RATIO);
    g_signal_emit_by_name(ui_find_button(window->toast, "Back to before the lesson"), "clicked");
    g_assert_cmpint(ns_session_steps(session), ==, 7);
    g_assert_cmpint(session->experiment.lane[0].layers, ==, 3);
    g_assert_cmpstr(ns_page_stack_key(window->pages), ==, "dashboard");
    NsChartTile *stage = ns_dashboard_stage(ns_window_dashboard(window));
    g_assert_cmpstr(stage->own.kind->choice.key, ==, "gradient-norm");
    g_assert_cmpint(session->view->gradient, ==, NS_QUANTITY_GRAD_WQ);
    g_assert_cmpint(session->view->layer, ==, 2);
    size_t n;
    ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, 2); /* that of the lesson is among them */
    ui_close(window);
}

/* A lesson begins on lane A, whichever was selected before; that one is selected again after it. */
static void test_first_lane(void)
{
    static const char text[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = So.\nsetup = layers=2 " SMALL "\nsetup-b = placement=pre\n"
        "[card]\ntitle = Two\ntext = So.\n[card]\ntitle = Three\ntext = So.\n"
        "[card]\ntitle = Four\ntext = So.\n";
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_set_lanes(session, 2);
    ns_session_set_active(session, 1);
    NsLearnPane *pane = begin(window, text);
    g_assert_cmpuint(session->active, ==, 0);
    g_assert_cmpuint(session->view->active, ==, 0);
    UI_WAIT(window, ui_is_ready);
    ns_learn_pane_close(pane);
    g_signal_emit_by_name(ui_find_button(window->toast, "Back to before the lesson"), "clicked");
    g_assert_cmpuint(session->active, ==, 1);
    ui_close(window);
}

/* Class mode hides the inspector, except on a card that asks to open it. */
static void test_inspector_in_class(void)
{
    NsWindow *window = ui_open("");
    GtkWidget *button = ui_find(window, "inspector_button");
    g_action_group_change_action_state(G_ACTION_GROUP(window), "class-mode",
                                       g_variant_new_boolean(TRUE));
    g_assert_false(gtk_widget_get_visible(button));
    g_signal_emit_by_name(window->learn_pane, "point-out", "inspector");
    g_assert_true(gtk_widget_get_visible(button));
    g_assert_true(ui_find_class(GTK_WIDGET(window), "pointed-out") == button);
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button), TRUE);
    g_assert_true(gtk_widget_get_visible(window->inspector_scroller));
    g_signal_emit_by_name(window->learn_pane, "point-out", "layers");
    g_assert_false(gtk_widget_get_visible(button));
    g_assert_false(gtk_widget_get_visible(window->inspector_scroller));
    ui_close(window);
}

/* The way back is offered once for a lesson, and not where nothing was replaced. */
static void test_way_back_offered(void)
{
    static const char same[] =
        "title = A test\nsummary = For a test.\n"
        "[card]\ntitle = One\ntext = So.\n[card]\ntitle = Two\ntext = So.\n"
        "[card]\ntitle = Three\ntext = So.\n[card]\ntitle = Four\ntext = So.\n";
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    ns_learn_pane_close(begin(window, same));
    g_assert_null(ns_toast_text(window->toast));
    ns_learn_pane_close(begin(window, takes_over));
    g_assert_cmpstr(ns_toast_text(window->toast), ==, "The models of the lesson stay on view.");
    ns_window_toast(window, "Next.");
    ns_learn_pane_open(window->learn_pane);
    ns_learn_pane_close(window->learn_pane);
    g_assert_cmpstr(ns_toast_text(window->toast), ==, "Next.");
    begin(window, takes_over);
    g_action_group_activate_action(G_ACTION_GROUP(window), "preset",
                                   g_variant_new_string("first-screen"));
    g_assert_false(ns_learn_pane_is_open(window->learn_pane));
    g_assert_nonnull(strstr(ns_toast_text(window->toast), "Six layers"));
    UI_WAIT(window, ui_is_ready);
    ui_close(window);
}

void ui_add_card_tests(void)
{
    g_test_add_func("/ui/card/stored", test_stored);
    g_test_add_func("/ui/card/way-back", test_way_back);
    g_test_add_func("/ui/card/way-back-offered", test_way_back_offered);
    g_test_add_func("/ui/card/theory", test_theory);
    g_test_add_func("/ui/card/other-page", test_other_page);
    g_test_add_func("/ui/card/data", test_data);
    g_test_add_func("/ui/card/no-numbers", test_no_numbers);
    g_test_add_func("/ui/card/drawing", test_drawing);
    g_test_add_func("/ui/card/data-of-divergence", test_data_of_divergence);
    g_test_add_func("/ui/card/start", test_start);
    g_test_add_func("/ui/card/hyphen", test_hyphen);
    g_test_add_func("/ui/card/preparing", test_preparing);
    g_test_add_func("/ui/card/focus", test_focus);
    g_test_add_func("/ui/card/trouble", test_trouble);
    g_test_add_func("/ui/card/try", test_try);
    g_test_add_func("/ui/card/inspector-in-class", test_inspector_in_class);
    g_test_add_func("/ui/card/again", test_again);
    g_test_add_func("/ui/card/slow-motion", test_slow_motion);
    g_test_add_func("/ui/card/first-lane", test_first_lane);
    g_test_add_func("/ui/card/direction", test_direction);
    g_test_add_data_func("/ui/card/change-by-button", "Set it for me", test_change);
    g_test_add_data_func("/ui/card/change-by-skip", "Skip card", test_change);
    g_test_add_data_func("/ui/card/change-by-hand", NULL, test_change);
    g_test_add_func("/ui/card/charts", test_charts);
    g_test_add_func("/ui/card/answer", test_answer);
    g_test_add_func("/ui/card/change-at-another-step", test_change_at_another_step);
}
