/* A row of buttons that other ways lead to, too.  SPDX-License-Identifier: MIT
 *
 * Buttons without room are hidden, from the first of the row on; the row may have no width. */
#pragma once

#include <gtk/gtk.h>

/* Its children are those that a template gives it. */
#define NS_TYPE_FOLD_BOX (ns_fold_box_get_type())
G_DECLARE_FINAL_TYPE(NsFoldBox, ns_fold_box, NS, FOLD_BOX, GtkWidget)
