/* Basic drawing functions of diagrams.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/diagram-private.h"
#include "ui/plot/painter.h"
#include "ui/plot/text.h"

#include <pango/pango.h>

typedef struct {
    const NsDiagram *d; /* NULL for the legend */
    const NsDiagramLook *look;
    const NsStyle *style;
    cairo_t *cr;
    PangoContext *context;
    double size; /* text size */
} NsBrush;

/* Lengths in text sizes. */
#define NS_BRUSH_THIN 0.09     /* wires that are not measured */
#define NS_BRUSH_THINNEST 0.16 /* measured wires */
#define NS_BRUSH_THICKEST 0.62
#define NS_BRUSH_ROUND 0.35 /* radius of corners */

NsColor ns_brush_mix(NsColor a, NsColor b, double share);
void ns_brush_use(const NsBrush *p, NsColor color, double alpha);

/* The background color of the frame of the layer. */
NsColor ns_brush_ground(const NsBrush *p);

/* How a wire with a given number is drawn. */
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
    NsAnchor align; /* which part of the text is at x: its start, middle or end */
    double x, y;    /* y: its vertical center */
    double space;   /* maximum width; 0: unlimited */
    bool backed;    /* it has a background */
} NsBrushText;

void ns_brush_text(const NsBrush *p, const NsBrushText *text);
