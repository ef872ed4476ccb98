/* Lessons, presets and class mode of a window.  SPDX-License-Identifier: MIT
 *
 * Adds the actions learn, preset (its key), save and class-mode to a window, and the pane of the
 * lessons beside its pages. */
#pragma once

#include "core/store/preset.h"
#include "ui/widgets/learn/learn_pane.h"
#include "ui/widgets/shell/window.h"

void ns_window_add_learning(NsWindow *window);

NsLearnPane *ns_window_learn_pane(NsWindow *window);

/* Closes the list of lessons, which covers the pages; false where it is not open. */
bool ns_window_close_lessons(NsWindow *window);

/* Begins the first look with somebody who is new: once, as far as there are preferences to remember
 * that. */
void ns_window_greet(NsWindow *window);

/* Sets a window up as a preset says: lanes, page, class mode; at rest at step 0. */
void ns_window_open_preset(NsWindow *window, const NsPreset *preset);

/* The present experiment as a preset.  Initializes `preset`. */
void ns_window_make_preset(NsWindow *window, NsPreset *preset);

/* Writes it to a file, and says so or why not. */
void ns_window_save(NsWindow *window, const char *path);
