/* Lecture mode: full screen with few controls, and scenes one after another.
 * SPDX-License-Identifier: MIT
 *
 * Adds the actions lecture-mode, lecture (the key of a bundled one), next-scene, previous-scene,
 * page-down and page-up (which scroll a long page first) and add-scene to a window.  The mode is
 * class mode with a slim bar instead of the other bars and panes.  It begins with what the window
 * shows, followed by the scenes of a lecture (core/store/lecture.h).  These are trained in the
 * background while the shown run is paused: first the next scene, then the previous one; those that
 * were shown are kept while there is memory.  Leaving the mode restores the window and its run.  Of
 * all this only the scene that was shown last is stored.
 */
#pragma once

#include "ui/widgets/shell/window.h"

void ns_window_add_lecture(NsWindow *window);

/* Shows the first scene of a lecture file.  FALSE with an error that names file and line; then
 * nothing is changed. */
bool ns_lecture_show_file(NsWindow *window, const char *path, GError **error);

/* Runs to the step where the shown scene stops; FALSE if it has none, or has passed it. */
bool ns_lecture_run(NsWindow *window);

/* Leaves lecture mode; FALSE if it is not on. */
bool ns_lecture_leave(NsWindow *window);

/* The menu of lectures in files: the user's own, and those that were shown lately.  Borrowed. */
GMenu *ns_lecture_own(void);

/* The button of its menu; NULL if the mode is not on. */
GtkWidget *ns_lecture_menu(NsWindow *window);
