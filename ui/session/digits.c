/* SPDX-License-Identifier: MIT */
#include "ui/session/digits.h"

#include "core/base/words.h"

char *ns_group_digits(int64_t number)
{
    g_autofree char *digits = g_strdup_printf("%" G_GINT64_FORMAT, number < 0 ? -number : number);
    size_t n = strlen(digits);
    GString *out = g_string_new(number < 0 ? "\u2212" : NULL);
    /* Translators: where a comma begins decimals, a narrow no-break space. */
    const char *between = C_("between thousands", ",");
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) g_string_append(out, between);
        g_string_append_c(out, digits[i]);
    }
    return g_string_free(out, FALSE);
}
