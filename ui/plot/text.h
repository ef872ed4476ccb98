/* Texts and numbers on a chart.  SPDX-License-Identifier: MIT
 *
 * All text is measured without hinting, so that the same layout is valid at any screen scale and on
 * paper. */
#pragma once

#include "ui/plot/style.h"

#include <cairo.h>
#include <glib.h>
#include <pango/pango.h>
#include <pango/pangocairo.h>

/* Returns whether a _ or ^ at this position starts a subscript or superscript: at the end of a word
 * and in a literal text it does not. */
bool ns_text_is_script(const char *at);

/* After _ or ^ this makes it a character like any other; it is not drawn. */
#define NS_TEXT_LITERAL "\u2060"

/* A string of NsPlot that is drawn as exactly this text, such as a name that a user has chosen.
 * Free with g_free. */
char *ns_text_literal(const char *text);

/* The same, never freed; NULL for NULL. */
const char *ns_text_literal_name(const char *name);

/* The content of a script: one character, or the text in braces.  Sets *end to what follows it.
 * Free with g_free. */
char *ns_text_group(const char *text, const char **end);

/* Pango markup of a string of NsPlot at a text size > 0: _ and ^ lower and raise the next character
 * or {group}; everything else is literal.  Free with g_free. */
char *ns_text_markup(const char *text, double size);

/* The same string with no line break in parentheses or before a script.  Free with g_free. */
char *ns_text_unbroken(const char *text);

/* The same string without its markup, for metadata and data files: "x_2^{k+1}" is "x2^(k+1)".  Free
 * with g_free. */
char *ns_text_plain(const char *text);

/* The same for labels: numeric exponents become superscript characters, "5.7×10⁻⁸"; everything else
 * is as in ns_text_plain.  Free with g_free. */
char *ns_text_label(const char *text);

/* "−1,234.50": a fixed number of decimals, grouped as in core/base/digits.h.  Free with g_free. */
char *ns_text_fixed(double value, int decimals);

/* A value with this many significant digits: "2.306", "1.204×10^{−5}", "not a number", "∞".  Free
 * with g_free. */
char *ns_text_number(double value, int digits);

/* "off the scale, 2.8×10^{10} ↑", of a curve that leaves its axis.  Free with g_free. */
char *ns_text_off_scale(double value, bool above);

/* The same for labels: "1.204×10⁻⁵".  Free with g_free. */
char *ns_text_value(double value, int digits);

/* A value as it is typed or spoken, with at most this many significant digits: "0.003", "1e-5",
 * "12000".  Free with g_free. */
char *ns_text_input(double value, int digits);

/* The same, with a power of ten exactly if not `plain`. */
char *ns_text_input_as(double value, int digits, bool plain);

/* "10^{−3}".  Free with g_free. */
char *ns_text_power(int exponent);

/* The letter at the start of a name: "A" of "A Post-LN".  Non-breaking spaces belong to it.  Free
 * with g_free. */
char *ns_text_letter(const char *name);

/* A context for all text of one layout.  Free with g_object_unref. */
PangoContext *ns_text_context_new(void);

/* A line of text with the markup of NsPlot.  Free with g_object_unref. */
PangoLayout *ns_text_new(PangoContext *context, const NsStyle *style, double size, bool bold,
                         const char *text);

/* The source string of a text, with its markup. */
const char *ns_text_words(PangoLayout *text);

/* The space for a text: its width, and the maximum number of lines. */
typedef struct {
    PangoContext *context;
    const NsStyle *style;
    double size, width;
    int lines;
} NsTextSpace;

/* A text, the length in bytes of its start that is never shortened, and an end that is always
 * shown, or NULL. */
typedef struct {
    const char *text;
    size_t keep;
    const char *end;
} NsCaption;

/* Shortens a caption to fit: first clauses (which end with a comma, semicolon or full stop) and
 * then words are omitted before its end, as in "Pre-LN, 6 layers, …, step 1240".  Uses more lines
 * if that is necessary to show what must not be omitted.  NULL if nothing fits.  Free with
 * g_free. */
char *ns_text_abridge(const NsTextSpace *space, const NsCaption *caption);

/* Limits a text to `lines` lines of `width`, with an ellipsis if it does not fit. */
void ns_text_limit(PangoLayout *text, double width, int lines);

void ns_text_strike(PangoLayout *text);

/* Logical width and height. */
void ns_text_size(PangoLayout *text, double *width, double *height);

double ns_text_width(PangoLayout *text);
double ns_text_height(PangoLayout *text);

/* The distance from the top of the text to the baseline of its first line. */
double ns_text_baseline(PangoLayout *text);

/* The point that stays in place if the viewer's font is wider or narrower than the one used for
 * measuring. */
typedef enum { NS_ANCHOR_START, NS_ANCHOR_MIDDLE, NS_ANCHOR_END } NsAnchor;

typedef struct {
    PangoLayout *text;
    cairo_matrix_t matrix; /* from the upper left corner of its logical box to the page */
    NsColor color;
    NsAnchor anchor;
} NsCapturedText;

/* From now on, ns_text_show on this surface appends an NsCapturedText to the array, which outlives
 * the surface.  Free with g_array_unref. */
GArray *ns_text_capture(cairo_surface_t *surface);

/* Draws a text with its upper left corner at the origin of the context in the current color, or
 * appends it if the surface captures text.  The context must have no current point. */
void ns_text_show(cairo_t *cr, PangoLayout *text, NsAnchor anchor);
