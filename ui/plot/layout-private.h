/* What a layout holds.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/data_summary.h"
#include "ui/plot/layout.h"

#include <pango/pangocairo.h>

/* The diameter of a grip's knob in text sizes, and the distance from it to the tips of its arrows
 * in axis widths. */
#define NS_GRIP 0.75
#define NS_GRIP_ARROW 3.5

/* Curves with names at their ends: all; those of the present run; only those of its left axis. */
typedef enum { NS_ENDS_ALL, NS_ENDS_OWN, NS_ENDS_LEFT } NsEnds;

struct NsPlotLayout {
    const NsPlot *plot;
    const NsStyle *style;
    double width, height;
    PangoContext *context;
    NsDataSummary summary;
    NsBox area, bar;                /* the plot area, and the color bar; bar.width is 0 if there is
                                     * none */
    double strip_top, strip_bottom; /* heights of the strips for values that have no place on the
                                     * axis */
    NsScale x, y[2], z;
    GArray *x_ticks, *y_ticks[2], *z_ticks; /* NsTick */
    bool turned;                            /* tick labels of the x axis are rotated */
    GArray *labels;                         /* NsLabel */
    GArray *legend;                         /* NsLegendSample */
    bool letters;                           /* the legend has no space for more than the letters of
                                             * runs */
    bool names;                             /* the legend, or the ends of curves, has the complete
                                             * names */
    bool told;                              /* names identify the runs, so that the subtitle omits
                                             * what distinguishes them */
    double ends_room;                       /* width of the area that is reserved for names at the
                                             * ends of curves */
    NsEnds ends;                            /* the curves that have names at their ends */
    NsBox legend_box;                       /* a legend inside the area; its width is 0 if there is
                                             * none */
    NsPath *paths;                          /* [n_paths], one for each series */
    size_t n_paths;
    NsPlotLayout *lower; /* layout of plot->lower, drawn lower_y below the top; or NULL */
    double lower_y;
    NsPlot own;  /* a modified copy that `plot` points to: of either plot of a pair, or of a
                  * drawing */
    char *note;  /* of a lower plot: the note of both */
    char *marks; /* brief explanation of the marks in the note, or NULL */
    bool listed; /* the names of panels are in lines above the area, like a legend */
};

/* Values that have no place on the axis are shown as triangles in the strips at the ends of the
 * axis: their size, and the corners of one. */
double ns_fault_size(const NsPlotLayout *layout);
void ns_fault_corners(const NsPlotLayout *layout, const NsFaultMark *mark, NsPoint corners[3]);
