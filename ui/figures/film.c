/* Writing sheets to files: images and films.  SPDX-License-Identifier: MIT */
#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/base/words.h"
#include "ui/figures/figure.h"
#include "ui/figures/sheet.h"

#include <math.h>
#include <string.h>

bool ns_sheet_write(const NsPlot *const *plots, size_t n, const NsSheetFile *file, GError **error)
{
    const NsProvenance *provenance = file->provenance;
    g_autofree char *line = provenance ? ns_provenance_line(provenance) : NULL;
    g_autofree char *caption = provenance ? ns_provenance_caption(provenance) : NULL;
    NsStyle style;
    NsExport options = {.format = file->format, .remark = file->remark};
    ns_export_choices_apply(file->choices, n, &style, &options);
    options.experiment = file->choices->experiment ? line : NULL;
    options.caption = file->choices->caption ? caption : NULL;
    return ns_export(plots, n, &options, file->path, error);
}

/* ---- Films ---- */

typedef struct {
    const NsSheet *sheet;
    guint first, charts;
    const NsFigureInput *input;
    const NsSheetFile *file;
    int64_t begin, end; /* first and last step */
    guint frames;
    GPtrArray *figures, *plots; /* one for each copy of a chart */
    GStringChunk *texts;        /* strings of the current frame */
} Film;

bool ns_sheet_check_film(const NsSheet *sheet, guint first, guint n, GError **error)
{
    for (guint i = first; i < first + n; i++) {
        const NsFigureKind *kind = ns_sheet_chart(sheet, i)->spec.kind;
        if (!kind->expensive) continue;
        return ns_refuse(error, NS_ERROR_USAGE,
                         N_("The figure %s keeps only its newest measurement, so it cannot be "
                            "animated; omit it."),
                         kind->choice.key);
    }
    return true;
}

/* The plots of the i-th frame.  Curves over steps are cut at its step and name it in the subtitle;
 * step and last step are also below the charts. */
static const NsPlot *const *draw_frame(void *data, guint i, NsExport *options)
{
    Film *film = data;
    double share = film->frames > 1 ? i / (double)(film->frames - 1) : 1;
    NsFigureInput input = *film->input;
    int64_t step = film->begin + llround(share * (double)(film->end - film->begin));
    input.cut = step < film->end;
    input.step = input.cut ? step : film->input->step;
    g_ptr_array_set_size(film->plots, 0);
    g_string_chunk_clear(film->texts);
    for (guint k = 0, at = 0; k < film->charts; k++) {
        const NsSheetChart *chart = ns_sheet_chart(film->sheet, film->first + k);
        for (unsigned copy = 0; copy < ns_sheet_copies(chart, input.n_lanes); copy++, at++) {
            NsFigureInput own = ns_sheet_input(film->sheet, chart, copy, &input);
            if (at == film->figures->len)
                g_ptr_array_add(film->figures, ns_figure_create(chart->spec.kind));
            /* The options of the chart have already been checked. */
            NsFigure *figure = film->figures->pdata[at];
            NsPlot *plot = ns_sheet_plot(chart, ns_figure_update(figure, &own), NULL);
            if (chart->spec.kind->abscissa == NS_OVER_STEPS && input.cut) {
                g_autofree char *moment = ns_figure_moment(figure, &own, step);
                plot->cut = true;
                plot->cut_at = (double)step;
                if (plot->moment && g_str_has_suffix(plot->subtitle, plot->moment)) {
                    size_t before = strlen(plot->subtitle) - strlen(plot->moment);
                    g_autofree char *subtitle =
                        g_strdup_printf("%.*s%s", (int)before, plot->subtitle, moment);
                    plot->moment = g_string_chunk_insert(film->texts, moment);
                    plot->subtitle = g_string_chunk_insert(film->texts, subtitle);
                }
            }
            g_ptr_array_add(film->plots, plot);
        }
    }
    if (film->file->choices->caption && film->file->provenance) {
        NsProvenance at = *film->file->provenance; /* all fields are borrowed */
        int64_t last = MAX(at.until, film->end);
        at.step = step;
        at.until = last > step ? last : 0;
        g_autofree char *caption = ns_provenance_caption(&at);
        options->caption = g_string_chunk_insert(film->texts, caption);
    } else {
        g_autofree char *at = ns_group_digits(step), *end = ns_group_digits(film->end);
        g_autofree char *moment = g_strdup_printf(_("step %s of %s"), at, end);
        options->moment = g_string_chunk_insert(film->texts, moment);
    }
    return (const NsPlot *const *)film->plots->pdata;
}

bool ns_sheet_write_film(const NsSheet *sheet, guint first, guint n, const NsFigureInput *input,
                         const NsSheetFile *file, GError **error)
{
    const NsExportChoices *choices = file->choices;
    g_autoptr(GPtrArray) figures = g_ptr_array_new_with_free_func((GDestroyNotify)ns_figure_free);
    g_autoptr(GPtrArray) plots = g_ptr_array_new_with_free_func((GDestroyNotify)ns_sheet_plot_free);
    g_autoptr(GStringChunk) texts = g_string_chunk_new(256);
    guint frames = (guint)MAX(2, lround(choices->seconds * 100 / NS_FRAME_TIME));
    Film film = {sheet, first, n, input, file, INT64_MAX, 0, frames, figures, plots, texts};
    if (!ns_sheet_check_film(sheet, first, n, error)) return false;
    for (unsigned i = 0; i < MAX(input->n_lanes, 1); i++) {
        NsHistory *history = input->n_lanes > 1 ? input->lanes[i].history : input->history;
        if (!history || !ns_history_steps(history)) continue;
        film.begin = MIN(film.begin, ns_history_first_step(history));
        film.end = MAX(film.end, ns_history_last_step(history));
    }
    if (input->step >= 0) film.end = MIN(film.end, input->step);
    film.begin = MIN(film.begin, film.end);
    g_autofree char *line = file->provenance ? ns_provenance_line(file->provenance) : NULL;
    NsStyle style;
    NsExport options = {.format = file->format};
    size_t copies = 0;
    for (guint i = first; i < first + n; i++)
        copies += ns_sheet_copies(ns_sheet_chart(sheet, i), input->n_lanes);
    ns_export_choices_apply(choices, copies, &style, &options);
    options.experiment = choices->experiment ? line : NULL;
    return ns_export_film(&(NsFrames){frames, draw_frame, &film, file->watch}, copies, &options,
                          file->path, error);
}
