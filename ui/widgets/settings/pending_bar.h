/* The bar that tells which changes wait, and offers the three answers.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

/* A GtkRevealer: "2 changes wait: Norm placement of B and Layers.  Restart | Fork | Undo". */
GtkWidget *ns_pending_bar_new(NsSession *session);
