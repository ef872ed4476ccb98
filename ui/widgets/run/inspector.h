/* The inspector: events and pins of a run, below its settings.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/session/session.h"
#include "ui/widgets/charts/dashboard.h"
#include "ui/widgets/run/run_tree.h"

#include <gtk/gtk.h>

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
