/* The pages of the window, the stack that shows one, and the switcher.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "ui/widgets/charts/page.h"

#include <gtk/gtk.h>

/* ---- The stack ---- */

/* Signals: "switched", another page is shown; "pointed" as of a page. */

#define NS_TYPE_PAGE_STACK (ns_page_stack_get_type())
G_DECLARE_FINAL_TYPE(NsPageStack, ns_page_stack, NS, PAGE_STACK, GtkBox)

/* Shows the first row of the table of pages. */
GtkWidget *ns_page_stack_new(NsSession *session);

/* Shows a page, and creates it if necessary.  FALSE if no page has this key. */
bool ns_page_stack_show(NsPageStack *stack, const char *key);

/* Creates a page, if necessary, before it is shown. */
void ns_page_stack_create(NsPageStack *stack, const char *key);

/* The page that is shown, and its key. */
NsPage *ns_page_stack_page(NsPageStack *stack);
const char *ns_page_stack_key(NsPageStack *stack);

/* ---- The switcher ---- */

/* The names of the pages side by side, or a menu that opens where the tabs do not fit. */

#define NS_TYPE_PAGE_SWITCHER (ns_page_switcher_get_type())
G_DECLARE_FINAL_TYPE(NsPageSwitcher, ns_page_switcher, NS, PAGE_SWITCHER, GtkWidget)

/* For the pages that the stack has now, of which the first NS_PAGE_TABS have a tab.  The menu uses
 * the action win.page. */
GtkWidget *ns_page_switcher_new(GtkStack *stack);
