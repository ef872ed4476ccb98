/* A slider for how much curves are smoothed.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

/* Weight of the past of the exponential moving average, 0 for none; follows the session.  Whatever
 * it passes between two frames acts once. */
GtkWidget *ns_smoothing_control_new(NsSession *session);
