/* Restores and stores the state of windows.  SPDX-License-Identifier: MIT
 *
 * That is the size of a window, its panes and page, the style of the program, and how charts are
 * shown; not the experiment, so that every session begins with the same one. */
#pragma once

#include "ui/widgets/shell/window.h"

/* Restores the style; call it before the first window is created. */
void ns_remember_application(GApplication *application);

/* Call it before the window is presented. */
void ns_remember_window(NsWindow *window);
