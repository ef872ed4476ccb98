/* PDF files, and bytes that are drawn.  SPDX-License-Identifier: MIT */
#pragma once

#include <cairo.h>
#include <glib.h>
#include <stdbool.h>

#define NS_SOFTWARE "Normscope " NS_VERSION

/* A cairo_write_func_t; bytes: a GByteArray. */
cairo_status_t ns_collect_bytes(void *bytes, const unsigned char *data, unsigned size);

/* Frees the context, finishes and frees its surface, and returns the first error of either. */
cairo_status_t ns_end_drawing(cairo_t *cr, cairo_surface_t *surface);

/* Writes the bytes of a drawing that ended with `status`; NS_ERROR_FILE. */
bool ns_save_drawing(cairo_status_t status, const GByteArray *bytes, const char *path,
                     GError **error);

/* A surface in points, of version 1.4: it keeps its information uncompressed, where it can be read
 * again, and is what the strictest publishers take. */
cairo_surface_t *ns_pdf_new(GByteArray *bytes, double width, double height);

/* Keywords and subject may be NULL. */
void ns_pdf_describe(cairo_surface_t *surface, const char *title, const char *keywords,
                     const char *subject);
