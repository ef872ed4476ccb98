/* Where the words of a layout go.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/labels.h"
#include "ui/plot/layout.h"
#include "ui/plot/scale.h"

/* Lengths in text sizes. */
#define NS_GAP 0.4
#define NS_TICK 0.3
#define NS_TICK_GAP 0.32
#define NS_TICK_APART 1.3 /* the least between labels above one another */

/* The least height of the line of words above markers, in lines. */
#define NS_MARKER_LINE 1.1

/* A layout in the making: which parts are shown, and the margins that they need. */
typedef struct {
    NsPlotLayout *layout;
    bool show[NS_PARTS];
    PangoLayout *text[NS_PARTS]; /* where a part is one text */
    double size;                 /* of text */
    double line;                 /* height of a line of text */
    double digit;                /* height of a digit */
    double marker_line;          /* height of the line of words above markers */
    double x_words;              /* height of the words at the horizontal axis */
    double top, bottom, left, right;
    double spare; /* between the left margin and an area that was made narrower; as on the right */
    double key_spare; /* to the right of its key: none where plots below share it */
    NsMargins least;  /* the margins are at least these, so that plots beside it align */
    const NsScale *x; /* the horizontal scale of the plot above it; NULL for its own */
} NsFrame;

/* Writes all parts, and decides which are shown. */
void ns_frame_write(NsFrame *frame);

/* Writes subtitle or note anew, in at most so many lines: a longer one without its last clauses or
 * sentences, as far as it may lose them.  Returns how many it has. */
int ns_frame_write_subtitle(NsFrame *frame, int lines);
int ns_frame_write_note(NsFrame *frame, int lines);

/* Whether names in the chart would tell all that tells runs apart in the subtitle, in its words. */
bool ns_frame_names_tell(const NsFrame *frame);

/* The most lines of them; fewer where the data have little room. */
#define NS_SUBTITLE_LINES 3
#define NS_NOTE_LINES 16

/* Whether the right axis is drawn: a heatmap has its color bar there. */
bool ns_frame_has_right_axis(const NsFrame *frame);

/* Stacks title, subtitle and legend from the top and returns where they end; puts them on the page
 * where `place` is set. */
double ns_place_head(NsFrame *frame, bool place);

/* Lists the names of panels above the area where they have no room beside the panels and the
 * subtitle does not say them.  TRUE if it just did: then the height is another. */
bool ns_frame_list_panels(NsFrame *frame);

/* Whether panels have room beside them for their whole names. */
bool ns_frame_panels_named(NsFrame *frame);

/* Puts the words around the plot area on the page, once its box is known. */
void ns_place_outer_labels(NsFrame *frame);

/* Puts the words in the plot area on the page, once the curves are known. */
void ns_place_inner_labels(NsPlotLayout *layout);

/* The width of the widest label of ticks. */
double ns_tick_texts_width(NsPlotLayout *layout, const GArray *ticks);

/* Where a span that is a point of the horizontal axis is drawn; NaN for another, or outside. */
double ns_layout_point(const NsPlotLayout *layout, const NsSpan *span);

/* Where cells of a heatmap lie that both a stretch of its columns and one of its rows point out;
 * FALSE where there are none. */
bool ns_layout_framed(const NsPlotLayout *layout, NsBox *box);

/* What the axis says there.  Free with g_free. */
char *ns_point_number(const NsPlot *plot, const NsSpan *span);
