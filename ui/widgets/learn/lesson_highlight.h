/* Points out the part of a window that a card speaks of.  SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>

/* The part with this name: the row of a setting in the pane, by its key; the tile of a figure, by
 * its key; or a widget of the window's template, by its id with or without “_button”.  NULL if
 * there is none. */
GtkWidget *ns_lesson_part(GtkWidget *root, GtkWidget *settings_pane, const char *name);

/* Gives a widget the css class “pointed-out” and brings it into view; takes it from the one
 * before.  NULL: from that alone. */
void ns_lesson_point_out(GtkWidget *root, GtkWidget *widget);
