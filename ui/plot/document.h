/* Text and charts on numbered A4 pages, written from top to bottom.  SPDX-License-Identifier: MIT
 *
 * The same content gives the same bytes.  Lengths are in points; strings have the markup of NsPlot.
 */
#pragma once

#include "ui/plot/plot.h"

#include <cairo.h>

#define NS_DOCUMENT_WIDTH 483.0 /* of the text and of charts */

typedef struct NsDocument NsDocument;

/* Begins the first page.  Title and subject (or NULL) are metadata of the file. */
NsDocument *ns_document_new(const char *title, const char *subject);

void ns_document_begin_page(NsDocument *document);

/* Begins a page if this one has less space left than `height`. */
void ns_document_need(NsDocument *document, double height);

/* A paragraph; a line that does not fit is written on the next page. */
void ns_document_write(NsDocument *document, const char *text, double size, bool bold,
                       double indent);

/* An area as wide as the text, for drawing with its upper left corner as the origin until
 * cairo_restore. */
cairo_t *ns_document_area(NsDocument *document, double height);

void ns_document_plot(NsDocument *document, const NsPlot *plot, double height);

/* Writes the file, or nothing if path is NULL, and frees the document.  On an error (NS_ERROR_FILE)
 * no new file remains, and an existing one is unchanged. */
bool ns_document_end(NsDocument *document, const char *path, GError **error);
