/* What diagrams are drawn with.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/diagram-private.h"

#include <pango/pango.h>

typedef struct {
    const NsDiagram *d; /* NULL for the legend */
    const NsDiagramLook *look;
    const NsStyle *style;
    cairo_t *cr;
    PangoContext *context;
    double size; /* of text */
} NsBrush;

/* Lengths in text sizes. */
#define NS_BRUSH_THIN 0.09     /* of what is not measured */
#define NS_BRUSH_THINNEST 0.16 /* of what is */
#define NS_BRUSH_THICKEST 0.62
#define NS_BRUSH_ROUND 0.35 /* of corners */

NsColor ns_brush_mix(NsColor a, NsColor b, double share);
void ns_brush_use(const NsBrush *p, NsColor color, double alpha);

/* Of the frame in which a layer stands. */
NsColor ns_brush_ground(const NsBrush *p);

/* How a wire with this number is drawn. */
typedef struct {
    NsColor color;
    double width;
    bool measured, dashed;
} NsBrushStroke;

NsBrushStroke ns_brush_stroke(const NsBrush *p, double value);

typedef enum { NS_BRUSH_LEFT, NS_BRUSH_MIDDLE, NS_BRUSH_RIGHT } NsBrushAlign;

/* Words whose left end, middle or right end stands at x, centered on y; `room` > 0 ends them there,
 * `backed` puts ground behind them. */
void ns_brush_words(const NsBrush *p, const char *text, double size, bool bold, NsBrushAlign align,
                    double x, double y, double room, bool backed);

/* The path of a box with round corners. */
void ns_brush_rounded(cairo_t *cr, const NsBox *box, double radius);
