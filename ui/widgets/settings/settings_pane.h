/* The left pane: the lanes as tabs, pending changes, a row for every setting.
 * SPDX-License-Identifier: MIT
 *
 * The rows come from the table of settings.  The four that the paper varies are at the top; the
 * others are in an expander with a search field, by group and in the order of the table.  Rows
 * without effect on the chosen task are hidden. */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

/* The pane of a session.  Only its rows scroll; tabs and pending changes stay visible. */
GtkWidget *ns_settings_pane_new(NsSession *session);

/* Keys of the expander and of the search in it, for ns_settings_pane_row. */
#define NS_MORE_SETTINGS "more-settings"
#define NS_SEARCH_SETTINGS "search-settings"

/* The row of a setting inside a pane (ui/widgets/settings/setting_row.h).  NULL if there is none.
 */
GtkWidget *ns_settings_pane_row(GtkWidget *pane, const char *key);

/* Opens the expander if the row is in it, and returns whether it is. */
bool ns_settings_pane_unfold(GtkWidget *pane, GtkWidget *row);

/* Explains the setting whose row has the focus; FALSE if none has it. */
bool ns_settings_pane_explain(GtkWidget *pane);
