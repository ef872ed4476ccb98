/* Files of cairo: what it has drawn, PDF, and additions to PNG.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/base/words.h"
#include "core/store/output_file.h"
#include "ui/plot/plot-private.h"

#include <cairo-pdf.h>
#include <math.h>
#include <string.h>
#include <zlib.h>

/* The fixed creation date in files, unless SOURCE_DATE_EPOCH is set: the same experiment always
 * gives the same bytes. */
#define EPOCH 1577836800 /* 2020-01-01 */

cairo_status_t ns_collect_bytes(void *bytes, const unsigned char *data, unsigned size)
{
    g_byte_array_append(bytes, data, size);
    return CAIRO_STATUS_SUCCESS;
}

cairo_status_t ns_end_drawing(cairo_t *cr, cairo_surface_t *surface)
{
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

bool ns_save_drawing(cairo_status_t status, const GByteArray *bytes, const char *path,
                     GError **error)
{
    if (status == CAIRO_STATUS_SUCCESS) return ns_save(path, bytes->data, bytes->len, error);
    g_autofree char *name = g_filename_display_name(path);
    return ns_refuse(error, NS_ERROR_FILE,
                     N_("Cannot draw “%s”: %s; choose a smaller size or a lower resolution."), name,
                     cairo_status_to_string(status));
}

cairo_surface_t *ns_pdf_new(GByteArray *bytes, double width, double height)
{
    cairo_surface_t *surface =
        cairo_pdf_surface_create_for_stream(ns_collect_bytes, bytes, width, height);
    cairo_pdf_surface_restrict_to_version(surface, CAIRO_PDF_VERSION_1_4);
    return surface;
}

void ns_pdf_describe(cairo_surface_t *surface, const char *title, const char *keywords,
                     const char *subject)
{
    const char *given = g_getenv("SOURCE_DATE_EPOCH");
    gint64 seconds = EPOCH, parsed;
    if (given && g_ascii_string_to_signed(given, 10, 0, G_MAXINT32, &parsed, NULL))
        seconds = parsed;
    g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(seconds);
    g_autofree char *date = g_date_time_format_iso8601(time);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, NS_SOFTWARE);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, date);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_MOD_DATE, date);
    if (keywords) cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_KEYWORDS, keywords);
    if (subject) cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, subject);
}

/* ---- additions to PNG ---- */

/* PNG specification, third edition, sections 5.3, 11.3.3 and 11.3.4.3: a chunk consists of its
 * length, four letters, data, and the CRC of letters and data; numbers are big-endian. */

#define SIGNATURE 8
#define HEADER_END (SIGNATURE + 25) /* IHDR is 4 + 4 + 13 + 4 */

static void append_number(GByteArray *bytes, guint32 number)
{
    guint32 big = GUINT32_TO_BE(number);
    g_byte_array_append(bytes, (const guint8 *)&big, sizeof big);
}

static void insert_chunk(GByteArray *png, const char *type, const guint8 *data, guint size)
{
    if (png->len < HEADER_END) return;
    g_autoptr(GByteArray) chunk = g_byte_array_new();
    append_number(chunk, size);
    g_byte_array_append(chunk, (const guint8 *)type, 4);
    g_byte_array_append(chunk, data, size);
    append_number(chunk, (guint32)crc32(0, chunk->data + 4, size + 4));
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
