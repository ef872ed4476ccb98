/* Asks for limits and scales of a chart's axes.  SPDX-License-Identifier: MIT
 *
 * An empty field leaves that end to the data.  What is typed acts at Enter or when the field is
 * left; what cannot be used is said in a sentence and changes nothing. */
#pragma once

#include "ui/widgets/charts/chart_view.h"

/* A popover for the axes that the chart has now; the caller gives it a parent. */
GtkWidget *ns_limits_popover_new(NsChartView *chart);
