/* PDF files and the output of cairo surfaces.  SPDX-License-Identifier: MIT */
#pragma once

#include <cairo.h>
#include <glib.h>
#include <stdbool.h>

#define NS_SOFTWARE "Normscope " NS_VERSION

/* A cairo_write_func_t that appends to a GByteArray. */
cairo_status_t ns_collect_bytes(void *bytes, const unsigned char *data, unsigned size);

/* Frees the context, finishes and frees its surface, and returns the first error. */
cairo_status_t ns_end_drawing(cairo_t *cr, cairo_surface_t *surface);

/* Saves the bytes of a drawing that ended with `status`; NS_ERROR_FILE. */
bool ns_save_drawing(cairo_status_t status, const GByteArray *bytes, const char *path,
                     GError **error);

/* A surface in points of PDF version 1.4, which the strictest publishers require and whose metadata
 * is uncompressed, so that it can be read back. */
cairo_surface_t *ns_pdf_new(GByteArray *bytes, double width, double height);

/* Sets the metadata; keywords and subject may be NULL. */
void ns_pdf_describe(cairo_surface_t *surface, const char *title, const char *keywords,
                     const char *subject);
