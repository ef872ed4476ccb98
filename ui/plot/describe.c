/* The description of a plot for a screen reader.  SPDX-License-Identifier: MIT */
#include "ui/plot/plot-private.h"

#include "core/base/words.h"
#include "ui/plot/text.h"

#include <math.h>

#define DIGITS 4

/* A number to be spoken, without superscripts and thin spaces.  Strings that these functions return
 * are freed with g_free. */
static char *number_words(double value)
{
    if (isnan(value)) return g_strdup(_("not a number"));
    if (isinf(value)) return g_strdup(value < 0 ? _("minus infinity") : _("infinity"));
    return ns_text_input(value, DIGITS);
}

static char *label_words(const char *label, const char *otherwise)
{
    return ns_text_plain(label ? label : otherwise);
}

/* "step 40" */
static char *place_words(const NsPlot *plot, double x)
{
    g_autofree char *label = label_words(plot->x.label, "x"), *number = number_words(x);
    return g_strdup_printf("%s %s", label, number);
}

static char *describe_series(const NsPlot *plot, const NsSeries *series)
{
    const NsAxis *axis = &plot->left;
    size_t end = series->n - 1;
    g_autofree char *name = label_words(series->label, axis->label ? axis->label : _("value"));
    g_autofree char *number = number_words(series->y[end]), *unit = label_words(axis->unit, "");
    g_autofree char *last = g_strconcat(number, *unit ? " " : "", unit, NULL);
    g_autofree char *last_place = place_words(plot, series->x[end]);
    if (series->kind != NS_SERIES_POINTS || !end) /* Translators: "loss 2.31 at step 40" */
        return g_strdup_printf(_("%s %s at %s"), name, last, last_place);
    /* A profile over layers is described by both of its ends. */
    g_autofree char *first = number_words(series->y[0]), *place = place_words(plot, series->x[0]);
    return g_strdup_printf(_("%s %s at %s and %s at %s"), name, first, place, last, last_place);
}

static char *describe_cells(const NsPlot *plot)
{
    const NsHeatmap *map = plot->heatmap;
    g_autofree char *row = label_words(plot->left.label, _("row"));
    g_autofree char *column = label_words(plot->x.label, _("column"));
    if (!map->n_panels)
        return g_strdup_printf(_("%s by %s, %zu by %zu cells"), row, column, map->rows,
                               map->columns);
    g_autofree char *panels = label_words(map->panels[0].name, "");
    for (size_t i = 1; i < map->n_panels; i++) {
        g_autofree char *before = panels, *name = label_words(map->panels[i].name, "");
        panels = g_strdup_printf(_("%s and %s"), before, name);
    }
    return g_strdup_printf(_("%s by %s, %zu by %zu cells of %s"), row, column, map->rows,
                           map->columns, panels);
}

/* Appends a string and frees it. */
static void add(GString *text, const char *between, char *said)
{
    g_string_append(text, between);
    g_string_append(text, said);
    g_free(said);
}

char *ns_plot_describe(const NsPlot *plot)
{
    if (plot->drawing) {
        g_autofree char *marked = plot->drawing->describe(plot->drawing->data);
        return ns_text_plain(marked);
    }
    NsDataSummary summary = ns_data_summary(plot);
    GString *text = g_string_new(NULL);
    add(text, "", label_words(plot->title, _("chart")));
    if (!summary.any) {
        add(text, ": ", label_words(plot->empty, _("no data")));
        g_string_append_c(text, '.');
        return g_string_free(text, FALSE);
    }
    for (size_t i = 0; i < plot->n_series; i++)
        if (plot->series[i].n && !plot->series[i].previous)
            add(text, "; ", describe_series(plot, &plot->series[i]));
    if (plot->heatmap) {
        add(text, "; ", describe_cells(plot));
        g_autofree char *name = label_words(plot->heatmap->label, _("value"));
        g_autofree char *lo = number_words(summary.z.lo), *hi = number_words(summary.z.hi);
        if (summary.z.lo <= summary.z.hi)
            add(text, ", ", g_strdup_printf(_("%s from %s to %s"), name, lo, hi));
    }
    for (size_t i = 0; i < plot->n_spans; i++) {
        const NsSpan *span = &plot->spans[i];
        if (span->rows || span->from < span->to) continue;
        g_autofree char *place = place_words(plot, span->from);
        add(text, "; ", g_strdup_printf(_("a line at %s"), place));
    }
    g_autofree char *note = ns_data_summary_note(plot, &summary, NULL, NULL);
    if (plot->averaged) add(text, "; ", g_strdup(plot->averaged));
    if (note) add(text, "; ", label_words(note, ""));
    if (text->str[text->len - 1] != '.') g_string_append_c(text, '.');
    return g_string_free(text, FALSE);
}

bool ns_plot_has_data(const NsPlot *plot)
{
    return ns_data_summary(plot).any;
}
