/* Who hides a widget.  SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>

#include <stdbool.h>

/* Why a part of the window is hidden.  Each reason has one owner, independent of the others. */
typedef enum {
    NS_HIDDEN_USELESS = 1 << 0, /* it has nothing to show or to do now */
    NS_HIDDEN_CLOSED = 1 << 1,  /* the user closed it */
    NS_HIDDEN_PRESET = 1 << 2,  /* a preset or class mode hides it */
    NS_HIDDEN_SEARCH = 1 << 3,  /* it does not match the words of a search */
} NsHiddenBy;

/* Gives a widget a reason to be hidden, or takes it away.  It is visible while it has none: all
 * that can be hidden for several reasons is shown and hidden with this function alone. */
void ns_hide(GtkWidget *widget, NsHiddenBy reason, bool hidden);
