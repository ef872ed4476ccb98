/* The left pane: the lanes as tabs, the changes that wait, a row for every setting.
 * SPDX-License-Identifier: MIT
 *
 * The rows come from the table of settings.  The four of the paper stand on top; the others are in
 * an expander, by group and in table order, with a field that searches them.  Rows that do not act
 * on the chosen task are hidden. */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

/* The pane of a session; its rows scroll, tabs and waiting changes stay in sight. */
GtkWidget *ns_settings_pane_new(NsSession *session);

#define NS_MORE_SETTINGS "more-settings" /* the expander, called like a row */

/* The row of a setting inside a pane (ui/widgets/settings/setting_row.h).  NULL if there is none.
 */
GtkWidget *ns_settings_pane_row(GtkWidget *pane, const char *key);

/* Unfolds what hides a row. */
void ns_settings_pane_unfold(GtkWidget *pane, GtkWidget *row);

/* Explains the setting whose row has the keyboard; FALSE if none has. */
bool ns_settings_pane_explain(GtkWidget *pane);
