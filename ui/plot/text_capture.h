/* Text that stays text in formats that have some of their own.  SPDX-License-Identifier: MIT
 *
 * cairo writes the text of an SVG file as outlines, which nobody can search or edit.  A surface
 * that captures its text keeps it apart, and the writer of the format puts it above the shapes. */
#pragma once

#include "ui/plot/style.h"

#include <cairo.h>
#include <glib.h>
#include <pango/pango.h>

/* What stays in place if the reader's font is wider or narrower than the one measured with. */
typedef enum { NS_ANCHOR_START, NS_ANCHOR_MIDDLE, NS_ANCHOR_END } NsAnchor;

typedef struct {
    PangoLayout *text;
    cairo_matrix_t matrix; /* from the upper left corner of its logical box to the page */
    NsColor color;
    NsAnchor anchor;
} NsCapturedText;

/* From now on ns_text_show on this surface appends an NsCapturedText to the array, which outlives
 * the surface.  Free with g_array_unref. */
GArray *ns_text_capture(cairo_surface_t *surface);

/* Shows a text with its upper left corner at the origin of the context, in the present color, or
 * appends it where the surface captures.  The context must have no current point. */
void ns_text_show(cairo_t *cr, PangoLayout *text, NsAnchor anchor);
