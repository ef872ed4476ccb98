/* What cairo leaves out of an SVG file.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>

/* What is said of a file inside it. */
typedef struct {
    const char *title;
    const char *description; /* for who cannot see it; NULL for none */
    const char *metadata;    /* for programs; NULL for none */
} NsSvgWords;

/* Puts title, description and metadata behind the opening tag, and the captured texts (of
 * NsCapturedText, ui/plot/text_capture.h) above the shapes as real text; keeps the cells of images
 * sharp; and names what is defined by its order in the file, where cairo counts from the start of
 * the process.  A word stands where it was measured, and where a reader has another font it is
 * fitted into the same length. */
void ns_svg_finish(GByteArray *svg, const NsSvgWords *about, const GArray *texts);
