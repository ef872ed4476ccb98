/* Texts and numbers on a chart.  SPDX-License-Identifier: MIT */
#include "ui/plot/text.h"

#include "core/base/digits.h"
#include "core/base/words.h"

#include <math.h>
#include <pango/pangocairo.h>
#include <string.h>

#define MINUS "\u2212"
#define TIMES "\u00d7"

/* Buffer size for a number in scientific notation, or with six digits before the point. */
#define ROUNDED 64

/* The key under which a PangoLayout stores its source string. */
#define WORDS "words"

/* The two strokes of this glyph merge at the size of an axis label on a screen; two bars of the
 * text's own font do not. */
#define NORM "\u2016"

char *ns_text_group(const char *text, const char **end)
{
    if (*text != '{') {
        *end = *text ? g_utf8_next_char(text) : text;
        return g_strndup(text, (gsize)(*end - text));
    }
    int depth = 0;
    const char *p = text;
    do {
        depth += *p == '{';
        depth -= *p == '}';
        p++;
    } while (depth && *p);
    *end = p;
    return g_strndup(text + 1, (gsize)(p - text - 1 - (depth == 0)));
}

bool ns_text_is_script(const char *p)
{
    return (*p == '_' || *p == '^') && p[1] && !g_ascii_isspace(p[1]) &&
           !g_str_has_prefix(p + 1, NS_TEXT_LITERAL);
}

char *ns_text_literal(const char *text)
{
    GString *literal = g_string_new(NULL);
    for (; *text; text++) {
        g_string_append_c(literal, *text);
        if (*text == '_' || *text == '^') g_string_append(literal, NS_TEXT_LITERAL);
    }
    return g_string_free(literal, FALSE);
}

const char *ns_text_literal_name(const char *name)
{
    if (!name || !strpbrk(name, "_^")) return name;
    g_autofree char *literal = ns_text_literal(name);
    return g_intern_string(literal);
}

/* Sub- and superscripts use size and rise, because pango 1.50 warns about its own script attributes
 * if an ellipsis cuts them.  Without markup if `size` is 0. */
char *ns_text_markup(const char *text, double size)
{
    g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);
    GString *out = g_string_new(NULL);
    for (const char *p = valid; *p;) {
        if (ns_text_is_script(p)) {
            bool raised = *p == '^';
            int rise = (int)lround((*p == '_' ? -0.2 : 0.36) * size * PANGO_SCALE);
            g_autofree char *group = ns_text_group(p + 1, &p);
            g_autofree char *inner = ns_text_markup(group, size);
            if (size > 0) {
                g_string_append_printf(out, "<span size=\"75%%\" rise=\"%d\">%s</span>", rise,
                                       inner);
            } else if (raised && *inner) {
                /* x^2, 10^−5, but (2/3)^((L−l)/2) */
                const char *digits = inner + (*inner == '-');
                if (g_str_has_prefix(inner, MINUS)) digits += strlen(MINUS);
                bool number = *digits && !digits[strspn(digits, "0123456789")];
                bool one = g_utf8_strlen(inner, -1) == 1;
                g_string_append_printf(out, number || one ? "^%s" : "^(%s)", inner);
            } else {
                g_string_append(out, inner);
            }
            continue;
        }
        const char *next = g_utf8_next_char(p);
        bool drawn = !g_str_has_prefix(p, NS_TEXT_LITERAL);
        if (size > 0 && g_str_has_prefix(p, NORM)) {
            g_string_append_printf(out, "<span letter_spacing=\"%d\">|</span>|",
                                   (int)lround(-0.1 * size * PANGO_SCALE));
        } else if (size > 0 && drawn) {
            g_autofree char *escaped = g_markup_escape_text(p, next - p);
            g_string_append(out, escaped);
        } else if (drawn) {
            g_string_append_len(out, p, next - p);
        }
        p = next;
    }
    return g_string_free(out, FALSE);
}

/* U+2060 has another meaning here (NS_TEXT_LITERAL). */
#define NO_BREAK "\ufeff"

char *ns_text_unbroken(const char *text)
{
    GString *whole = g_string_new(NULL);
    int depth = 0;
    for (const char *c = text; *c; c++) {
        depth += (*c == '(') - (*c == ')');
        if (ns_text_is_script(c)) g_string_append(whole, NO_BREAK);
        if (depth > 0 && *c == ' ')
            g_string_append(whole, "\u00a0");
        else
            g_string_append_c(whole, *c);
    }
    return g_string_free(whole, FALSE);
}

