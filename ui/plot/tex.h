/* The strings of a plot as TeX.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>

/* Converts text with the markup of NsPlot to TeX: scripts and mathematical characters in math mode,
 * special characters escaped.  NULL gives an empty string.  Free with g_free. */
char *ns_tex_text(const char *text);

/* The same for a text in which _ and ^ are literal. */
char *ns_tex_literal(const char *text);

/* Appends like printf, with the conversions %s, %d, %u and %g only.  Numbers have up to nine
 * significant digits; those that are not finite become "nan". */
void ns_tex_printf(GString *out, const char *format, ...) G_GNUC_PRINTF(2, 3);
