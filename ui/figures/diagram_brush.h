/* What diagrams are drawn with.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/diagram-private.h"
#include "ui/plot/painter.h"
#include "ui/plot/text_capture.h"

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

typedef struct {
    const char *text;
    double size;
    bool bold;
    NsAnchor align; /* which part of the text stands at x: its start, middle or end */
    double x, y;    /* y: of its middle */
    double room;    /* where it ends, at the latest; 0: anywhere */
    bool backed;    /* ground is put behind it */
} NsBrushText;

void ns_brush_text(const NsBrush *p, const NsBrushText *text);
