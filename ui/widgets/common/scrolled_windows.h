/* What GTK's scrolled windows leave behind.  SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>

/* From now on a scrolled window lets go of the settings when it is unrealized.  GTK 4.8 connects
 * one function to them and disconnects another: each would leave a handler that points at what is
 * gone. */
void ns_scrolled_windows_let_go(void);
