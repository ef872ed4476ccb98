/* Where the keyboard is while a text is typed, and afterwards.  SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>

/* Gives the keyboard back to the window, where Space runs and letters are commands. */
void ns_end_typing(GtkWidget *widget);
