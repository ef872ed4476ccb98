/* The page of the paper: its figures as cards that can be run.  SPDX-License-Identifier: MIT
 *
 * A card draws what a study expects and, once it was run, what was measured, with a verdict.
 * Studies run one after another on a thread of their own.  It is an NsPage. */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

#define NS_TYPE_PAPER_PAGE (ns_paper_page_get_type())
G_DECLARE_FINAL_TYPE(NsPaperPage, ns_paper_page, NS, PAPER_PAGE, GtkBox)

GtkWidget *ns_paper_page_new(NsSession *session);
