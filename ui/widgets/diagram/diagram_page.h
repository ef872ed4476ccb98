/* The page Diagram: a layer of every lane as it is wired.  SPDX-License-Identifier: MIT
 *
 * Lanes stand side by side where there is room, else the active one is shown.  Wires show the
 * signal or the gradient; in slow motion they show what the stage is about, which is named. */
#pragma once

#include "ui/widgets/charts/page.h"
#include "ui/widgets/diagram/diagram_view.h"

#define NS_TYPE_DIAGRAM_PAGE (ns_diagram_page_get_type())
G_DECLARE_FINAL_TYPE(NsDiagramPage, ns_diagram_page, NS, DIAGRAM_PAGE, GtkBox)

/* Everybody may read the fields. */
struct _NsDiagramPage {
    GtkBox parent;
    NsSession *session;
    NsFlow chosen;
    NsRange range;
    gint64 refreshed;
    bool due;
    GtkWidget *lanes, *legend, *words, *layer, *above, *tabs;
    GtkWidget *flow[NS_FLOWS];
    GtkWidget *views[NS_LANES_MAX]; /* [n] NsDiagramView */
    size_t n, active; /* active: the lane that is shown if they are not side by side */
    bool abreast;
    guint folding;    /* a tick callback after that has changed */
    NsAnswer *answer; /* what the models expect in the present step of slow motion; NULL for none */
    int64_t asked;    /* the step of the newest question; -1 for none */
    GtkWidget *tile;  /* invisible: makes the figures that are exported or copied */
};

GtkWidget *ns_diagram_page_new(NsSession *session);

/* The flow that the wires show now, in slow motion that of the stage. */
NsFlow ns_diagram_page_flow(NsDiagramPage *page);

/* Chooses the flow; slow motion shows its own. */
void ns_diagram_page_set_flow(NsDiagramPage *page, NsFlow flow);
