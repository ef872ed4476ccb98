/* Lanes side by side where there is room, else the active one.  SPDX-License-Identifier: MIT
 *
 * Signal: "folded", whether all of them are shown is different now. */
#pragma once

#include <gtk/gtk.h>

#define NS_TYPE_DIAGRAM_LANES (ns_diagram_lanes_get_type())
G_DECLARE_FINAL_TYPE(NsDiagramLanes, ns_diagram_lanes, NS, DIAGRAM_LANES, GtkWidget)

GtkWidget *ns_diagram_lanes_new(void);

/* Appends a lane. */
void ns_diagram_lanes_add(NsDiagramLanes *lanes, GtkWidget *child);

/* The one that is shown where there is no room for all. */
void ns_diagram_lanes_set_active(NsDiagramLanes *lanes, size_t lane);

/* Whether all of them are shown. */
bool ns_diagram_lanes_abreast(NsDiagramLanes *lanes);
