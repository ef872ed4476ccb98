/* Additions to PNG files of cairo.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Adds a resolution (pHYs) after the header of a PNG file. */
void ns_png_set_dpi(GByteArray *png, double dpi);

/* Adds a text after the header: tEXt for ASCII, otherwise iTXt. */
void ns_png_add_text(GByteArray *png, const char *keyword, const char *text);

/* Films (animated PNG).  A still image becomes the start of a film with this number of frames;
 * programs that do not support animation show the still.  Each PNG of the same size and type adds a
 * frame, which is shown for 1/rate s. `sequence` must be 0 before the first frame. */
void ns_png_begin_film(GByteArray *png, guint frames);
void ns_png_add_frame(GByteArray *film, const GByteArray *png, guint rate, guint32 *sequence);
void ns_png_end_film(GByteArray *film);
