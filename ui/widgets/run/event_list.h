/* What happened to the run, the newest first.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

#define NS_TYPE_EVENT_LIST (ns_event_list_get_type())
G_DECLARE_FINAL_TYPE(NsEventList, ns_event_list, NS, EVENT_LIST, GtkBox)

/* A row a mark of the timeline; choosing one shows its step. */
GtkWidget *ns_event_list_new(NsSession *session);

/* Returns whether there are any. */
bool ns_event_list_sync(NsEventList *list);
