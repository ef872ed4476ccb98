/* The bar at the foot of the window: where a run stands in time, and how fast it goes.
 * SPDX-License-Identifier: MIT
 *
 * Its buttons are the actions "first", "back-step", "step" and "live" of the window.
 */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

#define NS_TYPE_TRANSPORT (ns_transport_get_type())
G_DECLARE_FINAL_TYPE(NsTransport, ns_transport, NS, TRANSPORT, GtkBox)

GtkWidget *ns_transport_new(NsSession *session);

/* Looks at the session; called once a frame while that is busy, and after every change. */
void ns_transport_sync(NsTransport *transport);

GtkWidget *ns_transport_speed(NsTransport *transport); /* NsSpeedControl */
