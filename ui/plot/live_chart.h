/* A live chart: its layout and its pixels, from frame to frame.  SPDX-License-Identifier: MIT
 *
 * While nothing but new data came, only what is new is laid out and drawn, pixel for pixel what
 * drawing all of it would give: a frame costs the same however long a run has been going.  Axes
 * without limits are live ones: they widen at once and shrink slowly (live_limits.h), and steps
 * that grow have room ahead.  Files are made by ns_plot_layout, whose axes end where the data do.
 */
#pragma once

#include "ui/plot/layout.h"

typedef struct NsLiveChart NsLiveChart;

NsLiveChart *ns_live_chart_new(void);
void ns_live_chart_free(NsLiveChart *chart);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsLiveChart, ns_live_chart_free)

/* To be called before the plot, or anything that it borrows, changes: layouts that were handed out
 * are gone. */
void ns_live_chart_forget(NsLiveChart *chart);

/* What is to be seen.  style is borrowed until the next call. */
typedef struct {
    const NsPlot *plot; /* borrowed until ns_live_chart_forget; a change changes its version */
    double width, height;
    const NsStyle *style;
    double seconds; /* since the last call, for axes that shrink */
} NsLiveChartView;

/* Returns the layout of a view, borrowed: the same one as long as neither the view changes nor
 * ns_live_chart_forget is called. */
const NsPlotLayout *ns_live_chart_layout(NsLiveChart *chart, const NsLiveChartView *view);

/* Brings the pixels up to date with the last layout, `scale` pixels a unit.  `boxes` (of
 * cairo_rectangle_int_t, or NULL) gets those of pixels that may differ from the call before.
 * Returns the surface, borrowed and written again by the next call; its status tells whether there
 * was memory. */
cairo_surface_t *ns_live_chart_draw(NsLiveChart *chart, int scale, GArray *boxes);
