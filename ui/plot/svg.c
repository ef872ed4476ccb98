/* Changes to SVG files of cairo.  SPDX-License-Identifier: MIT */
#include "ui/plot/plot-private.h"

#include "ui/plot/text.h"

#include <math.h>
#include <string.h>

/* Matches an image, and an identifier where it is defined or used. */
#define PATTERN                                                                                    \
    "(<image )|(id=\"|\"#|\\(#)((?:image|surface|source|mask|pattern|linear|radial)-?)([0-9]+)"

/* The attribute of SVG 1.1 and the property of CSS: viewers support one or the other. */
#define SHARP "<image image-rendering=\"optimizeSpeed\" style=\"image-rendering:pixelated\" "

static gboolean rewrite(const GMatchInfo *match, GString *out, gpointer names)
{
    g_autofree char *image = g_match_info_fetch(match, 1);
    if (*image) {
        g_string_append(out, SHARP);
        return FALSE;
    }
    g_autofree char *before = g_match_info_fetch(match, 2);
    g_autofree char *kind = g_match_info_fetch(match, 3);
    char *number = g_match_info_fetch(match, 4);
    gpointer order = g_hash_table_lookup(names, number);
    if (order) {
        g_free(number);
    } else {
        order = GUINT_TO_POINTER(g_hash_table_size(names) + 1);
        g_hash_table_insert(names, number, order);
    }
    g_string_append_printf(out, "%s%s%u", before, kind, GPOINTER_TO_UINT(order));
    return FALSE;
}

/* ---- text ---- */

/* The formatting of a part of a text. */
typedef struct {
    double size, rise, spacing; /* page units */
    bool bold;
} Look;

/* A part of a text with uniform formatting. */
typedef struct {
    int offset; /* byte offset in the whole text */
    Look look;
    char *text;
} Stretch;

static void clear_stretch(void *stretch)
{
    g_free(((Stretch *)stretch)->text);
}

static void append_number(GString *out, const char *name, double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(digits, sizeof digits, "%.3f", value + 0.0);
    char *end = digits + strlen(digits);
    while (end[-1] == '0') *--end = '\0';
    if (end[-1] == '.') *--end = '\0';
    g_string_append_printf(out, "%s%s", name, g_str_equal(digits, "-0") ? "0" : digits);
}

static void append_attribute(GString *out, const char *name, double value)
{
    g_string_append_printf(out, " %s=\"", name);
    append_number(out, "", value);
    g_string_append_c(out, '"');
}

static double page_units(int units)
{
    return (double)units / PANGO_SCALE;
}

static bool same_look(const Look *a, const Look *b)
{
    return fabs(a->size - b->size) < 1e-3 && fabs(a->rise - b->rise) < 1e-3 &&
           fabs(a->spacing - b->spacing) < 1e-3 && a->bold == b->bold;
}

static gint by_offset(gconstpointer a, gconstpointer b)
{
    return ((const Stretch *)a)->offset - ((const Stretch *)b)->offset;
}

/* The runs of a line in reading order.  Runs that differ only in the fallback font are merged. */
static GArray *stretches_of(PangoLayout *layout, PangoLayoutLine *line)
{
    const char *whole = pango_layout_get_text(layout);
    g_autoptr(GArray) runs = g_array_new(FALSE, FALSE, sizeof(Stretch));
    for (GSList *at = line->runs; at; at = at->next) {
        const PangoGlyphItem *run = at->data;
        const PangoItem *item = run->item;
        bool cut = item->analysis.flags & PANGO_ANALYSIS_FLAG_IS_ELLIPSIS;
        Look look = {.rise = page_units(run->y_offset)};
        PangoFontDescription *font =
            pango_font_describe_with_absolute_size(run->item->analysis.font);
        look.size = page_units(pango_font_description_get_size(font));
        look.bold = pango_font_description_get_weight(font) >= PANGO_WEIGHT_SEMIBOLD;
        pango_font_description_free(font);
        for (GSList *place = run->item->analysis.extra_attrs; place; place = place->next) {
            const PangoAttribute *attribute = place->data;
            if (attribute->klass->type == PANGO_ATTR_LETTER_SPACING)
                look.spacing = page_units(((const PangoAttrInt *)(const void *)attribute)->value);
        }
        Stretch stretch = {
            .offset = item->offset,
            .look = look,
            .text = cut ? g_strdup("…") : g_strndup(whole + item->offset, (gsize)item->length),
        };
        g_array_append_val(runs, stretch);
    }
    g_array_sort(runs, by_offset);
    GArray *joined = g_array_new(FALSE, FALSE, sizeof(Stretch));
    g_array_set_clear_func(joined, clear_stretch);
    for (unsigned i = 0; i < runs->len; i++) {
        const Stretch *run = &g_array_index(runs, Stretch, i);
        Stretch *last = joined->len ? &g_array_index(joined, Stretch, joined->len - 1) : NULL;
        if (last && same_look(&last->look, &run->look)) {
            char *both = g_strconcat(last->text, run->text, NULL);
            g_free(last->text);
            g_free(run->text);
            last->text = both;
        } else {
            g_array_append_vals(joined, run, 1);
        }
    }
    /* The space at which a line was wrapped has no width. */
    if (joined->len) g_strchomp(g_array_index(joined, Stretch, joined->len - 1).text);
    return joined;
}

