/* What cairo leaves out of a PNG file.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Puts a resolution (pHYs) behind the header of a PNG file. */
void ns_png_set_dpi(GByteArray *png, double dpi);

/* Puts a text behind the header: tEXt, or iTXt where it is more than ASCII. */
void ns_png_add_text(GByteArray *png, const char *keyword, const char *text);

/* Films (animated PNG).  A still begins one of so many frames, and is what is seen where films are
 * not known; each PNG of the same size and kind adds a frame, which stays for 1/rate s.  `sequence`
 * begins with 0. */
void ns_png_begin_film(GByteArray *png, guint frames);
void ns_png_add_frame(GByteArray *film, const GByteArray *png, guint rate, guint32 *sequence);
void ns_png_end_film(GByteArray *film);
