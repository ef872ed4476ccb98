/* The help: a list of topics, a search, and the text of one.  SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>

/* Shows the help, one window for the whole program.  topic: the key of a setting, a placement, a
 * quantity or a chapter of the handbook; NULL leaves what is shown. */
void ns_help_present(GtkWindow *parent, const char *topic);
