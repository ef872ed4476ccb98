/* Files that are opened in a window or dropped on it.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/widgets/shell/window.h"

/* Opens a file: the experiment of a figure or a preset, a run file or JSON lines as an earlier run,
 * a log of another program, which is watched as it grows, a study, or a lecture; any other file is
 * a text to train on.  A toast reports what was done, or why not.  `run`: then starts training. */
void ns_window_open(NsWindow *window, const char *path, bool run);

/* Watches runs of other programs side by side (ns_session_watch).  FALSE if one cannot be read,
 * which a toast reports. */
bool ns_window_watch(NsWindow *window, const char *const *paths);

/* A file that is dropped on the window is opened. */
void ns_window_add_drop(NsWindow *window);
