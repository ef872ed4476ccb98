/* Additions to PNG files of cairo.  SPDX-License-Identifier: MIT
 *
 * PNG specification, third edition, sections 5.3, 11.3.3 and 11.3.4.3: a chunk consists of its
 * length, four letters, data, and the CRC of letters and data; numbers are big-endian. */
#include "ui/plot/png.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

#define SIGNATURE 8
#define HEADER_END (SIGNATURE + 25) /* IHDR is 4 + 4 + 13 + 4 */

static void append_number(GByteArray *bytes, guint32 number)
{
    guint32 big = GUINT32_TO_BE(number);
    g_byte_array_append(bytes, (const guint8 *)&big, sizeof big);
}

static void append_chunk(GByteArray *bytes, const char *type, const guint8 *data, guint size)
{
    guint at = bytes->len;
    append_number(bytes, size);
    g_byte_array_append(bytes, (const guint8 *)type, 4);
    g_byte_array_append(bytes, data, size);
    append_number(bytes, (guint32)crc32(0, bytes->data + at + 4, size + 4));
}

static void insert_chunk(GByteArray *png, const char *type, const guint8 *data, guint size)
{
    if (png->len < HEADER_END) return;
    g_autoptr(GByteArray) chunk = g_byte_array_new();
    append_chunk(chunk, type, data, size);
    guint rest = png->len - HEADER_END;
    g_byte_array_set_size(png, png->len + chunk->len);
    memmove(png->data + HEADER_END + chunk->len, png->data + HEADER_END, rest);
    memcpy(png->data + HEADER_END, chunk->data, chunk->len);
}

void ns_png_set_dpi(GByteArray *png, double dpi)
{
    g_autoptr(GByteArray) data = g_byte_array_new();
    guint32 per_metre = (guint32)lround(dpi / 0.0254);
    append_number(data, per_metre);
    append_number(data, per_metre);
    g_byte_array_append(data, (const guint8 *)"\1", 1); /* unit: meter */
    insert_chunk(png, "pHYs", data->data, data->len);
}

void ns_png_add_text(GByteArray *png, const char *keyword, const char *text)
{
    bool ascii = g_str_is_ascii(text);
    g_autoptr(GByteArray) data = g_byte_array_new();
    g_byte_array_append(data, (const guint8 *)keyword, (guint)strlen(keyword) + 1);
    if (!ascii) /* not compressed, no language, no translated keyword */
        g_byte_array_append(data, (const guint8 *)"\0\0\0\0", 4);
    g_byte_array_append(data, (const guint8 *)text, (guint)strlen(text));
    insert_chunk(png, ascii ? "tEXt" : "iTXt", data->data, data->len);
}
