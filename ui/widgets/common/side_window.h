/* A window that stands above another one, and goes with it.  SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>

/* Brings the window of that title up, and returns what is in it; NULL where there is none. */
GtkWidget *ns_side_window_raise(GtkWindow *parent, const char *title);

/* Opens one with that child, which it returns.  Escape closes it. */
GtkWidget *ns_side_window_open(GtkWindow *parent, const char *title, int width, int height,
                               GtkWidget *child);
