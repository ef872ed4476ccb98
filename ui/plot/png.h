/* What cairo leaves out of a PNG file.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Puts a resolution (pHYs) behind the header of a PNG file. */
void ns_png_set_dpi(GByteArray *png, double dpi);

/* Puts a text behind the header: tEXt, or iTXt where it is more than ASCII. */
void ns_png_add_text(GByteArray *png, const char *keyword, const char *text);
