/* Asks before a window closes, but only where work would be lost.  SPDX-License-Identifier: MIT
 *
 * Lost would be what the runs of the window, earlier ones too, have trained and no file holds, if
 * that took more than NS_WORTH_ASKING_S: less is trained again sooner than a question is read. */
#pragma once

#include "ui/widgets/shell/window.h"

#define NS_WORTH_ASKING_S 60.0

void ns_close_guard_add(NsWindow *window);

/* A file was written that shows what there is up to now. */
void ns_close_guard_saved(NsWindow *window);

/* Whether closing asks. */
bool ns_close_guard_asks(NsWindow *window);

/* The question; gone once it is answered. */
GtkWidget *ns_close_guard_ask(NsWindow *window);
