/* The inspector.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/session/session.h"
#include "ui/widgets/charts/dashboard.h"
#include "ui/widgets/run/run_tree.h"

#include <gtk/gtk.h>

/* The right pane: values of the shown step and under the crosshair, pinned readings, the runs of
 * the session, and the events of the run. */

#define NS_TYPE_INSPECTOR (ns_inspector_get_type())
G_DECLARE_FINAL_TYPE(NsInspector, ns_inspector, NS, INSPECTOR, GtkBox)

GtkWidget *ns_inspector_new(NsSession *session);

/* Updates the inspector from the session and the page, at most five times per second unless
 * `at_once`, which is for actions of the user. */
void ns_inspector_sync(NsInspector *inspector, NsPage *page, bool at_once);

/* The tile that was pointed at last. */
void ns_inspector_point(NsInspector *inspector, NsChartTile *tile);