char *ns_text_plain(const char *text)
{
    return ns_text_markup(text, 0);
}

/* Appends a group as Unicode superscripts.  Returns false unless it is a number, since Unicode
 * lacks others. */
static bool append_raised(GString *to, const char *group, size_t length)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    gsize before = to->len;
    for (const char *c = group; c < group + length; c = g_utf8_next_char(c)) {
        gunichar sign = g_utf8_get_char(c);
        if (sign == 0x2212) {
            g_string_append(to, "⁻");
        } else if (sign < 128 && g_ascii_isdigit((char)sign)) {
            g_string_append(to, raised[sign - '0']);
        } else {
            g_string_truncate(to, before);
            return false;
        }
    }
    return true;
}

char *ns_text_label(const char *text)
{
    GString *plain = g_string_new(NULL);
    for (const char *open; (open = strstr(text, "^{"));) {
        const char *close = strchr(open, '}');
        if (!close) break;
        g_string_append_len(plain, text, open - text);
        if (!append_raised(plain, open + 2, (size_t)(close - open) - 2))
            g_string_append_len(plain, open, close + 1 - open);
        text = close + 1;
    }
    g_string_append(plain, text);
    g_autofree char *marked = g_string_free(plain, FALSE);
    return ns_text_plain(marked);
}

char *ns_text_fixed(double value, int decimals)
{
    char format[16], digits[400];
    g_snprintf(format, sizeof format, "%%.%df", CLAMP(decimals, 0, 20));
    g_ascii_formatd(digits, sizeof digits, format, value);
    bool zero = strspn(digits, "-0.") == strlen(digits);
    return ns_group_plain(zero && *digits == '-' ? digits + 1 : digits);
}

/* Rounds to "1.204e-05" and returns the exponent after rounding: 9.9996 has the four digits
 * 10.00. */
static int round_to(double value, int digits, char rounded[static ROUNDED])
{
    char format[16];
    g_snprintf(format, sizeof format, "%%.%de", digits - 1);
    g_ascii_formatd(rounded, ROUNDED, format, value);
    return (int)g_ascii_strtoll(strchr(rounded, 'e') + 1, NULL, 10);
}

/* Returns whether a number is more readable without a power of ten. */
static bool is_near_one(int exponent)
{
    return exponent >= -3 && exponent < 6;
}

char *ns_text_number(double value, int digits)
{
    char rounded[ROUNDED];
    if (isnan(value)) return g_strdup(_("not a number"));
    if (isinf(value)) return g_strdup(value < 0 ? MINUS "\u221e" : "\u221e");
    if (value == 0) return g_strdup("0");
    int exponent = round_to(value, digits, rounded);
    if (is_near_one(exponent)) return ns_text_fixed(value, MAX(0, digits - 1 - exponent));
    g_autofree char *mantissa =
        ns_text_fixed(g_ascii_strtod(rounded, NULL) / pow(10, exponent), digits - 1);
    g_autofree char *power = ns_text_power(exponent);
    return g_strconcat(mantissa, TIMES, power, NULL);
}

char *ns_text_off_scale(double value, bool above)
{
    g_autofree char *number = ns_text_number(value, 2);
    return g_strdup_printf(above ? _("off the scale, %s ↑") : _("off the scale, %s ↓"), number);
}

char *ns_text_value(double value, int digits)
{
    g_autofree char *number = ns_text_number(value, digits);
    return ns_text_label(number);
}

char *ns_text_input(double value, int digits)
{
    char rounded[ROUNDED];
    bool plain = isfinite(value) && is_near_one(round_to(value, digits, rounded));
    return ns_text_input_as(value, digits, plain);
}

