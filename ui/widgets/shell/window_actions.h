/* The actions of a window and their keys, in two tables.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/widgets/shell/window.h"

/* Adds the actions to a window, and enables those that the session and the page on view allow. */
void ns_window_add_actions(NsWindow *window);

/* ---- Keys ---- */

/* resources/gtk/help-overlay.ui shows exactly these; a test compares the two. */
typedef enum {
    NS_KEY_ALWAYS, /* everywhere: keys with Ctrl or Alt, and function keys */
    NS_KEY_EARLY,  /* before the focused widget, except while typing */
    NS_KEY_LATE,   /* only if the focused widget does not handle it, as an entry does with arrows */
} NsKeyTime;

typedef struct {
    const char *accelerator; /* as gtk_accelerator_parse, and as the shortcuts window has it */
    const char *action;      /* detailed, with "win." or "app." */
    NsKeyTime time;
    guint others[3]; /* other key values, of other keyboards and the keypad */
} NsKey;

/* The i-th row; NULL past the end. */
const NsKey *ns_window_key(size_t i);

/* Adds the keys to a window. */
void ns_window_add_keys(NsWindow *window);

/* Adds the keys that act everywhere to the application. */
void ns_window_add_accelerators(GtkApplication *application);
