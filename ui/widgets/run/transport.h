/* The bar that runs, pauses and steps, its speed, and the stages of slow motion.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

/* ---- Speed ---- */

/* The next higher or lower of the speeds 1, 2, 5, 10 ... in steps per second; 0 is unlimited. */
double ns_speed_next(double steps_per_second, bool faster);

/* "at most 50 steps a second"; free with g_free. */
char *ns_speed_words(double steps_per_second);

/* ---- The bar ---- */

/* Its buttons are the actions "first", "back-step", "step" and "live" of the window. */
#define NS_TYPE_TRANSPORT (ns_transport_get_type())
G_DECLARE_FINAL_TYPE(NsTransport, ns_transport, NS, TRANSPORT, GtkBox)

GtkWidget *ns_transport_new(NsSession *session);

/* Updates the bar from the session; called once per frame while that is busy, and after every
 * change.  While it is busy, the numbers are updated only where they are due. */
void ns_transport_sync(NsTransport *transport, bool due);
