/* PDF files, and bytes that are drawn.  SPDX-License-Identifier: MIT */
#pragma once

#include <cairo.h>
#include <glib.h>
#include <stdbool.h>

#define NS_SOFTWARE "Normscope " NS_VERSION

/* A cairo_write_func_t; bytes: a GByteArray. */
cairo_status_t ns_collect_bytes(void *bytes, const unsigned char *data, unsigned size);

/* FALSE with NS_ERROR_FILE where the file of this name could not be drawn. */
bool ns_check_drawn(cairo_status_t status, const char *path, GError **error);

/* A surface in points, of version 1.4: it keeps its information uncompressed, where it can be read
 * again, and is what the strictest publishers take. */
cairo_surface_t *ns_pdf_new(GByteArray *bytes, double width, double height);

/* Keywords and subject may be NULL. */
void ns_pdf_describe(cairo_surface_t *surface, const char *title, const char *keywords,
                     const char *subject);

/* Finishes and frees the surface, on which drawing ended with `status`, and writes its bytes. */
bool ns_pdf_save(cairo_surface_t *surface, cairo_status_t status, const GByteArray *bytes,
                 const char *path, GError **error);
