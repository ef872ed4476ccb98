/* Charts to files, off the main thread.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/export.h"
#include "ui/widgets/view.h"

#include <gio/gio.h>

typedef enum { NS_EXPORT_ONE, NS_EXPORT_SHEET, NS_EXPORT_SEPARATE } NsExportWhat;

typedef struct {
    NsExportWhat what;
    const NsFigureKind *kind; /* ONE: which */
    NsFormat format;
    const NsStyle *style;
    double width, height; /* points, of a file */
    double dpi;           /* PNG */
} NsExportRequest;

/* Makes the figures of a view afresh and writes them to path, or for SEPARATE to path with each
 * figure's key before its ending.  Copies the view and the request.  The result is the base name
 * of what was written, for a message. */
void ns_export_async(const NsView *view, const NsExportRequest *request, const char *path,
                     GAsyncReadyCallback callback, gpointer user_data);
char *ns_export_finish(GAsyncResult *result, GError **error);

/* The data of a plot as the text of a CSV file. */
char *ns_plot_csv(const NsPlot *plot, GError **error);
