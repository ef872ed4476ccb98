/* Asks what to export, how, and where to.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/widgets/export_job.h"
#include "ui/widgets/window.h"

#define NS_TYPE_EXPORT_DIALOG (ns_export_dialog_get_type())
G_DECLARE_FINAL_TYPE(NsExportDialog, ns_export_dialog, NS, EXPORT_DIALOG, GtkWindow)

/* kind: the chart that "this chart" means; one: offer that first, rather than all charts. */
GtkWidget *ns_export_dialog_new(NsWindow *window, const NsFigureKind *kind, bool one);

/* What the controls ask for at present. */
NsExportRequest ns_export_dialog_request(NsExportDialog *dialog);

/* Writes it to a file as the Save button does once the file is chosen, and closes the dialog. */
void ns_export_dialog_write(NsExportDialog *dialog, const char *path);
