/* How charts look.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/choice.h"

typedef struct {
    double r, g, b, a;
} NsColor;

typedef enum { NS_MARK_CIRCLE, NS_MARK_SQUARE, NS_MARK_TRIANGLE, NS_MARK_DIAMOND } NsMark;

/* What tells one series from another: colour, dash and mark together, so that it survives grey
 * print. */
typedef struct {
    NsColor color;
    NsMark mark;
    double dash[4];
    int n_dash; /* 0: solid */
} NsSeriesStyle;

#define NS_SERIES_STYLES 7

/* Lengths are in the unit of the drawing: logical pixels on screen, points on paper. */
typedef struct {
    NsChoice choice; /* screen-light, screen-dark, paper, slide */
    const char *font;
    double text_size, title_size; /* pixels or points */
    double line_width, axis_width, mark_size;
    NsColor background, panel, text, faint_text, axis, grid, ghost, alarm;
    NsSeriesStyle series[NS_SERIES_STYLES]; /* Okabe-Ito, lightened on dark */
} NsStyle;

const NsStyle *ns_style(size_t i); /* NULL past the end */
const NsChoice *ns_style_choice(size_t i);
const NsStyle *ns_style_find(const char *key); /* NULL if there is none */
