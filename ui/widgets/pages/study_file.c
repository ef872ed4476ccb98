/* Figures of studies as files.  SPDX-License-Identifier: MIT */
#include "ui/widgets/pages/study_file.h"

#include "core/base/words.h"
#include "ui/figures/sheet.h"

static bool write_plots(const NsPlot *const *plots, size_t n, const NsProvenance *provenance,
                        const char *path, GError **error)
{
    NsFormat format;
    if (!ns_format_from_path(path, &format, error)) return false;
    NsExportChoices choices;
    ns_export_choices_init(&choices);
    const NsSheetFile file = {&choices, format, provenance, path, NULL};
    return ns_sheet_write(plots, n, &file, error);
}

void ns_save_plots(NsSession *session, const NsPlot *const *plots, size_t n,
                   const NsProvenance *provenance, const char *path)
{
    g_autoptr(GError) error = NULL;
    bool good = write_plots(plots, n, provenance, path, &error);
    g_autofree char *file = g_filename_display_basename(path);
    g_autofree char *sentence = good ? g_strdup_printf(_("Exported %s"), file) : NULL;
    ns_session_report(session, good ? sentence : error->message);
}