static char *families_of(const NsCapturedText *captured)
{
    const PangoFontDescription *font = pango_layout_get_font_description(captured->text);
    const char *family = font ? pango_font_description_get_family(font) : NULL;
    /* CSS has its own names for generic families, and quotes names with spaces. */
    static const char *const generic[][2] = {
        {"Sans", "sans-serif"}, {"Serif", "serif"}, {"Monospace", "monospace"}};
    g_auto(GStrv) names = g_strsplit(family ? family : "Sans", ",", -1);
    GString *out = g_string_new(NULL);
    for (char **name = names; *name; name++) {
        const char *word = g_strstrip(*name);
        bool spaces = strchr(word, ' ') != NULL;
        for (size_t i = 0; i < G_N_ELEMENTS(generic); i++)
            if (g_ascii_strcasecmp(word, generic[i][0]) == 0) word = generic[i][1];
        g_string_append_printf(out, "%s%s%s%s", out->len ? ", " : "", spaces ? "'" : "", word,
                               spaces ? "'" : "");
    }
    return g_string_free(out, FALSE);
}

static void append_place(GString *out, const cairo_matrix_t *matrix, double x, double y)
{
    const cairo_matrix_t *m = matrix;
    bool upright = fabs(m->xx - 1) < 1e-9 && fabs(m->yy - 1) < 1e-9 && fabs(m->xy) < 1e-9 &&
                   fabs(m->yx) < 1e-9;
    if (upright) {
        append_attribute(out, "x", m->x0 + x);
        append_attribute(out, "y", m->y0 + y);
        return;
    }
    const double values[] = {m->xx, m->yx, m->xy, m->yy, m->x0, m->y0};
    g_string_append(out, " transform=\"matrix(");
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++) append_number(out, i ? " " : "", values[i]);
    g_string_append(out, ")\"");
    append_attribute(out, "x", x);
    append_attribute(out, "y", y);
}

