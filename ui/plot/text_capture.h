/* Text that remains text in file formats that support it.  SPDX-License-Identifier: MIT
 *
 * cairo draws the text of an SVG file as outlines, which cannot be searched or edited.  A surface
 * that captures text collects it separately, and the writer of the format inserts it above the
 * shapes. */
#pragma once

#include "ui/plot/style.h"

#include <cairo.h>
#include <glib.h>
#include <pango/pango.h>

/* The point that stays in place if the viewer's font is wider or narrower than the one used for
 * measuring. */
typedef enum { NS_ANCHOR_START, NS_ANCHOR_MIDDLE, NS_ANCHOR_END } NsAnchor;

typedef struct {
    PangoLayout *text;
    cairo_matrix_t matrix; /* from the upper left corner of its logical box to the page */
    NsColor color;
    NsAnchor anchor;
} NsCapturedText;

/* From now on, ns_text_show on this surface appends an NsCapturedText to the array, which outlives
 * the surface.  Free with g_array_unref. */
GArray *ns_text_capture(cairo_surface_t *surface);

/* Draws a text with its upper left corner at the origin of the context in the current color, or
 * appends it if the surface captures text.  The context must have no current point. */
void ns_text_show(cairo_t *cr, PangoLayout *text, NsAnchor anchor);
