/* What a layout holds.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/cells.h"
#include "ui/plot/layout.h"
#include "ui/plot/path.h"
#include "ui/plot/scale.h"
#include "ui/plot/text.h"

typedef enum {
    NS_PART_TITLE,
    NS_PART_SUBTITLE,
    NS_PART_LEGEND,
    NS_PART_MARKER,
    NS_PART_X_TICK,
    NS_PART_LEFT_TICK,
    NS_PART_RIGHT_TICK, /* of the right axis and of the colour bar */
    NS_PART_X_LABEL,
    NS_PART_LEFT_LABEL,
    NS_PART_RIGHT_LABEL, /* likewise */
    NS_PART_NOTE,
    NS_PART_INSIDE, /* names of levels and slopes, numbers in cells */
    NS_PART_EMPTY,
    NS_PARTS,
} NsPart;

typedef struct {
    NsPart part;
    PangoLayout *text;
    double x, y;  /* the upper left corner of its logical box on the page */
    NsBox box;    /* of its ink on the page */
    bool rotated; /* a quarter turn to the left */
    bool backed;  /* stands on curves: the background shines through less there */
    NsColor color;
} NsLabel;

typedef struct {
    const NsSeries *series;
    bool letter;   /* stands for its name */
    NsBox box;     /* of the line and mark before the word */
    NsBox entry;   /* of all of it, the room for a value included */
    NsPoint value; /* the upper left corner of that room */
} NsLegendSample;

/* From the edges of the page to the plot area. */
typedef struct {
    double top, right, bottom, left;
} NsMargins;

/* What a look at all values told. */
typedef struct {
    double x_lo, x_hi;                 /* lo > hi: nothing */
    double lo[2], hi[2];               /* by NsAxisSide */
    double theory_lo[2], theory_hi[2]; /* likewise, of what is computed; ns_survey_end joins them */
    bool theory_beyond;                /* and has left some of it out */
    size_t faults[NS_FAULT_KINDS];     /* of series */
    size_t bad_cells, unshown_cells;   /* of the heatmap: not finite; not positive on a log scale */
    double z_lo, z_hi;
    bool right, points; /* a series on the right axis; one with marks */
    bool any;           /* there is something to draw, hidden or not */
    size_t groups;      /* series of bars side by side */
    double bar_width;   /* of the room for one group, in units of x */
} NsSurvey;

/* Across the knob of a grip, in text sizes, and from it to the tips of its arrows, in widths of an
 * axis. */
#define NS_GRIP 0.75
#define NS_GRIP_ARROW 3.5

/* Of memory.h. */
typedef struct NsMemory NsMemory;

struct NsPlotLayout {
    const NsPlot *plot;
    const NsStyle *style;
    double width, height;
    PangoContext *context;
    NsSurvey survey;
    NsBox area, bar;                /* bar: of the colours; width 0 without one */
    double strip_top, strip_bottom; /* heights of the strips for values without a place */
    double tick_length, tick_gap;
    NsScale x, y[2], z;
    GArray *x_ticks, *y_ticks[2], *z_ticks; /* NsTick */
    bool turned;                            /* words at the ticks of x stand upright */
    GArray *labels;                         /* NsLabel */
    GArray *legend;                         /* NsLegendSample */
    bool letters;                           /* at most these have room in the legend */
    NsBox legend_box;                       /* of a legend in the area; width 0 without one */
    NsPath *paths;                          /* one for every series */
    size_t n_paths;
    uint8_t *levels; /* one for every cell of the heatmap; rows are levels_stride apart */
    size_t levels_stride;
    NsMemory *memory;    /* of a live chart; NULL for none */
    NsPlotLayout *strip; /* of plot->strip, drawn strip_y further down; NULL without one */
    double strip_y;
    NsPlot own;     /* what a plot with a strip, and the strip, are laid out from */
    char *note;     /* of a strip: for both */
    char *subtitle; /* as it has room; NULL for none */
};

/* ns_plot_layout with margins at least so wide, for plots that stand in line. */
NsPlotLayout *ns_plot_layout_within(const NsPlot *plot, double width, double height,
                                    const NsStyle *style, const NsMargins *least);

NsMargins ns_layout_margins(const NsPlotLayout *layout);

/* Only the title and the legend of a plot, which end at *end; 0 where it has neither. */
NsPlotLayout *ns_head_layout(const NsPlot *plot, double width, double height, const NsStyle *style,
                             double *end);

/* The same with what is known of the plot already; `memory` may be NULL. */
NsPlotLayout *ns_plot_layout_made(const NsPlot *plot, double width, double height,
                                  const NsStyle *style, const NsMargins *least,
                                  const NsSurvey *survey, NsMemory *memory);

