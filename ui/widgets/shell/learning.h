/* Lessons, presets and class mode of a window.  SPDX-License-Identifier: MIT
 *
 * Adds the actions learn, preset (its key), save and class-mode to a window, and the pane of the
 * lessons beside its pages. */
#pragma once

#include "core/store/preset.h"
#include "ui/widgets/learn/learn_pane.h"
#include "ui/widgets/shell/window.h"

void ns_window_add_learning(NsWindow *window);

/* Closes the list of lessons, which covers the pages; false where it is not open. */
bool ns_window_close_lessons(NsWindow *window);

/* The part with this name: the row of a setting in the pane, by its key; the tile of a figure, by
 * its key; “trouble”; or a widget of the window's template, by its id with or without “_button”.
 * NULL if there is none. */
GtkWidget *ns_window_part(NsWindow *window, const char *name);

/* Begins the quick tour, once per user; never if preferences cannot be stored. */
void ns_window_greet(NsWindow *window);

/* Opens a preset: its lanes, page, chart and class mode (which no preset ends), paused at step 0.
 * The second function does all but the lanes, for a session that has them already. */
void ns_window_open_preset(NsWindow *window, const NsPreset *preset);
void ns_window_arrange(NsWindow *window, const NsPreset *preset);

/* Makes the chart with this name (ui/figures/spec.h) the large one, if the page has charts and the
 * name is known.  Of several names the last two are large. */
void ns_window_show_chart(NsWindow *window, const char *name);

/* Goes to the page of the first of the charts of a file (ui/figures/sheet.h), and puts it on the
 * stage. */
void ns_window_show_figure(NsWindow *window, const char *figure);

/* The present experiment, page and chart as a preset.  Initializes `preset`. */
void ns_window_make_preset(NsWindow *window, NsPreset *preset);

/* Writes that preset to a file, and reports success or the error in a toast. */
void ns_window_save(NsWindow *window, const char *path);

/* Sets class mode.  Texts are larger by a third while `large`, those of charts twice as large in a
 * high window. `hide`, which may be NULL and else ends with NULL, names settings and parts of the
 * window (ns_window_part) that are not shown; a second call first shows what the call before had
 * hidden. FALSE and NULL leave the mode. */
void ns_class_mode_set(NsWindow *window, bool large, const char *const *hide);

/* Whether a window is in class mode. */
bool ns_class_mode_is_on(NsWindow *window);
