/* What a chart shows, as data.  SPDX-License-Identifier: MIT
 *
 * A plot is a plain description: axes, series as borrowed columns, a heatmap, notes.  It owns
 * nothing; whoever fills it in keeps the columns and strings alive while layouts of it are in use.
 * ui/plot/layout.h turns it into boxes and paths, and draws them on any cairo surface.
 *
 * Strings may carry _ and ^ (one character or {braces}) for sub- and superscripts. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { NS_SCALE_LINEAR, NS_SCALE_LOG } NsScaleKind;

typedef struct {
    const char *label; /* "training loss" */
    const char *unit;  /* "nats", or NULL for a pure number */
    NsScaleKind scale;
    bool integer;  /* ticks fall on whole numbers only (steps, layers) */
    double lo, hi; /* fixed limits; NaN where the data decides */
} NsAxis;

typedef enum { NS_AXIS_LEFT, NS_AXIS_RIGHT } NsAxisSide;

typedef enum {
    NS_SERIES_LINE,   /* a curve over many points */
    NS_SERIES_POINTS, /* a line with a mark at every point (profiles over layers) */
} NsSeriesKind;

/* Ghosts are a run that is over, or the first step: pale, behind, first in no legend. */
typedef struct {
    const char *label;
    NsSeriesKind kind;
    NsAxisSide side;
    unsigned style; /* index of colour, dash and mark together */
    bool ghost;
    size_t n;
    const double *x;       /* ascending */
    const double *y;       /* NaN and infinities are gaps that are marked */
    const double *lo, *hi; /* a band around the curve (thinned extremes, a deviation), or NULL */
} NsSeries;

/* z[row * columns + column], rows upwards from y0.  Cells are equally wide.  Colour is log10 z
 * where `log`.  A cell without a value is -infinity; NaN and +infinity are marked. */
typedef struct {
    const float *z;
    size_t rows, columns;
    double x0, x1, y0, y1; /* outer edges of the first and the last cells */
    bool log;
    const char *label; /* of the colour bar */
} NsHeatmap;

static inline bool ns_cell_is_blank(float z)
{
    return z < 0 && isinf(z);
}

/* A vertical line with a word at it: a divergence, a changed setting. */
typedef struct {
    double x;
    const char *text;
    bool alarm;
} NsMarker;

typedef struct {
    const char *title;
    const char *subtitle; /* settings that matter, or NULL */
    NsAxis x, left, right;
    const NsSeries *series;
    size_t n_series;
    const NsHeatmap *heatmap; /* NULL for none */
    const NsMarker *markers;
    size_t n_markers;
    const char *note;  /* something the reader must know (thinned, not finite); NULL for none */
    const char *empty; /* what to say in the plot area while there is no data */
    uint64_t version;  /* changes whenever any of this changes */
} NsPlot;
