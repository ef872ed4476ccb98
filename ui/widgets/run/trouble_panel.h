/* A panel about a spike or divergence at which the run is paused, and remedies.
 * SPDX-License-Identifier: MIT
 *
 * It names the lane, layer, tensor and step, plots the fifty steps before, and offers the
 * changes that helped in a trial (ns_session_remedies) with the loss that each gave.
 *
 * It covers the bottom right corner, so that nothing moves; folded, only its title is visible.
 */
#pragma once

#include "ui/session/session.h"
#include "ui/widgets/charts/chart_view.h"

#define NS_TYPE_TROUBLE_PANEL (ns_trouble_panel_get_type())
G_DECLARE_FINAL_TYPE(NsTroublePanel, ns_trouble_panel, NS, TROUBLE_PANEL, GtkBox)

GtkWidget *ns_trouble_panel_new(NsSession *session);

/* Shows or hides the panel; TRUE if its trouble is a new one. */
bool ns_trouble_panel_sync(NsTroublePanel *panel);

/* "B diverged at step 87"; NULL while there is no trouble. */
const char *ns_trouble_panel_title(NsTroublePanel *panel);

/* Width in pixels; 0: as wide as the inspector. */
void ns_trouble_panel_set_width(NsTroublePanel *panel, int width);

void ns_trouble_panel_set_folded(NsTroublePanel *panel, bool folded);
bool ns_trouble_panel_is_folded(NsTroublePanel *panel);
