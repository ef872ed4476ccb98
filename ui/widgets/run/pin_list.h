/* The readings that are pinned in the charts of a page, as text.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/widgets/charts/dashboard.h"

#define NS_TYPE_PIN_LIST (ns_pin_list_get_type())
G_DECLARE_FINAL_TYPE(NsPinList, ns_pin_list, NS, PIN_LIST, GtkBox)

GtkWidget *ns_pin_list_new(void);

/* Lists the pins of every tile; NULL: of none.  Returns whether there are any. */
bool ns_pin_list_sync(NsPinList *list, NsDashboard *dashboard);
