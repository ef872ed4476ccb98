/* The left pane while a run of another program is shown: its source, its columns, and which lines
 * were skipped.  SPDX-License-Identifier: MIT
 *
 * Each column has a drop-down of meanings.  A choice reads the run again and is remembered for
 * logs with the same columns (core/store/outside.h). */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

/* It follows the watched run of the session, if there is one. */
GtkWidget *ns_log_pane_new(NsSession *session);
