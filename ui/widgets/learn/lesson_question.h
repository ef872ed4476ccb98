/* The question of a card, and its answers.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/store/lesson.h"

#include <gtk/gtk.h>

/* The card is borrowed as long as the widget lives.  Once an answer is chosen it says whether that
 * is right, and why, or why not; another can be chosen after it.  `changed` is called, swapped,
 * with `data`. */
GtkWidget *ns_lesson_question_new(const NsCard *card, GCallback changed, gpointer data);

bool ns_lesson_question_is_answered(GtkWidget *question);
