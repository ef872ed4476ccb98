/* What a chart shows, as data.  SPDX-License-Identifier: MIT
 *
 * A plot is a plain description: axes, series as borrowed columns, a heatmap, notes.  It owns
 * nothing; whoever fills it in keeps the columns and strings alive while layouts of it are in use.
 * ui/plot/layout.h turns it into boxes and paths, and draws them on any cairo surface.  A field
 * that is 0 asks for nothing, but for the limits of axes: NaN is "none" there.
 *
 * Strings may carry _ and ^ (one character or {braces}) for sub- and superscripts; at the end of a
 * word these stand for themselves. */
#pragma once

#include "ui/plot/style.h"

#include <cairo.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    double x, y;
} NsPoint;

typedef struct {
    double x, y, width, height;
} NsBox;

static inline bool ns_boxes_overlap(const NsBox *a, const NsBox *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

/* SYMLOG: linear around zero, in the space of one decade on either side, and logarithmic beyond,
 * from three decades below the largest magnitude; for values of both signs that span decades. */
typedef enum { NS_SCALE_LINEAR, NS_SCALE_LOG, NS_SCALE_SYMLOG } NsScaleKind;

typedef struct {
    const char *label; /* "training loss" */
    const char *unit;  /* "nats", or NULL for a pure number */
    NsScaleKind scale;
    bool integer;  /* ticks fall on whole numbers only (steps, layers) */
    double lo, hi; /* fixed limits; NaN where the data decides */
    bool reversed; /* grows downwards, or to the left: row 1 of a matrix is its uppermost */
    bool quiet;    /* neither label nor words at the ticks: a plot beside it has them */
    const char *const *names; /* of 0 .. n_names - 1: what stands there instead of the number */
    size_t n_names;
    bool even; /* names between others can be guessed: numbers in equal steps, or equal factors */
    bool counted; /* names are of what the numbers count, and short: tips tell both */
} NsAxis;

/* The name of a whole number on an axis that has names; NULL for none. */
static inline const char *ns_axis_name(const NsAxis *axis, double value)
{
    bool there = axis->names && value >= 0 && value < (double)axis->n_names;
    return there && value == floor(value) ? axis->names[(size_t)value] : NULL;
}

typedef enum { NS_AXIS_LEFT, NS_AXIS_RIGHT } NsAxisSide;

typedef enum {
    NS_SERIES_LINE,    /* a curve over many points */
    NS_SERIES_POINTS,  /* a line with a mark at every point (profiles over layers) */
    NS_SERIES_STEPS,   /* a value holds until the next point (schedules) */
    NS_SERIES_SCATTER, /* marks without a line */
    NS_SERIES_BARS,    /* from zero, or from the foot of a logarithmic axis, to the value */
    NS_SERIES_BAND,    /* lo to hi, without a line; y is its middle */
} NsSeriesKind;

/* A previous series is of a run that is over, or of the first step: gray, behind, last in the
 * legend. */
typedef struct {
    const char *label;
    const char *group; /* series of a group are one entry of the legend, under its name and with the
                        * look of the first, and are hidden together; NULL: an entry of its own */
    NsSeriesKind kind;
    NsAxisSide side;
    unsigned style; /* index of color, dash and mark together */
    unsigned dash;  /* dash and mark are those of the style so many further on, in its own color;
                     * of theory: which dots */
    bool previous;
    bool tinted; /* a previous one in a muted tone of its style, told from others; a theory in the
                  * color of its style, told from that of others */
    bool hidden; /* struck out in the legend; not drawn, and no axis makes room for it */
    bool muted;  /* what was measured, behind a smoothed curve of the same style; in no legend */
    bool theory; /* dotted, in the color of text unless tinted: computed, not measured */
    size_t n;
    const double *x;       /* ascending */
    const double *y;       /* NaN and infinities are gaps that are marked */
    const double *lo, *hi; /* a band around the curve (thinned extremes, a deviation), or NULL */
    const double *edges;   /* [n + 1] of bars that touch (a histogram); NULL: bars around x, those
                            * of several series side by side */
    bool grows;            /* of a run that may go on: a live axis has room ahead */
} NsSeries;

/* VIRIDIS (Smith and van der Walt 2015): equal steps look equal, also in gray and to color-blind
 * eyes.  CIVIDIS (Nuñez, Anderton and Renslow 2018): the same for eyes with and without color
 * blindness.  DIVERGING: blue, white, orange, for ratios and differences; the two ends are equally
 * dark and differ to every kind of eye. */
typedef enum { NS_COLORS_VIRIDIS, NS_COLORS_CIVIDIS, NS_COLORS_DIVERGING } NsColorMap;

/* What the legend calls a series, and a view state that hides it. */
static inline const char *ns_series_name(const NsSeries *series)
{
    return series->group ? series->group : series->label;
}

/* Some rows of a heatmap that stand by themselves: another run. */
typedef struct {
    const char *name; /* "A Post-LN", beside it */
    unsigned style;   /* 1 + that of the series whose color the name has; 0: of text */
    size_t row, rows; /* the lowest of them, and how many */
    double y0;        /* what the left axis says at its lower edge; a row is a unit of it */
} NsHeatPanel;

/* z[row * stride + column], rows upwards from y0 (downwards where the left axis is reversed).
 * Cells are equally wide.  Color is log10 z where `log`.  A cell without a value is -infinity; NaN
 * and +infinity are marked. */
typedef struct {
    const float *z;
    size_t rows, columns;
    size_t stride;             /* cells from one row to the next; 0: there are `columns` */
    bool grows;                /* as of a series */
    double x0, x1, y0, y1;     /* outer edges of the first and the last cells; with panels y is 0 to
                                * their number */
    double x_end;              /* what is beyond, of the last cells, is not shown; 0: nothing is */
    const NsHeatPanel *panels; /* equally high, the first one uppermost */
    size_t n_panels;           /* 0: all rows are together */
    bool log;
    const char *label; /* of the color bar */
    NsColorMap colors; /* DIVERGING shows 0 as white, or 1 with `log` */
    double lo, hi;     /* fixed ends of the colors, where lo < hi; cells beyond have the end's */
    bool square;       /* cells are as high as wide: a matrix */
    bool values;       /* numbers in the cells where they have room */
    bool hatch; /* cells that are not finite are hatched: a result, which the plot's note tells */
    const char *const *notes; /* [rows, columns] a line more for the tip of a cell, or NULL */
} NsHeatmap;

static inline const float *ns_heatmap_row(const NsHeatmap *map, size_t row)
{
    return map->z + row * (map->stride ? map->stride : map->columns);
}

/* Where the last cells end as they are shown. */
static inline double ns_heatmap_end(const NsHeatmap *map)
{
    return map->x_end > 0 && map->x_end < map->x1 ? map->x_end : map->x1;
}

/* What a cell stands for that begins at an edge: the first whole number in it, or its middle. */
static inline double ns_cell_value(const NsAxis *axis, double edge, double width)
{
    /* Zero is added for its sign: the ceiling of -0.5 is -0. */
    return axis->integer ? ceil(edge - 1e-6) + 0.0 : edge + width / 2;
}

static inline bool ns_cell_is_blank(float z)
{
    return z < 0 && isinf(z);
}

/* A vertical line with a word at it: a divergence, a changed setting. */
typedef struct {
    double x;
    const char *text;
    const char *sentence; /* what the tip says of it, or NULL */
    bool alarm;
    bool last;      /* the end of a run: its words stand even where others are near */
    unsigned style; /* 1 + that of the series it belongs to, whose color it has; 0: none */
    bool handle;    /* can be dragged: it has a grip, and ns_plot_handle_at finds it */
} NsMarker;

/* A stretch of an axis that is pointed out: a quiet band behind curves, two lines over the cells of
 * a heatmap; a frame around what a column and a row that are pointed out have in common.  Of the
 * horizontal axis also a point, from == to: a line, with its number at the axis. */
typedef struct {
    double from, to;
    bool rows; /* of the left axis, not of the horizontal one */
} NsSpan;

/* A horizontal line with a name: a bound, a reference. */
typedef struct {
    double y;
    const char *text;
    NsAxisSide side;
    bool handle; /* can be dragged, at the grip at its right end */
} NsLevel;

/* A straight piece with a word at it; between logarithmic axes a power law: "∝ L^{−1/2}". */
typedef struct {
    double x0, y0, x1, y1;
    const char *of, *text; /* the name of the series that it was fitted to; the word */
    NsAxisSide side;
    unsigned style; /* of the series that it was fitted to */
} NsSlope;

/* What stands in the place of axes and data: a figure that draws itself.  The series of such a plot
 * are what tables have of it. */
typedef struct {
    /* Draws at the origin, width by height. */
    void (*draw)(const void *data, cairo_t *cr, double width, double height, const NsStyle *style);
    /* The height at which its words are as large as those of the style, or as the width allows. */
    double (*height)(const void *data, double width, const NsStyle *style);
    char *(*describe)(const void *data); /* in a sentence; free with g_free */
    const void *data;
} NsPlotDrawing;

/* OUTSIDE: names stand at the ends of curves on a page that is large enough, above them else. */
typedef enum {
    NS_LEGEND_OUTSIDE,
    NS_LEGEND_ABOVE,
    NS_LEGEND_INSIDE,
    NS_LEGEND_NONE,
} NsLegendPlace;

typedef struct NsPlot NsPlot;
struct NsPlot {
    const char *title;
    const char *subtitle; /* settings that matter, or NULL */
    size_t special;       /* so many bytes of it tell runs apart: it never loses them */
    const char *moment;   /* what the subtitle ends with, and keeps where it has little room: "step
                           * 1240"; or NULL */
    const char *run;      /* of one of several, which it is: "A Post-LN"; or NULL */
    NsAxis x, left, right;
    const NsSeries *series;
    size_t n_series;
    const NsSeries *key;      /* of the legend alone: what the bands of all curves are; or NULL */
    const NsHeatmap *heatmap; /* NULL for none */
    const NsMarker *markers;
    size_t n_markers;
    const NsSpan *spans;
    size_t n_spans;
    const NsLevel *levels;
    size_t n_levels;
    const NsSlope *slopes;
    size_t n_slopes;
    NsLegendPlace legend;
    bool lettered;     /* several runs, whose names begin with their letters: the legend keeps their
                        * order, and letters stand alone where names have no room */
    bool readings;     /* the legend keeps room for the values at the crosshair */
    bool no_grid;      /* without lines across at the ticks */
    bool cut;          /* a frame of a film: nothing of the data beyond cut_at on the horizontal */
    double cut_at;     /* axis is drawn, while axes and legend are those of all of it */
    const char *note;  /* something the reader must know (thinned, not finite); NULL for none */
    const char *empty; /* what to say in the plot area while there is no data */
    uint64_t version;  /* changes whenever any of this changes */
    double end;        /* the last step of runs that go on: axes have no room beyond; 0: unknown */
    uint64_t origin;   /* changes when what is shown is of other runs: live axes start anew */
    /* A lower plot of a quarter of the height that shares the x axis (a ratio under its curves), or
     * NULL.  Of it only series, levels, slopes, left axis and note are shown, and the spans of
     * this. */
    const NsPlot *lower;
    const NsPlotDrawing *drawing; /* NULL for none */
    double key_reach; /* so far beyond the foot of the area reaches the key of a heatmap, which is
                       * also that of plots below */
    /* Of the mean over seeds: each seed's own, which tables have as well; NULL for none. */
    const NsPlot *const *singles;
    size_t n_singles;
};

/* The vertical axis of a side. */
static inline const NsAxis *ns_plot_axis(const NsPlot *plot, NsAxisSide side)
{
    return side == NS_AXIS_RIGHT ? &plot->right : &plot->left;
}
