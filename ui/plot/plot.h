/* The content of a chart, as data.  SPDX-License-Identifier: MIT
 *
 * A plot is a plain description: axes, series as borrowed columns, a heatmap, notes.  It owns
 * nothing: the caller keeps columns and strings alive while layouts of it are in use.
 * ui/plot/layout.h turns it into boxes and paths, and draws them on any cairo surface.  A field
 * that is 0 is not set; for the limits of axes that is NaN.
 *
 * Strings may contain _ and ^ (followed by one character or {braces}) for subscripts and
 * superscripts; at the end of a word both are literal. */
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

static inline bool ns_box_contains(const NsBox *box, double x, double y)
{
    return x >= box->x && x <= box->x + box->width && y >= box->y && y <= box->y + box->height;
}

/* SYMLOG is for values of both signs that span decades: linear around zero, in the space of one
 * decade on either side, and logarithmic from three decades below the largest magnitude. */
typedef enum { NS_SCALE_LINEAR, NS_SCALE_LOG, NS_SCALE_SYMLOG } NsScaleKind;

typedef struct {
    const char *label; /* "training loss" */
    const char *unit;  /* "nats", or NULL for a pure number */
    NsScaleKind scale;
    bool wide;                /* its data span decades: a logarithmic scale is offered */
    bool integer;             /* ticks fall on whole numbers only (steps, layers) */
    double lo, hi;            /* fixed limits; NaN: from the data */
    bool reversed;            /* grows downwards or to the left: row 1 of a matrix is at the top */
    bool quiet;               /* without a label and tick labels, which a neighboring plot has */
    const char *const *names; /* labels of 0 .. n_names - 1, in place of the numbers */
    const char *const *in_tables; /* what tables have in place of the names; NULL: the names */
    size_t n_names;
    bool even;    /* the names are evenly spaced numbers or equal factors, so that some can be left
                   * out */
    bool counted; /* short names of numbers that count (tokens at positions): tooltips show both */
} NsAxis;

/* The name of a whole number on an axis that has names, or NULL. */
static inline const char *ns_axis_name(const NsAxis *axis, double value)
{
    bool there = axis->names && value >= 0 && value < (double)axis->n_names;
    return there && value == floor(value) ? axis->names[(size_t)value] : NULL;
}

typedef enum {
    NS_SERIES_LINE,    /* a curve over many points */
    NS_SERIES_POINTS,  /* a line with a mark at every point (profiles over layers) */
    NS_SERIES_SCATTER, /* marks without a line */
    NS_SERIES_BARS,    /* from zero, or from the bottom of a logarithmic axis, to the value */
    NS_SERIES_BAND,    /* the area from lo to hi, without a line; y is its middle */
} NsSeriesKind;

/* A previous series belongs to an earlier run or to the first step: it is gray, behind the others
 * and last in the legend. */
typedef struct {
    const char *label;
    const char *group; /* the series of a group share one legend entry with its name and the look of
                        * the first, and are hidden together; NULL: an entry of its own */
    const char *state; /* what the legend says of it in parentheses, as it may change: "stuck"; or
                        * NULL */
    NsSeriesKind kind;
    unsigned style; /* index of color, dash and mark */
    unsigned dash;  /* offset of the style that dash and mark come from, while the color stays; for
                     * a theory the index of its dots */
    double shade;   /* in (0, 1]: a place in a sequential scale that takes the place of the style's
                     * color; 0: none */
    bool previous;
    bool tinted;  /* a previous series has a muted tone, a theory the color of its style, so that
                   * several can be distinguished */
    bool hidden;  /* struck out in the legend; neither drawn nor part of the limits */
    bool spaced;  /* marks without a line are left out where they would overlap */
    bool hollow;  /* marks are hollow and above all curves; single ones stand side by side */
    bool clipped; /* does not enlarge the axes: an arrow marks where it leaves the plot area */
    bool muted;   /* the measured values behind a smoothed curve of the same style; not in the
                   * legend */
    bool theory;  /* computed, not measured: dotted, in the text color unless tinted */
    size_t n;
    const double *x;       /* ascending */
    const double *y;       /* NaN and infinities are gaps with a mark */
    const double *lo, *hi; /* a band around the curve (thinned extremes, a deviation), or NULL */
    bool deviates;         /* hi is one standard deviation above y: readings state it */
    bool geometric;        /* that deviation is a factor */
    const double *edges;   /* [n + 1] edges of adjoining bars (a histogram); NULL: bars around x,
                            * side by side if there are several series */
    bool grows;            /* the run may continue: a live axis leaves space for it */
} NsSeries;

