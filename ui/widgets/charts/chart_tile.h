/* A chart in its frame, with its few controls.  SPDX-License-Identifier: MIT
 *
 * Any figure of the registry can be put into a tile.  One that shows a gradient or a hidden state
 * shares the choice with its like (NsView); any other quantity is the tile's own.
 *
 * Actions, of the group "tile": "kind" (string, a row of the registry), "copy-image", "copy-data",
 * "limits", "reset", "unpin", "follow".  Export and maximize are actions of the window, on the tile
 * that has the focus.
 *
 * Signals: "kind-changed"; "enlarge", a thumbnail was pressed. */
#pragma once

#include "ui/session/session.h"
#include "ui/widgets/charts/chart_view.h"

#define NS_TYPE_CHART_TILE (ns_chart_tile_get_type())
G_DECLARE_FINAL_TYPE(NsChartTile, ns_chart_tile, NS, CHART_TILE, GtkWidget)

/* Everybody may read the fields. */
struct _NsChartTile {
    GtkWidget parent;
    NsSession *session;
    NsFigureSpec own; /* choices of the tile; a gradient or hidden state is chosen in the view;
                       * layer 0: the selected or the last layer */
    int lane;         /* index if there are several; -1: the default of the figure */
    NsChartView *chart;
    GtkWidget *overlay, *tools;
    GtkWidget *lanes; /* below the chart of one lane of several: chooses it */
    GtkWidget *follow, *heat, *choice, *log, *note, *menu_button;
    GtkWidget *probe;      /* shown in the middle of a chart whose quantity is never measured */
    GtkWidget *probe_more; /* below a quantity measured at one step, for the first such chart */
    GtkWidget *continued;  /* below the losses of a large chart: the continuations of the lanes */
    bool strip;            /* the chart has a strip of the learning rate */
    GtkWidget *enlarge;    /* covers a thumbnail */
    GtkWidget *over;       /* weak: the popover that is open over the chart; NULL for none */
    GArray *choices;       /* int, as in the drop-down */
    GActionMap *actions;
    bool maximized, compact, syncing;
};

/* Shows this lane alone; -1 lets the figure choose. */
GtkWidget *ns_chart_tile_new(NsSession *session, const NsFigureSpec *spec, int lane);

void ns_chart_tile_set_kind(NsChartTile *tile, const NsFigureKind *kind);

/* The same with the choices of the figure; a place that was not chosen is 0. */
NsFigureSpec ns_chart_tile_spec(NsChartTile *tile);
void ns_chart_tile_show(NsChartTile *tile, const NsFigureSpec *spec);

/* The input of its figure: the view of the session with the choices of the tile. */
NsFigureInput ns_chart_tile_input(NsChartTile *tile);

/* Updates the button that fits the chart, after the chart. */
void ns_chart_tile_sync_fit(NsChartTile *tile);

/* Sets whether the tile fills the window, which its menu names. */
void ns_chart_tile_set_maximized(NsChartTile *tile, bool maximized);

/* Makes the tile a thumbnail: only a title and curves, which together are a button. */
void ns_chart_tile_set_compact(NsChartTile *tile, bool compact);
