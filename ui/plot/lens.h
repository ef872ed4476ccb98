/* What a reader chose to see of a plot.  SPDX-License-Identifier: MIT
 *
 * A lens is plain data that outlives the plots it is laid over: limits and scales of the axes,
 * series that are hidden, readings that are pinned.  It knows series by their labels and readings
 * by their place on the axes, so that both survive another run. */
#pragma once

#include "ui/plot/layout.h"
#include "ui/plot/zoom.h"

#define NS_LENS_PINS 9

typedef enum { NS_LENS_X, NS_LENS_LEFT, NS_LENS_RIGHT, NS_LENS_AXES } NsLensAxis;

/* A pinned reading. */
typedef struct {
    double x;
    double row;      /* of a heatmap: the value on its left axis; NaN elsewhere */
    unsigned number; /* from 1; that of a pin which was removed is given again */
} NsPin;

typedef struct {
    NsRange range[NS_LENS_AXES];
    bool rescaled[NS_LENS_AXES]; /* by `scale`; else as the figure has it */
    NsScaleKind scale[NS_LENS_AXES];
    bool held;                /* the x range stays where it is, though newer data lie beyond it */
    bool no_grid;             /* without lines across at the ticks */
    GPtrArray *hidden;        /* labels of series; NULL for none */
    NsPin pins[NS_LENS_PINS]; /* the newest last */
    size_t n_pins;
} NsLens;

/* Shows everything and follows the newest. */
void ns_lens_init(NsLens *lens);
void ns_lens_clear(NsLens *lens);

/* Lays the lens over a plot: `shown` and `series` (resized; elements are NsSeries) become a copy
 * that borrows from the plot and from `series`.  `shown` keeps the version of the plot. */
void ns_lens_apply(const NsLens *lens, const NsPlot *plot, NsPlot *shown, GArray *series);

/* The abscissae that a plot has data for, ghosts included; free where there are none. */
NsRange ns_plot_extent(const NsPlot *plot);

/* Whether an axis has no limits and every axis its own scale. */
bool ns_lens_is_fitted(const NsLens *lens);

/* No limits on any axis; scales, hidden series and pins stay.  Follows the newest. */
void ns_lens_fit(NsLens *lens);

/* Zooming and panning in the coordinates of a layout made through the lens.  Each holds the x range
 * if it changes it.  FALSE if nothing changed. */
bool ns_lens_zoom_about(NsLens *lens, const NsPlotLayout *layout, double px, double py,
                        double factor_x, double factor_y);
bool ns_lens_zoom_to(NsLens *lens, const NsPlotLayout *layout, NsBox box);
bool ns_lens_pan(NsLens *lens, const NsPlotLayout *layout, double dx, double dy);

/* Limits or a free range for an axis; the x range is held. */
void ns_lens_set_range(NsLens *lens, NsLensAxis axis, NsRange range);

/* The x range moves with the newest data again, as wide as it is now. */
void ns_lens_follow(NsLens *lens);

/* Moves a limited x range that is not held so that `newest` lies inside, with room ahead for a
 * while.  TRUE if it moved. */
bool ns_lens_advance(NsLens *lens, double newest);

/* Moves a limited x range so that x lies inside it.  FALSE if it does already. */
bool ns_lens_reveal(NsLens *lens, const NsPlotLayout *layout, double x);

bool ns_lens_hides(const NsLens *lens, const char *label);
void ns_lens_hide(NsLens *lens, const char *label, bool hide);

/* Hides every series of the plot but one; all are shown again if that one was alone. */
void ns_lens_solo(NsLens *lens, const NsPlot *plot, const char *label);

/* Pins a place; removes the pin where there is one at that place already.  FALSE, and nothing
 * changed, if all pins are in use. */
bool ns_lens_pin(NsLens *lens, double x, double row);

/* Removes the pin with that number; 0 for the one that was pinned last.  FALSE if there is none. */
bool ns_lens_unpin(NsLens *lens, unsigned number);
