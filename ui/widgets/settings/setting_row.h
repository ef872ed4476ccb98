/* The row of a setting, and its help.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/param.h"
#include "ui/session/session.h"

#include <gtk/gtk.h>

/* The css classes of a row say what is true of it: `refused`, it is to blame for the session's
 * problem; `pending`, it waits for Restart or Fork; `split`, lanes have it each for itself. */

/* Where the control stands: at the end of the line, below it, or the one here and the other there
 * (an entry and its slider). */
typedef struct {
    GtkWidget *alongside, *below; /* either may be NULL */
} NsSettingControl;

/* A row that follows the session. */
GtkWidget *ns_setting_row_new(NsSession *session, const NsParam *param, NsSettingControl control);

/* Opens the popover that explains a row's setting, as its own button does. */
void ns_setting_row_explain(GtkWidget *row);
