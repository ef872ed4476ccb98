/* A figure of one seed, or of the mean over several seeds.  SPDX-License-Identifier: MIT */
#include "ui/figures/figure.h"

#include "core/base/words.h"
#include "ui/figures/mean.h"
#include "ui/plot/text.h"

#include <math.h>

#define LONG_RUN 500 /* losses */
static const NsSmoothing LONG_RUNS = {NS_SMOOTH_EMA, 0.9};

/* The figures of the individual seeds, and the mean of their curves.  A seed that diverged is
 * excluded from the mean of its lane, which the plot states; if all seeds diverged, the mean is
 * over all of them. */
typedef struct NsSeedFigures {
    NsFigure *single[NS_SEEDS_MAX]; /* of each seed; the first one is borrowed */
    NsFigure *going[NS_SEEDS_MAX];  /* of seeds that did not diverge, if any did */
    const NsPlot *singles[NS_SEEDS_MAX], *merged[NS_SEEDS_MAX];
    uint64_t seen[2 * NS_SEEDS_MAX]; /* versions of the plots that the mean was computed from */
    NsMeanPlot *mean;
} NsSeedFigures;

NsFigure *ns_figure_create(const NsFigureKind *kind)
{
    static const NsAxis axis = {.label = "", .lo = (double)NAN, .hi = (double)NAN};
    NsFigure *figure = g_malloc0(kind->class->size);
    figure->kind = kind;
    figure->plot = (NsPlot){.x = axis, .left = axis, .series = figure->series};
    figure->plot.x.integer = true;
    if (kind->abscissa == NS_OVER_STEPS) figure->plot.x.label = _("step");
    figure->markers = g_array_new(FALSE, FALSE, sizeof(NsMarker));
    figure->marker_texts = g_string_chunk_new(64);
    figure->owned = g_ptr_array_new_with_free_func(g_free);
    if (kind->class->init) kind->class->init(figure);
    return figure;
}

void *ns_figure_own(NsFigure *figure, void *taken)
{
    g_ptr_array_add(figure->owned, taken);
    return taken;
}

void ns_figure_forget(NsFigure *figure)
{
    g_ptr_array_set_size(figure->owned, 0);
    figure->plot.heatmap = NULL;
    figure->plot.lower = NULL;
    figure->plot.n_series = figure->plot.n_singles = 0;
}

NsPlot *ns_figure_singles(NsFigure *figure, size_t seeds)
{
    NsPlot *single = ns_figure_own(figure, g_new0(NsPlot, seeds));
    const NsPlot **singles = ns_figure_own(figure, g_new(const NsPlot *, seeds));
    for (size_t seed = 0; seed < seeds; seed++) singles[seed] = &single[seed];
    figure->plot.singles = singles;
    figure->plot.n_singles = seeds;
    return single;
}

/* The step at which all runs will pause or be finished; 0 if a run has no fixed end. */
static double end_of(const NsFigureInput *input)
{
    int64_t end = input->end;
    for (unsigned i = 0; !input->end && i < ns_figure_runs(input); i++) {
        const NsSettings *settings = ns_figure_run(input, i).settings;
        if (!settings || !settings->steps) return 0;
        end = MAX(end, settings->steps);
    }
    return (double)end;
}

/* A lane by itself keeps its color, with the dash patterns and marks of a single run. */
static void color_lane(const NsPlot *plot, unsigned lane)
{
    NsSeries *series = (NsSeries *)(uintptr_t)plot->series; /* the figure's own */
    for (size_t i = 0; lane && i < plot->n_series; i++) {
        if (series[i].style || series[i].previous || series[i].theory) continue;
        series[i].style = lane;
        series[i].dash += NS_SERIES_STYLES - lane;
    }
}

/* The plot of an input with one seed per run. */
static const NsPlot *update_one(NsFigure *figure, const NsFigureInput *input)
{
    NsPlot *plot = &figure->plot;
    figure->others = false;
    for (unsigned i = 0; i < NS_LANES_MAX; i++) {
        NsHistory *history = i < ns_figure_runs(input) ? ns_figure_run(input, i).history : NULL;
        figure->others |= ns_source_follow(&figure->runs[i], history);
    }
    plot->origin += figure->others;
    double end = end_of(input);
    figure->changed = figure->others || plot->version == 0 || end != plot->end;
    plot->end = end;
    figure->kind->class->update(figure, input);
    if (!figure->changed) return plot;
    color_lane(plot, input->lane);
    if (plot->lower) color_lane(plot->lower, input->lane);
    plot->markers = (const NsMarker *)(const void *)figure->markers->data;
    plot->n_markers = figure->markers->len;
    plot->lettered = input->n_lanes > 1;
    plot->version++;
    return plot;
}

/* ---- Several seeds ---- */

/* The seeds of one run that have not diverged, in order; all seeds if all have diverged. */
typedef struct {
    NsHistory *history[NS_SEEDS_MAX];
    size_t n, diverged;
} Going;

