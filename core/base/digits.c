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

char *ns_group_digits(int64_t number)
{
    g_autofree char *plain = g_strdup_printf("%" G_GINT64_FORMAT, number);
    return ns_group_plain(plain);
}
