/* SPDX-License-Identifier: MIT */
#include "core/base/digits.h"
#include "core/base/words.h"
#include "ui/figures/figure.h"
#include "ui/figures/layer_values.h"

#include <math.h>

/* Compares lanes, or the current run with the previous one. */
typedef struct {
    NsFigure figure;
    NsQuantity quantity;
    NsLayerValues sides[NS_LANES_MAX];
    NsWildRun runs[NS_LANES_MAX];
    unsigned n;
} Compare;

static void make_texts(Compare *compare, const NsFigureInput *input)
{
    NsFigure *figure = &compare->figure;
    const NsQuantityInfo *info = ns_quantity(compare->quantity);
    size_t shown = 0;
    int64_t step = -1;
    for (unsigned i = 0; i < compare->n; i++) {
        const NsLayerValues *side = &compare->sides[i];
        shown += side->count;
        if (side->count && (i == 0 || input->n_lanes > 1)) step = MAX(step, side->bucket.last);
    }
    g_autofree char *title =
        input->n_lanes > 2 ? g_strdup_printf(_("%s, %u runs"), _(info->choice.label), compare->n)
                           : g_strdup_printf(_("%s, two runs"), _(info->choice.label));
    bool measured = ns_figure_newest(input) >= 0;
    g_autofree char *empty = measured && !shown ? ns_figure_absent(compare->quantity, input) : NULL;
    /* The labels include the steps unless all runs are at the step that the subtitle names. */
    bool apart = false;
    for (unsigned i = 0; i < compare->n; i++)
        apart |= compare->sides[i].count && compare->sides[i].bucket.last != step;
    for (unsigned i = 0; i < compare->n; i++) {
        g_autofree char *run = input->n_lanes > 1 ? ns_figure_run_label(input, i)
                               : i                ? ns_figure_previous_label(input)
                                                  : g_strdup(_("this run"));
        g_autofree char *own = ns_group_digits(compare->sides[i].bucket.last);
        char *label = apart ? g_strdup_printf(_("%s, step %s"), run, own) : g_strdup(run);
        ns_figure_text(figure, &figure->labels[i], label);
    }
    NS_FIGURE_SET(figure, figure->plot.left.label, info->symbol);
    NS_FIGURE_SET(figure, figure->plot.x.label, ns_figure_axis(compare->quantity, input->history));
    GString *note = g_string_new(NULL);
    if (measured && compare->n < 2)
        ns_figure_add_sentence(
            note, _("There is no other run yet: reset, change a setting, and run again."));
    ns_wild_note(note, compare->runs, compare->n, false);
    ns_figure_words(figure, input,
                    (NsFigureWords){.title = title,
                                    .empty = empty,
                                    .step = step,
                                    .note = g_string_free(note, note->len == 0)});
}

static void update(NsFigure *figure, const NsFigureInput *input)
{
    Compare *compare = (Compare *)figure;
    NsScaleKind scale = ns_figure_scale(input->quantity, input);
    NS_FIGURE_SET(figure, compare->quantity, input->quantity);
    NS_FIGURE_SET(figure, figure->plot.left.scale, scale);
    bool lanes = input->n_lanes > 1;
    unsigned n = lanes ? ns_figure_runs(input) : input->previous ? 2 : 1;
    for (unsigned i = n; i < compare->n; i++) ns_layer_values_clear(&compare->sides[i]);
    NS_FIGURE_SET(figure, compare->n, n);
    for (unsigned i = 0; i < n; i++) {
        NsFigureRun run = ns_figure_run(input, i);
        if (!lanes) run.name = i ? _("previous run") : _("this run");
        if (!lanes && i) run.history = input->previous;
        NsLayerValues *side = &compare->sides[i];
        NsWildRun *wild = &compare->runs[i];
        int64_t record = ns_figure_record_shown(run.history, input);
        figure->changed |= ns_layer_values_read(side, run.history, input->quantity, record);
        *wild = (NsWildRun){.history = run.history, .name = run.name};
        for (size_t k = 0; k < side->n; k++)
            if (isfinite(side->y[k])) wild->most = MAX(wild->most, side->y[k]);
    }
    double upper_end = ns_wild_find(compare->runs, n, scale);
    ns_figure_mark_layer(figure, input->marked_layer);
    make_texts(compare, input);
    if (!figure->changed) return;
    figure->plot.left.hi = upper_end;
    NsPlot *plot = &figure->plot;
    ns_figure_forget(figure);
    const NsLayerValues *values[NS_LANES_MAX];
    for (unsigned i = 0; i < n; i++) {
        const NsLayerValues *side = values[i] = &compare->sides[i];
        if (!side->n) continue;
        /* The previous run has the color of the current one. */
        bool before = !lanes && i > 0;
        figure->series[plot->n_series++] = (NsSeries){.label = figure->labels[i],
                                                      .kind = NS_SERIES_POINTS,
                                                      .style = before ? 0 : i,
                                                      .dash = before ? NS_PREVIOUS_DASH : 0,
                                                      .tinted = before,
                                                      .n = side->n,
                                                      .x = side->x,
                                                      .y = side->y};
    }
    ns_layer_axis_fit(&plot->x, values, n);
    /* The previous run is the denominator of the ratio. */
    plot->lower = ns_ratio_panel_new(figure, values, compare->runs, n, !lanes && n == 2, scale);
}

static void clear(NsFigure *figure)
{
    Compare *compare = (Compare *)figure;
    for (int i = 0; i < NS_LANES_MAX; i++) ns_layer_values_clear(&compare->sides[i]);
}

const NsFigureClass ns_compare_class = {sizeof(Compare), NULL, update, clear,
                                        NS_SEEDS_MEAN_BY_LAYER};
