/* A layout in the making: which parts are shown, and the margins that they need.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/layout-private.h"

/* Lengths in text sizes. */
#define NS_GAP 0.4
#define NS_TICK 0.3
#define NS_TICK_GAP 0.32
#define NS_TICK_APART 1.3 /* the least between labels above one another */

/* The least height of the line of words above markers, in lines. */
#define NS_MARKER_LINE 1.1

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
    NsMargins least;  /* the margins are at least these, so that plots beside it align */
    const NsScale *x; /* the horizontal scale of the plot above it; NULL for its own */
} NsFrame;

/* Whether the right axis is drawn: a heatmap has its colour bar there. */
bool ns_frame_has_right_axis(const NsFrame *frame);

/* Stacks title, subtitle and legend from the top and returns where they end; puts them on the page
 * where `place` is set. */
double ns_frame_stack(NsFrame *frame, bool place);

/* Puts every word on the page. */
void ns_frame_place(NsFrame *frame);

/* The texts of labelled ticks, NULL for the others, and the widest of them. */
GPtrArray *ns_tick_texts(NsPlotLayout *layout, const GArray *ticks, double *widest);
void ns_tick_texts_free(GPtrArray *texts);
