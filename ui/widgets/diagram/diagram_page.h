/* The page Diagram: a layer of every lane as it is wired.  SPDX-License-Identifier: MIT
 *
 * Lanes stand side by side where there is room, else the active one is shown.  Wires show the
 * signal or the gradient; in slow motion they show what the stage is about, which is named. */
#pragma once

#include "ui/widgets/charts/page.h"
#include "ui/widgets/diagram/diagram_view.h"

#define NS_TYPE_DIAGRAM_PAGE (ns_diagram_page_get_type())
G_DECLARE_FINAL_TYPE(NsDiagramPage, ns_diagram_page, NS, DIAGRAM_PAGE, GtkBox)

GtkWidget *ns_diagram_page_new(NsSession *session);

/* The view of a lane; NULL past the last. */
NsDiagramView *ns_diagram_page_view(NsDiagramPage *page, size_t lane);

/* The flow that the wires show now, in slow motion that of the stage. */
NsFlow ns_diagram_page_flow(NsDiagramPage *page);
