/* The description of a plot for a screen reader.  SPDX-License-Identifier: MIT */
#include "ui/plot/plot-private.h"

#include "core/base/words.h"
#include "ui/plot/text.h"

#include <math.h>

#define DIGITS 4

/* A number to be spoken, without superscripts and thin spaces.  Strings that these functions return
 * are freed with g_free. */
static char *say_number(double value)
{
    if (isnan(value)) return g_strdup(_("not a number"));
    if (isinf(value)) return g_strdup(value < 0 ? _("minus infinity") : _("infinity"));
    return ns_text_input(value, DIGITS);
}

static char *say_label(const char *label, const char *otherwise)
{
    return ns_text_plain(label ? label : otherwise);
}

/* "step 40" */
static char *say_place(const NsPlot *plot, double x)
{
    g_autofree char *label = say_label(plot->x.label, "x"), *number = say_number(x);
    return g_strdup_printf("%s %s", label, number);
}

static char *say_value(const NsAxis *axis, double y)
{
    g_autofree char *number = say_number(y);
    if (!axis->unit) return g_steal_pointer(&number);
    g_autofree char *unit = say_label(axis->unit, "");
    return g_strdup_printf("%s %s", number, unit);
}

static char *say_series(const NsPlot *plot, const NsSeries *series)
{
    const NsAxis *axis = &plot->left;
    size_t end = series->n - 1;
    g_autofree char *name = say_label(series->label, axis->label ? axis->label : _("value"));
    g_autofree char *last = say_value(axis, series->y[end]);
    g_autofree char *last_place = say_place(plot, series->x[end]);
    if (series->kind != NS_SERIES_POINTS || !end) /* Translators: "loss 2.31 at step 40" */
        return g_strdup_printf(_("%s %s at %s"), name, last, last_place);
    /* A profile over layers is described by both of its ends. */
    g_autofree char *first = say_number(series->y[0]), *place = say_place(plot, series->x[0]);
    return g_strdup_printf(_("%s %s at %s and %s at %s"), name, first, place, last, last_place);
}

static char *say_cells(const NsPlot *plot)
{
    const NsHeatmap *map = plot->heatmap;
    g_autofree char *row = say_label(plot->left.label, _("row"));
    g_autofree char *column = say_label(plot->x.label, _("column"));
    if (!map->n_panels)
        return g_strdup_printf(_("%s by %s, %zu by %zu cells"), row, column, map->rows,
                               map->columns);
    g_autofree char *panels = say_label(map->panels[0].name, "");
    for (size_t i = 1; i < map->n_panels; i++) {
        g_autofree char *before = panels, *name = say_label(map->panels[i].name, "");
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

static void add_line(GString *text, const NsPlot *plot, const NsSpan *span)
{
    if (span->rows || span->from < span->to) return;
    g_autofree char *place = say_place(plot, span->from);
    add(text, "; ", g_strdup_printf(_("a line at %s"), place));
}

char *ns_plot_describe(const NsPlot *plot)
{
    if (plot->drawing) {
        g_autofree char *marked = plot->drawing->describe(plot->drawing->data);
        return ns_text_plain(marked);
    }
    NsDataSummary summary = ns_data_summary(plot);
    GString *text = g_string_new(NULL);
    add(text, "", say_label(plot->title, _("chart")));
    if (!summary.any) {
        add(text, ": ", say_label(plot->empty, _("no data")));
        g_string_append_c(text, '.');
        return g_string_free(text, FALSE);
    }
    for (size_t i = 0; i < plot->n_series; i++)
        if (plot->series[i].n && !plot->series[i].previous)
            add(text, "; ", say_series(plot, &plot->series[i]));
    if (plot->heatmap) {
        add(text, "; ", say_cells(plot));
        g_autofree char *name = say_label(plot->heatmap->label, _("value"));
        g_autofree char *lo = say_number(summary.z_lo), *hi = say_number(summary.z_hi);
        if (summary.z_lo <= summary.z_hi)
            add(text, ", ", g_strdup_printf(_("%s from %s to %s"), name, lo, hi));
    }
    for (size_t i = 0; i < plot->n_spans; i++) add_line(text, plot, &plot->spans[i]);
    g_autofree char *note = ns_data_summary_note(plot, &summary);
    if (note) add(text, "; ", say_label(note, ""));
    if (text->str[text->len - 1] != '.') g_string_append_c(text, '.');
    return g_string_free(text, FALSE);
}

bool ns_plot_has_data(const NsPlot *plot)
{
    return ns_data_summary(plot).any;
}
