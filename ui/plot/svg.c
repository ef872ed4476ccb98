/* What cairo leaves out of an SVG file.  SPDX-License-Identifier: MIT */
#include "ui/plot/svg.h"

#include <string.h>

/* An image, or the name of something where it is defined or used. */
#define PATTERN                                                                                    \
    "(<image )|(id=\"|\"#|\\(#)((?:image|surface|source|mask|pattern|linear|radial)-?)([0-9]+)"

/* By SVG 1.1 and by CSS: programs know one or the other. */
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

static void replace_bytes(GByteArray *bytes, const char *text)
{
    g_byte_array_set_size(bytes, 0);
    g_byte_array_append(bytes, (const guint8 *)text, (guint)strlen(text));
}

static void insert_metadata(GByteArray *svg, const char *title, const char *metadata)
{
    const char *text = (const char *)svg->data;
    const char *tag = g_strstr_len(text, (gssize)svg->len, "<svg");
    const char *end = tag ? memchr(tag, '>', svg->len - (size_t)(tag - text)) : NULL;
    if (!end) return;
    g_autofree char *words =
        g_markup_printf_escaped("\n<title>%s</title>\n<metadata>%s</metadata>", title, metadata);
    guint at = (guint)(end + 1 - text), size = (guint)strlen(words), rest = svg->len - at;
    g_byte_array_set_size(svg, svg->len + size);
    memmove(svg->data + at + size, svg->data + at, rest);
    memcpy(svg->data + at, words, size);
}

void ns_svg_finish(GByteArray *svg, const char *title, const char *metadata)
{
    g_autoptr(GRegex) regex = g_regex_new(PATTERN, G_REGEX_RAW | G_REGEX_OPTIMIZE, 0, NULL);
    g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autofree char *rewritten = g_regex_replace_eval(regex, (const char *)svg->data,
                                                      (gssize)svg->len, 0, 0, rewrite, names, NULL);
    if (rewritten) replace_bytes(svg, rewritten);
    insert_metadata(svg, title, metadata);
}