static void append_line(GString *out, const NsCapturedText *captured, PangoLayoutIter *iter,
                        const char *family)
{
    static const char *const anchors[] = {NULL, "middle", "end"};
    PangoRectangle logical;
    pango_layout_iter_get_line_extents(iter, NULL, &logical);
    PangoLayoutLine *line = pango_layout_iter_get_line_readonly(iter);
    g_autoptr(GArray) stretches = stretches_of(captured->text, line);
    if (!stretches->len || logical.width <= 0) return;
    /* The text element has the formatting of the first part on the baseline. */
    const Look *base = &g_array_index(stretches, Stretch, 0).look;
    for (unsigned i = stretches->len; i-- > 0;)
        if (fabs(g_array_index(stretches, Stretch, i).look.rise) < 1e-3)
            base = &g_array_index(stretches, Stretch, i).look;
    double width = page_units(logical.width);
    double x = page_units(logical.x) + width * (double)captured->anchor / 2;
    double y = page_units(pango_layout_iter_get_baseline(iter));
    g_string_append(out, "<text");
    append_place(out, &captured->matrix, x, y);
    append_attribute(out, "font-size", base->size);
    if (base->bold) g_string_append(out, " font-weight=\"bold\"");
    if (family) g_string_append_printf(out, " font-family=\"%s\"", family);
    if (anchors[captured->anchor])
        g_string_append_printf(out, " text-anchor=\"%s\"", anchors[captured->anchor]);
    append_attribute(out, "textLength", width);
    int r = (int)lround(captured->color.r * 255), g = (int)lround(captured->color.g * 255);
    g_string_append_printf(out, " fill=\"#%02x%02x%02x\"", r, g,
                           (int)lround(captured->color.b * 255));
    if (captured->color.a < 1) append_attribute(out, "fill-opacity", captured->color.a);
    g_string_append_c(out, '>');
    double rise = 0;
    for (unsigned i = 0; i < stretches->len; i++) {
        const Stretch *stretch = &g_array_index(stretches, Stretch, i);
        const Look *look = &stretch->look;
        g_autofree char *escaped = g_markup_escape_text(stretch->text, -1);
        Look moved = *look;
        moved.rise -= rise;
        const Look level = {base->size, 0, 0, base->bold};
        if (same_look(&moved, &level)) {
            g_string_append(out, escaped);
            continue;
        }
        g_string_append(out, "<tspan");
        if (fabs(moved.rise) >= 1e-3) append_attribute(out, "dy", -moved.rise);
        if (fabs(look->size - base->size) >= 1e-3) append_attribute(out, "font-size", look->size);
        if (fabs(look->spacing) >= 1e-3) append_attribute(out, "letter-spacing", look->spacing);
        if (look->bold != base->bold)
            g_string_append_printf(out, " font-weight=\"%s\"", look->bold ? "bold" : "normal");
        g_string_append_printf(out, ">%s</tspan>", escaped);
        rise = look->rise;
    }
    g_string_append(out, "</text>\n");
}

/* ---- the file ---- */

static void append_element(GString *out, const char *name, const char *text)
{
    if (!text) return;
    g_autofree char *escaped = g_markup_escape_text(text, -1);
    g_string_append_printf(out, "\n<%s>%s</%s>", name, escaped, name);
}

void ns_svg_finish(GByteArray *bytes, const NsSvgWords *about, const GArray *texts)
{
    g_autoptr(GRegex) regex = g_regex_new(PATTERN, G_REGEX_RAW | G_REGEX_OPTIMIZE, 0, NULL);
    g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autofree char *rewritten = g_regex_replace_eval(
        regex, (const char *)bytes->data, (gssize)bytes->len, 0, 0, rewrite, names, NULL);
    if (!rewritten) return;
    g_autoptr(GString) svg = g_string_new(rewritten);
    const char *close = g_strrstr(svg->str, "</svg>");
    if (close && texts->len) {
        g_autofree char *common = families_of(&g_array_index(texts, NsCapturedText, 0));
        g_autoptr(GString) out = g_string_new(NULL);
        g_string_append_printf(out, "<g font-family=\"%s\" xml:space=\"preserve\">\n", common);
        for (unsigned i = 0; i < texts->len; i++) {
            const NsCapturedText *text = &g_array_index(texts, NsCapturedText, i);
            g_autofree char *family = families_of(text);
            PangoLayoutIter *iter = pango_layout_get_iter(text->text);
            do append_line(out, text, iter, g_str_equal(family, common) ? NULL : family);
            while (pango_layout_iter_next_line(iter));
            pango_layout_iter_free(iter);
        }
        g_string_append(out, "</g>\n");
        g_string_insert(svg, close - svg->str, out->str);
    }
    const char *tag = strstr(svg->str, "<svg"), *end = tag ? strchr(tag, '>') : NULL;
    if (end) {
        g_autoptr(GString) inside = g_string_new(NULL);
        append_element(inside, "title", about->title);
        append_element(inside, "desc", about->description);
        append_element(inside, "metadata", about->metadata);
        g_string_insert(svg, end + 1 - svg->str, inside->str);
    }
    g_byte_array_set_size(bytes, 0);
    g_byte_array_append(bytes, (const guint8 *)svg->str, (guint)svg->len);
}
