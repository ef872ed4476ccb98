/* The pages of the window, the stack that shows one, and the switcher.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "ui/widgets/charts/page.h"

#include <gtk/gtk.h>

/* ---- The table of pages ---- */

/* The data of a page.  If the log of another program does not have it, the page has no tab. */
typedef enum {
    NS_CONTENT_ANY,
    NS_CONTENT_LAYERS, /* a quantity of the layers */
    NS_CONTENT_HEADS,  /* a quantity of the heads */
    NS_CONTENT_MODEL,  /* more than a log can have */
} NsPageContent;

typedef struct {
    const char *key;     /* key in the action win.page */
    const char *title;   /* marked with N_ */
    const char *figures; /* figures of a dashboard
                          * (ui/widgets/charts/dashboard.h) */
    unsigned by_lane;    /* the number of figures, the first ones, that it has once for each lane */
    NsPageContent content;
    const char *stage;                        /* the preference that remembers its stage, or NULL */
    GtkWidget *(*create)(NsSession *session); /* constructor of any other page; otherwise NULL */
} NsPageKind;

/* The number of pages with a tab; a menu has the others. */
#define NS_PAGE_TABS 5

/* The i-th row of the table of pages, in the order of the switcher; NULL past its end. */
const NsPageKind *ns_page_kind(size_t i);

/* ---- The stack ---- */

/* Signals: "switched", another page is shown; "pointed" as of a page. */

#define NS_TYPE_PAGE_STACK (ns_page_stack_get_type())
G_DECLARE_FINAL_TYPE(NsPageStack, ns_page_stack, NS, PAGE_STACK, GtkBox)

/* Shows the first row of the table of pages. */
GtkWidget *ns_page_stack_new(NsSession *session);

/* Shows a page, and creates it if necessary; does nothing if the log on view has nothing for it.
 * FALSE if no page has this key. */
bool ns_page_stack_show(NsPageStack *stack, const char *key);

/* Creates a page, if necessary, before it is shown. */
void ns_page_stack_create(NsPageStack *stack, const char *key);

/* The page that is shown, and its key. */
NsPage *ns_page_stack_page(NsPageStack *stack);
const char *ns_page_stack_key(NsPageStack *stack);

/* The page with this key of the table; NULL while it has not been created. */
NsPage *ns_page_stack_find(NsPageStack *stack, const char *key);

/* ---- The switcher ---- */

/* The names of the pages side by side, or a menu that opens where the tabs do not fit; for the
 * pages that the stack has now, of which the first NS_PAGE_TABS have a tab.  The menu uses the
 * action win.page. */
GtkWidget *ns_page_switcher_new(GtkStack *stack);

/* Offers the pages whose bits are set, by their places in the stack. */
void ns_page_switcher_offer(GtkWidget *switcher, unsigned pages);
