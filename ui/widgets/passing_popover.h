/* A popover that is there as long as it is open.  SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>

/* Opens a popover at a widget, which becomes its parent, or at a place of it (NULL: all of it).
 * When it has closed, or when the widget goes, it goes too: whoever remembers it does so with a
 * weak pointer. */
void ns_popover_pass(GtkWidget *popover, GtkWidget *at, const GdkRectangle *place);
