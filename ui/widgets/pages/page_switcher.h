/* Chooses the page of a stack: a row of tabs, or a list that opens where they do not fit.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>

#define NS_TYPE_PAGE_SWITCHER (ns_page_switcher_get_type())
G_DECLARE_FINAL_TYPE(NsPageSwitcher, ns_page_switcher, NS, PAGE_SWITCHER, GtkWidget)

/* For the pages that the stack has now. */
GtkWidget *ns_page_switcher_new(GtkStack *stack);
