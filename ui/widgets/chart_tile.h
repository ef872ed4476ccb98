/* A chart in its frame, with its few controls.  SPDX-License-Identifier: MIT
 *
 * Actions, of the group "tile": "export", "copy-image", "copy-data", "maximise"; the first and the
 * last are signals of the tile, for they concern the window: "export" and "maximise". */
#pragma once

#include "ui/widgets/chart_view.h"
#include "ui/widgets/lab.h"

#define NS_TYPE_CHART_TILE (ns_chart_tile_get_type())
G_DECLARE_FINAL_TYPE(NsChartTile, ns_chart_tile, NS, CHART_TILE, GtkWidget)

/* kind: a row of the registry of figures. */
GtkWidget *ns_chart_tile_new(NsLab *lab, const NsFigureKind *kind);

NsChartView *ns_chart_tile_chart(NsChartTile *tile);
const NsFigureKind *ns_chart_tile_kind(NsChartTile *tile);

/* Whether the tile fills the window, for the words on its menu. */
void ns_chart_tile_set_maximised(NsChartTile *tile, bool maximised);
