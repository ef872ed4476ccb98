/* A live chart.  SPDX-License-Identifier: MIT
 *
 * The widget owns a figure.  Its picture is drawn once into a texture, at the scale of the screen,
 * and drawn again only when the plot, the size, the style or the scale differs; crosshair and tip
 * are drawn above it.
 *
 * Signals: "hovered" (double x, double row), the reading under the pointer or the keyboard's
 * crosshair, x NaN where there is none; "picked" (double x), it was clicked;
 * "maximised", the chart was double-clicked outside its plot area. */
#pragma once

#include "ui/plot/layout.h"
#include "ui/widgets/view.h"

#include <gtk/gtk.h>

#define NS_TYPE_CHART_VIEW (ns_chart_view_get_type())
G_DECLARE_FINAL_TYPE(NsChartView, ns_chart_view, NS, CHART_VIEW, GtkWidget)

/* kind: a row of the registry of figures. */
GtkWidget *ns_chart_view_new(const NsFigureKind *kind);

/* Brings the figure up to date.  TRUE if there is something new to see. */
bool ns_chart_view_update(NsChartView *chart, const NsFigureInput *input);

void ns_chart_view_set_style(NsChartView *chart, const NsStyle *style);

/* Keeps a corner free at the top right, of this width and height, for what lies above the chart. */
void ns_chart_view_set_corner(NsChartView *chart, int width, int height);

/* The plot as of the last update; NULL before the first.  Borrowed until the next. */
const NsPlot *ns_chart_view_plot(NsChartView *chart);

/* The picture as it is on the screen, without crosshair; NULL before it was first drawn. */
GdkTexture *ns_chart_view_texture(NsChartView *chart);

/* Shows the crosshair at a value of the x axis (and a row of a heatmap, or NaN), as if it were
 * hovered, without a signal; NaN hides it. */
void ns_chart_view_point_at(NsChartView *chart, double x, double row);

/* Tells a screen reader what the plot shows now. */
void ns_chart_view_describe(NsChartView *chart);

/* Milliseconds that the last drawing took. */
double ns_chart_view_cost(NsChartView *chart);
