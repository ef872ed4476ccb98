/* Popovers that are there as long as they are open.  SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>
#include <stdbool.h>

/* Opens a popover at a widget, which becomes its parent, or at a place of it (NULL: all of it).
 * When it has closed, or when the widget goes, it goes too: whoever remembers it does so with a
 * weak pointer.  The keyboard goes back to where it was before. */
void ns_popover_pass(GtkWidget *popover, GtkWidget *at, const GdkRectangle *place);

/* From now on what stands open closes before any window of the program does.  A popover that is
 * open when its window goes keeps the grab that it had, and no other window hears of pointer,
 * keyboard or its own closing any more (GTK 4.8). */
void ns_popovers_close_first(void);

/* To be called before a popover that has closed is unparented.  A movement of the pointer that was
 * on its way when it closed still finds it there, and a gesture of the window holds what it found
 * while a button is down: the next layout of the window would then ask a popover without a surface
 * (GTK 4.8 crashes).  The pointer leaves what is insensitive.  The keyboard goes to the parent, or
 * to nothing: GTK 4.8 takes a reference to what the focus is in when that closes and another when
 * it is unparented before the next frame, and gives one back. */
void ns_popover_part(GtkWidget *popover);

/* ---- A question for one number ---- */

typedef struct {
    const char *question;                       /* "Run until the loss is below" */
    const char *answer;                         /* the word on its button */
    const char *start;                          /* initial text of the entry */
    const char *refusal;                        /* shown for a number that was refused */
    bool (*take)(double number, gpointer data); /* FALSE refuses the number */
} NsAsk;

/* Pops up at a widget; `ask` and its texts must be static.  Returns the popover, which is gone
 * once it was closed. */
GtkWidget *ns_ask_popover(GtkWidget *at, const NsAsk *ask, gpointer data);
