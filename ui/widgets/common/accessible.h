/* What a screen reader calls a widget that has no words of its own.  SPDX-License-Identifier: MIT
 */
#pragma once

#include <gtk/gtk.h>

void ns_accessible_name(GtkWidget *widget, const char *name);

/* The same words for the tooltip. */
void ns_accessible_tooltip(GtkWidget *widget, const char *words);