char *ns_text_input_as(double value, int digits, bool plain)
{
    char rounded[ROUNDED], text[ROUNDED], format[16];
    if (value == 0) return g_strdup("0");
    if (!isfinite(value)) return g_strdup(isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    int exponent = round_to(value, digits, rounded);
    g_snprintf(format, sizeof format, "%%.%df", plain ? MAX(0, digits - 1 - exponent) : digits - 1);
    double read = g_ascii_strtod(rounded, NULL);
    g_ascii_formatd(text, sizeof text, format, plain ? read : read / pow(10, exponent));
    /* Without trailing zeros of decimals. */
    size_t n = strlen(text);
    while (strchr(text, '.') && (text[n - 1] == '0' || text[n - 1] == '.')) text[--n] = '\0';
    return plain ? g_strdup(text) : g_strdup_printf("%se%d", text, exponent);
}

char *ns_text_power(int exponent)
{
    return g_strdup_printf("10^{%s%d}", exponent < 0 ? MINUS : "", ABS(exponent));
}

char *ns_text_letter(const char *name)
{
    const char *end = name;
    while (*end && *end != ' ' && !(*end == ',' && (!end[1] || end[1] == ' '))) end++;
    return g_strndup(name, (gsize)(end - name));
}

PangoContext *ns_text_context_new(void)
{
    PangoContext *context = pango_font_map_create_context(pango_cairo_font_map_get_default());
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    pango_cairo_context_set_font_options(context, options);
    cairo_font_options_destroy(options);
    pango_context_set_round_glyph_positions(context, FALSE);
    return context;
}

PangoLayout *ns_text_new(PangoContext *context, const NsStyle *style, double size, bool bold,
                         const char *text)
{
    PangoLayout *layout = pango_layout_new(context);
    PangoFontDescription *font = pango_font_description_new();
    pango_font_description_set_family_static(font, style->font);
    pango_font_description_set_absolute_size(font, size * PANGO_SCALE);
    pango_font_description_set_weight(font, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
    g_autofree char *markup = ns_text_markup(text, size);
    pango_layout_set_markup(layout, markup, -1);
    g_object_set_data_full(G_OBJECT(layout), WORDS, g_strdup(text), g_free);
    return layout;
}

const char *ns_text_words(PangoLayout *text)
{
    return g_object_get_data(G_OBJECT(text), WORDS);
}

/* Maximum lines of a caption whose beginning is never shortened. */
#define MOST_LINES 12

static bool has_space(const NsTextSpace *space, const char *text)
{
    g_autoptr(PangoLayout) layout =
        ns_text_new(space->context, space->style, space->size, false, text);
    if (ns_text_width(layout) <= space->width) return true;
    pango_layout_set_width(layout, (int)(MAX(space->width, 1) * PANGO_SCALE));
    return space->lines > 1 && pango_layout_get_line_count(layout) <= space->lines;
}

/* The length of text[0..end - 1] without its last clause or sentence; 0 if there is only one. */
static size_t without_clause(const char *text, size_t end)
{
    for (size_t i = end; i-- > 2;)
        if (text[i - 1] == ' ' && strchr(",;.", text[i - 2])) return i;
    return 0;
}

/* The length of text[0..end - 1] without its last word and the spaces around it. */
static size_t without_word(const char *text, size_t end)
{
    while (end > 0 && text[end - 1] == ' ') end--;
    while (end > 0 && text[end - 1] != ' ') end--;
    while (end > 0 && text[end - 1] == ' ') end--;
    return end;
}

static char *fit(const NsTextSpace *space, const NsCaption *caption)
{
    const char *text = caption->text, *end = caption->end;
    size_t length = strlen(text) - (end ? strlen(end) : 0), keep = caption->keep;
    if (has_space(space, text)) return g_strdup(text);
    for (size_t n = length; (n = without_clause(text, n)) && n >= keep;) {
        g_autofree char *words =
            g_strdup_printf("%.*s…%s%s", (int)n, text, end ? ", " : "", end ? end : "");
        if (has_space(space, words)) return g_steal_pointer(&words);
    }
    if (keep) return NULL;
    if (end) return has_space(space, end) ? g_strdup(end) : NULL;
    for (size_t n = length; (n = without_word(text, n));) {
        g_autofree char *words = g_strdup_printf("%.*s…", (int)n, text);
        if (has_space(space, words)) return g_steal_pointer(&words);
    }
    return NULL;
}

char *ns_text_abridge(const NsTextSpace *space, const NsCaption *caption)
{
    NsTextSpace taller = *space;
    char *text = fit(space, caption);
    while (!text && caption->keep && taller.lines++ < MOST_LINES) text = fit(&taller, caption);
    return text;
}

/* No line ends within these bytes. */
static void keep_together(PangoAttrList *attributes, const char *words, const char *from,
                          const char *to)
{
    PangoAttribute *together = pango_attr_allow_breaks_new(FALSE);
    together->start_index = (guint)(from - words);
    together->end_index = (guint)(to - words);
    pango_attr_list_insert(attributes, together);
}

void ns_text_limit(PangoLayout *text, double width, int lines)
{
    const char *words = pango_layout_get_text(text);
    PangoAttrList *apart = pango_layout_get_attributes(text);
    apart = apart ? pango_attr_list_copy(apart) : pango_attr_list_new();
    /* “Pre-LN” is in one line; “feed-forward” may be in two. */
    for (const char *c = words; (c = strchr(c + (*c == '-'), '-'));)
        if (g_ascii_isupper(c[1])) keep_together(apart, words, c, c + 2);
    pango_layout_set_attributes(text, apart);
    pango_layout_set_width(text, (int)(MAX(width, 1) * PANGO_SCALE));
    pango_layout_set_height(text, -lines);
    pango_layout_set_wrap(text, PANGO_WRAP_WORD_CHAR);
    pango_layout_set_ellipsize(text, PANGO_ELLIPSIZE_END);
    /* No word is alone in the last line. */
    PangoLayoutLine *last =
        pango_layout_get_line_readonly(text, pango_layout_get_line_count(text) - 1);
    const char *rest = words + last->start_index;
    if (last->start_index >= 2 && !strchr(rest, ' ') && rest[-1] == ' ') {
        PangoAttrList *attributes = pango_attr_list_copy(apart);
        /* The space before the word, up to its first letter. */
        keep_together(attributes, words, rest - 1, g_utf8_next_char(rest));
        bool cut = pango_layout_is_ellipsized(text);
        pango_layout_set_attributes(text, attributes);
        if (!cut && pango_layout_is_ellipsized(text)) pango_layout_set_attributes(text, apart);
        pango_attr_list_unref(attributes);
    }
    pango_attr_list_unref(apart);
}

void ns_text_strike(PangoLayout *text)
{
    PangoAttrList *attributes = pango_attr_list_copy(pango_layout_get_attributes(text));
    pango_attr_list_insert(attributes, pango_attr_strikethrough_new(TRUE));
    pango_layout_set_attributes(text, attributes);
    pango_attr_list_unref(attributes);
}

void ns_text_size(PangoLayout *text, double *width, double *height)
{
    PangoRectangle logical;
    pango_layout_get_extents(text, NULL, &logical);
    *width = (double)logical.width / PANGO_SCALE;
    *height = (double)logical.height / PANGO_SCALE;
}

double ns_text_baseline(PangoLayout *text)
{
    return (double)pango_layout_get_baseline(text) / PANGO_SCALE;
}

double ns_text_height(PangoLayout *text)
{
    double width, height;
    ns_text_size(text, &width, &height);
    return height;
}

double ns_text_width(PangoLayout *text)
{
    double width, height;
    ns_text_size(text, &width, &height);
    return width;
}

/* ---- text on a context ---- */

static const cairo_user_data_key_t capture_key;

static void clear(void *captured)
{
    g_object_unref(((NsCapturedText *)captured)->text);
}

static void unref(void *array)
{
    g_array_unref(array);
}

GArray *ns_text_capture(cairo_surface_t *surface)
{
    GArray *array = g_array_new(FALSE, FALSE, sizeof(NsCapturedText));
    g_array_set_clear_func(array, clear);
    cairo_surface_set_user_data(surface, &capture_key, g_array_ref(array), unref);
    return array;
}

void ns_text_show(cairo_t *cr, PangoLayout *text, NsAnchor anchor)
{
    GArray *array = cairo_surface_get_user_data(cairo_get_target(cr), &capture_key);
    if (!array) {
        cairo_move_to(cr, 0, 0);
        pango_cairo_show_layout(cr, text);
        cairo_new_path(cr);
        return;
    }
    NsCapturedText captured = {.text = g_object_ref(text), .anchor = anchor};
    cairo_get_matrix(cr, &captured.matrix);
    cairo_pattern_get_rgba(cairo_get_source(cr), &captured.color.r, &captured.color.g,
                           &captured.color.b, &captured.color.a);
    g_array_append_val(array, captured);
}
