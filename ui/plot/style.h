/* Styles of charts.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/choice.h"

#include <stdbool.h>

typedef struct {
    double r, g, b, a;
} NsColor;

/* A color between a (share 0) and b (share 1), with the opacity of a. */
static inline NsColor ns_color_mix(NsColor a, NsColor b, double share)
{
    return (NsColor){a.r + share * (b.r - a.r), a.g + share * (b.g - a.g),
                     a.b + share * (b.b - a.b), a.a};
}

typedef enum { NS_MARK_CIRCLE, NS_MARK_SQUARE, NS_MARK_TRIANGLE, NS_MARK_DIAMOND } NsMark;

/* Series differ in color, mark and dash together, so that they can also be distinguished in
 * gray. */
typedef struct {
    NsColor color;
    NsMark mark;
    double dash[4]; /* in line widths */
    int n_dash;     /* 0: solid */
} NsSeriesStyle;

#define NS_SERIES_STYLES 7

/* Styles of computed series: dots with increasing gaps. */
#define NS_THEORY_STYLES 3
extern const NsSeriesStyle ns_theory_styles[NS_THEORY_STYLES];

/* Lengths are in drawing units: logical pixels on screen, points on paper. */
typedef struct {
    NsChoice choice;              /* screen-light, screen-dark, paper, slide, high-contrast... */
    const char *font;             /* families in order of preference */
    double text_size, title_size; /* pixels or points */
    double line_width, axis_width, mark_size;
    double padding;       /* margin inside the edge of the page */
    double corner;        /* width at the end of the title's lines that is reserved for controls */
    double corner_height; /* height of these controls from the top of the page: the plot begins
                           * below */
    bool raster;          /* for a screen: lines and boxes are aligned to its pixels */
    NsColor background, panel, text, faint_text, axis, grid, alarm;
    NsColor previous;                       /* of previous runs and of missing values */
    NsSeriesStyle series[NS_SERIES_STYLES]; /* Okabe-Ito, lightened on dark */
} NsStyle;

const NsStyle *ns_style(size_t i); /* NULL past the end */
const NsChoice *ns_style_choice(size_t i);
const NsStyle *ns_style_find(const char *key); /* NULL if there is none */

/* A copy with text, marks and padding scaled by `scale`, for the reader's text size. */
NsStyle ns_style_scaled(const NsStyle *style, double scale);
