/* A sentence that is shown for a few seconds.  SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>

/* A GtkRevealer for a GtkOverlay. */
GtkWidget *ns_toast_new(void);

/* Shows a sentence and, unless its label is NULL, a button, which ends the toast and calls `chosen`
 * with the data and the toast; data is freed with g_free once another sentence is shown.
 * Without `chosen` the sentence stays until the button is pressed. */
void ns_toast_show(GtkWidget *toast, const char *sentence, const char *label, GFunc chosen,
                   gpointer data);

/* Shows a sentence, or first waits until the present one has been shown. */
void ns_toast_show_later(GtkWidget *toast, const char *sentence);

/* Ends a sentence whose button calls `chosen`, if it is shown. */
void ns_toast_withdraw(GtkWidget *toast, GFunc chosen);

/* The text that is shown now, or NULL. */
const char *ns_toast_text(GtkWidget *toast);
