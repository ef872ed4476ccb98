/* SPDX-License-Identifier: MIT */
#include "core/data/text_file.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/data/reader.h"

#include <gio/gio.h>
#include <string.h>

static void set_encoding_error(const char *text, size_t bytes, size_t at, const char *source,
                               GError **error)
{
    const char *zero = memchr(text, '\0', bytes);
    if (zero) at = (size_t)(zero - text);
    size_t line = 1;
    for (size_t i = 0; i < at; i++)
        if (text[i] == '\n') line++;

    bool utf16 =
        bytes >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0);
    if (utf16)
        ns_refuse(error, NS_ERROR_TEXT,
                  N_("“%s” looks like UTF-16 (byte 1, line 1); save it as UTF-8."), source);
    else if (zero)
        ns_refuse(
            error, NS_ERROR_TEXT,
            N_("“%s” is a binary file, not text: byte %zu (line %zu) is zero; choose a text file."),
            source, at + 1, line);
    else
        ns_refuse(error, NS_ERROR_TEXT,
                  N_("“%s” is not UTF-8 text: byte %zu, in line %zu, does not start a character; "
                     "save it as UTF-8."),
                  source, at + 1, line);
}

bool ns_text_check(const char *text, size_t bytes, const char *source, GError **error)
{
    const char *invalid = NULL;
    if (g_utf8_validate_len(text, bytes, &invalid)) return true;
    set_encoding_error(text, bytes, (size_t)(invalid - text), source, error);
    return false;
}

/* Replaces compressed data by the decompressed data. */
static bool decompress(char **data, size_t *bytes, const char *name, GError **error)
{
    g_autoptr(GInputStream) compressed =
        g_memory_input_stream_new_from_data(*data, (gssize)*bytes, NULL);
    g_autoptr(GZlibDecompressor) gzip = g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP);
    g_autoptr(GInputStream) plain = g_converter_input_stream_new(compressed, G_CONVERTER(gzip));
    g_autoptr(GByteArray) all = g_byte_array_new();
    g_autoptr(GError) wrong = NULL;
    char part[1 << 12];
    gssize n;
    while ((n = g_input_stream_read(plain, part, sizeof part, NULL, &wrong)) > 0) {
        if (all->len + (size_t)n > NS_TEXT_MAX)
            return ns_refuse(error, NS_ERROR_FILE,
                             N_("The text in “%s” is larger than 256 MiB, the limit for a text; "
                                "use part of it."),
                             name);
        g_byte_array_append(all, (const guint8 *)part, (guint)n);
    }
    if (n < 0)
        return ns_refuse(error, NS_ERROR_FILE,
                         N_("“%s” cannot be decompressed: %s; make or download the file again."),
                         name, wrong->message);
    g_byte_array_append(all, (const guint8 *)"", 1);
    *bytes = all->len - 1;
    g_free(*data);
    *data = (char *)g_byte_array_free(g_steal_pointer(&all), FALSE);
    return true;
}

char *ns_text_read(const char *path, size_t *bytes, GError **error)
{
    g_autofree char *data = ns_read_file(path, NS_TEXT_MAX, bytes, error);
    if (!data) return NULL;
    g_autofree char *name = g_filename_display_basename(path);
    bool gzip = *bytes > 2 && memcmp(data, "\x1F\x8B", 2) == 0;
    if (gzip && !decompress(&data, bytes, name, error)) return NULL;
    if (!ns_text_check(data, *bytes, name, error)) return NULL;
    size_t mark = ns_byte_order_mark(data, *bytes);
    *bytes -= mark;
    memmove(data, data + mark, *bytes + 1);
    return g_steal_pointer(&data);
}
