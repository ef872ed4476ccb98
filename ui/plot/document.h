/* Pages of text and charts as one PDF file.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/layout.h"

/* A part begins on a new page and continues on the next if it does not fit. */
typedef struct {
    const char *title;          /* with markup as in NsPlot */
    const NsPlot *const *plots; /* below the title, from top to bottom */
    size_t n_plots;
    const char *words; /* lines of plain text */
} NsDocumentPart;

/* Writes the parts on numbered A4 pages.  The title is that of the file.  The same input gives the
 * same bytes.  On an error (NS_ERROR_FILE) no new file remains, and an existing one is
 * unchanged. */
bool ns_document_write(const NsDocumentPart *parts, size_t n, const char *title, const char *path,
                       GError **error);
