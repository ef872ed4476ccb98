/* Chooses the page of a stack: a row of tabs, the last pages in a menu at its end, or a list that
 * opens where the tabs do not fit.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>

#define NS_TYPE_PAGE_SWITCHER (ns_page_switcher_get_type())
G_DECLARE_FINAL_TYPE(NsPageSwitcher, ns_page_switcher, NS, PAGE_SWITCHER, GtkWidget)

/* For the pages that the stack has now, of which the first `shown` have a tab.  The menu uses the
 * action win.page. */
GtkWidget *ns_page_switcher_new(GtkStack *stack, guint shown);
