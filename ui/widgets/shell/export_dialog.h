/* Asks what to export, how, and where to.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/widgets/charts/export_job.h"
#include "ui/widgets/shell/window.h"

#define NS_TYPE_EXPORT_DIALOG (ns_export_dialog_get_type())
G_DECLARE_FINAL_TYPE(NsExportDialog, ns_export_dialog, NS, EXPORT_DIALOG, GtkWindow)

/* tile: the chart that "this chart" means; content: what is chosen at first, which remembers what
 * was chosen at last; static, or NULL for this chart.  The other choices are remembered, too. */
GtkWidget *ns_export_dialog_new(NsWindow *window, NsChartTile *tile, NsExportWhat *content);

/* The request of the controls at present; borrowed from the dialog. */
NsExportRequest ns_export_dialog_request(NsExportDialog *dialog);

/* The command line that is shown; borrowed. */
const char *ns_export_dialog_command(NsExportDialog *dialog);

/* Writes it as the Save button does once the file is chosen: if its name has the ending of another
 * format, that format is chosen; a missing ending is added.  Files about which the file dialog did
 * not ask are replaced only after a question. */
void ns_export_dialog_save(NsExportDialog *dialog, const char *path);

/* Writes it to exactly this file, in the chosen format.  The dialog closes
 * when the file is written, and stays as it is if that fails or is canceled. */
void ns_export_dialog_write(NsExportDialog *dialog, const char *path);
