/* Charts to files, off the main thread.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/sheet.h"
#include "ui/session/view.h"

#include <gio/gio.h>

typedef enum {
    NS_EXPORT_ONE, /* figure of the sheet that is selected */
    NS_EXPORT_SHEET,
    NS_EXPORT_SEPARATE,
} NsExportWhat;

typedef struct {
    NsExportWhat what;
    const NsSheet *sheet;
    guint current; /* the chart that ONE means */
    NsFormat format;
    NsExportChoices choices;
    NsExportWatch *watch; /* of films: NULL, or valid until the callback */
    char **remark;        /* as in NsExport, of the last file: NULL, or valid until the callback */
} NsExportRequest;

/* The files that a request writes: path, or for SEPARATE path with each figure's name before its
 * ending.  Free with g_strfreev. */
char **ns_export_paths(const NsExportRequest *request, const char *path);

/* Makes the figures of a view afresh and writes them to these files.  Copies view and sheet.  The
 * callback gets a GTask, from which g_task_propagate_pointer takes the path of the file that was
 * written, of the first of several. */
void ns_export_async(const NsView *view, const NsExportRequest *request, const char *path,
                     GAsyncReadyCallback callback, gpointer user_data);

/* The choices of the chart that ONE means, found when the file is written; the pointer of the task.
 */
typedef struct {
    char *title;                    /* its own */
    GPtrArray *curves;              /* names, in the order of ns_plot_curve */
    char *axis[NS_VIEW_STATE_AXES]; /* labels; NULL for an axis without limits */
    NsScaleKind scale[NS_VIEW_STATE_AXES];
} NsExportFacts;

void ns_export_facts_async(const NsView *view, const NsExportRequest *request,
                           GAsyncReadyCallback callback, gpointer user_data);
void ns_export_facts_free(NsExportFacts *facts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsExportFacts, ns_export_facts_free)

/* The experiment that a view shows, for the figures of the request; initializes it. */
void ns_export_provenance(const NsView *view, const NsExportRequest *request,
                          NsProvenance *provenance);

/* The command line that draws the same file, if the file had that name.  Free with g_free. */
char *ns_export_command(const NsView *view, const NsExportRequest *request, const char *name);

/* The part of the figures that the command line cannot draw, as a sentence; NULL if there is none.
 */
const char *ns_export_command_gap(const NsView *view, const NsExportRequest *request);