/* VIRIDIS (Smith and van der Walt 2015) is perceptually uniform, also in gray and for color-blind
 * readers.  CIVIDIS (Nuñez, Anderton and Renslow 2018) looks the same with and without color
 * blindness.  DIVERGING is blue, white and orange, for ratios and differences; its ends are equally
 * dark and can be distinguished with any kind of color vision. */
typedef enum { NS_COLORS_VIRIDIS, NS_COLORS_CIVIDIS, NS_COLORS_DIVERGING } NsColorMap;

/* The name of a series in the legend, by which a view state hides it. */
static inline const char *ns_series_name(const NsSeries *series)
{
    return series->group ? series->group : series->label;
}

/* Rows of a heatmap that form a panel of their own: another run. */
typedef struct {
    const char *name; /* "A Post-LN", written beside the panel */
    unsigned style;   /* 1 + the style whose color the name has; 0: the text color */
    size_t row, rows; /* the lowest row, and the number of rows */
    double y0;        /* the value of the left axis at the lower edge; each row adds 1 */
} NsHeatPanel;

/* A cell is z[row * stride + column].  Rows go upwards from y0 (downwards if the left axis is
 * reversed); all columns are equally wide.  The color shows z, or log10 z if `log`.  A cell without
 * a value is -infinity; NaN and +infinity are marked. */
typedef struct {
    const float *z;
    size_t rows, columns;
    size_t stride;             /* cells from one row to the next; 0: `columns` */
    bool grows;                /* the run may continue, as in NsSeries */
    double x0, x1, y0, y1;     /* outer edges of the first and the last cells; with panels those of
                                * ns_panel (heatmap.h) */
    double x_end;              /* the cells end here, even in the middle of the last ones; 0: at
                                * x1 */
    const NsHeatPanel *panels; /* of equal height, the first one at the top */
    size_t n_panels;           /* 0: the heatmap is not divided */
    bool log;
    const char *label; /* of the color bar */
    NsColorMap colors; /* DIVERGING shows 0 as white, or 1 with `log` */
    double lo, hi;     /* fixed limits of the colors if lo < hi; cells beyond have the color of the
                        * limit */
    bool square;       /* cells are as high as wide: a matrix */
    bool values;       /* write the values into cells that are large enough */
    bool hatch; /* cells that are not finite are hatched: a result, which the note of the plot
                 * explains */
    const bool *undefined;    /* [rows, columns] blank cells that are gray: a result, which the note
                               * of the plot explains; or NULL */
    const char *const *notes; /* [rows, columns] another line in the tooltip of a cell, or NULL */
} NsHeatmap;

static inline const float *ns_heatmap_row(const NsHeatmap *map, size_t row)
{
    return map->z + row * (map->stride ? map->stride : map->columns);
}

/* The right edge of the last cells that are shown. */
static inline double ns_heatmap_end(const NsHeatmap *map)
{
    return map->x_end > 0 && map->x_end < map->x1 ? map->x_end : map->x1;
}

/* The coordinate of a cell that begins at an edge: the first whole number in it, or its middle. */
static inline double ns_cell_value(const NsAxis *axis, double edge, double width)
{
    /* Adding zero turns -0, the ceiling of -0.5, into 0. */
    return axis->integer ? ceil(edge - 1e-6) + 0.0 : edge + width / 2;
}

static inline bool ns_cell_is_blank(float z)
{
    return z < 0 && isinf(z);
}

/* A vertical line with a label: a divergence, a changed setting. */
typedef struct {
    double x;
    const char *text;
    const char *sentence;     /* text of the tooltip, or NULL */
    unsigned lanes;           /* those whose names its text begins with, as bits; 0: none */
    const char *const *names; /* of all lanes */
    const char *what;         /* the text after these names */
    bool alarm;
    bool last;      /* the end of a run: its label stays even if others are near */
    unsigned style; /* 1 + the style of the series that it belongs to, whose color it has; 0:
                     * none */
    bool handle;    /* can be dragged: it has a grip that ns_plot_handle_at finds, and without a
                     * text no line */
} NsMarker;

/* "A, C stuck": the text of a marker of lanes.  Free with g_free. */
char *ns_marker_words(const NsMarker *marker);

/* A highlighted interval of an axis: a faint band behind curves, or two lines over the cells of a
 * heatmap.  A highlighted column and row together frame the cells that they share.  On the
 * horizontal axis from == to is a line with its number at the axis. */
