/* Charts as files.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/layout.h"

typedef enum { NS_FORMAT_PNG, NS_FORMAT_SVG, NS_FORMAT_PDF, NS_FORMAT_CSV } NsFormat;

typedef struct {
    NsFormat format;
    const NsStyle *style;
    double width,
        height; /* points (1/72 inch) for SVG and PDF and for PNG with dpi; of the whole sheet */
    double dpi; /* PNG */
    const char *settings; /* the settings line, kept inside the file; or NULL */
} NsExport;

/* The format that a file name's ending asks for; NS_ERROR_USAGE names the four if it is none of
 * them. */
bool ns_format_from_path(const char *path, NsFormat *format, GError **error);

/* Writes the plots as one figure, `columns` side by side, lettered (a), (b), ... where there is
 * more than one.  CSV holds every value of every series in full precision.  The same input gives
 * the same bytes.  On an error (NS_ERROR_FILE: which file and why) no file is left, and one that
 * was there before is kept. */
bool ns_export(const NsPlot *const *plots, size_t n, size_t columns, const NsExport *options,
               const char *path, GError **error);
