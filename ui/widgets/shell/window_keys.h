/* The keys of a window: one table.  SPDX-License-Identifier: MIT
 *
 * resources/gtk/help-overlay.ui shows exactly these; a test compares the two. */
#pragma once

#include "ui/widgets/shell/window.h"

typedef enum {
    NS_KEY_ALWAYS, /* with Ctrl or Alt, and function keys: from anywhere */
    NS_KEY_EARLY,  /* before the focused widget, but not where a text is typed */
    NS_KEY_LATE,   /* only if the focused widget does not take it: an entry moves its own cursor */
} NsKeyTime;

typedef struct {
    const char *accelerator; /* as gtk_accelerator_parse, and as the shortcuts window has it */
    const char *action;      /* detailed, with "win." or "app." */
    NsKeyTime time;
    guint others[3]; /* further key values, of other keyboards and of the keypad */
} NsKey;

/* The i-th row; NULL past the end. */
const NsKey *ns_window_key(size_t i);

/* Makes the keys of a window act. */
void ns_window_add_keys(NsWindow *window);

/* Gives the application those that act from anywhere. */
void ns_window_add_accelerators(GtkApplication *application);
