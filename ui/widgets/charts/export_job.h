/* Charts to files, off the main thread.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/provenance.h"
#include "ui/figures/spec.h"
#include "ui/plot/export_choices.h"
#include "ui/plot/view_state.h"
#include "ui/session/view.h"

#include <gio/gio.h>

typedef enum {
    NS_EXPORT_ONE,
    NS_EXPORT_SHEET,
    NS_EXPORT_SEPARATE,
    NS_EXPORT_DATA, /* of all charts, in one table */
} NsExportWhat;

/* A chart of the window: what it shows, and how much of it. */
typedef struct {
    NsFigureSpec spec;
    int lane;               /* the one of several that it shows alone; -1 for none */
    NsViewState view_state; /* owned by the array that it is in; tables are of the whole data */
} NsExportTile;

/* A copy of a chart's view state; clear with ns_view_state_clear. */
NsViewState ns_export_view_state(const NsViewState *view_state);

/* An array of NsExportTile that clears its elements.  Free with g_array_unref. */
GArray *ns_export_tiles_new(void);

typedef struct {
    NsExportWhat what;
    const GArray *tiles; /* NsExportTile, all charts of the window */
    guint current;       /* the one that ONE means */
    NsFormat format;     /* of a drawing, or CSV for DATA */
    NsExportChoices choices;
} NsExportRequest;

/* Makes the figures of a view afresh and writes them to path, or for SEPARATE to path with each
 * figure's name before its ending.  Copies the view, references the tiles.  The result is the path
 * of the file that was written, of the first of several. */
void ns_export_async(const NsView *view, const NsExportRequest *request, const char *path,
                     GAsyncReadyCallback callback, gpointer user_data);
char *ns_export_finish(GAsyncResult *result, GError **error);

/* The experiment that a view shows, for the figures of the request; initializes it. */
void ns_export_provenance(const NsView *view, const NsExportRequest *request,
                          NsProvenance *provenance);

/* The command line that draws the same file, if the file had that name.  Free with g_free. */
char *ns_export_command(const NsView *view, const NsExportRequest *request, const char *name);

/* What the command line leaves out of what is seen, as a sentence; NULL for nothing. */
const char *ns_export_command_gap(const NsView *view, const NsExportRequest *request);

/* The data of a plot as the text of a CSV file.  Free with g_free. */
char *ns_plot_csv(const NsPlot *plot);
