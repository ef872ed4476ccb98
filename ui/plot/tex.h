/* The strings of a plot as TeX.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>

/* Text with the mini-markup of NsPlot as TeX: scripts and mathematical signs in math mode, what
 * TeX would take for a command escaped.  NULL is empty.  Free with g_free. */
char *ns_tex_text(const char *text);

/* The same for a text in which _ and ^ mean themselves. */
char *ns_tex_literal(const char *text);

/* Appends as printf does, for the conversions %s, %d, %u and %g.  TeX reads a number back to
 * the same value within nine digits; one that is not finite becomes "nan". */
void ns_tex_printf(GString *out, const char *format, ...) G_GNUC_PRINTF(2, 3);
