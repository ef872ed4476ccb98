/* How charts look.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/choice.h"

#include <stdbool.h>

typedef struct {
    double r, g, b, a;
} NsColor;

typedef enum { NS_MARK_CIRCLE, NS_MARK_SQUARE, NS_MARK_TRIANGLE, NS_MARK_DIAMOND } NsMark;

/* What tells one series from another: color, dash and mark together, so that it survives gray
 * print. */
typedef struct {
    NsColor color;
    NsMark mark;
    double dash[4]; /* in line widths */
    int n_dash;     /* 0: solid */
} NsSeriesStyle;

#define NS_SERIES_STYLES 7

/* The looks of what is computed and not measured: dots, with more and more room between them. */
#define NS_THEORY_STYLES 3
extern const NsSeriesStyle ns_theory_styles[NS_THEORY_STYLES];

/* Lengths are in the unit of the drawing: logical pixels on screen, points on paper. */
typedef struct {
    NsChoice choice;              /* screen-light, screen-dark, paper, slide, high-contrast... */
    const char *font;             /* families, best first */
    double text_size, title_size; /* pixels or points */
    double line_width, axis_width, mark_size;
    double padding; /* between the edge of the page and the ink */
    double corner;  /* of the title's lines, at their end: left to what lies above the chart */
    double corner_height; /* of the page, from its top: what follows the title begins below */
    bool raster;          /* meant for pixels: strokes may trade smoothness for speed */
    NsColor background, panel, text, faint_text, axis, grid, alarm;
    NsColor previous;                       /* of previous runs, and of what has no value */
    NsSeriesStyle series[NS_SERIES_STYLES]; /* Okabe-Ito, lightened on dark */
} NsStyle;

const NsStyle *ns_style(size_t i); /* NULL past the end */
const NsChoice *ns_style_choice(size_t i);
const NsStyle *ns_style_find(const char *key); /* NULL if there is none */

/* A copy with text, marks and padding `scale` times as large (a reader's text size). */
NsStyle ns_style_scaled(const NsStyle *style, double scale);
