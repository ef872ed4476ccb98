/* Light, dark, or as the desktop has it.  SPDX-License-Identifier: MIT
 *
 * Sets the colour scheme of every window and says which style the charts should have. */
#pragma once

#include "ui/plot/style.h"

#include <gtk/gtk.h>

#define NS_TYPE_STYLE_MANAGER (ns_style_manager_get_type())
G_DECLARE_FINAL_TYPE(NsStyleManager, ns_style_manager, NS, STYLE_MANAGER, GObject)

typedef enum { NS_SCHEME_SYSTEM, NS_SCHEME_LIGHT, NS_SCHEME_DARK } NsScheme;

/* Follows the desktop, as the settings portal tells it.  Emits "changed". */
NsStyleManager *ns_style_manager_new(void);

void ns_style_manager_set_scheme(NsStyleManager *manager, NsScheme scheme);

/* screen-light or screen-dark. */
const NsStyle *ns_style_manager_chart_style(NsStyleManager *manager);