static Going going_of(NsHistory *history)
{
    Going going = {0};
    size_t seeds = history ? ns_history_seeds(history) : 0;
    for (size_t k = 0; k < seeds; k++) {
        NsHistory *seed = ns_history_seed(history, k);
        if (!ns_history_divergence(seed)) going.history[going.n++] = seed;
    }
    going.diverged = seeds - going.n;
    for (size_t k = 0; !going.n && k < seeds; k++) going.history[k] = ns_history_seed(history, k);
    if (!going.n) going.n = seeds;
    return going;
}

static NsHistory *seed_of(NsHistory *history, size_t k)
{
    return history && k < ns_history_seeds(history) ? ns_history_seed(history, k) : NULL;
}

/* The input with the k-th seed of every run. */
static NsFigureInput input_of(const NsFigureInput *input, size_t k)
{
    NsFigureInput one = *input;
    one.history = seed_of(input->history, k);
    for (unsigned i = 0; i < input->n_lanes; i++)
        one.lanes[i].history = seed_of(input->lanes[i].history, k);
    /* An earlier run may have fewer seeds. */
    if (seed_of(input->previous, k)) one.previous = seed_of(input->previous, k);
    for (unsigned i = 0; i < input->n_pinned; i++)
        if (seed_of(input->pinned[i].history, k))
            one.pinned[i].history = seed_of(input->pinned[i].history, k);
    return one;
}

static const NsPlot *update_seed(NsFigure **figure, const NsFigure *first,
                                 const NsFigureInput *input)
{
    if (!*figure) *figure = ns_figure_create(first->kind);
    return update_one(*figure, input);
}

/* Whether any of the n plots has changed since the mean was computed; stores their versions. */
static bool is_news(NsSeedFigures *seeds, const NsPlot *const *plots, size_t n, size_t at)
{
    bool news = false;
    for (size_t k = 0; k < n; k++) {
        news |= seeds->seen[at + k] != plots[k]->version;
        seeds->seen[at + k] = plots[k]->version;
    }
    return news;
}

/* Fills in the plots that the mean is computed from; returns their number. */
static size_t update_merged(NsSeedFigures *seeds, const NsFigureInput *input, const Going *going)
{
    size_t n = 0;
    bool diverged = false;
    for (unsigned i = 0; i < ns_figure_runs(input); i++) {
        n = MAX(n, going[i].n);
        diverged |= going[i].diverged > 0;
    }
    for (size_t k = 0; k < n; k++) {
        /* The input with the k-th seed of every run, counting only the seeds in `going`. */
        NsFigureInput one = input_of(input, k);
        for (unsigned i = 0; i < ns_figure_runs(input); i++) {
            NsHistory *history = k < going[i].n ? going[i].history[k] : NULL;
            if (ns_figure_run(input, i).history == input->history) one.history = history;
            if (input->n_lanes > 1) one.lanes[i].history = history;
        }
        seeds->merged[k] =
            diverged ? update_seed(&seeds->going[k], seeds->single[0], &one) : seeds->singles[k];
    }
    return n;
}

static uint64_t mean_version(const NsSeedFigures *seeds)
{
    return seeds->mean ? seeds->mean->plot.version : 0;
}

/* The plot of the mean; its version changes only if something visible changed.  `first` is the
 * figure of the first seed. */
static const NsPlot *update_mean(NsFigure *first, const NsFigureInput *input)
{
    if (!first->seeds) first->seeds = g_new0(NsSeedFigures, 1);
    NsSeedFigures *seeds = first->seeds;
    NsFigureInput shown = *input;
    Going going[NS_LANES_MAX];
    size_t n = ns_figure_seeds(input);
    for (unsigned i = 0; i < ns_figure_runs(input); i++)
        going[i] = going_of(ns_figure_run(input, i).history);
    if (first->kind->class->seeds == NS_SEEDS_MEAN_BY_LAYER && input->step < 0) {
        /* The newest step that all seeds have measured: curves over layers are averaged at the same
         * step. */
        int64_t step = INT64_MAX;
        for (unsigned i = 0; i < ns_figure_runs(input); i++)
            for (size_t k = 0; k < going[i].n; k++) {
                NsHistory *history = going[i].history[k];
                int64_t newest = ns_history_last_step(history);
                if (!going[i].diverged || !ns_history_divergence(history)) step = MIN(step, newest);
            }
        shown.step = step == INT64_MAX ? -1 : step;
    }

    seeds->single[0] = first;
    for (size_t k = 0; k < n; k++) {
        NsFigureInput one = input_of(&shown, k);
        seeds->singles[k] = update_seed(&seeds->single[k], first, &one);
    }
    size_t n_merged = update_merged(seeds, &shown, going);
    bool news = is_news(seeds, seeds->singles, n, 0);
    news |= is_news(seeds, seeds->merged, n_merged, NS_SEEDS_MAX);
    if (!news && seeds->mean) return &seeds->mean->plot;

    uint64_t version = MAX(mean_version(seeds), first->plot.version) + 1;
    /* "1 of 5 seeds diverged"; with several lanes, each is preceded by its name.  NULL if none
     * diverged. */
    GString *words = g_string_new(NULL);
    unsigned runs = ns_figure_runs(input);
    for (unsigned i = 0; i < runs; i++) {
        NsFigureRun run = ns_figure_run(input, i);
        if (!going[i].diverged) continue;
        if (words->len) g_string_append(words, "; ");
        if (runs > 1) g_string_append_printf(words, "%s: ", run.name);
        g_string_append_printf(words, _("%zu of %zu seeds diverged"), going[i].diverged,
                               ns_history_seeds(run.history));
    }
    g_autofree char *diverged = g_string_free(words, words->len == 0);
    if (seeds->mean) ns_mean_plot_free(seeds->mean);
    seeds->mean = ns_mean_plot_new(seeds->merged, n_merged, n, diverged);
    NsPlot *plot = &seeds->mean->plot;
    plot->singles = seeds->singles;
    plot->n_singles = n;
    plot->version = version;
    return plot;
}

