/* The lessons: their list, or the card of one that is being gone through.
 * SPDX-License-Identifier: MIT
 *
 * The pane stands beside the pages, or below them in a narrow window; its list covers them.  It is
 * hidden until it is opened.  A card sets up its experiment, asks for a page and points out what it
 * speaks of.  Its button is called Skip card until the task of the card is done, and then Next:
 * Skip card makes the settings and the run that the card asks for, on which the following cards
 * rely.
 *
 * Signals: "page" (string), that page should be shown; "chart" (string, boolean), that chart should
 * be the large one, if it is one, and whether earlier runs extend the axes; "point-out" (string),
 * the part of the window of that name should be pointed out, "" for none; "cover" (boolean),
 * whether the pages should make room: for the list, and as long as a drawing must not see what was
 * measured; "begun", a lesson is about to change what the window shows; "closed". */
#pragma once

#include "core/store/lesson.h"
#include "ui/session/session.h"

#include <gtk/gtk.h>

/* The large charts and their quantities with which lessons and scenes begin. */
#define NS_LEARN_CHARTS "hidden-norm:hidden-norm,gradient-norm:grad-w2,loss"

#define NS_TYPE_LEARN_PANE (ns_learn_pane_get_type())
G_DECLARE_FINAL_TYPE(NsLearnPane, ns_learn_pane, NS, LEARN_PANE, GtkWidget)

/* The menu of the user's lectures, which are in the list, too, outlives the pane. */
GtkWidget *ns_learn_pane_new(NsSession *session, GMenuModel *lectures);

/* Shows the list of lessons; the lesson that was left is found again where it was left. */
void ns_learn_pane_open(NsLearnPane *pane);
void ns_learn_pane_close(NsLearnPane *pane);
bool ns_learn_pane_is_open(NsLearnPane *pane);

/* Page Up, Page Down and the arrows scroll the list or the card; false where the key is another or
 * all is seen already. */
bool ns_learn_pane_scroll(NsLearnPane *pane, guint keyval);

/* Begins a lesson, which the pane then owns; `key` is remembered once it is finished, or NULL. */
void ns_learn_pane_begin(NsLearnPane *pane, NsLesson *lesson, const char *key);

/* The page that is visible. */
void ns_learn_pane_set_page(NsLearnPane *pane, const char *page);

/* The card that is shown, from 0; -1 while there is none. */
int ns_learn_pane_card(NsLearnPane *pane);

/* Runs to the step at which the card ends its run; false, without an effect, if the card has no run
 * or the run is there already. */
bool ns_learn_pane_run(NsLearnPane *pane);

/* Whether what the card waits for is done. */
bool ns_learn_pane_is_done(NsLearnPane *pane);
