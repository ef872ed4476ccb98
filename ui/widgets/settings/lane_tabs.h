/* The lanes as tabs above the settings.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

/* A tab a lane, with the color and mark that it has in charts and what is special about it; the
 * chosen one is active.  Buttons add a lane and take the active one out; below stands what differs
 * between lanes. */
GtkWidget *ns_lane_tabs_new(NsSession *session);
