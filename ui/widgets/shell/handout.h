/* The action win.handout, which saves a lesson (its key, s) as a PDF.  SPDX-License-Identifier: MIT
 *
 * It trains in the background, one lesson at a time, and reports in toasts, one of which stops it.
 * The action is disabled meanwhile.  When its window closes, it is stopped. */
#pragma once

#include "ui/widgets/shell/window.h"

void ns_handout_add(NsWindow *window);

/* Saves the lesson that the action named last, as its user would by choosing a path in the dialog:
 * one without its ending “.pdf” gets it, but does not replace a file then. */
void ns_handout_save(NsWindow *window, const char *path);
