/* What a screen reader calls a widget that has no words of its own.  SPDX-License-Identifier: MIT
 */
#pragma once

#include <gtk/gtk.h>

void ns_accessible_name(GtkWidget *widget, const char *name);

/* Of a visible widget GTK asks the display at once whether the pointer is there, and waits for the
 * answer.  Not so here where the widget is not on the screen yet. */
void ns_tooltip(GtkWidget *widget, const char *words);

/* The same words for the tooltip. */
void ns_accessible_tooltip(GtkWidget *widget, const char *words);
