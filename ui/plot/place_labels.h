/* Positions of the labels of a layout.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/labels.h"
#include "ui/plot/layout.h"
#include "ui/plot/scale.h"

/* In text sizes. */
#define NS_GAP 0.4
#define NS_TICK 0.3
#define NS_TICK_GAP 0.32
#define NS_TICK_APART 1.3 /* minimum distance of labels above each other */

/* The minimum height of the line of marker labels, in lines. */
#define NS_MARKER_LINE 1.1

/* A layout that is being computed: the parts to show, and the margins that they need. */
typedef struct {
    NsPlotLayout *layout;
    bool show[NS_PARTS];
    PangoLayout *text[NS_PARTS]; /* the text of parts that consist of one text */
    double size;                 /* text size */
    double line;                 /* height of a line of text */
    double digit;                /* height of a digit */
    double marker_line;          /* height of the line of marker labels */
    double x_words;              /* height of the labels at the horizontal axis */
    double top, bottom, left, right;
    double spare;     /* between either margin and an area that was narrowed */
    double key_spare; /* the same between the area and its color bar; 0 if plots below share the
                       * bar */
    NsMargins least;  /* minimum margins, so that plots beside it are aligned */
    const NsScale *x; /* the horizontal scale of the plot above it, or NULL for its own */
} NsFrame;

/* Creates the texts of all parts, and decides which are shown. */
void ns_frame_write(NsFrame *frame);

/* Rewrites subtitle or note with at most this many lines, without its last clauses or sentences if
 * these may be omitted.  Returns the number of lines. */
int ns_frame_write_subtitle(NsFrame *frame, int lines);
int ns_frame_write_note(NsFrame *frame, int lines);

/* Returns whether names in the chart make redundant, with the same words, what distinguishes runs
 * in the subtitle. */
bool ns_frame_names_tell(const NsFrame *frame);

/* Maximum numbers of lines, which decrease if the data have little space. */
#define NS_SUBTITLE_LINES 3
#define NS_NOTE_LINES 16

/* Returns whether the right axis is drawn; a heatmap has its color bar there. */
bool ns_frame_has_right_axis(const NsFrame *frame);

/* Stacks title, subtitle and legend from the top and returns where they end.  Adds them to the page
 * if `place`. */
double ns_place_head(NsFrame *frame, bool place);

/* Lists the names of panels above the area if they do not fit beside the panels and the subtitle
 * does not contain them.  Returns true if it just did, since this changes the height. */
bool ns_frame_list_panels(NsFrame *frame);

/* Returns whether the complete names fit beside the panels. */
bool ns_frame_panels_named(NsFrame *frame);

/* Places the labels around the plot area once its box is known. */
void ns_place_outer_labels(NsFrame *frame);

/* Places the labels inside the plot area once the curves are known. */
void ns_place_inner_labels(NsPlotLayout *layout);

/* The width of the widest tick label. */
double ns_tick_texts_width(NsPlotLayout *layout, const GArray *ticks);

/* The x coordinate of a span that is a point of the horizontal axis; NaN for other spans or outside
 * of the area. */
double ns_layout_point(const NsPlotLayout *layout, const NsSpan *span);

/* The box of the cells in which a highlighted column and a highlighted row intersect; returns false
 * if there are none. */
bool ns_layout_framed(const NsPlotLayout *layout, NsBox *box);

/* The label of a point on the axis.  Free with g_free. */
char *ns_point_number(const NsPlot *plot, const NsSpan *span);
