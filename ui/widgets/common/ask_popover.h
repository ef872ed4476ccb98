/* Asks for one number, at the place where it was wanted.  SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>
#include <stdbool.h>

typedef struct {
    const char *question;                       /* "Run until the loss is below" */
    const char *answer;                         /* the word on its button */
    const char *start;                          /* that the entry begins with */
    const char *refusal;                        /* said of a number that was not taken */
    bool (*take)(double number, gpointer data); /* FALSE: not such a number */
} NsAsk;

/* Pops up at a widget; `ask` and its texts are borrowed for ever.  Returns the popover, which is
 * gone once it was closed. */
GtkWidget *ns_ask_popover(GtkWidget *at, const NsAsk *ask, gpointer data);
