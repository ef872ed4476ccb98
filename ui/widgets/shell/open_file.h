/* Files that are opened in a window or dropped on it.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/widgets/shell/window.h"

/* A figure with an experiment inside, or a preset, sets every setting; a run that was written as
 * JSON lines is on view a moment later, as an earlier run is; one of another program is watched as
 * it grows; any other file is the text to learn.
 * What was done, or why not, is said at the foot of the window. */
void ns_window_open(NsWindow *window, const char *path);

/* The same, and what was opened runs. */
void ns_window_open_and_run(NsWindow *window, const char *path);

/* Watches runs of other programs side by side (ns_session_watch); FALSE where one cannot be read,
 * which is said. */
bool ns_window_watch(NsWindow *window, const char *const *paths);

/* A file that is dropped on the window is opened. */
void ns_window_add_drop(NsWindow *window);
