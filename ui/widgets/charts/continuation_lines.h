/* The texts with which the lanes continue the prompt.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

/* A line for each lane: its name and the prompt, faint, which its model continues. */
GtkWidget *ns_continuation_lines_new(NsSession *session);

/* Shows the newest continuations at or before the step on view.  A line changes only with its text.
 * False if no lane has one. */
bool ns_continuation_lines_update(GtkWidget *lines);
