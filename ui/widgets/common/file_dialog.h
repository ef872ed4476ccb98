/* The desktop's dialogs for one file.  SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>

/* What to do with the path that was chosen; not called if the user gave up, or if the owner
 * has gone meanwhile. */
typedef void (*NsFileChosen)(const char *path, gpointer owner);

/* Asks for a file to read, for a folder, or for a name to write to.  owner: an object. */
void ns_file_dialog_open(GtkWindow *parent, const char *title, NsFileChosen chosen, gpointer owner);
void ns_file_dialog_folder(GtkWindow *parent, const char *title, NsFileChosen chosen,
                           gpointer owner);
void ns_file_dialog_save(GtkWindow *parent, const char *title, const char *name,
                         NsFileChosen chosen, gpointer owner);

/* Shows a file in the desktop's file manager or, where that cannot, its folder. */
void ns_file_show_in_folder(const char *path);
