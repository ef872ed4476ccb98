/* Files that are opened in a window or dropped on it.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/widgets/window.h"

/* A figure with an experiment inside, or a preset, sets every setting; any other file is the text
 * to learn.  What was done, or why not, is said at the foot of the window. */
void ns_window_open(NsWindow *window, const char *path);
