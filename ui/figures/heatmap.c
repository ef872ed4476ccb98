/* SPDX-License-Identifier: MIT */
#include "ui/plot/heatmap.h"
#include "core/base/words.h"
#include "ui/figures/figure.h"
#include "ui/figures/heatmap_cells.h"
#include "ui/figures/wild.h"

#include <math.h>

typedef struct {
    NsFigure figure;
    NsHeatmapCells cells;
    float *ratio; /* cells of a ratio */
    NsHeatMode mode;
    NsHeatmap map;
    NsHeatPanel panels[NS_LANES_MAX];
    NsWildRun wild[NS_LANES_MAX];
    NsRange colors; /* limits of the color scale; {0, 0}: the range of all cells */
    int marked;     /* the selected layer */
    int64_t viewed; /* the selected step */
    char *bar;      /* label of the color bar */
} Heatmap;

/* The label of the color bar. */
static char *bar_words(const Heatmap *heatmap, const NsFigureInput *input, const char *symbol)
{
    if (heatmap->mode != NS_HEAT_RATIO) return g_strdup(symbol);
    return g_strdup_printf(_("log_2(%s / %s)"), ns_figure_run(input, 1).name,
                           ns_figure_run(input, 0).name);
}

/* Finds the runs that diverged beyond the color scale of the others.  A ratio always shows both of
 * its runs. */
static void find_wild(Heatmap *heatmap, const NsFigureInput *input, bool log)
{
    heatmap->colors = (NsRange){0, 0};
    if (heatmap->mode != NS_HEAT_STACKED) return;
    for (unsigned i = 0; i < heatmap->cells.n; i++) {
        const NsHeatmapRun *cells = &heatmap->cells.run[i];
        const NsRange *range = log ? &cells->positive : &cells->all;
        NsFigureRun run = ns_figure_run(input, i);
        heatmap->wild[i] = (NsWildRun){.history = run.history,
                                       .name = run.name,
                                       .most = MAX(range->hi, 0),
                                       .least = range->lo};
    }
    heatmap->colors = ns_wild_colors(heatmap->wild, heatmap->cells.n,
                                     log ? NS_SCALE_LOG : NS_SCALE_LINEAR, heatmap->colors);
}

static char *note(const Heatmap *heatmap)
{
    GString *words = g_string_new(NULL);
    g_autofree char *joined = ns_heatmap_cells_note(&heatmap->cells);
    ns_figure_add_sentence(words, joined);
    if (heatmap->colors.lo < heatmap->colors.hi)
        ns_wild_colors_note(words, heatmap->wild, heatmap->cells.n);
    return g_string_free(words, words->len == 0);
}

/* Draws two lines around the selected layer in every panel that has it. */
static void mark_rows(Heatmap *heatmap)
{
    const NsHeatmap *map = &heatmap->map;
    NsFigure *figure = &heatmap->figure;
    if (heatmap->marked < 1 || ns_quantity(heatmap->cells.quantity)->domain == NS_DOMAIN_HEAD)
        return;
    for (size_t i = 0; i < ns_panels(map); i++) {
        NsPanel panel = ns_panel(map, i);
        if (heatmap->marked < panel.y0 || heatmap->marked > panel.y1) continue;
        figure->spans[figure->plot.n_spans++] =
            (NsSpan){.from = ns_panel_to_axis(&panel, heatmap->marked - 0.5),
                     .to = ns_panel_to_axis(&panel, heatmap->marked + 0.5),
                     .rows = true};
    }
}

/* The text that is shown if there is no heatmap; NULL: no step has been measured yet. */
static char *empty_words(const Heatmap *heatmap, const NsFigureInput *input)
{
    const NsHeatmapCells *cells = &heatmap->cells;
    const NsQuantityInfo *info = ns_quantity(cells->quantity);
    if (info->domain == NS_DOMAIN_STEP)
        return g_strdup_printf(_("%s has one value per step: plot it over the steps."),
                               _(info->choice.label));
    if (ns_figure_newest(input) < 0) return NULL;
    if (!cells->rows && input->history) return ns_figure_absent(cells->quantity, input);
    if (heatmap->figure.kind->two_runs && heatmap->mode == NS_HEAT_LANE)
        return g_strdup(_("There is no other run yet: reset, change a setting, and run again."));
    if (heatmap->mode != NS_HEAT_RATIO) return NULL;
    unsigned without = cells->run[0].rows ? 1 : 0;
    if (cells->run[without].rows) return g_strdup(_("The lanes have no step in common."));
    return g_strdup_printf(_("%s has no %s."), ns_figure_run(input, without).name, info->symbol);
}

