/* Asks before a window closes, but only where work would be lost.  SPDX-License-Identifier: MIT
 *
 * Lost would be what was trained since the last file was written, if that took more than
 * NS_WORTH_ASKING_S: less is trained again sooner than a question is read. */
#pragma once

#include "ui/widgets/shell/window.h"

#define NS_WORTH_ASKING_S 60.0

void ns_close_guard_add(NsWindow *window);

/* A file was written that shows what there is up to now. */
void ns_close_guard_saved(NsWindow *window);

/* Seconds that the records from `from` on took to make. */
double ns_training_seconds(const NsHistory *history, size_t from);

/* Whether closing asks. */
bool ns_close_guard_asks(NsWindow *window);

/* The question; gone once it is answered. */
GtkWidget *ns_close_guard_ask(NsWindow *window);
