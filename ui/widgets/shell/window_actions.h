/* The actions of a window, in one table.
 * SPDX-License-Identifier: MIT
 *
 * Their keys are in ui/widgets/shell/window_keys.h. */
#pragma once

#include "ui/widgets/shell/window.h"

/* Adds the actions to a window, and enables those that the session and the page on view allow. */
void ns_window_add_actions(NsWindow *window);
