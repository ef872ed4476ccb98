/* Words and numbers on a chart.  SPDX-License-Identifier: MIT
 *
 * All text is measured without hinting, so that the same layout holds on a screen of any scale and
 * on paper. */
#pragma once

#include "ui/plot/style.h"

#include <pango/pangocairo.h>

/* Whether a string of NsPlot raises or lowers what follows here: a _ or ^ that ends a word stands
 * for itself. */
bool ns_text_is_script(const char *at);

/* What it raises or lowers: one character, or what stands between braces; *end is behind it.  Free
 * with g_free. */
char *ns_text_group(const char *text, const char **end);

/* Pango markup of a string of NsPlot at a text size > 0: _ and ^ lower and raise the next character
 * or {group}; all else is literal.  Free with g_free. */
char *ns_text_markup(const char *text, double size);

/* The same string without its markup, for metadata and data files: "x_2^{k+1}" is "x2^(k+1)".  Free
 * with g_free. */
char *ns_text_plain(const char *text);

/* The same for labels: numbers in exponents are raised, "5.7×10⁻⁸", all else is as in
 * ns_text_plain.  Free with g_free. */
char *ns_text_label(const char *text);

/* "−1,234.50": so many decimals, grouped as in core/base/digits.h.  Free with g_free. */
char *ns_text_fixed(double value, int decimals);

/* The value to so many significant digits: "2.306", "1.204×10^{−5}", "not a number", "∞".  Free
 * with g_free. */
char *ns_text_number(double value, int digits);

/* The same for labels: "1.204×10⁻⁵".  Free with g_free. */
char *ns_text_value(double value, int digits);

/* To so many significant digits as it may be typed, or spoken: "0.003", "1e-5", "12000".  Free with
 * g_free. */
char *ns_text_input(double value, int digits);

/* "10^{−3}".  Free with g_free. */
char *ns_text_power(int exponent);

/* "A" of "A Post-LN": what a name begins with; spaces that do not break belong to it.  Free with
 * g_free. */
char *ns_text_letter(const char *name);

/* The context that all text of one layout shares.  Free with g_object_unref. */
PangoContext *ns_text_context_new(void);

/* One line of text from the mini-markup.  Free with g_object_unref. */
PangoLayout *ns_text_new(PangoContext *context, const NsStyle *style, double size, bool bold,
                         const char *text);

/* The string that it was made from, with its markup. */
const char *ns_text_words(PangoLayout *text);

/* Where a text is to go, and how many lines it may fill. */
typedef struct {
    PangoContext *context;
    const NsStyle *style;
    double size, width;
    int lines;
} NsTextRoom;

/* A text, how many bytes of its beginning stay however little room there is, and what it ends with,
 * which stays too; NULL for nothing. */
typedef struct {
    const char *text;
    size_t keep;
    const char *end;
} NsCaption;

/* As much of a caption as has room: clauses, which commas, semicolons and full stops end, and at
 * last words are left out before its end.  "Pre-LN, 6 layers, …, step 1240".  It has more lines
 * rather than lose what it keeps.  NULL where nothing has room.  Free with g_free. */
char *ns_text_abridge(const NsTextRoom *room, const NsCaption *caption);

/* Ends the text with an ellipsis where it is wider than `width`, after `lines` lines. */
void ns_text_limit(PangoLayout *text, double width, int lines);

/* Strikes the text out. */
void ns_text_strike(PangoLayout *text);

/* Logical width and height. */
void ns_text_size(PangoLayout *text, double *width, double *height);

double ns_text_width(PangoLayout *text);
double ns_text_height(PangoLayout *text);

/* From the top of the text to the baseline of its first line. */
double ns_text_baseline(PangoLayout *text);
