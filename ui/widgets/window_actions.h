/* What a window can be told to do.  SPDX-License-Identifier: MIT
 *
 * One table of actions, and one of the keys that stand for them.  Keys without Ctrl or Alt act
 * only while no entry has the focus; Space then runs and pauses whatever has the focus. */
#pragma once

#include "ui/widgets/window.h"

/* Adds the actions to a window, and the keys. */
void ns_window_add_actions(NsWindow *window);

/* Brings what the actions may do in line with the lab. */
void ns_window_sync_actions(NsWindow *window);

/* Gives the application the accelerators with Ctrl and the function keys. */
void ns_window_add_accelerators(GtkApplication *application);
