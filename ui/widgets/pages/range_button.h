/* A range in fields: from, to, count, equal factors.  SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>

/* A button that opens the fields, which write the range into an entry as "1e-4:1e-1:7:log"
 * (ns_study_axis_read) and show what it has when they come up. */
GtkWidget *ns_range_button_new(GtkWidget *entry);
