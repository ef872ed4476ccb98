/* The four stages of a step in slow motion: forward, loss, backward, update.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

#define NS_TYPE_STAGES (ns_stages_get_type())
G_DECLARE_FINAL_TYPE(NsStages, ns_stages, NS, STAGES, GtkBox)

/* Comes up while the session is in slow motion. */
GtkWidget *ns_stages_new(NsSession *session);

void ns_stages_sync(NsStages *stages);
