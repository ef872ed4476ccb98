/* Figures of studies as files.  SPDX-License-Identifier: MIT */
#include "ui/widgets/pages/study_file.h"

#include "ui/figures/sheet.h"

bool ns_write_plots(const NsPlot *const *plots, size_t n, const NsProvenance *provenance,
                    const char *path, GError **error)
{
    NsFormat format;
    if (!ns_format_from_path(path, &format, error)) return false;
    NsExportChoices choices;
    ns_export_choices_init(&choices);
    const NsSheetFile file = {&choices, format, provenance, path, NULL};
    return ns_sheet_write(plots, n, &file, error);
}

bool ns_write_figure(const NsFigureKind *kind, const NsFigureInput *input,
                     const NsProvenance *provenance, const char *path, GError **error)
{
    g_autoptr(NsFigure) figure = ns_figure_create(kind);
    const NsPlot *plot = ns_figure_update(figure, input);
    return ns_write_plots(&plot, 1, provenance, path, error);
}
