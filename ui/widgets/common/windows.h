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

/* Brings the window of that title up, and returns what is in it; NULL where there is none. */
GtkWidget *ns_side_window_raise(GtkWindow *parent, const char *title);

/* Opens one with that child, which it returns.  Escape closes it. */
GtkWidget *ns_side_window_open(GtkWindow *parent, const char *title, int width, int height,
                               GtkWidget *child);

/* ---- Scrolled windows ---- */

/* From now on a scrolled window lets go of the settings when it is unrealized.  GTK 4.8 connects
 * one function to them and disconnects another: each would leave a handler that points at what is
 * gone. */
void ns_scrolled_windows_let_go(void);
