/* The labels of a layout, and the space between them.  SPDX-License-Identifier: MIT */
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
    NS_PART_RIGHT_TICK, /* of the right axis or of the color bar */
    NS_PART_X_LABEL,
    NS_PART_LEFT_LABEL,
    NS_PART_RIGHT_LABEL, /* of the right axis or of the color bar */
    NS_PART_NOTE,
    NS_PART_LINE_NAME, /* of a level or a slope */
    NS_PART_EMPTY,
    NS_PART_END_NAME, /* at the end of a curve */
    NS_PART_CELL,     /* the number in a cell */
    NS_PARTS,
} NsPart;

typedef struct {
    NsPart part;
    PangoLayout *text;
    double x, y;  /* the upper left corner of its logical box on the page */
    NsBox box;    /* ink extents on the page */
    bool rotated; /* by a quarter turn to the left */
    bool backed;  /* is drawn over curves, on a nearly opaque background */
    bool led;     /* a leader line connects the label to what it names */
    NsPoint leader[2];
    NsColor color;
    const NsMarker *marker; /* the marker of this label, or NULL */
} NsLabel;

typedef struct NsPlotLayout NsPlotLayout;

/* A text of the usual size.  Free with g_object_unref. */
PangoLayout *ns_layout_text(const NsPlotLayout *layout, bool bold, const char *words);

/* Adds a label whose logical box has, after rotation, its upper left corner at x, y, in the default
 * color of its part.  The returned label may be changed until the next one is added. */
NsLabel *ns_layout_add_label(NsPlotLayout *layout, NsPart part, PangoLayout *text, double x,
                             double y, bool rotated);

/* The first label of a part, or NULL. */
const NsLabel *ns_layout_label(const NsPlotLayout *layout, NsPart part);

/* The plot area without the strips for values that have no place on the axis, and without a small
 * margin. */
NsBox ns_layout_inside(const NsPlotLayout *layout);

/* Chooses the corner at which a box of this size covers the fewest segments of curves, among those
 * at which it is inside the area and covers no label; the first one if several are equal.  Returns
 * false if there is none. */
bool ns_layout_least_crowded(const NsPlotLayout *layout, const NsPoint *corners, size_t n,
                             double width, double height, NsPoint *best);
