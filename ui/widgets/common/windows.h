/* Dialogs for files, windows beside a window, and what GTK's scrolled windows leave behind.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>

/* ---- Dialogs for one file ---- */

/* Receives the path that was chosen; not called if the user gave up, or if the owner is gone by
 * then. */
typedef void (*NsFileChosen)(const char *path, gpointer owner);

/* Asks for a file to read, for a folder, or for a name to write to.  owner: an object. */
void ns_file_dialog_open(GtkWindow *parent, const char *title, NsFileChosen chosen, gpointer owner);
void ns_file_dialog_folder(GtkWindow *parent, const char *title, NsFileChosen chosen,
                           gpointer owner);
void ns_file_dialog_save(GtkWindow *parent, const char *title, const char *name,
                         NsFileChosen chosen, gpointer owner);

/* Shows a file in the desktop's file manager or, where that cannot, its folder. */
void ns_file_show_in_folder(const char *path);

/* ---- Windows that go with another one ---- */

/* Presents the window with this title and returns its child; NULL if there is none. */
GtkWidget *ns_side_window_raise(GtkWindow *parent, const char *title);

/* Opens a window with this child, which it returns.  Escape closes the window. */
GtkWidget *ns_side_window_open(GtkWindow *parent, const char *title, int width, int height,
                               GtkWidget *child);

/* ---- Scrolled windows ---- */

/* From now on a scrolled window disconnects from GtkSettings when it is unrealized.  GTK 4.8
 * connects one function and disconnects another, so every window would leave a handler with a
 * dangling pointer. */
void ns_scrolled_windows_let_go(void);
