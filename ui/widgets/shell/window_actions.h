/* What a window can be told to do: one table of actions, those about time apart.
 * SPDX-License-Identifier: MIT
 *
 * Their keys are in ui/widgets/shell/window_keys.h.  What lies elsewhere adds its own action to the
 * window: the button for "learn" comes up when there is one. */
#pragma once

#include "ui/widgets/shell/window.h"

/* Adds the actions to a window, those about time apart, and keeps in line with the session and the
 * page that is shown what they may do. */
void ns_window_add_actions(NsWindow *window);
void ns_window_add_time_actions(NsWindow *window);
