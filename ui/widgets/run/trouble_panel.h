/* The trouble of a run, and remedies: comes up when a run rests at a spike or a divergence.
 * SPDX-License-Identifier: MIT
 *
 * It names lane, layer, tensor and step, shows what jumped in the fifty steps before, and offers
 * the changes that helped in a trial (ns_session_remedies), each with the loss that it gave.
 *
 * It lies on what is there, at the right end below, so that nothing moves; folded it is its title
 * alone. */
#pragma once

#include "ui/session/session.h"
#include "ui/widgets/charts/chart_view.h"

#define NS_TYPE_TROUBLE_PANEL (ns_trouble_panel_get_type())
G_DECLARE_FINAL_TYPE(NsTroublePanel, ns_trouble_panel, NS, TROUBLE_PANEL, GtkBox)

GtkWidget *ns_trouble_panel_new(NsSession *session);

/* Comes up or goes, as the session is; TRUE if it tells something new. */
bool ns_trouble_panel_sync(NsTroublePanel *panel);

void ns_trouble_panel_set_style(NsTroublePanel *panel, const NsStyle *style);

/* "B diverged at step 87"; NULL while there is no trouble. */
const char *ns_trouble_panel_title(NsTroublePanel *panel);

/* In pixels; 0: as wide as the inspector. */
void ns_trouble_panel_set_width(NsTroublePanel *panel, int width);

void ns_trouble_panel_set_folded(NsTroublePanel *panel, bool folded);
bool ns_trouble_panel_is_folded(NsTroublePanel *panel);
