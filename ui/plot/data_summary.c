/* Extremes and counts over every value of a plot.  SPDX-License-Identifier: MIT */
#include "ui/plot/plot-private.h"

#include "core/base/words.h"
#include "ui/plot/text.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Theory extends a logarithmic axis by at most this share of the measured decades, or by this many
 * decades if that is more. */
#define THEORY_PART 0.25
#define THEORY_LEAST 3.0

static void widen(NsRange *range, double value)
{
    range->lo = MIN(range->lo, value);
    range->hi = MAX(range->hi, value);
}

/* Bars start at zero and are wider than their abscissas. */
static void summarize_bars(NsDataSummary *summary, NsScaleKind x, NsScaleKind kind,
                           const NsSeries *series)
{
    if (kind != NS_SCALE_LOG && !series->hidden && series->n) widen(&summary->y, 0);
    if (series->edges) {
        if (!series->n) return;
        for (size_t i = 0; i <= series->n; i++)
            if (ns_scale_shows(x, series->edges[i])) widen(&summary->x, series->edges[i]);
        return;
    }
    summary->groups += !series->hidden;
    for (size_t i = 1; i < series->n; i++) {
        double distance = series->x[i] - series->x[i - 1];
        if (distance > 0 && (summary->bar_width <= 0 || distance < summary->bar_width))
            summary->bar_width = distance;
    }
}

static void summarize_series(NsDataSummary *summary, const NsPlot *plot, const NsSeries *series)
{
    NsRange *y = series->theory ? &summary->theory : &summary->y;
    NsScaleKind kind = plot->left.scale;
    summary->points |= series->kind == NS_SERIES_POINTS || series->kind == NS_SERIES_SCATTER;
    if (series->kind == NS_SERIES_BARS) summarize_bars(summary, plot->x.scale, kind, series);
    for (size_t i = 0; i < series->n; i++) {
        if (!ns_scale_shows(plot->x.scale, series->x[i])) continue;
        summary->any = true;
        widen(&summary->x, series->x[i]);
        /* Hidden curves still count for the shared x axis.  The vertical axis depends only on
         * visible curves, within the zoomed range of x. */
        if (series->hidden || series->x[i] < plot->x.lo || series->x[i] > plot->x.hi) continue;
        if (!ns_scale_shows(kind, series->y[i])) {
            NsFault fault = ns_fault_of(kind, series->y[i]);
            summary->faults[fault]++;
            summary->faults_of[series->style % NS_SERIES_STYLES][fault]++;
            summary->negative |= series->y[i] < 0;
            continue;
        }
        widen(y, series->y[i]);
        if (series->lo && ns_scale_shows(kind, series->lo[i])) widen(y, series->lo[i]);
        if (series->hi && ns_scale_shows(kind, series->hi[i])) widen(y, series->hi[i]);
    }
}

static bool any_negative(const NsHeatmap *map)
{
    for (size_t row = 0; row < map->rows; row++) {
        const float *z = ns_heatmap_row(map, row);
        for (size_t i = 0; i < map->columns; i++)
            if (z[i] < 0 && z[i] >= -FLT_MAX) return true;
    }
    return false;
}

NsDataSummary ns_data_summary(const NsPlot *plot)
{
    static const NsRange none = {INFINITY, -INFINITY};
    NsDataSummary summary = {
        .x = none, .y = none, .theory = none, .z = none, .any = plot->drawing != NULL};
    if (plot->drawing) return summary;
    /* Clipped series determine the axes only if nothing else does. */
    bool others = false;
    for (size_t i = 0; i < plot->n_series; i++)
        others |= plot->series[i].n && !plot->series[i].hidden && !plot->series[i].clipped;
    for (size_t i = 0; i < plot->n_series; i++)
        if (!(others && plot->series[i].clipped))
            summarize_series(&summary, plot, &plot->series[i]);
    const NsHeatmap *map = plot->heatmap;
    if (map && map->rows && map->columns) {
        NsCellSummary cells = {.lo = INFINITY, .hi = -INFINITY};
        for (size_t row = 0; row < map->rows; row++)
            ns_cells_summarize(&cells, ns_heatmap_row(map, row), map->columns, map->log);
        summary.any = true;
        widen(&summary.x, map->x0);
        widen(&summary.x, ns_heatmap_end(map));
        widen(&summary.y, map->y0);
        widen(&summary.y, map->y1);
        summary.z = (NsRange){(double)cells.lo, (double)cells.hi};
        summary.bad_cells = cells.bad;
        summary.unshown_cells = cells.unshown;
        summary.negative |= cells.unshown && any_negative(map);
    }
    /* The theory for a model of a thousand layers may fall by a hundred decades: on such an axis
     * the measured values would be a line at its edge. */
    double bottom = summary.theory.lo, top = summary.theory.hi;
    const NsAxis *axis = &plot->left;
    if (axis->scale == NS_SCALE_LOG && summary.y.lo <= summary.y.hi) {
        double decades = log10(summary.y.hi / summary.y.lo);
        double space = pow(10, MAX(THEORY_PART * decades, THEORY_LEAST));
        double least = summary.y.lo / space, most = summary.y.hi * space;
        summary.theory_beyond |= isnan(axis->lo) && (bottom < least || top > most);
        bottom = MAX(bottom, least);
        top = MIN(top, most);
    }
    summary.y.lo = MIN(summary.y.lo, bottom);
    summary.y.hi = MAX(summary.y.hi, top);
    for (size_t i = 0; i < plot->n_levels; i++) {
        double y = plot->levels[i].y;
        if (ns_scale_shows(plot->left.scale, y)) widen(&summary.y, y);
    }
    if (!summary.groups) return summary;
    if (!(summary.bar_width > 0)) summary.bar_width = 1;
    double lo = summary.x.lo - summary.bar_width / 2;
    if (ns_scale_shows(plot->x.scale, lo)) summary.x.lo = lo;
    summary.x.hi += summary.bar_width / 2;
    return summary;
}

