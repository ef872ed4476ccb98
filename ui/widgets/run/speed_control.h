/* How fast a run may go: from one step a second to as fast as it can.  SPDX-License-Identifier: MIT
 */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

#define NS_TYPE_SPEED_CONTROL (ns_speed_control_get_type())
G_DECLARE_FINAL_TYPE(NsSpeedControl, ns_speed_control, NS, SPEED_CONTROL, GtkBox)

/* A slider with a logarithmic scale. */
GtkWidget *ns_speed_control_new(NsSession *session);

/* Shows the session's speed. */
void ns_speed_control_sync(NsSpeedControl *control);

/* The next speed of 1, 2, 5, 10 ... steps a second, above or below; 0 is without limit. */
double ns_speed_next(double steps_per_second, bool faster);

/* "at most 50 steps a second"; free with g_free. */
char *ns_speed_words(double steps_per_second);
