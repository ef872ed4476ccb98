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

#include "ui/plot/live_limits.h"
#include "ui/plot/view_state.h"
#include "ui/session/view.h"

#include <gtk/gtk.h>

#define NS_TYPE_CHART_VIEW (ns_chart_view_get_type())
G_DECLARE_FINAL_TYPE(NsChartView, ns_chart_view, NS, CHART_VIEW, GtkWidget)

/* Where the crosshair comes from; it is read again after every drawing. */
typedef enum { NS_AIM_NONE, NS_AIM_POINTER, NS_AIM_VALUE } NsAim;

/* Everybody may read the fields, and change the view state (ns_chart_view_state_changed). */
struct _NsChartView {
    GtkWidget parent;
    const NsFigureKind *kind;
    NsFigure *figure;
    const NsPlot *plot; /* the complete plot of the figure; NULL before the first update, and valid
                           until the next */
    NsViewState view_state;
    NsPlot shown;         /* the plot under the view state; borrows from it and from the next */
    GArray *shown_series; /* NsSeries */
    NsPlot rendered;      /* the same with the ends of its live axes */
    NsLiveAxes axes;
    bool alone; /* without the panel below, for which there is no room in this size and style */
    uint64_t version;         /* of the shown plot; it also changes with the view state */
    const NsStyle *given;     /* the style of the theme that was adopted; NULL: none */
    NsStyle style;            /* the style with the corner of this chart */
    NsPlotLayout *layout;     /* the layout of the present plot and style; NULL: none */
    GskRenderNode *picture;   /* the picture on the screen; NULL: none yet, or no memory for one */
    cairo_surface_t *surface; /* surface of the picture; NULL: nothing was drawn yet */
    GdkTexture *texture;      /* texture of the surface; NULL until one is needed */
    bool stale;               /* the picture shows another plot or style */
    bool compact, noteless;
    bool numbers, bar; /* a thumbnail of this size has space for those of its axes, for its bar */
    char *name;        /* name of the thumbnail; NULL: its title */
    char *caption;     /* the subtitle without the step; NULL: it is that of the plot */
    gint64 laid_out;   /* time of the last layout; 0: never */
    int rendered_width, rendered_height, rendered_scale;
    double cost; /* ms, of the last drawing */
    NsReading reading;
    bool pointed; /* reading is valid */
    NsAim aim;
    double aim_x, aim_y; /* pixels of the pointer, or values on the x and the left axis */
    guint telling;       /* a tick callback that reports the position of the crosshair */
    NsBox band;          /* the box being drawn with the pointer; empty: none */
};

/* kind: a row of the registry of figures. */
GtkWidget *ns_chart_view_new(const NsFigureKind *kind);

/* Shows the figure; another one in full, with the view state reset. */
void ns_chart_view_set_kind(NsChartView *chart, const NsFigureKind *kind);

/* Brings the figure up to date.  TRUE if there is something new to see. */
bool ns_chart_view_update(NsChartView *chart, const NsFigureInput *input);

/* A thumbnail shows a small title and curves, and is not in the keyboard focus; the widget above it
 * is.  Its plot is still complete. */
void ns_chart_view_set_compact(NsChartView *chart, bool compact);

/* Sets the name of a thumbnail, in place of a title that others have as well; NULL for none. Takes
 * the words over. */
void ns_chart_view_set_name(NsChartView *chart, char *name);

/* Reserves this width at the end of the title's lines for controls above the chart, and this height
 * below its top before what follows the title. */
void ns_chart_view_set_corner(NsChartView *chart, int width, int height);

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

/* Whether a box beside the crosshair has its values: not where a pin has the same, nor while the
 * pointer is on another chart if the legend has them. */
bool ns_chart_view_has_tip(NsChartView *chart);

/* Pins the reading of the crosshair, or removes its pin.  FALSE if all pins are in use. */
bool ns_chart_view_pin(NsChartView *chart);

/* Emits the signal of a click on the reading of the crosshair. */
void ns_chart_view_emit_click(NsChartView *chart);

/* Draws a rubber band in place of the crosshair; one without width or height ends it. */
void ns_chart_view_set_band(NsChartView *chart, NsBox band);

/* Draws the chart without its note from now on. */
void ns_chart_view_leave_note(NsChartView *chart);

/* To be called after a change of the view state. */
void ns_chart_view_state_changed(NsChartView *chart);

/* Follows the newest abscissa where the x range is limited but not held. */
void ns_chart_view_advance(NsChartView *chart, double newest);

/* Describes the plot to a screen reader. */
void ns_chart_view_describe(NsChartView *chart);
