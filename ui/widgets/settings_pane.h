/* The left pane: a row for every setting.  SPDX-License-Identifier: MIT
 *
 * The rows come from the table of settings.  Those a lecture moves most stand on top; the others
 * are in an expander, in table order, so that a new row of the table shows up by itself. */
#pragma once

#include "ui/widgets/lab.h"

#include <gtk/gtk.h>

/* The pane of a lab, to be put into a scrolled window. */
GtkWidget *ns_settings_pane_new(NsLab *lab);

/* The row of a setting inside a pane, whose css class `refused` says that it is to blame for the
 * lab's problem.  NULL if there is none. */
GtkWidget *ns_settings_pane_row(GtkWidget *pane, const char *key);
