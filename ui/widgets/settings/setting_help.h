/* The popover that explains a setting.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/param.h"
#include "ui/session/session.h"

#include <gtk/gtk.h>

/* Shows what a setting is, with its formula and its source, at a widget; of a choice, what the
 * active lane has chosen too.  It goes away by itself. */
void ns_setting_help_show(NsSession *session, const NsParam *param, GtkWidget *at);