static void free_seeds(NsSeedFigures *seeds)
{
    if (!seeds) return;
    for (size_t k = 0; k < NS_SEEDS_MAX; k++) {
        if (k && seeds->single[k]) ns_figure_free(seeds->single[k]);
        if (seeds->going[k]) ns_figure_free(seeds->going[k]);
    }
    if (seeds->mean) ns_mean_plot_free(seeds->mean);
    g_free(seeds);
}

/* ---- Life and update ---- */

void ns_figure_free(NsFigure *figure)
{
    if (!figure) return;
    if (figure->kind->class->clear) figure->kind->class->clear(figure);
    free_seeds(figure->seeds);
    for (size_t i = 0; i < NS_LANES_MAX; i++) {
        ns_source_follow(&figure->events[i], NULL);
        ns_source_follow(&figure->runs[i], NULL);
    }
    g_array_unref(figure->markers);
    g_string_chunk_free(figure->marker_texts);
    g_ptr_array_unref(figure->owned);
    NsPlot *plot = &figure->plot;
    const char **words[] = {&plot->title, &plot->subtitle, &plot->moment, &plot->seed,
                            &plot->run,   &plot->note,     &plot->empty};
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) ns_figure_text(figure, words[i], NULL);
    for (size_t i = 0; i < NS_FIGURE_SERIES; i++) ns_figure_text(figure, &figure->labels[i], NULL);
    for (size_t i = 0; i < NS_LANES_MAX; i++) ns_figure_text(figure, &figure->states[i], NULL);
    g_free(figure);
}

NsSmoothing ns_figure_smoothing(const NsFigureInput *input)
{
    if (input->smoothing.kind != NS_SMOOTH_AUTO) return input->smoothing;
    for (unsigned i = 0; i < ns_figure_runs(input); i++) {
        NsHistory *history = ns_figure_run(input, i).history;
        for (size_t k = 0; history && k < ns_history_seeds(history); k++)
            if (ns_history_steps(ns_history_seed(history, k)) >= LONG_RUN) return LONG_RUNS;
    }
    return (NsSmoothing){NS_SMOOTH_NONE, 0};
}

const NsPlot *ns_figure_update(NsFigure *figure, const NsFigureInput *input)
{
    /* Users choose the names of runs, so that _ and ^ in them are characters like any other. */
    NsFigureInput named = *input, one;
    named.name = ns_text_literal_name(input->name);
    for (unsigned i = 0; i < input->n_lanes; i++)
        named.lanes[i].name = ns_text_literal_name(input->lanes[i].name);
    for (unsigned i = 0; i < input->n_pinned; i++)
        named.pinned[i].name = ns_text_literal_name(input->pinned[i].name);
    bool losses = figure->kind->class == &ns_loss_class;
    if (losses || input->smoothing.kind != NS_SMOOTH_AUTO)
        named.smoothing = ns_figure_smoothing(input);
    else
        named.smoothing = (NsSmoothing){NS_SMOOTH_NONE, 0};
    one = named;
    input = &named;
    if (figure->kind->one_model) one = ns_figure_input_of(input, ns_figure_active(input));
    NsSeedsShown seeds = figure->kind->class->seeds;
    if ((seeds == NS_SEEDS_MEAN_BY_STEP || seeds == NS_SEEDS_MEAN_BY_LAYER) &&
        ns_figure_seeds(&one) > 1)
        return update_mean(figure, &one);
    if (figure->seeds)
        figure->plot.version = MAX(mean_version(figure->seeds), figure->plot.version);
    g_clear_pointer(&figure->seeds, free_seeds);
    return update_one(figure, &one);
}
