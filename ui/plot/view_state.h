/* What a reader chose to see of a plot.  SPDX-License-Identifier: MIT
 *
 * A view state is plain data that outlives the plots it is laid over: limits and scales of the
 * axes, series that are hidden, readings that are pinned.  It knows series by their labels and
 * readings by their place on the axes, so that both survive another run. */
#pragma once

#include "ui/plot/layout.h"
#include "ui/plot/zoom.h"

#define NS_VIEW_STATE_PINS 9

typedef enum {
    NS_VIEW_STATE_X,
    NS_VIEW_STATE_LEFT,
    NS_VIEW_STATE_RIGHT,
    NS_VIEW_STATE_AXES
} NsViewStateAxis;

/* A pinned reading. */
typedef struct {
    double x;
    double row;      /* of a heatmap: the value on its left axis; NaN elsewhere */
    unsigned number; /* from 1; that of a pin which was removed is given again */
} NsPin;

typedef struct {
    NsRange range[NS_VIEW_STATE_AXES];
    bool rescaled[NS_VIEW_STATE_AXES]; /* by `scale`; else as the figure has it */
    NsScaleKind scale[NS_VIEW_STATE_AXES];
    bool held;         /* the x range stays where it is, though newer data lie beyond it */
    bool no_grid;      /* without lines across at the ticks */
    GPtrArray *hidden; /* labels of series; NULL for none */
    NsPin pins[NS_VIEW_STATE_PINS]; /* the newest last */
    size_t n_pins;
} NsViewState;

/* Shows everything and follows the newest. */
void ns_view_state_init(NsViewState *view_state);
void ns_view_state_clear(NsViewState *view_state);

/* Lays the view state over a plot: `shown` and `series` (resized; elements are NsSeries) become a
 * copy that borrows from the plot and from `series`.  `shown` keeps the version of the plot. */
void ns_view_state_apply(const NsViewState *view_state, const NsPlot *plot, NsPlot *shown,
                         GArray *series);

/* Whether a plot has such an axis, and it can have limits: panels of a heatmap are shown whole. */
bool ns_plot_has_axis(const NsPlot *plot, NsViewStateAxis which);

/* The abscissae that a plot has data for, previous series included; free where there are none. */
NsRange ns_plot_extent(const NsPlot *plot);

/* Whether an axis has no limits and every axis its own scale. */
bool ns_view_state_is_fitted(const NsViewState *view_state);

/* No limits on any axis; scales, hidden series and pins stay.  Follows the newest. */
void ns_view_state_fit(NsViewState *view_state);

/* Zooming and panning in the coordinates of a layout made through the view state.  Each holds the x
 * range if it changes it.  FALSE if nothing changed. */
bool ns_view_state_zoom_about(NsViewState *view_state, const NsPlotLayout *layout, double px,
                              double py, double factor_x, double factor_y);
bool ns_view_state_zoom_to(NsViewState *view_state, const NsPlotLayout *layout, NsBox box);
bool ns_view_state_pan(NsViewState *view_state, const NsPlotLayout *layout, double dx, double dy);

/* Limits or a free range for an axis; the x range is held. */
void ns_view_state_set_range(NsViewState *view_state, NsViewStateAxis axis, NsRange range);

/* The x range moves with the newest data again, as wide as it is now. */
void ns_view_state_follow(NsViewState *view_state);

/* Moves a limited x range that is not held so that `newest` lies inside, with room ahead for a
 * while.  TRUE if it moved. */
bool ns_view_state_advance(NsViewState *view_state, double newest);

/* Moves a limited x range so that x lies inside it.  FALSE if it does already. */
bool ns_view_state_reveal(NsViewState *view_state, const NsPlotLayout *layout, double x);

bool ns_view_state_hides(const NsViewState *view_state, const char *label);
void ns_view_state_hide(NsViewState *view_state, const char *label, bool hide);

/* Hides every series of the plot but one; all are shown again if that one was alone. */
void ns_view_state_solo(NsViewState *view_state, const NsPlot *plot, const char *label);

/* Pins a place; removes the pin where there is one at that place already.  FALSE, and nothing
 * changed, if all pins are in use. */
bool ns_view_state_pin(NsViewState *view_state, double x, double row);

/* Removes the pin with that number; 0 for the one that was pinned last.  FALSE if there is none. */
bool ns_view_state_unpin(NsViewState *view_state, unsigned number);
