/* The part of a plot that the user chose to see.  SPDX-License-Identifier: MIT
 *
 * A view state is plain data that outlives the plots to which it is applied: limits and scales of
 * the axes, hidden series, pinned readings.  It identifies series by their labels and readings by
 * their axis values, so that both remain valid for another run. */
#pragma once

#include "ui/plot/layout.h"
#include "ui/plot/scale.h"

#define NS_VIEW_STATE_PINS 9

typedef enum { NS_VIEW_STATE_X, NS_VIEW_STATE_LEFT, NS_VIEW_STATE_AXES } NsViewStateAxis;

/* A pinned reading. */
typedef struct {
    double x;
    double row;      /* value on the left axis of a heatmap; otherwise NaN */
    unsigned number; /* from 1; the number of a removed pin is reused */
} NsPin;

typedef struct {
    NsRange range[NS_VIEW_STATE_AXES];
    bool rescaled[NS_VIEW_STATE_AXES]; /* use `scale` instead of the scale of the figure */
    NsScaleKind scale[NS_VIEW_STATE_AXES];
    bool held;         /* the x range does not follow newer data */
    bool typed;        /* the limits were set by number */
    bool no_grid;      /* without grid lines */
    bool all;          /* clipped earlier runs extend the left axis like present ones */
    GPtrArray *hidden; /* labels of series, or NULL */
    NsPin pins[NS_VIEW_STATE_PINS]; /* the newest last */
    size_t n_pins;
} NsViewState;

/* Shows everything and follows the newest data. */
void ns_view_state_init(NsViewState *view_state);
void ns_view_state_clear(NsViewState *view_state);

/* Applies the view state to a plot: `shown` becomes a copy that borrows from the plot and from
 * `series`, a GArray of NsSeries that is resized. `shown` has the version of the plot. */
void ns_view_state_apply(const NsViewState *view_state, const NsPlot *plot, NsPlot *shown,
                         GArray *series);

/* Returns whether a plot has an axis that can be limited; panels of a heatmap are always shown
 * completely. */
bool ns_plot_has_axis(const NsPlot *plot, NsViewStateAxis which);

/* The range of x with data, including previous series, or a free range without data. */
NsRange ns_plot_extent(const NsPlot *plot);

/* Returns whether all axes have neither limits nor a scale of the view state. */
bool ns_view_state_is_fitted(const NsViewState *view_state);

/* Removes the limits of all axes, but not scales, hidden series and pins.  Follows the newest
 * data.  Without limits, alternates between axes for the present runs and axes for all runs, if an
 * earlier run is off the scale of the plot, which may be NULL. */
void ns_view_state_fit(NsViewState *view_state, const NsPlot *shown);

/* Zoom and pan in the coordinates of a layout with this view state applied.  A changed x range no
 * longer follows the data.  Return false if nothing changed. */
bool ns_view_state_zoom_about(NsViewState *view_state, const NsPlotLayout *layout, double px,
                              double py, double factor_x, double factor_y);
bool ns_view_state_zoom_to(NsViewState *view_state, const NsPlotLayout *layout, NsBox box);
bool ns_view_state_pan(NsViewState *view_state, const NsPlotLayout *layout, double dx, double dy);

/* Sets limits or a free range for an axis.  A limited x range no longer follows the data. */
void ns_view_state_set_range(NsViewState *view_state, NsViewStateAxis axis, NsRange range);

/* The x range follows the newest data again with its current width. */
void ns_view_state_follow(NsViewState *view_state);

/* Moves a limited x range that follows the data so that it contains `newest`, with free space
 * beyond.  Returns true if it moved. */
bool ns_view_state_advance(NsViewState *view_state, double newest);

/* Moves a limited x range so that it contains x.  Returns false if it does already. */
bool ns_view_state_reveal(NsViewState *view_state, const NsPlotLayout *layout, double x);

bool ns_view_state_hides(const NsViewState *view_state, const char *label);
void ns_view_state_hide(NsViewState *view_state, const char *label, bool hide);

/* Hides every series of the plot but one, or shows all if only that one was visible. */
void ns_view_state_solo(NsViewState *view_state, const NsPlot *plot, const char *label);

/* Pins a place, or removes a pin at the same place.  Returns false without a change if all pins are
 * in use. */
bool ns_view_state_pin(NsViewState *view_state, double x, double row);

/* Removes the pin with this number, or the last one for 0.  Returns false if there is none. */
bool ns_view_state_unpin(NsViewState *view_state, unsigned number);
