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

/* Shows this lane alone; -1 lets the figure choose. */
GtkWidget *ns_chart_tile_new(NsSession *session, const NsFigureSpec *spec, int lane);

NsChartView *ns_chart_tile_chart(NsChartTile *tile);

const NsFigureKind *ns_chart_tile_kind(NsChartTile *tile);
void ns_chart_tile_set_kind(NsChartTile *tile, const NsFigureKind *kind);

/* The same with the choices of the figure; a place that was not chosen is 0. */
NsFigureSpec ns_chart_tile_spec(NsChartTile *tile);
void ns_chart_tile_show(NsChartTile *tile, const NsFigureSpec *spec);

int ns_chart_tile_lane(NsChartTile *tile);

/* The input of its figure: the view of the session with the choices of the tile. */
NsFigureInput ns_chart_tile_input(NsChartTile *tile);

/* Sets whether the tile fills the window, which its menu names. */
void ns_chart_tile_set_maximized(NsChartTile *tile, bool maximized);

/* Makes the tile a thumbnail: only a title and curves, which together are a button. */
void ns_chart_tile_set_compact(NsChartTile *tile, bool compact);
bool ns_chart_tile_is_compact(NsChartTile *tile);
