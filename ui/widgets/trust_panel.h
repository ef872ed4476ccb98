/* The trust panel: gradients of the running model against finite differences.
 * SPDX-License-Identifier: MIT
 *
 * Lane and layer are chosen; a check is asked of the lab, which makes it at the next step boundary
 * of the live run, and is told as a table of tensors, a verdict, and the largest error over the
 * steps.  It follows the layer that is selected. */
#pragma once

#include "ui/widgets/chart_view.h"
#include "ui/widgets/lab.h"

/* Steps between two checks, where they are repeated. */
#define NS_TRUST_EVERY 50

#define NS_TYPE_TRUST_PANEL (ns_trust_panel_get_type())
G_DECLARE_FINAL_TYPE(NsTrustPanel, ns_trust_panel, NS, TRUST_PANEL, GtkWidget)

GtkWidget *ns_trust_panel_new(NsLab *lab);

/* Shows a check, as if the lab had made it. */
void ns_trust_panel_show(NsTrustPanel *panel, const NsGradientCheck *check);

/* Its parts: drop-down of lanes, entry of the layer, button, switch of the repetition, verdict, the
 * grid of the table, the chart. */
typedef struct {
    GtkWidget *lane, *layer, *check, *repeat, *verdict, *table;
    NsChartView *chart;
} NsTrustParts;
const NsTrustParts *ns_trust_panel_parts(NsTrustPanel *panel);

/* The panel in a window of its own above the parent, one for each; again only brings it up. */
NsTrustPanel *ns_trust_present(GtkWindow *parent, NsLab *lab);
