/* Asks before a window closes, if unsaved work would be lost.  SPDX-License-Identifier: MIT
 *
 * That is training in all runs of the window that no file contains, if it took more than
 * NS_WORTH_ASKING_S; less is quickly repeated. */
#pragma once

#include "ui/widgets/shell/window.h"

#define NS_WORTH_ASKING_S 60.0

void ns_close_guard_add(NsWindow *window);

/* Whether closing the window would ask. */
bool ns_close_guard_asks(NsWindow *window);

/* Asks the question; returns the dialog, which is destroyed when it is answered. */
GtkWidget *ns_close_guard_ask(NsWindow *window);
