/* The panel of gradient checks: gradients of the running model against finite differences.
 * SPDX-License-Identifier: MIT
 *
 * The user chooses a lane and a layer, which follows the selected layer.  The session makes the
 * check at the next step of the run; the panel shows a table of tensors, a verdict, and the
 * largest error over the steps. */
#pragma once

#include "ui/session/session.h"
#include "ui/widgets/charts/chart_view.h"

/* Steps between two repeated checks. */
#define NS_GRADIENT_CHECK_EVERY 50

#define NS_TYPE_GRADIENT_CHECK_PANEL (ns_gradient_check_panel_get_type())
G_DECLARE_FINAL_TYPE(NsGradientCheckPanel, ns_gradient_check_panel, NS, GRADIENT_CHECK_PANEL,
                     GtkBox)

/* Everybody may read the fields. */
struct _NsGradientCheckPanel {
    GtkBox parent;
    NsSession *session;
    GtkWidget *lane, *layer, *check, *repeat, *verdict;
    GtkWidget *table; /* a grid */
    NsChartView *chart;
    GArray *checks;                       /* NsGradientCheckErrors */
    unsigned checked_lane, checked_layer; /* by the newest check */
    int64_t last;                         /* step of the newest check; -1: none */
    guint tick;
};

/* Shows a check, as if the session had made it. */
void ns_gradient_check_panel_show(NsGradientCheckPanel *panel, const NsGradientCheck *check);

/* Presents the panel in a window of its own, one for each parent. */
NsGradientCheckPanel *ns_gradient_check_present(GtkWindow *parent, NsSession *session);
