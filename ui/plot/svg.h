/* What cairo leaves out of an SVG file.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>

/* Puts title and metadata behind the opening tag; keeps the cells of images sharp; and names what
 * is defined by its order in the file, where cairo counts from the start of the process. */
void ns_svg_finish(GByteArray *svg, const char *title, const char *metadata);