/* Appends a sentence about n values, if there are any, after those of `before` bytes. */
static void add_count(GString *note, size_t before, size_t n, const char *sentence)
{
    if (!n) return;
    g_autofree char *count = ns_text_fixed((double)n, 0);
    if (note->len > before) g_string_append(note, before ? ", " : " · ");
    g_string_append(note, sentence);
    g_string_replace(note, "%s", count, 1);
}

/* Appends sentences about the values that curves cannot show, after the name of these. */
static void add_faults(GString *note, const char *of, const NsPlot *plot, const size_t *faults,
                       bool negative)
{
    size_t nan = faults[NS_FAULT_NAN], infinite = faults[NS_FAULT_INFINITE];
    size_t low = faults[NS_FAULT_LOW];
    if (!(nan + infinite + low)) return;
    if (of) g_string_append_printf(note, "%s%s: ", note->len ? " · " : "", of);
    size_t before = of ? note->len : 0;
    const char *least =
        plot->left.scale != NS_SCALE_LOG
            ? ns_plural("%s value is −∞ (▼)", "%s values are −∞ (▼)", low)
        : negative ? ns_plural("%s value is 0 or less (▼)", "%s values are 0 or less (▼)", low)
                   : ns_plural("%s value is 0 (▼)", "%s values are 0 (▼)", low);
    add_count(note, before, nan,
              ns_plural("%s value is not a number (△)", "%s values are not a number (△)", nan));
    add_count(note, before, infinite,
              ns_plural("%s value is infinite (▲)", "%s values are infinite (▲)", infinite));
    add_count(note, before, low, least);
}

char *ns_data_summary_note(const NsPlot *plot, const NsDataSummary *summary, const NsPlot *below,
                           const NsDataSummary *summary_below)
{
    GString *note = g_string_new(NULL);
    bool hatched = plot->heatmap && plot->heatmap->hatch, negative = summary->negative;
    size_t bad = hatched ? 0 : summary->bad_cells, unshown = summary->unshown_cells;
    if (!plot->lettered) add_faults(note, NULL, plot, summary->faults, negative);
    for (size_t i = 0, seen = 0; i < plot->n_series && plot->lettered; i++) {
        const NsSeries *series = &plot->series[i];
        size_t style = series->style % NS_SERIES_STYLES;
        if (series->previous || !series->label || seen >> style & 1) continue;
        seen |= (size_t)1 << style;
        g_autofree char *letter = ns_text_letter(ns_series_name(series));
        add_faults(note, letter, plot, summary->faults_of[style], negative);
    }
    /* Both plots often omit the same values. */
    if (below && memcmp(summary->faults, summary_below->faults, sizeof summary->faults) != 0)
        add_faults(note, below->left.label, below, summary_below->faults, summary_below->negative);
    add_count(note, 0, bad,
              ns_plural("%s cell is not finite (red)", "%s cells are not finite (red)", bad));
    add_count(note, 0, unshown,
              negative ? ns_plural("%s cell is 0 or less (gray)", "%s cells are 0 or less (gray)",
                                   unshown)
                       : ns_plural("%s cell is 0 (gray)", "%s cells are 0 (gray)", unshown));
    add_count(note, 0, summary->theory_beyond, _("theory is off the scale"));
    const char *own[] = {plot->note, plot->lower ? plot->lower->note : NULL};
    for (int i = 0; i < 2; i++)
        if (own[i]) g_string_append_printf(note, "%s%s", note->len ? " · " : "", own[i]);
    return g_string_free(note, note->len == 0);
}

char *ns_data_summary_marks(const NsPlot *plot, const NsDataSummary *summary)
{
    bool log = plot->left.scale == NS_SCALE_LOG;
    const size_t *faults = summary->faults;
    bool hatched = plot->heatmap && plot->heatmap->hatch;
    GString *marks = g_string_new(NULL);
    add_count(marks, 0, faults[NS_FAULT_NAN], _("△ not a number"));
    add_count(marks, 0, faults[NS_FAULT_INFINITE], _("▲ infinite"));
    const char *low = summary->negative ? _("▼ 0 or less") : "▼ 0";
    add_count(marks, 0, faults[NS_FAULT_LOW], log ? low : "▼ −∞");
    add_count(marks, 0, hatched ? 0 : summary->bad_cells, _("red: not finite"));
    add_count(marks, 0, summary->unshown_cells,
              summary->negative ? _("gray: 0 or less") : _("gray: 0"));
    return g_string_free(marks, marks->len == 0);
}

NsSeries *ns_plot_series_below(const NsPlot *plot)
{
    const NsPlot *below = plot->lower;
    NsSeries *series = g_memdup2(below->series, below->n_series * sizeof *series);
    for (size_t i = 0; i < below->n_series && plot->lettered; i++) {
        series[i].hidden = true;
        for (size_t k = 0; k < plot->n_series; k++) {
            const NsSeries *above = &plot->series[k];
            bool lane = above->style == series[i].style && !above->previous && !above->theory;
            if (lane && !above->hidden) series[i].hidden = false;
        }
    }
    return series;
}
