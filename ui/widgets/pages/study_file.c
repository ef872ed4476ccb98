/* Figures of studies as files.  SPDX-License-Identifier: MIT */
#include "ui/widgets/pages/study_file.h"

#include "core/base/words.h"
#include "ui/figures/sheet.h"

void ns_save_plots(NsSession *session, const NsPlot *const *plots, size_t n,
                   const NsProvenance *provenance, const char *path)
{
    g_autoptr(GError) error = NULL;
    NsExportChoices choices;
    ns_export_choices_init(&choices);
    NsSheetFile file = {.choices = &choices, .provenance = provenance, .path = path};
    bool good =
        ns_format_from_path(path, &file.format, &error) && ns_sheet_write(plots, n, &file, &error);
    g_autofree char *name = g_filename_display_basename(path);
    g_autofree char *sentence = good ? g_strdup_printf(_("Exported %s"), name) : NULL;
    ns_session_report(session, good ? sentence : error->message);
}
