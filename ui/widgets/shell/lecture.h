/* Lecture mode: one clean stage in full screen, and scenes that come one after another.
 * SPDX-License-Identifier: MIT
 *
 * Adds the actions lecture-mode, lecture (the key of a bundled one), next-scene, previous-scene and
 * add-scene to a window.  The mode is class mode with a slim bar in place of the other bars and
 * panes.  It begins with what the window shows; scenes of a lecture (core/store/lecture.h) take its
 * place, and are trained to their steps in the background: the next one as soon as the one on view
 * is at rest, then the one before.  Leaving gives the window back as it was, with its run. */
#pragma once

#include "ui/widgets/shell/window.h"

void ns_window_add_lecture(NsWindow *window);

/* Begins a lecture in a file with its first scene.  FALSE with an error that names file and line,
 * and nothing is changed. */
bool ns_lecture_show_file(NsWindow *window, const char *path, GError **error);

/* Leaves lecture mode; FALSE if it is not on. */
bool ns_lecture_leave(NsWindow *window);

/* The button of its menu; NULL if the mode is not on. */
GtkWidget *ns_lecture_menu(NsWindow *window);
