/* A panel about a spike or divergence at which the run is paused, and remedies.
 * SPDX-License-Identifier: MIT
 *
 * It names the lane, layer, tensor and step, and offers the changes that helped in a trial
 * (ns_session_remedies) with the loss that each gave.
 *
 * Folded, only its title is visible, at the bottom right. Unfolded it covers the thumbnails, or a
 * band below the inspector or the page, which make way for it ("folded").
 */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

#define NS_TYPE_TROUBLE_PANEL (ns_trouble_panel_get_type())
G_DECLARE_FINAL_TYPE(NsTroublePanel, ns_trouble_panel, NS, TROUBLE_PANEL, GtkBox)

GtkWidget *ns_trouble_panel_new(NsSession *session);

/* Shows or hides the panel; TRUE if its trouble is a new one. */
bool ns_trouble_panel_sync(NsTroublePanel *panel);

/* "B diverged at step 87"; NULL while there is no trouble. */
const char *ns_trouble_panel_title(NsTroublePanel *panel);

typedef enum {
    NS_TROUBLE_ON_INSPECTOR,  /* at its bottom */
    NS_TROUBLE_ON_THUMBNAILS, /* beside the large charts */
    NS_TROUBLE_BELOW          /* of all charts, as wide as these */
} NsTroublePlace;

/* Width in pixels, of the thumbnails. */
void ns_trouble_panel_set_place(NsTroublePanel *panel, NsTroublePlace place, int width);

/* Arranges the band below the inspector or a page of this width, whose content has at most this
 * height; returns what it takes of these, 0 while it covers their corner or something else. */
int ns_trouble_panel_band(NsTroublePanel *panel, int width, int most);

void ns_trouble_panel_set_folded(NsTroublePanel *panel, bool folded);
bool ns_trouble_panel_is_folded(NsTroublePanel *panel);
