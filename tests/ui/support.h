/* A window under test, and a driver that uses it.  SPDX-License-Identifier: MIT */
#pragma once

#include "tests/ui/input.h"
#include "ui/widgets/shell/application.h"

/* The one application of the process; it registers resources and style. */
NsApplication *ui_application(void);

/* A window with a small model, so that every test takes a moment only, and these "key=value
 * key=value" besides. */
NsWindow *ui_open_window(const char *assignments);

/* The same in a test case: when it ends no window may be open, and what the program remembers of it
 * is forgotten. */
NsWindow *ui_open(const char *assignments);

/* The same, after a press of Run and five steps of the run. */
NsWindow *ui_open_running(const char *assignments);

/* Closes a window as its user would, and checks that it is freed. */
void ui_close(NsWindow *window);

/* How long a condition is waited for before the test fails: a busy machine, or a sanitized program,
 * takes many times as long as a quiet one. */
#define UI_PATIENCE_S 120

/* Runs the main loop until an expression is true. */
#define UI_UNTIL(expression)                                                                       \
    do {                                                                                           \
        gint64 ui_deadline = g_get_monotonic_time() + UI_PATIENCE_S * G_USEC_PER_SEC;              \
        while (!(expression)) {                                                                    \
            if (g_get_monotonic_time() > ui_deadline)                                              \
                g_error("%s: waited in vain for %s", G_STRLOC, #expression);                       \
            ui_turn();                                                                             \
        }                                                                                          \
    } while (0)
#define UI_WAIT(window, condition) UI_UNTIL(condition(window))

/* Runs the main loop until something has happened there, or for a moment. */
void ui_turn(void);

/* Waits until nothing in a window goes on any more: its session and its charts are at rest. */
void ui_rest(NsWindow *window);

/* The widget with this id in the window's template. */
GtkWidget *ui_find(NsWindow *window, const char *id);

/* The first descendant of a type, depth first; NULL if there is none. */
GtkWidget *ui_first(GtkWidget *root, GType type);

/* The first button or check button below a widget with this label; NULL if there is none. */
GtkWidget *ui_find_button(GtkWidget *root, const char *label);

/* The first widget whose tooltip begins with these words; NULL if there is none. */
GtkWidget *ui_find_tip(GtkWidget *root, const char *tip);

/* The button below `root` that opens the lecture of this key; NULL if there is none. */
GtkWidget *ui_button_to(GtkWidget *root, const char *key);

/* The first widget with this css class; NULL if there is none. */
GtkWidget *ui_find_class(GtkWidget *root, const char *css_class);

/* Clicks a button with this id, or a toggle with this label in the settings pane. */
void ui_click(NsWindow *window, const char *id);
void ui_toggle(NsWindow *window, const char *label);

/* Types into the entry of a setting's row and presses Enter. */
void ui_type(NsWindow *window, const char *key, const char *text);

/* Presses a key as far as the window's own shortcuts are concerned; whether one of them took it. */
bool ui_press(NsWindow *window, guint keyval);

/* The same with those that come after the focused widget, which left the key over. */
bool ui_press_late(NsWindow *window, guint keyval, GdkModifierType modifiers);

/* Presses a key on a widget that listens to keys; whether it took it. */
bool ui_key(GtkWidget *widget, guint keyval, GdkModifierType modifiers);

/* The widget's first controller of exactly this type, and of this name if that is not NULL. */
GtkEventController *ui_controller(GtkWidget *widget, GType type, const char *name);

/* The dialog for files that is open, or NULL; and an answer to the one that opens. */
GtkWidget *ui_file_dialog(void);
void ui_answer_file_dialog(int response);

/* Conditions. */
bool ui_is_ready(NsWindow *window);
bool ui_has_stepped(NsWindow *window);
bool ui_has_stepped_five(NsWindow *window);
bool ui_is_paused(NsWindow *window);
bool ui_is_failed(NsWindow *window);
bool ui_is_diverged(NsWindow *window);
bool ui_has_toast(NsWindow *window);
bool ui_has_banner(NsWindow *window);

/* The tests of each file. */
void ui_add_run_tests(void);
void ui_add_scene_tests(void);
void ui_add_settings_tests(void);
void ui_add_pane_tests(void);
void ui_add_view_tests(void);
void ui_add_card_tests(void);
void ui_add_chart_tests(void);
void ui_add_tile_tests(void);
void ui_add_page_tests(void);
void ui_add_stage_tests(void);
void ui_add_stage_stress_tests(void);
void ui_add_diagram_tests(void);
void ui_add_export_tests(void);
void ui_add_file_tests(void);
void ui_add_handout_tests(void);
void ui_add_lesson_tests(void);
void ui_add_lecture_tests(void);
void ui_add_library_tests(void);
void ui_add_menu_tests(void);
void ui_add_menu_stress_tests(void);
void ui_add_stress_tests(void);
void ui_add_study_tests(void);
void ui_add_paper_tests(void);
void ui_add_help_tests(void);
void ui_add_program_tests(void);
void ui_add_transport_tests(void);
void ui_add_trouble_tests(void);
void ui_add_inspector_tests(void);
void ui_add_watching_tests(void);

/* Runs a command that the window shows, in the folder of a file: it makes the same bytes.  Removes
 * both files. */
void ui_assert_command(const char *command, const char *path);
