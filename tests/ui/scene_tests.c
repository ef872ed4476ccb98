/* Own lectures: adding scenes, and editing them.  SPDX-License-Identifier: MIT */
#include "core/store/bundled.h"
#include "core/store/lecture.h"
#include "tests/ui/support.h"
#include "ui/widgets/charts/dashboard.h"
#include "ui/widgets/common/windows.h"
#include "ui/widgets/shell/learning.h"
#include "ui/widgets/shell/lecture.h"
#include "ui/widgets/shell/open_file.h"
#include "ui/widgets/shell/scene_dialog.h"

#include <glib/gstdio.h>

#define SMALL_LINES                                                                                \
    "layers = 2\nd-model = 16\nheads = 2\nseq = 16\nbatch = 4\neval-every = 0\nthreads = 2\n"

static char *write_lecture(const char *name, const char *text)
{
    char *path = g_build_filename(g_get_tmp_dir(), name, NULL);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    return path;
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

/* The field of a note, which has several lines. */
static GtkTextBuffer *note_in(GtkWidget *frame)
{
    return gtk_text_view_get_buffer(GTK_TEXT_VIEW(ui_first(frame, GTK_TYPE_TEXT_VIEW)));
}

/* Adds a scene by the dialog; `name`: to a new lecture of this title; NULL: to the suggested one.
 */
static void enter_scene(NsWindow *window, const char *title, const char *note, const char *name)
{
    g_action_group_activate_action(G_ACTION_GROUP(window), "add-scene", NULL);
    GtkWidget *grid = ns_side_window_raise(GTK_WINDOW(window), "Add scene to lecture");
    const char *const texts[] = {title, note, NULL, name};
    for (int row = 0; row < 4; row++) {
        GtkWidget *entry = gtk_grid_get_child_at(GTK_GRID(grid), 1, row);
        if (row == 1)
            gtk_text_buffer_set_text(note_in(entry), texts[row], -1);
        else if (texts[row])
            gtk_editable_set_text(GTK_EDITABLE(entry), texts[row]);
        if (row == 2 && name) gtk_drop_down_set_selected(GTK_DROP_DOWN(entry), 0);
    }
    g_signal_emit_by_name(ui_find_button(grid, "Add scene"), "clicked");
    g_assert_null(ns_side_window_raise(GTK_WINDOW(window), "Add scene to lecture"));
}

/* Whether the menu has a lecture in a file of this name. */
static bool lists(const char *name)
{
    GMenuModel *own = G_MENU_MODEL(ns_lecture_own());
    for (int i = 0; i < g_menu_model_get_n_items(own); i++) {
        g_autofree char *label = NULL;
        g_menu_model_get_item_attribute(own, i, G_MENU_ATTRIBUTE_LABEL, "s", &label);
        if (g_str_equal(label, name)) return true;
    }
    return false;
}

/* A new lecture is a file among the user's own ones, which the menu lists with those that were
 * opened; every scene asks for its lecture. */
static void test_own(void)
{
    static const char text[] = "title = Another\n[scene]\ntitle = Elsewhere\n" SMALL_LINES;
    g_autofree char *path = write_lecture("normscope-ui-opened.lecture", text);
    g_autofree char *opened = ns_lecture_name(path);
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    g_assert_false(lists("Norms/two") || lists("Norms-two"));
    enter_scene(window, "First", "", "Norms/two");
    g_assert_cmpstr(ns_toast_text(window->toast), ==, "Added scene 1 to the lecture “Norms-two”");
    enter_scene(window, "Second", "", NULL);
    g_assert_cmpstr(ns_toast_text(window->toast), ==, "Added scene 2 to the lecture “Norms-two”");
    enter_scene(window, "First", "", "Others");
    g_assert_cmpstr(ns_toast_text(window->toast), ==, "Added scene 1 to the lecture “Others”");
    g_assert_true(lists("Norms-two") && lists("Others") && !lists(opened));
    g_auto(GStrv) own = ns_own_lectures();
    ns_learn_pane_open(window->learn_pane);
    g_assert_nonnull(ui_button_to(GTK_WIDGET(window->learn_pane), own[0]));
    ns_learn_pane_close(window->learn_pane);
    ns_window_open(window, path, false);
    g_assert_true(lists(opened));
    /* The lecture that is being given stays when a scene is added to another one. */
    enter_scene(window, "Third", "", "Others");
    g_assert_true(shows(GTK_WIDGET(window), "Elsewhere"));
    /* A new one has a file of its own. */
    g_assert_cmpstr(ns_toast_text(window->toast), ==, "Added scene 1 to the lecture “Others 2”");
    g_action_group_activate_action(G_ACTION_GROUP(window), "lecture", g_variant_new_string(own[0]));
    g_assert_true(shows(GTK_WIDGET(window), "1 of 2"));
    g_auto(GStrv) all = ns_own_lectures();
    for (char **each = all; *each; each++) g_unlink(*each);
    g_unlink(path);
    ui_close(window);
}

/* From a scene of another lecture, its title and note are suggested, and the lecture to which a
 * scene was added before. */
static void test_add_again(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    g_action_group_activate_action(G_ACTION_GROUP(window), "lecture",
                                   g_variant_new_string(ns_lecture_choice(0)->key));
    g_autoptr(NsLecture) lecture = ns_lecture_open(0, NULL);
    const NsPreset *first = &lecture->scene[0].preset;
    for (guint i = 0; i < 2; i++) {
        g_action_group_activate_action(G_ACTION_GROUP(window), "add-scene", NULL);
        GtkWidget *grid = ns_side_window_raise(GTK_WINDOW(window), "Add scene to lecture");
        GtkEditable *title = GTK_EDITABLE(gtk_grid_get_child_at(GTK_GRID(grid), 1, 0));
        g_autofree char *note = NULL;
        g_object_get(note_in(gtk_grid_get_child_at(GTK_GRID(grid), 1, 1)), "text", &note, NULL);
        GtkDropDown *to = GTK_DROP_DOWN(gtk_grid_get_child_at(GTK_GRID(grid), 1, 2));
        g_assert_cmpstr(gtk_editable_get_text(title), ==, first->experiment.title);
        g_assert_cmpstr(note, ==, first->note);
        g_assert_cmpuint(gtk_drop_down_get_selected(to), ==, i);
        g_signal_emit_by_name(ui_find_button(grid, "Add scene"), "clicked");
    }
    g_assert_cmpstr(ns_toast_text(window->toast), ==, "Added scene 2 to the lecture “My lecture”");
    g_auto(GStrv) own = ns_own_lectures();
    for (char **each = own; *each; each++) g_unlink(*each);
    g_assert_true(ns_lecture_leave(window));
    ui_close(window);
}

static GtkWidget *scene_row(GtkWidget *window, int i)
{
    GtkWidget *row = gtk_widget_get_first_child(gtk_widget_get_parent(
        gtk_widget_get_parent(gtk_widget_get_parent(ui_find_tip(window, "Move up")))));
    while (i-- > 0) row = gtk_widget_get_next_sibling(row);
    return row;
}

static void press(GtkWidget *window, int i, const char *tip)
{
    GtkWidget *button = ui_find_tip(scene_row(window, i), tip);
    g_assert_true(gtk_widget_get_sensitive(button));
    g_signal_emit_by_name(button, "clicked");
}

/* The list of lessons leads to the scenes of an own lecture: their order, titles and notes. */
static void test_edit(void)
{
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    enter_scene(window, "One", "First\nand second line.", "Edited");
    enter_scene(window, "Two", "", NULL);
    enter_scene(window, "Three", "", NULL);
    g_auto(GStrv) own = ns_own_lectures();
    ns_learn_pane_open(window->learn_pane);
    ui_settle(GTK_WIDGET(window));
    g_signal_emit_by_name(ui_find_tip(GTK_WIDGET(window->learn_pane), "Edit scenes"), "clicked");
    GtkWidget *scenes = ns_side_window_raise(GTK_WINDOW(window), own[0]);
    press(scenes, 1, "Remove scene"); /* One, Three */
    press(scenes, 1, "Move up");      /* Three, One */
    press(scenes, 0, "Move down");    /* One, Three */
    press(scenes, 1, "Move up");
    g_assert_false(gtk_widget_get_sensitive(ui_find_tip(scene_row(scenes, 0), "Move up")));
    g_assert_false(gtk_widget_get_sensitive(ui_find_tip(scene_row(scenes, 1), "Move down")));
    gtk_editable_set_text(GTK_EDITABLE(ui_first(scene_row(scenes, 0), GTK_TYPE_ENTRY)), "Drei");
    gtk_text_buffer_set_text(note_in(scene_row(scenes, 0)), "Why.", -1);
    /* An error is shown among the scenes. */
    g_autofree char *saved = g_strconcat(own[0], ".old", NULL);
    g_assert_cmpint(g_rename(own[0], saved), ==, 0);
    g_signal_emit_by_name(ui_find_button(scenes, "Save"), "clicked");
    GtkWidget *failure = ui_find_class(scenes, "error");
    g_assert_true(gtk_widget_get_visible(failure));
    g_assert_nonnull(strstr(gtk_label_get_text(GTK_LABEL(failure)), "Edited.lecture"));
    g_assert_cmpint(g_rename(saved, own[0]), ==, 0);
    g_signal_emit_by_name(ui_find_button(scenes, "Save"), "clicked");
    g_assert_null(ns_side_window_raise(GTK_WINDOW(window), own[0]));
    g_autoptr(NsLecture) lecture = ns_lecture_load(own[0], NULL);
    g_assert_cmpuint(lecture->n, ==, 2);
    g_assert_cmpstr(lecture->scene[0].preset.experiment.title, ==, "Drei");
    g_assert_cmpstr(lecture->scene[0].preset.note, ==, "Why.");
    g_assert_cmpstr(lecture->scene[1].preset.experiment.title, ==, "One");
    g_assert_cmpstr(lecture->scene[1].preset.note, ==, "First and second line.");
    /* The lecture is the one that is open, and begins anew; its last scene stays. */
    ns_learn_pane_close(window->learn_pane);
    g_action_group_activate_action(G_ACTION_GROUP(window), "lecture-mode", NULL);
    g_action_group_activate_action(G_ACTION_GROUP(window), "next-scene", NULL);
    g_assert_true(shows(GTK_WIDGET(window), "Drei") && shows(GTK_WIDGET(window), "1 of 2"));
    g_assert_true(ns_lecture_leave(window));
    g_action_group_activate_action(G_ACTION_GROUP(window), "edit-scenes",
                                   g_variant_new_string(own[0]));
    scenes = ns_side_window_raise(GTK_WINDOW(window), own[0]);
    press(scenes, 0, "Remove scene");
    g_assert_false(gtk_widget_get_sensitive(ui_find_tip(scene_row(scenes, 0), "Remove scene")));
    g_unlink(own[0]);
    UI_WAIT(window, ui_is_ready);
    ui_close(window);
}

/* What the window shows becomes a scene, after those that a file has already. */
static void test_add(void)
{
    static const char text[] = "# mine\ntitle = Mine\n[scene]\ntitle = First\n" SMALL_LINES;
    g_autofree char *path = write_lecture("normscope-ui-add.lecture", text);
    NsWindow *window = ui_open("layers=3");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_window_open(window, path, false);
    ns_session_set(session, "layers", "4");
    UI_UNTIL(!ns_session_differs(session) && ui_is_ready(window));
    ns_window_show_chart(window, "gradient-norm:grad-wq");
    ns_session_run_to(session, 6);
    UI_UNTIL(ns_session_steps(session) == 6);
    enter_scene(window, "Second", "Why.", NULL);
    g_assert_cmpstr(ns_toast_text(window->toast), ==, "Added scene 2 to the lecture “Mine”");
    g_autoptr(GError) error = NULL;
    g_autoptr(NsLecture) lecture = ns_lecture_load(path, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(lecture->n, ==, 2);
    const NsPreset *added = &lecture->scene[1].preset;
    g_assert_cmpstr(added->experiment.title, ==, "Second");
    g_assert_cmpstr(added->note, ==, "Why.");
    g_assert_cmpint(added->experiment.lane[0].layers, ==, 4);
    g_assert_cmpint(added->step, ==, 6);
    g_assert_cmpstr(added->page, ==, "dashboard");
    g_assert_cmpstr(added->chart, ==, "gradient-norm:grad-wq");
    g_autofree char *longer = NULL;
    g_assert_true(g_file_get_contents(path, &longer, NULL, NULL));
    g_assert_true(g_str_has_prefix(longer, text));
    /* The lecture on view is the longer one. */
    g_assert_true(shows(GTK_WIDGET(window), "1 of 2"));
    g_unlink(path);
    ui_close(window);
}

/* A scene is trained from step 0 with its settings, unlike a run in which they were changed or that
 * continues another one: the dialog says so before the scene is added. */
static void test_add_changed(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_run_to(session, 3);
    UI_UNTIL(ns_session_steps(session) == 3);
    UI_WAIT(window, ui_is_paused);
    for (int i = 0; i < 4; i++) {
        if (i == 1) {
            ns_session_fork(session);
            UI_UNTIL(session->fork_step > 0);
            UI_WAIT(window, ui_is_ready);
        }
        if (i == 2) {
            ns_session_set(session, "warmup", "77");
            ns_session_set(session, "probe-every", "2");
            ns_session_run_to(session, 5);
            UI_UNTIL(ns_session_steps(session) == 5);
            UI_WAIT(window, ui_is_paused);
        }
        if (i == 3) ns_session_set(session, "layers", "3");
        g_action_group_activate_action(G_ACTION_GROUP(window), "add-scene", NULL);
        GtkWidget *grid = ns_side_window_raise(GTK_WINDOW(window), "Add scene to lecture");
        GtkWidget *remark = gtk_grid_get_child_at(GTK_GRID(grid), 0, 4);
        g_assert_cmpstr(
            remark ? gtk_label_get_text(GTK_LABEL(remark)) : NULL, ==,
            i == 0   ? NULL
            : i == 1 ? "This run was continued from step 3 of another one. The scene trains with "
                       "the present settings from step 0."
            : i == 2 ? "Changed while this run was going: Warm-up at step 3. The scene trains with "
                       "the present values from step 0."
                     : "Changed while this run was going: Warm-up at step 3, Layers. The scene "
                       "trains with the present values from step 0.");
        gtk_window_destroy(GTK_WINDOW(gtk_widget_get_root(grid)));
    }
    ui_close(window);
}

void ui_add_scene_tests(void)
{
    g_test_add_func("/ui/scene/own", test_own);
    g_test_add_func("/ui/scene/add-again", test_add_again);
    g_test_add_func("/ui/scene/edit", test_edit);
    g_test_add_func("/ui/scene/add", test_add);
    g_test_add_func("/ui/scene/add-changed", test_add_changed);
}
