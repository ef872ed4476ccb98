/* SPDX-License-Identifier: MIT */
#include "core/base/copy.h"

#include <glib.h>
#include <string.h>

void ns_copy_text(char *to, size_t size, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);
    size_t n = strlen(valid);
    if (n >= size) {
        n = size - 1;
        while (n > 0 && ((unsigned char)valid[n] & 0xC0) == 0x80) n--; /* inside a character */
    }
    memcpy(to, valid, n);
    to[n] = '\0';
}