static void make_texts(Heatmap *heatmap, const NsFigureInput *input)
{
    NsFigure *figure = &heatmap->figure;
    NsQuantity quantity = heatmap->cells.quantity;
    const NsQuantityInfo *info = ns_quantity(quantity);
    NsFigureInput shown = heatmap->mode == NS_HEAT_LANE && input->n_lanes > 1
                              ? ns_figure_input_of(input, ns_figure_active(input))
                              : *input;
    g_autofree char *title =
        heatmap->mode == NS_HEAT_RATIO
            ? g_strdup_printf(_("%s, ratio of two runs"), _(info->choice.label))
            : g_strdup_printf(_("%s over the steps"), _(info->choice.label));
    g_autofree char *empty = empty_words(heatmap, input);
    ns_figure_mark_events(figure, &shown);
    if (heatmap->mode == NS_HEAT_STACKED) {
        for (unsigned i = 0; i < heatmap->cells.n; i++) {
            ns_figure_text(figure, &figure->labels[i], ns_figure_run_label(input, i));
            heatmap->panels[i].name = figure->labels[i];
            heatmap->panels[i].style = i + 1;
        }
    }
    ns_figure_text(figure, &heatmap->bar, bar_words(heatmap, input, info->symbol));
    NS_FIGURE_SET(figure, figure->plot.left.label, ns_figure_axis(quantity, input->history));
    ns_figure_words(figure, &shown,
                    (NsFigureWords){.title = title,
                                    .empty = empty,
                                    .step = ns_figure_newest(&shown),
                                    .note = note(heatmap)});
}

static void update_map(Heatmap *heatmap, const NsFigureInput *input)
{
    NsFigure *figure = &heatmap->figure;
    NsQuantity quantity = ns_figure_quantity(figure->kind, input);
    bool log = ns_figure_scale(quantity, input) == NS_SCALE_LOG;
    NsHeatMode mode = input->n_lanes < 2 ? NS_HEAT_LANE : input->heat;
    NsFigureRun runs[NS_LANES_MAX] = {{.history = input->history}};
    unsigned n = mode == NS_HEAT_LANE ? 1 : ns_figure_runs(input);
    for (unsigned i = 0; i < n && mode != NS_HEAT_LANE; i++) runs[i] = ns_figure_run(input, i);
    NS_FIGURE_SET(&heatmap->figure, heatmap->mode, mode);
    heatmap->figure.changed |= ns_heatmap_cells_follow(&heatmap->cells, runs, n, quantity);
    figure->changed |= mode != NS_HEAT_RATIO && heatmap->map.log != log;
    NS_FIGURE_SET(figure, heatmap->marked, input->marked_layer);
    NS_FIGURE_SET(figure, heatmap->viewed, ns_figure_viewed(input));
    find_wild(heatmap, input, log);
    make_texts(heatmap, input);
    if (!figure->changed) return;

    if (heatmap->mode == NS_HEAT_RATIO) {
        heatmap->map = ns_heatmap_ratio(&heatmap->ratio, &heatmap->cells, 0, 1);
    } else {
        heatmap->map = ns_heatmap_cells_map(&heatmap->cells, heatmap->panels);
        heatmap->map.log = log;
        heatmap->map.lo = heatmap->colors.lo;
        heatmap->map.hi = heatmap->colors.hi;
    }
    heatmap->map.label = heatmap->bar;
    /* Marks the selected layer, and the selected step with a line. */
    figure->plot.spans = figure->spans;
    figure->plot.n_spans = 0;
    mark_rows(heatmap);
    double step = (double)heatmap->viewed;
    if (step >= 0) figure->spans[figure->plot.n_spans++] = (NsSpan){.from = step, .to = step};
    bool shown = ns_quantity(quantity)->domain != NS_DOMAIN_STEP && heatmap->map.columns &&
                 heatmap->map.rows && !(heatmap->figure.kind->two_runs && mode == NS_HEAT_LANE);
    figure->plot.heatmap = shown ? &heatmap->map : NULL;
}

/* A figure of two runs shows their ratio: of two lanes, or of a run and the previous one, which are
 * treated as two lanes. */
static void update(NsFigure *figure, const NsFigureInput *input)
{
    Heatmap *heatmap = (Heatmap *)figure;
    NsFigureInput pair = *input;
    if (figure->kind->two_runs) pair.heat = NS_HEAT_RATIO;
    if (pair.heat == NS_HEAT_RATIO && pair.n_lanes > 2) {
        /* Keeps the two lanes whose ratio is shown: the first, and the active one (the second if
         * the first is active). */
        unsigned upper = MAX(ns_figure_active(&pair), 1);
        pair.lanes[1] = pair.lanes[upper];
        pair.lanes[1].lane = upper;
        pair.named = (pair.named & 1) | (pair.named >> upper & 1) << 1;
        pair.n_lanes = 2;
    }
    if (figure->kind->two_runs && input->n_lanes < 2 && input->previous) {
        pair.n_lanes = 2;
        pair.lanes[0] =
            (NsFigureRun){input->previous, input->previous_settings, _("previous run"), 0};
        pair.lanes[1] = (NsFigureRun){input->history, input->settings, _("this run"), 0};
    }
    update_map(heatmap, &pair);
}

static void clear(NsFigure *figure)
{
    Heatmap *heatmap = (Heatmap *)figure;
    ns_heatmap_cells_clear(&heatmap->cells);
    g_free(heatmap->ratio);
    g_free(heatmap->bar);
}

static void init(NsFigure *figure)
{
    figure->plot.x.label = _("step");
    figure->plot.left.integer = true;
}

const NsFigureClass ns_heatmap_class = {sizeof(Heatmap), init, update, clear, NS_SEEDS_FIRST};
