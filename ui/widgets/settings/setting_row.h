/* The row of a setting, and its help.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/param.h"
#include "ui/session/session.h"

#include <gtk/gtk.h>

/* CSS classes of a row: `refused` if it causes the session's problem, `pending` if its change needs
 * Restart or Fork, `split` if every lane has its own value. */

/* The controls of a row: at the end of its line, below it, or both (an entry and its slider). */
typedef struct {
    GtkWidget *alongside, *below; /* either may be NULL */
} NsSettingControl;

/* A row that follows the session. */
GtkWidget *ns_setting_row_new(NsSession *session, const NsParam *param, NsSettingControl control);

/* Opens the popover that explains a row's setting, as its own button does. */
void ns_setting_row_explain(GtkWidget *row);
