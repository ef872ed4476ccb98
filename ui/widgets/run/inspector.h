/* The inspector: events and pins of a run, below its settings.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/session/session.h"
#include "ui/widgets/charts/dashboard.h"
#include "ui/widgets/run/run_tree.h"

#include <gtk/gtk.h>

/* Parts of it. */
#define NS_TYPE_READING_TABLE (ns_reading_table_get_type())
G_DECLARE_FINAL_TYPE(NsReadingTable, ns_reading_table, NS, READING_TABLE, GtkBox)

#define NS_TYPE_EVENT_LIST (ns_event_list_get_type())
G_DECLARE_FINAL_TYPE(NsEventList, ns_event_list, NS, EVENT_LIST, GtkBox)

#define NS_TYPE_PIN_LIST (ns_pin_list_get_type())
G_DECLARE_FINAL_TYPE(NsPinList, ns_pin_list, NS, PIN_LIST, GtkBox)

/* The step that is shown, what the crosshair touches, the readings that are pinned, what happened
 * to the run, and the runs of the session. */

#define NS_TYPE_INSPECTOR (ns_inspector_get_type())
G_DECLARE_FINAL_TYPE(NsInspector, ns_inspector, NS, INSPECTOR, GtkBox)

GtkWidget *ns_inspector_new(NsSession *session);

/* Looks at the session and at the page, as often as numbers can be read; `at_once` for what
 * somebody did. */
void ns_inspector_sync(NsInspector *inspector, NsPage *page, bool at_once);

/* The tile that was pointed at last. */
void ns_inspector_point(NsInspector *inspector, NsChartTile *tile);
