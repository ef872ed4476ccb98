/* What the crosshair touches, and the step that is shown, as text.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/widgets/charts/chart_tile.h"

#define NS_TYPE_READING_TABLE (ns_reading_table_get_type())
G_DECLARE_FINAL_TYPE(NsReadingTable, ns_reading_table, NS, READING_TABLE, GtkBox)

GtkWidget *ns_reading_table_new(NsSession *session);

/* Loss, gradient norm and learning rate of every lane at the step that is shown; below them the
 * reading of the chart in `tile`, and of two lanes their ratio.  NULL: no reading. */
void ns_reading_table_sync(NsReadingTable *table, NsChartTile *tile);
