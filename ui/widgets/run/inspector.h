/* The inspector.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/session/session.h"
#include "ui/widgets/charts/dashboard.h"

#include <gtk/gtk.h>

/* The right pane: values of the shown step and under the crosshair, pinned readings, the runs of
 * the session, and the events of the run. */

#define NS_TYPE_INSPECTOR (ns_inspector_get_type())
G_DECLARE_FINAL_TYPE(NsInspector, ns_inspector, NS, INSPECTOR, GtkBox)

/* Everybody may read the fields. */
struct _NsInspector {
    GtkBox parent;
    NsSession *session;
    GtkWidget *readings; /* GtkGrid */
    GPtrArray
        *cells; /* of GtkLabel *, as many a row as there can be columns; grows and never shrinks */
    GtkWidget *pins;      /* a row for every pin of every tile */
    GStrv pin_texts;      /* as shown */
    GtkWidget *events;    /* a row for every event of the timeline; choosing one shows its step */
    guint events_hash;    /* of the events in the list */
    GtkWidget *runs;      /* a row for every run of the session */
    GtkWidget *facts;     /* of the present run; NULL while there is none */
    bool runs_stale;      /* they are rebuilt soon */
    NsChartTile *pointed; /* weak */
};

GtkWidget *ns_inspector_new(NsSession *session);

/* Updates the inspector from the session and the page. */
void ns_inspector_sync(NsInspector *inspector, NsPage *page);

/* The tile that was pointed at last. */
void ns_inspector_point(NsInspector *inspector, NsChartTile *tile);
