/* SPDX-License-Identifier: MIT */
#include "core/base/digits.h"

#include "core/base/words.h"

#include <stdbool.h>
#include <string.h>

char *ns_group_plain(const char *number)
{
    bool negative = *number == '-';
    const char *digits = number + negative;
    size_t whole = strspn(digits, "0123456789");
    GString *out = g_string_new(negative ? "\u2212" : NULL);
    /* Translators: if a comma separates decimals, use a narrow no-break space here. */
    const char *between = C_("between thousands", ",");
    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0) g_string_append(out, between);
        g_string_append_c(out, digits[i]);
    }
    g_string_append(out, digits + whole);
    return g_string_free(out, FALSE);
}

char *ns_ungroup_digits(const char *text)
{
    /* After the space: the no-break space, the thin space, the narrow no-break space. */
    static const char GROUPS[] = "^[1-9][0-9]{0,2}([, \u00a0\u2009\u202f])[0-9]{3}(\\1[0-9]{3})*$";
    char *plain = g_strdup(text), *end = plain;
    if (!g_regex_match_simple(GROUPS, text, 0, 0)) return plain;
    for (const char *c = text; *c; c++)
        if (g_ascii_isdigit(*c)) *end++ = *c;
    *end = '\0';
    return plain;
}

char *ns_group_digits(int64_t number)
{
    g_autofree char *plain = g_strdup_printf("%" G_GINT64_FORMAT, number);
    return ns_group_plain(plain);
}
