/* The list of lessons, presets and lectures, as the pane of the lessons shows it.
 * SPDX-License-Identifier: MIT
 *
 * Its buttons activate the actions of the pane: begin (the lesson's place, u), resume, preset (its
 * key, s) and close; and win.lecture and win.handout. */
#pragma once

#include <gtk/gtk.h>
#include <stdbool.h>

#define NS_LEARN_BEGIN "learn.begin"
#define NS_LEARN_RESUME "learn.resume"
#define NS_LEARN_PRESET "learn.preset"
#define NS_LEARN_CLOSE "learn.close"

#define NS_LEARN_CHARS 92 /* characters per line that are easy to read */

/* `resume` is the label of the button that continues a lesson; NULL if no lesson was begun. `own`
 * is a menu of the user's lectures, whose entries have the targets of the action win.lecture; or
 * NULL. */
GtkWidget *ns_learn_list_new(const char *resume, GMenuModel *own);

/* A paragraph of at most `chars` a line, with a style class or NULL. */
GtkWidget *ns_learn_label_new(const char *text, const char *style, int chars);

/* The button that closes the pane. */
GtkWidget *ns_learn_close_new(void);

/* The lessons that were finished, stored as a preference if preferences can be stored. */
void ns_lesson_set_finished(const char *key);
