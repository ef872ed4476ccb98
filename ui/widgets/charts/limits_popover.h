/* Asks for limits and scales of a chart's axes.  SPDX-License-Identifier: MIT
 *
 * An empty field leaves that end to the data.  A typed limit acts at Enter or when the field is
 * left; one that cannot be used is explained in a sentence and changes nothing. */
#pragma once

#include "ui/widgets/charts/chart_view.h"

/* A field for a limit, whose name a screen reader says; empty where it is NaN. */
GtkWidget *ns_limit_field_new(const char *name, double value);

/* The limits that two fields hold, NaN where one is empty, for an axis of such a scale.  Returns
 * NULL, or what is wrong with them in a sentence. */
const char *ns_limits_read(GtkWidget *lo, GtkWidget *hi, NsScaleKind kind, NsRange *range);

/* A popover for the axes that the chart has now; the caller gives it a parent. */
GtkWidget *ns_limits_popover_new(NsChartView *chart);
