/* The left pane of a run of another program: where it comes from, its columns, and what was left
 * out.  SPDX-License-Identifier: MIT
 *
 * Each column has a list of what it may be taken for.  A choice reads the run again, and is
 * remembered for logs with the same columns (core/store/outside.h). */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

/* It follows the watched run of the session, if there is one. */
GtkWidget *ns_log_pane_new(NsSession *session);
