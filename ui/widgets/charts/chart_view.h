/* A live chart.  SPDX-License-Identifier: MIT
 *
 * The widget owns a figure, and draws it in the style of its theme.  The picture is drawn once into
 * a texture, at the scale of the screen, and drawn again only when the plot, the size, the style or
 * the scale differs; crosshair and tip are drawn above it.  Where the plot would be too low, the
 * panel below it is left out. What is drawn is the figure's plot under the view state of the reader
 * (ui/plot/view_state.h). Whoever changes the view state says so with ns_chart_view_state_changed;
 * input from pointer and keyboard is ui/widgets/charts/chart_input.h.
 *
 * Signals: "hovered" (double x, double row), the reading under the pointer or the keyboard's
 * crosshair as values on the x and, of a heatmap, the left axis; NaN where there is none;
 * "clicked" (the same), what was clicked; "view-state-changed"; "menu" (double x, double y), its
 * menu is wanted at that place; "sentence" (string), a sentence for the reader. */
#pragma once

#include "ui/plot/view_state.h"
#include "ui/session/view.h"

#include <gtk/gtk.h>

#define NS_TYPE_CHART_VIEW (ns_chart_view_get_type())
G_DECLARE_FINAL_TYPE(NsChartView, ns_chart_view, NS, CHART_VIEW, GtkWidget)

/* kind: a row of the registry of figures. */
GtkWidget *ns_chart_view_new(const NsFigureKind *kind);

const NsFigureKind *ns_chart_view_kind(NsChartView *chart);

/* Shows the figure; another one in full, with the view state reset. */
void ns_chart_view_set_kind(NsChartView *chart, const NsFigureKind *kind);

/* Brings the figure up to date.  TRUE if there is something new to see. */
bool ns_chart_view_update(NsChartView *chart, const NsFigureInput *input);

/* A thumbnail shows a small title and curves, and is not in the keyboard focus; the widget above it
 * is.  Its plot is still complete. */
void ns_chart_view_set_compact(NsChartView *chart, bool compact);

/* Shows only the title, the curves and the legend, because text next to the chart has the rest. */
void ns_chart_view_set_bare(NsChartView *chart);

/* Sets the name of a thumbnail, in place of a title that others have as well; NULL for none. Takes
 * the words over. */
void ns_chart_view_set_name(NsChartView *chart, char *name);

/* Reserves this width at the end of the title's lines for controls above the chart, and this height
 * below its top before what follows the title. */
void ns_chart_view_set_corner(NsChartView *chart, int width, int height);

/* The plot as of the last update; NULL before the first.  Borrowed until the next. */
const NsPlot *ns_chart_view_plot(NsChartView *chart);

/* The picture as it is on the screen, without crosshair; NULL before it was first drawn. */
GdkTexture *ns_chart_view_texture(NsChartView *chart);

/* The layout that was drawn last; NULL before that.  Borrowed until the chart changes. */
const NsPlotLayout *ns_chart_view_layout(NsChartView *chart);

/* Points at a place of the widget, with a signal; NaN for none. */
void ns_chart_view_hover(NsChartView *chart, double px, double py);

/* Shows the crosshair at values of the x axis and, of a heatmap, the left one (or NaN), as if it
 * were hovered, without a signal; NaN hides it. */
void ns_chart_view_point_at(NsChartView *chart, double x, double row);

/* Moves the crosshair by points and rows, as ns_plot_next_x, and scrolls the view with it. */
void ns_chart_view_walk(NsChartView *chart, int64_t columns, int64_t rows);

/* The reading of the crosshair; NULL without one.  Borrowed until the chart changes. */
const NsReading *ns_chart_view_reading(NsChartView *chart);

/* Pins the reading of the crosshair, or removes its pin.  FALSE if all pins are in use. */
bool ns_chart_view_pin(NsChartView *chart);

/* Emits the signal of a click on the reading of the crosshair. */
void ns_chart_view_emit_click(NsChartView *chart);

/* Draws a rubber band in place of the crosshair; one without width or height ends it. */
void ns_chart_view_set_band(NsChartView *chart, NsBox band);

/* Draws the chart without its note from now on. */
void ns_chart_view_leave_note(NsChartView *chart);

/* The view state, to read or to change. */
NsViewState *ns_chart_view_state(NsChartView *chart);
void ns_chart_view_state_changed(NsChartView *chart);

/* Takes over the x range of another chart. */
void ns_chart_view_link(NsChartView *chart, NsRange x, bool held);

/* Follows the newest abscissa where the x range is limited but not held. */
void ns_chart_view_advance(NsChartView *chart, double newest);

/* Describes the plot to a screen reader. */
void ns_chart_view_describe(NsChartView *chart);

/* Milliseconds that the last drawing took. */
double ns_chart_view_cost(NsChartView *chart);