typedef struct {
    double from, to;
    bool rows; /* of the left axis instead of the horizontal one */
} NsSpan;

/* A horizontal line with a name: a bound, a reference. */
typedef struct {
    double y;
    const char *text;
    bool handle; /* can be dragged at the grip at its right end */
} NsLevel;

/* A straight line with a label; between logarithmic axes a power law: "∝ L^{−1/2}". */
typedef struct {
    double x0, y0, x1, y1;
    const char *of, *text; /* the name of the fitted series; the label */
    unsigned style;        /* of the fitted series */
} NsSlope;

/* A figure that draws itself, without axes.  The series of such a plot are only exported as
 * tables. */
typedef struct {
    /* Draws at the origin, width by height. */
    void (*draw)(const void *data, cairo_t *cr, double width, double height, const NsStyle *style);
    /* The height at which its text has the size of the style, or the size that the width allows. */
    double (*height)(const void *data, double width, const NsStyle *style);
    char *(*describe)(const void *data); /* one sentence; free with g_free */
    const void *data;
} NsPlotDrawing;

/* OUTSIDE places names at the ends of curves if the plot is large enough, otherwise above the
 * plot. */
typedef enum {
    NS_LEGEND_OUTSIDE,
    NS_LEGEND_ABOVE,
    NS_LEGEND_INSIDE,
    NS_LEGEND_NONE,
} NsLegendPlace;

typedef struct NsPlot NsPlot;
struct NsPlot {
    const char *title;
    const char *subtitle; /* important settings, or NULL */
    size_t special;       /* length in bytes of its start that distinguishes the runs: it is never
                           * shortened */
    const char *moment;   /* the end of the subtitle, kept when the rest is shortened: "step 1240";
                           * or NULL */
    const char *seed;     /* the only one of several that is shown: "seed 1 of 3"; or NULL */
    const char *averaged; /* "mean and s.d. of 3 seeds", which the first of the keys says, or else
                           * the end of the subtitle; or NULL */
    const char *run;      /* the name of this run if there are several: "A Post-LN"; or NULL */
    NsAxis x, left;
    const NsSeries *series;
    size_t n_series;
    const NsSeries *keys; /* legend entries that explain what all curves have: a band, a mark */
    size_t n_keys;
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
    const NsPlot *shared; /* on a sheet: its series are in a legend above all plots; or NULL */
    bool lettered;    /* the names of several runs begin with their letters: the legend keeps their
                       * order, and shows letters alone if names do not fit */
    bool ordered;     /* the legend keeps the order of the series */
    bool no_grid;     /* without grid lines */
    bool cut;         /* a frame of a film: data beyond cut_at on the horizontal axis is not */
    double cut_at;    /* drawn, while axes and legend are those of the whole run */
    double beyond;    /* of a film: the least width beyond the end of the horizontal axis, for names
                       * at the ends of curves */
    const char *note; /* something the reader must know (thinned, not finite), or NULL */
    size_t of_runs; /* length in bytes of its start that is about the runs instead of this chart: a
                     * sheet says it once */
    const char *empty; /* text in the plot area while there is no data */
    uint64_t version;  /* changes with every change of the plot */
    double end;        /* the last step of runs that continue: axes leave no space beyond; 0:
                        * unknown */
    double expected;   /* a value to which the left axis of a run that has just begun extends while
                        * it grows; 0: none */
    uint64_t origin;   /* changes when the runs change: live axes begin again */
    /* A plot below with a quarter of the height and the same x axis (a ratio below its curves), or
     * NULL.  Only its series, levels, slopes, left axis and note are shown, with the spans of this
     * plot. */
    const NsPlot *lower;
    unsigned denominator; /* of a lower plot of ratios: 1 + the style of the curve above that others
                           * are divided by, each by its style; 0: no ratios */
    bool input;           /* a lower plot of what was set instead of measured: it is lower still */
    const NsPlotDrawing *drawing; /* NULL for none */
    bool no_bar;      /* without the color bar of a heatmap, which a neighboring plot has */
    bool thumbnail;   /* without notes, and with letters instead of names in its legend; its chart
                       * on the stage has them */
    double key_reach; /* how far the color bar of a heatmap extends below the plot area, next to the
                       * plots below that share it */
    /* For a mean over seeds: the plot of each seed, which tables include; or NULL. */
    const NsPlot *const *singles;
    size_t n_singles;
};
