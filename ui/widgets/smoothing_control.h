/* A slider for how much curves are smoothed.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/widgets/lab.h"

#include <gtk/gtk.h>

/* Weight of the past of the exponential moving average, 0 for none; follows the lab.  Whatever it
 * passes between two frames acts once. */
GtkWidget *ns_smoothing_control_new(NsLab *lab);
