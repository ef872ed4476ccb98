/* The diagram of one lane.  SPDX-License-Identifier: MIT
 *
 * It shows the settings of the controls.  Where these wait for a restart or a fork it shows how
 * they wire the model, without numbers, for the run is still another model.
 *
 * A click on a layer of the stack selects it in every chart; Up and Down go to the next.  A norm
 * can be dragged to another place, or with the focus on it moved by Left and Right and put there by
 * Enter: this chooses the placement that has its norms so.  From the spare norm one is added (with
 * the keys: from a branch), and there one is put away. */
#pragma once

#include "ui/figures/diagram.h"
#include "ui/session/session.h"

#include <gtk/gtk.h>

#define NS_TYPE_DIAGRAM_VIEW (ns_diagram_view_get_type())
G_DECLARE_FINAL_TYPE(NsDiagramView, ns_diagram_view, NS, DIAGRAM_VIEW, GtkWidget)

/* Everybody may read the fields. */
struct _NsDiagramView {
    GtkWidget parent;
    NsSession *session;
    size_t lane;
    const NsStyle *style; /* of the current diagram */
    NsStyle fitted;       /* the same style with text as large as fits */
    NsDiagramData *data, *old_data;
    NsDiagram *diagram, *old; /* previous diagram, while norms move from its places */
    NsFlow flow;
    NsRange range;
    double light, flash;
    char *read, *expected;
    gint64 moving_since, reported;
    guint tick, resized; /* callbacks: a norm moves; the number of parts changes with a new size */
    NsDiagramLook hand;  /* the hovered node and the norm that is dragged */
    int sublayer_shown;  /* place of the norm that gets the focus after it has moved; -1 for none */
    NsPlace place_shown;
    GPtrArray *parts; /* one for every node of `nodes`; borrowed, they are children */
    GArray *nodes;    /* unsigned: focusable nodes */
};

GtkWidget *ns_diagram_view_new(NsSession *session, size_t lane);

/* Updates the diagram from the session.  TRUE if it has changed. */
bool ns_diagram_view_read(NsDiagramView *view);

/* Selects the layer this many above the visible one; FALSE if no layer is visible. */
bool ns_diagram_view_walk(NsDiagramView *view, int by);

/* Sets the flow that it shows and the ends of the colors. */
void ns_diagram_view_show(NsDiagramView *view, NsFlow flow, NsRange range);

/* The numbers of a flow; lo > hi where there is none. */
NsRange ns_diagram_view_extent(NsDiagramView *view, NsFlow flow);

/* Lights on the wires and a flash of the weights, as of NsDiagramLook. */
void ns_diagram_view_light(NsDiagramView *view, double light, double flash);

/* The text that the model of the lane reads and, if `expects`, which tokens it expects after it;
 * NULL for none. */
void ns_diagram_view_answer(NsDiagramView *view, const NsAnswer *answer, bool expects);

/* Drags the movable norm at a place of a sub-layer (-1: the spare norm) to a point and drops it
 * there, or without `drop` puts it back. */
bool ns_diagram_view_take(NsDiagramView *view, int sublayer, int place);
void ns_diagram_view_let_go(NsDiagramView *view, bool drop);
