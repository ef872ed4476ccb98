/* Pages of text and charts as one PDF file.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/layout.h"

/* What begins on a page of its own, and goes on upon the next where it has no room. */
typedef struct {
    const char *title;          /* a string of NsPlot */
    const NsPlot *const *plots; /* below the title, one under the other */
    size_t n_plots;
    const char *words; /* lines, taken literally */
} NsDocumentPart;

/* Writes them on pages of A4, numbered.  title: of the file.  The same input gives the same bytes.
 * On an error (NS_ERROR_FILE) no file is left, and one that was there before is kept. */
bool ns_document_write(const NsDocumentPart *parts, size_t n, const char *title, const char *path,
                       GError **error);
