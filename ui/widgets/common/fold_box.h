/* A row of buttons that other ways lead to, too.  SPDX-License-Identifier: MIT
 *
 * Those that have no room are away, the first of the row first; it can have no width at all. */
#pragma once

#include <gtk/gtk.h>

/* Its children are those that a template gives it. */
#define NS_TYPE_FOLD_BOX (ns_fold_box_get_type())
G_DECLARE_FINAL_TYPE(NsFoldBox, ns_fold_box, NS, FOLD_BOX, GtkWidget)
