/* The panel of gradient checks: gradients of the running model against finite differences.
 * SPDX-License-Identifier: MIT
 *
 * Lane and layer are chosen; a check is asked of the session, which makes it at the next step
 * boundary of the live run, and is told as a table of tensors, a verdict, and the largest error
 * over the steps.  It follows the layer that is selected. */
#pragma once

#include "ui/session/session.h"
#include "ui/widgets/charts/chart_view.h"

/* Steps between two checks, where they are repeated. */
#define NS_GRADIENT_CHECK_EVERY 50

#define NS_TYPE_GRADIENT_CHECK_PANEL (ns_gradient_check_panel_get_type())
G_DECLARE_FINAL_TYPE(NsGradientCheckPanel, ns_gradient_check_panel, NS, GRADIENT_CHECK_PANEL,
                     GtkBox)

GtkWidget *ns_gradient_check_panel_new(NsSession *session);

/* Shows a check, as if the session had made it. */
void ns_gradient_check_panel_show(NsGradientCheckPanel *panel, const NsGradientCheck *check);

/* Its parts: drop-down of lanes, entry of the layer, button, switch of the repetition, verdict, the
 * grid of the table, the chart. */
typedef struct {
    GtkWidget *lane, *layer, *check, *repeat, *verdict, *table;
    NsChartView *chart;
} NsGradientCheckParts;
const NsGradientCheckParts *ns_gradient_check_panel_parts(NsGradientCheckPanel *panel);

/* The panel in a window of its own above the parent, one for each; again only brings it up. */
NsGradientCheckPanel *ns_gradient_check_present(GtkWindow *parent, NsSession *session);
