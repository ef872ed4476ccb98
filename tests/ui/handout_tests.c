/* Handouts of lessons, made from the window.  SPDX-License-Identifier: MIT */
#include "core/store/bundled.h"
#include "tests/ui/support.h"
#include "ui/figures/handout.h"
#include "ui/widgets/learn/learn_list.h"
#include "ui/widgets/shell/handout.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define SHORT 2 /* lessons that take a second without a step, and half a minute */
#define LONG 10

static char *folder;

static bool is_free(NsWindow *window)
{
    return g_action_group_get_action_enabled(G_ACTION_GROUP(window), "handout");
}

static bool is_training(NsWindow *window)
{
    const char *text = ns_toast_text(window->toast);
    return text && g_str_has_prefix(text, "Handout: card ");
}

/* Chooses a lesson in the menu of the list, and a name as the dialog passes it on. */
static void choose(NsWindow *window, size_t lesson, const char *name)
{
    ns_learn_pane_open(window->learn_pane);
    GtkWidget *button = ui_find_tip(GTK_WIDGET(window->learn_pane), "Save a lesson as a PDF");
    GMenuModel *menu = gtk_menu_button_get_menu_model(GTK_MENU_BUTTON(button));
    g_autofree char *action = NULL, *key = NULL;
    g_assert_true(
        g_menu_model_get_item_attribute(menu, (int)lesson, G_MENU_ATTRIBUTE_ACTION, "s", &action));
    g_assert_true(
        g_menu_model_get_item_attribute(menu, (int)lesson, G_MENU_ATTRIBUTE_TARGET, "s", &key));
    g_assert_cmpstr(key, ==, ns_lesson_choice(lesson)->key);
    g_assert_true(gtk_widget_activate_action(button, action, "s", key));
    UI_UNTIL(ui_file_dialog());
    GtkFileChooser *chooser = GTK_FILE_CHOOSER(ui_file_dialog());
    g_autofree char *proposed = g_strconcat(key, ".pdf", NULL);
    g_autofree char *shown = gtk_file_chooser_get_current_name(chooser);
    g_assert_cmpstr(shown, ==, proposed);
    ui_answer_file_dialog(GTK_RESPONSE_CANCEL);
    g_autofree char *path = g_build_filename(folder, name, NULL);
    ns_handout_save(window, path);
}

/* A name without ending gets one, and a file that is there then is kept. */
static void test_save(void)
{
    folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "two.pdf", NULL), *bytes = NULL;
    g_autofree char *bare = g_build_filename(folder, "two", NULL);
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    g_assert_true(is_free(window));
    choose(window, SHORT, "two");
    g_assert_false(is_free(window));
    UI_WAIT(window, is_free);
    g_assert_cmpstr(ns_toast_text(window->toast), ==, "Saved two.pdf");
    g_assert_nonnull(ui_find_button(window->toast, "Show in folder"));
    g_assert_cmpint(ns_session_steps(window->session), ==, 0);
    g_assert_true(g_file_get_contents(path, &bytes, NULL, NULL));
    g_assert_true(g_str_has_prefix(bytes, "%PDF-"));
    g_assert_true(g_file_set_contents(path, "mine", -1, NULL));
    ns_handout_save(window, bare);
    g_assert_true(is_free(window));
    g_assert_cmpstr(ns_toast_text(window->toast), ==,
                    "two.pdf exists already, and nothing was saved.");
    g_free(bytes);
    g_assert_true(g_file_get_contents(path, &bytes, NULL, NULL));
    g_assert_cmpstr(bytes, ==, "mine");
    g_unlink(path);
    g_assert_cmpint(g_rmdir(folder), ==, 0);
    g_free(folder);
    ui_close(window);
}

/* Neither the button of the toast nor the end of the window leaves a file. */
static void test_stop(void)
{
    folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    choose(window, LONG, "ten.pdf");
    UI_WAIT(window, is_training);
    ns_window_toast(window, "Another."); /* is not replaced at once */
    for (gint64 end = g_get_monotonic_time() + G_USEC_PER_SEC; g_get_monotonic_time() < end;) {
        ui_turn();
        g_assert_cmpstr(ns_toast_text(window->toast), ==, "Another.");
    }
    UI_WAIT(window, is_training);
    g_signal_emit_by_name(ui_find_button(window->toast, "Stop"), "clicked");
    UI_WAIT(window, is_free);
    g_assert_null(ns_toast_text(window->toast));
    choose(window, SHORT, "two.pdf");
    g_assert_false(is_free(window));
    ui_close(window);
    /* Longer than the rest of that lesson. */
    for (gint64 end = g_get_monotonic_time() + 10 * G_USEC_PER_SEC; g_get_monotonic_time() < end;)
        ui_turn();
    g_assert_cmpint(g_rmdir(folder), ==, 0);
    g_free(folder);
}

static bool stop_at_once(void *calls, size_t card, int64_t step, int64_t until, double loss)
{
    g_assert_true(card == 0 && step == 0 && until == 0 && isnan(loss));
    ++*(int *)calls;
    return false;
}

/* A lesson without a step can be stopped before its models are made. */
static void test_stop_at_once(void)
{
    int calls = 0;
    g_autoptr(GError) error = NULL;
    g_autoptr(NsLesson) lesson = ns_lesson_open(SHORT, &error);
    g_assert_no_error(error);
    g_assert_null(ns_handout_new(lesson, stop_at_once, &calls, &error));
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    g_assert_cmpint(calls, ==, 1);
}

/* The title of the lesson that was left does not make the list wider. */
static void test_width_of_list(void)
{
    int least[2];
    for (int i = 0; i < 2; i++) {
        const char *resume = i ? "Continue with a lesson that has a title of far too many words"
                               : "Continue with one, or with two";
        GtkWidget *list = g_object_ref_sink(ns_learn_list_new(resume, NULL));
        gtk_widget_measure(list, GTK_ORIENTATION_HORIZONTAL, -1, &least[i], NULL, NULL, NULL);
        g_object_unref(list);
    }
    g_assert_cmpint(least[1], ==, least[0]);
}

void ui_add_handout_tests(void)
{
    g_test_add_func("/ui/handout/width-of-list", test_width_of_list);
    g_test_add_func("/ui/handout/stop-at-once", test_stop_at_once);
    g_test_add_func("/ui/handout/save", test_save);
    g_test_add_func("/ui/handout/stop", test_stop);
}
