/* Additions to PNG files of cairo.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Adds a resolution (pHYs) after the header of a PNG file. */
void ns_png_set_dpi(GByteArray *png, double dpi);

/* Adds a text after the header: tEXt for ASCII, otherwise iTXt. */
void ns_png_add_text(GByteArray *png, const char *keyword, const char *text);
