/* Changes to SVG files of cairo.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>

/* Descriptive texts in the file. */
typedef struct {
    const char *title;
    const char *description; /* for screen readers, or NULL */
    const char *metadata;    /* for programs, or NULL */
} NsSvgWords;

/* Inserts title, description and metadata after the opening tag, and the captured texts
 * (NsCapturedText, ui/plot/text_capture.h) as real text above the shapes.  Disables interpolation
 * of images, so that cells stay sharp.  Numbers identifiers by their order in the file, because
 * those of cairo depend on earlier drawings of the process.  A text keeps its position and, in a
 * different font, its length. */
void ns_svg_finish(GByteArray *svg, const NsSvgWords *about, const GArray *texts);
