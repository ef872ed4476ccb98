/* A plot in words, for a screen reader.  SPDX-License-Identifier: MIT */
#include "ui/plot/layout-private.h"

#include <math.h>

/* Numbers as they are spoken: without raised digits and thin spaces. */
static void say_number(GString *text, double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    if (isnan(value))
        g_string_append(text, "not a number");
    else if (isinf(value))
        g_string_append(text, value < 0 ? "minus infinity" : "infinity");
    else
        g_string_append(text, g_ascii_formatd(digits, sizeof digits, "%.4g", value));
}

static void say_label(GString *text, const char *label, const char *otherwise)
{
    g_autofree char *plain = ns_text_plain(label ? label : otherwise);
    g_string_append(text, plain);
}

static void say_range(GString *text, const char *between, double lo, double hi)
{
    g_string_append(text, between);
    say_number(text, lo);
    g_string_append(text, " to ");
    say_number(text, hi);
}

static void say_series(GString *text, const NsPlot *plot, const NsSeries *series)
{
    const NsAxis *axis = series->side == NS_AXIS_RIGHT ? &plot->right : &plot->left;
    g_string_append(text, "; ");
    say_label(text, series->label, axis->label ? axis->label : "value");
    g_string_append_c(text, ' ');
    if (series->kind == NS_SERIES_POINTS && series->n > 1) {
        /* A profile: both ends tell how it runs. */
        say_number(text, series->y[0]);
        g_string_append(text, " at ");
        say_label(text, plot->x.label, "x");
        g_string_append_c(text, ' ');
        say_number(text, series->x[0]);
        g_string_append(text, " and ");
    }
    say_number(text, series->y[series->n - 1]);
    if (axis->unit) {
        g_string_append_c(text, ' ');
        say_label(text, axis->unit, "");
    }
    g_string_append(text, " at ");
    say_label(text, plot->x.label, "x");
    g_string_append_c(text, ' ');
    say_number(text, series->x[series->n - 1]);
}

static void say_heatmap(GString *text, const NsPlot *plot, const NsSurvey *survey)
{
    const NsHeatmap *map = plot->heatmap;
    g_string_append(text, "; ");
    say_label(text, plot->left.label, "row");
    g_string_append(text, " by ");
    say_label(text, plot->x.label, "column");
    g_string_append_printf(text, ", %zu by %zu cells", map->rows, map->columns);
    for (size_t i = 0; i < map->n_panels; i++) {
        g_string_append(text, i ? " and " : " of ");
        say_label(text, map->panels[i].name, "");
    }
    if (survey->z_lo <= survey->z_hi) {
        g_string_append(text, ", ");
        say_label(text, map->label, "value");
        say_range(text, " from ", survey->z_lo, survey->z_hi);
    }
}

static void say_point(GString *text, const NsPlot *plot, const NsSpan *span)
{
    if (span->rows || span->from < span->to) return;
    g_string_append(text, "; a line at ");
    say_label(text, plot->x.label, "x");
    g_string_append_c(text, ' ');
    say_number(text, span->from);
}

char *ns_plot_describe(const NsPlot *plot)
{
    if (plot->drawing) return plot->drawing->describe(plot->drawing->data);
    NsSurvey survey = ns_survey(plot);
    GString *text = g_string_new(NULL);
    say_label(text, plot->title, "chart");
    if (!survey.any) {
        g_string_append(text, ": ");
        say_label(text, plot->empty, "no data");
        g_string_append_c(text, '.');
        return g_string_free(text, FALSE);
    }
    for (size_t i = 0; i < plot->n_series; i++)
        if (plot->series[i].n && !plot->series[i].ghost) say_series(text, plot, &plot->series[i]);
    if (plot->heatmap) say_heatmap(text, plot, &survey);
    for (size_t i = 0; i < plot->n_spans; i++) say_point(text, plot, &plot->spans[i]);
    g_autofree char *note = ns_survey_note(plot, &survey);
    if (note) {
        g_string_append(text, "; ");
        say_label(text, note, "");
    }
    g_string_append_c(text, '.');
    return g_string_free(text, FALSE);
}
