/* Puts a window as it was left, and keeps what is changed in it.  SPDX-License-Identifier: MIT
 *
 * Remembered are its size, its panes and its page, the style of the program, and how charts are
 * shown; never the experiment, so that every session begins with the same one. */
#pragma once

#include "ui/widgets/shell/window.h"

/* From the style of the last session on; before the first window. */
void ns_remember_application(GApplication *application);

/* Before the window is presented. */
void ns_remember_window(NsWindow *window);
