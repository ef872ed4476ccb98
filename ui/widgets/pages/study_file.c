/* Figures of studies as files.  SPDX-License-Identifier: MIT */
#include "ui/widgets/pages/study_file.h"

#include "ui/plot/export_choices.h"

bool ns_write_plots(const NsPlot *const *plots, size_t n, const NsProvenance *provenance,
                    const char *path, GError **error)
{
    NsFormat format;
    if (!ns_format_from_path(path, &format, error)) return false;
    g_autofree char *line = ns_provenance_line(provenance);
    NsExportChoices choices;
    ns_export_choices_init(&choices);
    NsStyle style;
    NsExport options = {.format = format, .experiment = line};
    size_t columns = ns_export_choices_apply(&choices, n, &style, &options);
    return ns_export(plots, n, columns, &options, path, error);
}

bool ns_write_figure(const NsFigureKind *kind, const NsFigureInput *input,
                     const NsProvenance *provenance, const char *path, GError **error)
{
    g_autoptr(NsFigure) figure = ns_figure_create(kind);
    const NsPlot *plot = ns_figure_update(figure, input);
    return ns_write_plots(&plot, 1, provenance, path, error);
}
