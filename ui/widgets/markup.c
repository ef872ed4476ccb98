/* Formulas in labels.  SPDX-License-Identifier: MIT */
#include "ui/widgets/markup.h"

#include <glib.h>
#include <string.h>

char *ns_pango_markup(const char *text)
{
    GString *out = g_string_new(NULL);
    for (const char *p = text; *p;) {
        const char *tag = *p == '_' ? "sub" : *p == '^' ? "sup" : NULL;
        if (tag && p[1]) {
            p++;
            const char *close = *p == '{' ? strchr(p, '}') : NULL;
            const char *begin = close ? p + 1 : p;
            const char *end = close ? close : g_utf8_next_char(p);
            g_autofree char *inside = g_markup_escape_text(begin, end - begin);
            g_string_append_printf(out, "<%s>%s</%s>", tag, inside, tag);
            p = close ? close + 1 : end;
        } else {
            const char *next = g_utf8_next_char(p);
            g_autofree char *escaped = g_markup_escape_text(p, next - p);
            g_string_append(out, escaped);
            p = next;
        }
    }
    return g_string_free(out, FALSE);
}