/* Looks once at every value of a plot. */
NsSurvey ns_survey(const NsPlot *plot);

/* The same in parts: from nothing, every series as such and its points from..to - 1 in any pieces
 * (which can be joined), the cells of the heatmap, and what else there is. */
NsSurvey ns_survey_nothing(void);
void ns_survey_series(NsSurvey *survey, const NsPlot *plot, const NsSeries *series);
void ns_survey_points(NsSurvey *survey, const NsPlot *plot, const NsSeries *series, size_t from,
                      size_t to);
void ns_survey_join(NsSurvey *survey, const NsSurvey *part);
void ns_survey_cells(NsSurvey *survey, const NsHeatmap *map, const NsCellSurvey *cells);
void ns_survey_end(NsSurvey *survey, const NsPlot *plot);

/* What the reader must be told about values that are not on the chart, joined to the plot's own
 * note; NULL if there is nothing.  Free with g_free. */
char *ns_survey_note(const NsPlot *plot, const NsSurvey *survey);

/* Places the legend in lines from (x, y) within the width and returns its height; 0 without one or
 * where it needs more than max_height.  With `draw` unset it only measures. */
double ns_legend_place(NsPlotLayout *layout, double x, double y, double width, double max_height,
                       bool draw);

/* What the legend says of a series, which of lettered ones may be the letter.  Free with g_free. */
char *ns_legend_words(const NsSeries *series, bool letter);

/* In a corner of the area, once the curves are known. */
void ns_legend_place_inside(NsPlotLayout *layout);

/* The plot area without the strips of values that have no place, and a little less. */
NsBox ns_layout_inside(const NsPlotLayout *layout);

/* Of the corners at which a box of that size is inside and over no word, the one where it covers
 * the least of the curves, the first of several; false if there is none. */
bool ns_layout_least_crowded(const NsPlotLayout *layout, const NsPoint *corners, size_t n,
                             double width, double height, NsPoint *best);

/* Words in the plot area, once the curves are known. */
void ns_layout_place_inside(NsPlotLayout *layout);

/* Adds a label whose logical box, after rotation, has its upper left corner at x, y; takes over the
 * text. */
void ns_layout_add_label(NsPlotLayout *layout, NsPart part, PangoLayout *text, double x, double y,
                         bool rotated);

NsColor ns_with_alpha(NsColor color, double alpha);
NsColor ns_series_color(const NsStyle *style, const NsSeries *series);
NsColor ns_marker_color(const NsStyle *style, const NsMarker *marker, NsColor usual);
const NsSeriesStyle *ns_series_style(const NsStyle *style, const NsSeries *series);

/* Where a span that is a point of the horizontal axis is drawn; NaN for another, or outside. */
double ns_layout_point(const NsPlotLayout *layout, const NsSpan *span);

/* What the axis says there.  Free with g_free. */
char *ns_point_number(const NsPlot *plot, const NsSpan *span);

/* Drawing that layout and reading share. */
void ns_set_color(cairo_t *cr, NsColor color);
void ns_set_dash(cairo_t *cr, const NsSeriesStyle *look, double line_width);
void ns_draw_mark(cairo_t *cr, NsMark mark, double x, double y, double size);

/* All series that are shown, those behind first. */
void ns_draw_series(const NsPlotLayout *layout, cairo_t *cr);

/* The legend and all words. */
void ns_draw_words(const NsPlotLayout *layout, cairo_t *cr);

/* One curve over the others, `stronger` times as wide. */
void ns_draw_curve(const NsPlotLayout *layout, size_t which, double stronger, cairo_t *cr);

/* The sample of a series before its name, in a box. */
void ns_draw_sample(const NsPlotLayout *layout, const NsSeries *series, const NsBox *box,
                    cairo_t *cr);

/* Bars of a series. */
void ns_draw_bars(const NsPlotLayout *layout, size_t i, cairo_t *cr);

/* Boxes as bars and bands are filled: in their colour, or hatched. */
void ns_fill_boxes(const NsPlotLayout *layout, const NsSeries *series, NsColor color,
                   const NsBox *boxes, size_t n, cairo_t *cr);

/* Where series i of bars has its j-th one, in units of x. */
void ns_bar_ends(const NsPlotLayout *layout, size_t i, size_t j, double *from, double *to);
/* The heatmap and its colour bar. */
void ns_heat_levels(NsPlotLayout *layout);

/* Levels of the columns from..to - 1, where there is room for them. */
void ns_heat_level_columns(NsPlotLayout *layout, size_t from, size_t to);
void ns_heat_draw(const NsPlotLayout *layout, cairo_t *cr);
