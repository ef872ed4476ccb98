/* What a view of a diagram holds.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/widgets/diagram/diagram_view.h"

struct _NsDiagramView {
    GtkWidget parent;
    NsSession *session;
    size_t lane;
    const NsStyle *style;
    const NsStyle *drawn_style; /* that the diagram was made for */
    NsStyle fitted;             /* the same with words as large as there is room for */
    NsDiagramData *data, *old_data;
    NsDiagram *diagram, *old; /* old: where norms come from, while they move */
    NsFlow flow;
    NsRange range;
    double light, flash;
    gint64 moving_since, told;
    guint tick, resized; /* callbacks: a norm moves; parts are too few or too many for a new size */
    NsDiagramLook hand;  /* what is hovered and carried */
    int sublayer_shown;  /* of the norm that gets the focus once it has moved; -1 for none */
    NsPlace place_shown;
    GPtrArray *parts; /* one for every node of `nodes`; borrowed, they are children */
    GArray *nodes;    /* unsigned: nodes that can have the focus */
};

/* The next place to one side, of those that a placement has, the tray among them. */
void ns_diagram_view_aim_next(NsDiagramView *view, int by);
