/* What a layout holds.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/data_summary.h"
#include "ui/plot/layout.h"

#include <pango/pangocairo.h>

/* Across the knob of a grip, in text sizes, and from it to the tips of its arrows, in widths of an
 * axis. */
#define NS_GRIP 0.75
#define NS_GRIP_ARROW 3.5

/* Curves with names at their ends: all, those of the present run, of these those of the left axis.
 */
typedef enum { NS_ENDS_ALL, NS_ENDS_OWN, NS_ENDS_LEFT } NsEnds;

struct NsPlotLayout {
    const NsPlot *plot;
    const NsStyle *style;
    double width, height;
    PangoContext *context;
    NsDataSummary summary;
    NsBox area, bar;                /* bar: of the colors; width 0 without one */
    double strip_top, strip_bottom; /* heights of the strips for values without a place */
    NsScale x, y[2], z;
    GArray *x_ticks, *y_ticks[2], *z_ticks; /* NsTick */
    bool turned;                            /* words at the ticks of x stand upright */
    GArray *labels;                         /* NsLabel */
    GArray *legend;                         /* NsLegendSample */
    bool letters;                           /* at most these have room in the legend */
    bool names;                             /* it, or the ends of curves, has all names whole */
    bool told;                              /* what tells runs apart is told by names, not by the
                                             * subtitle */
    double ends_room;                       /* of the area, for names at the ends of curves */
    NsEnds ends;                            /* the curves that have them */
    NsBox legend_box;                       /* of a legend in the area; width 0 without one */
    NsPath *paths;                          /* one for every series */
    size_t n_paths;
    NsPlotLayout *lower; /* of plot->lower, drawn lower_y further down; NULL without one */
    double lower_y;
    NsPlot own;  /* what a plot with a lower one, and the lower one, are laid out from */
    char *note;  /* what there is to say; of a lower plot: for both */
    char *marks; /* the part of it that explains marks, in brief; or NULL */
    bool listed; /* the names of panels stand in lines above the area, as a legend */
};

/* Values without a place are triangles in the strips above and below the axes: their size, and the
 * corners of one. */
double ns_fault_size(const NsPlotLayout *layout);
void ns_fault_corners(const NsPlotLayout *layout, const NsFaultMark *mark, NsPoint corners[3]);
