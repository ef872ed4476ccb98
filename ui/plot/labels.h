/* The words of a layout, and the room that they leave.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/plot.h"

#include <pango/pangocairo.h>

typedef enum {
    NS_PART_TITLE,
    NS_PART_SUBTITLE,
    NS_PART_LEGEND,
    NS_PART_MARKER,
    NS_PART_X_TICK,
    NS_PART_LEFT_TICK,
    NS_PART_RIGHT_TICK, /* of the right axis and of the color bar */
    NS_PART_X_LABEL,
    NS_PART_LEFT_LABEL,
    NS_PART_RIGHT_LABEL, /* likewise */
    NS_PART_NOTE,
    NS_PART_LINE_NAME, /* of a level or a slope */
    NS_PART_EMPTY,
    NS_PART_END_NAME, /* of a curve, at its end */
    NS_PART_CELL,     /* the number in a cell */
    NS_PARTS,
} NsPart;

typedef struct {
    NsPart part;
    PangoLayout *text;
    double x, y;  /* the upper left corner of its logical box on the page */
    NsBox box;    /* of its ink on the page */
    bool rotated; /* a quarter turn to the left */
    bool backed;  /* stands on curves: the background shines through less there */
    bool led;     /* a line leads from what it names to it */
    NsPoint leader[2];
    NsColor color;
    const NsMarker *marker; /* whose words these are, or NULL */
} NsLabel;

typedef struct NsPlotLayout NsPlotLayout;

/* A text of the usual size.  Free with g_object_unref. */
PangoLayout *ns_layout_text(const NsPlotLayout *layout, bool bold, const char *words);

/* Adds a label whose logical box, after rotation, has its upper left corner at x, y, in the color
 * that is usual for its part.  The label that it returns may be changed until the next one is
 * added. */
NsLabel *ns_layout_add_label(NsPlotLayout *layout, NsPart part, PangoLayout *text, double x,
                             double y, bool rotated);

/* The first label of a part; NULL where there is none. */
const NsLabel *ns_layout_label(const NsPlotLayout *layout, NsPart part);

/* The plot area without the strips of values that have no place on the axis, and a little less. */
NsBox ns_layout_inside(const NsPlotLayout *layout);

/* Finds, of the corners at which a box of that size is inside and over no word, the one where the
 * box covers the least of the curves; the first of several.  Returns false if there is none. */
bool ns_layout_least_crowded(const NsPlotLayout *layout, const NsPoint *corners, size_t n,
                             double width, double height, NsPoint *best);
