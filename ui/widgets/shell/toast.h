/* A sentence that comes up for a moment.  SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>

/* To be added to a GtkOverlay. */
GtkWidget *ns_toast_new(void);

void ns_toast_show(GtkWidget *toast, const char *sentence);

/* The same with a button, which calls `chosen` and ends the toast; data is freed with `free` once
 * it is gone. */
void ns_toast_offer(GtkWidget *toast, const char *sentence, const char *label, GFunc chosen,
                    gpointer data, GDestroyNotify free);

/* What it says now; NULL while it is away. */
const char *ns_toast_text(GtkWidget *toast);
