/* Formulas in labels.  SPDX-License-Identifier: MIT */
#pragma once

/* Pango markup of a text with _ and ^ (one character or {braces}) for sub- and superscripts, as the
 * registries and plots have it.  Free with g_free. */
char *ns_pango_markup(const char *text);
