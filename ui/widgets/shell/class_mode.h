/* Class mode: large text, and without what a class does not need.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/widgets/shell/window.h"

/* Texts are larger by a third while `large`, those of charts twice as large in a high window.
 * `hide`, which may be NULL and else ends with NULL, names settings and parts of the window
 * (ns_lesson_part) that are not shown; a second call first shows what the call before had hidden.
 * FALSE and NULL leave the mode. */
void ns_class_mode_set(NsWindow *window, bool large, const char *const *hide);

/* Whether a window is in it. */
bool ns_class_mode_is_on(NsWindow *window);
