/* SPDX-License-Identifier: MIT */
#include "core/base/digits.h"
#include "core/base/words.h"
#include "ui/figures/figure.h"
#include "ui/figures/layer_values.h"
#include "ui/figures/step_curves.h"
#include "ui/figures/theory.h"
#include "ui/plot/text.h"

#include <math.h>

enum { PREVIOUS, FIRST, NOW, END, COLUMNS };

/* The values of one run. */
typedef struct {
    NsLayerValues columns[COLUMNS];
    NsTheory theory;
} Lane;

/* The labels of one run: columns, theoretical curves, and the legend entry of the theory. */
enum { THEORY = COLUMNS + NS_THEORY_CURVES, CURVES };
/* The labels of the pinned runs follow those of the lanes. */
#define PINNED_LABELS ((size_t)(NS_LANES_MAX * CURVES))
G_STATIC_ASSERT(NS_LANES_MAX *CURVES + NS_FIGURE_PINNED <= NS_FIGURE_SERIES);

typedef struct {
    NsFigure figure;
    Lane lanes[NS_LANES_MAX];
    NsLayerValues pinned[NS_FIGURE_PINNED]; /* of earlier runs, in place of the first steps */
    bool apart;                             /* one of these has values of its own */
    unsigned n; /* number of runs; if there are several, no previous run is shown */
    NsQuantity quantity;
    NsWildRun wild[NS_LANES_MAX];
    NsSeries keys[2]; /* of several runs: their faint first steps, the state after the final norm */
} Profile;

/* Whether the step is stored in a group of several steps. */
static bool is_thinned(const NsLayerValues *column)
{
    return column->bucket.last > column->bucket.first;
}

static char *bucket_label(const char *before, const NsLayerValues *column)
{
    g_autofree char *last = ns_group_digits(column->bucket.last);
    g_autofree char *first = ns_group_digits(column->bucket.first);
    g_autofree char *steps = is_thinned(column)
                                 ? g_strdup_printf(_("largest of steps %s–%s"), first, last)
                                 : ns_figure_step_words(column->bucket.first);
    return g_strconcat(before, steps, NULL);
}

/* ---- One run ---- */

static void lane_clear(Lane *lane)
{
    for (size_t i = 0; i < COLUMNS; i++) ns_layer_values_clear(&lane->columns[i]);
    ns_theory_clear(&lane->theory);
}

/* The step that the subtitle names: the largest over the runs. */
static int64_t shown_step(const Profile *profile, const NsFigureInput *input)
{
    int64_t step = -1;
    for (unsigned i = 0; i < profile->n; i++) {
        const NsHistory *history = ns_figure_run(input, i).history;
        int64_t record = ns_figure_record_shown(history, input);
        int64_t asked = record < 0 ? -1 : ns_history_step(history, (size_t)record)->step;
        const NsLayerValues *now = &profile->lanes[i].columns[NOW];
        if (now->count) step = MAX(step, is_thinned(now) && asked >= 0 ? asked : now->bucket.last);
    }
    return step;
}

/* ---- Words and looks ---- */

/* The labels of run i. */
static const char **labels_of(NsFigure *figure, unsigned i)
{
    return figure->labels + (size_t)i * CURVES;
}

/* The name of a run among others, with the step of its values unless that is the shown one. */
static char *run_label(const char *run, const NsLayerValues *now, int64_t step)
{
    bool same = is_thinned(now) ? step >= now->bucket.first && step <= now->bucket.last
                                : step == now->bucket.last;
    if (same) return g_strdup(run);
    g_autofree char *before = g_strconcat(run, ", ", NULL);
    return bucket_label(before, now);
}

static void make_labels(Profile *profile, const NsFigureInput *input, int64_t step)
{
    NsFigure *figure = &profile->figure;
    for (unsigned i = 0; i < profile->n; i++) {
        const Lane *lane = &profile->lanes[i];
        const char **labels = labels_of(figure, i);
        g_autofree char *first = bucket_label("", &lane->columns[FIRST]);
        /* The step for a single run, the distinguishing settings for several. */
        const NsLayerValues *now = &lane->columns[NOW];
        g_autofree char *run = ns_figure_run_label(input, i);
        ns_figure_text(figure, &labels[NOW],
                       profile->n > 1 ? run_label(run, now, step) : bucket_label("", now));
        bool wild = profile->n > 1 && profile->wild[i].wild;
        ns_figure_text(figure, &figure->states[i],
                       wild ? ns_text_off_scale(profile->wild[i].most, true) : NULL);
        ns_figure_text(figure, &labels[FIRST], ns_figure_run_words(input, i, first));
        ns_figure_text(figure, &labels[END],
                       ns_figure_run_words(input, i, _("after the final norm")));
        for (size_t k = 0; k < lane->theory.n_curves; k++)
            ns_figure_text(figure, &labels[COLUMNS + k],
                           ns_figure_run_words(input, i, lane->theory.label[k]));
        if (lane->theory.n_curves)
            ns_figure_text(figure, &labels[THEORY],
                           ns_figure_run_words(input, i, ns_theory_name(&lane->theory)));
    }
    for (unsigned i = 0; i < NS_FIGURE_PINNED; i++)
        ns_figure_text(figure, &figure->labels[PINNED_LABELS + i],
                       profile->pinned[i].n
                           ? run_label(input->pinned[i].name, &profile->pinned[i], step)
                           : NULL);
    if (!input->previous || profile->n > 1) return;
    g_autofree char *run = ns_figure_previous_label(input);
    g_autofree char *before = g_strconcat(run, ", ", NULL);
    ns_figure_text(figure, &labels_of(figure, 0)[PREVIOUS],
                   bucket_label(before, &profile->lanes[0].columns[PREVIOUS]));
}

static void show_pinned(Profile *profile, const NsFigureInput *input)
{
    NsFigure *figure = &profile->figure;
    for (unsigned i = 0; profile->apart && i < input->n_pinned; i++) {
        const NsLayerValues *column = &profile->pinned[i];
        if (!column->n) continue;
        NsSeries *series = &figure->series[figure->plot.n_series++];
        *series = ns_pinned_look(input, i);
        series->label = figure->labels[PINNED_LABELS + i];
        series->kind = NS_SERIES_POINTS;
        series->n = column->n;
        series->x = column->x;
        series->y = column->y;
    }
}

/* With several runs, the first step of each is muted behind it, and all curves of a theory share
 * one legend entry. */
static void show_lane(Profile *profile, unsigned i)
{
    static const NsSeries single[COLUMNS] = {
        [PREVIOUS] = {.style = 0,
                      .dash = NS_PREVIOUS_DASH,
                      .previous = true,
                      .tinted = true,
                      .clipped = true},
        [FIRST] = {.style = 0, .previous = true},
        [NOW] = {.style = 0},
        [END] = {.style = 0, .dash = 2}, /* of the same run: its color, and another mark */
    };
    const NsSeries several[COLUMNS] = {
        [FIRST] = {.style = i, .muted = true},
        [NOW] = {.style = i},
        [END] = {.style = i, .hollow = true},
    };
    NsFigure *figure = &profile->figure;
    const Lane *lane = &profile->lanes[i];
    const char **labels = labels_of(figure, i);
    for (size_t k = 0; k < COLUMNS; k++) {
        if (!lane->columns[k].n) continue;
        NsSeries look = profile->n > 1 ? several[k] : single[k];
        look.label = labels[k];
        /* A run has one entry in the legend for all its columns. */
        if (profile->n > 1) look.group = labels[NOW];
        const NsLayerValues *column = &lane->columns[k];
        NsSeries *series = &figure->series[figure->plot.n_series++];
        *series = look;
        series->state = figure->states[i];
        series->kind = NS_SERIES_POINTS;
        series->n = column->n;
        series->x = column->x;
        series->y = column->y;
        if (column->band && !look.muted) {
            series->lo = column->lo;
            series->hi = column->y;
        }
    }
    const NsTheory *theory = &lane->theory;
    for (size_t k = 0; k < theory->n_curves; k++)
        figure->series[figure->plot.n_series++] =
            (NsSeries){.label = labels[COLUMNS + k],
                       .group = profile->n > 1 ? labels[THEORY] : NULL,
                       .style = i,
                       .dash = k > 0,
                       .theory = true,
                       .tinted = profile->n > 1,
                       .n = theory->n,
                       .x = theory->x,
                       .y = theory->y[k]};
}

/* Marks the beginning of the decoder, so that the curve is not read as crossing a single stack. */
static void mark_decoder(NsFigure *figure, const NsFigureInput *input)
{
    int64_t N = 0;
    if (input->settings && ns_settings_decoder_layers(input->settings) > 0)
        N = ns_settings_encoder_layers(input->settings);
    const NsMarker *old =
        figure->markers->len ? &g_array_index(figure->markers, NsMarker, 0) : NULL;
    NsMarker marker = {.x = (double)N + 0.5, .text = _("decoder")};
    if (old ? N > 0 && old->x >= marker.x && old->x <= marker.x : N == 0) return;
    figure->changed = true;
    g_array_set_size(figure->markers, 0);
    if (N > 0) g_array_append_val(figure->markers, marker);
}

/* Adds the sentences about the theory of all lanes; each sentence once, preceded by the lanes to
 * which it applies ("A, C: ...") unless these are all. */
static void add_theory(GString *words, const Profile *profile, const NsFigureInput *input)
{
    const char *said[2 * NS_LANES_MAX];
    unsigned n = profile->n;
    bool curves = false;
    for (unsigned i = 0; i < n; i++) {
        said[i] = profile->lanes[i].theory.note;
        said[n + i] = profile->lanes[i].theory.more;
        curves |= profile->lanes[i].theory.n_curves > 0;
    }
    for (unsigned i = 0; i < 2 * n; i++) {
        bool repeated = !said[i];
        for (unsigned k = 0; k < i && !repeated; k++) repeated = g_strcmp0(said[k], said[i]) == 0;
        if (repeated) continue;
        g_autoptr(GString) of = g_string_new(NULL);
        unsigned found = 0;
        for (unsigned k = i; k < 2 * n; k++) {
            if (g_strcmp0(said[k], said[i]) != 0) continue;
            g_string_append_printf(of, "%s%s", found++ ? ", " : "",
                                   n > 1 ? ns_figure_run(input, k % n).name : "");
        }
        bool all = found == n;
        ns_figure_add_sentence(words, "%s%s%s", all ? "" : of->str, all ? "" : ": ", said[i]);
    }
    /* "A × 1.05 (0.97 to 1.13), B …" */
    g_autoptr(GString) growth = g_string_new(NULL);
    for (unsigned i = 0; i < n; i++) {
        const char *measured = profile->lanes[i].theory.measured;
        if (!measured) continue;
        g_string_append(growth, growth->len ? ", " : "");
        if (n > 1) g_string_append_printf(growth, "%s ", ns_figure_run(input, i).name);
        g_string_append(growth, measured);
    }
    if (growth->len)
        ns_figure_add_sentence(words, _("Growth per layer at step 0, with 95%% intervals: %s."),
                               growth->str);
    if (curves && shown_step(profile, input) > 0)
        ns_figure_add_sentence(words, _("The theory holds at step 0 only."));
}

static char *note(const Profile *profile, const NsFigureInput *input)
{
    GString *words = g_string_new(NULL);
    const NsLayerValues *now = &profile->lanes[0].columns[NOW];
    bool several = profile->n > 1;
    if (several) {
        for (unsigned i = 0; i < profile->n; i++) {
            NsFigureRun run = ns_figure_run(input, i);
            int64_t begin = run.history ? ns_history_first_step(run.history) : 0;
            if (input->step < 0 || input->step >= begin) continue;
            g_autofree char *step = ns_group_digits(begin);
            ns_figure_add_sentence(words, _("%s begins at step %s."), run.name, step);
        }
        ns_wild_note(words, profile->wild, profile->n, false);
    }
    add_theory(words, profile, input);
    if (!several && words->len) return g_string_free(words, FALSE);
    if (is_thinned(now))
        ns_figure_add_sentence(
            words, _("This step is stored in a group of steps: the band is their range."));
    else if (now->band)
        ns_figure_add_sentence(words, _("Line: the largest of the heads. Band: their range."));
    return g_string_free(words, words->len == 0);
}

/* Whether no run is past step 0, which no update precedes. */
static bool precedes_updates(NsQuantity quantity, const NsFigureInput *input)
{
    bool all = quantity == NS_QUANTITY_UPDATE_RATIO || quantity == NS_QUANTITY_UPDATE_NORM ||
               quantity == NS_QUANTITY_UPDATE_ANGLE || quantity == NS_QUANTITY_WEIGHT_NORM;
    for (unsigned i = 0; all && i < ns_figure_runs(input); i++) {
        NsHistory *history = ns_figure_run(input, i).history;
        int64_t record = ns_figure_record_shown(history, input);
        all = record >= 0 && ns_history_step(history, (size_t)record)->step == 0;
    }
    return all;
}

/* Reads the pinned runs at the step that is shown.  If all have the values of their lanes, they
 * would be hidden below their curves, and the faint curves are those of the first step. */
static void follow_pinned(Profile *profile, const NsFigureInput *input, bool early)
{
    int64_t step = input->step >= 0 ? input->step : ns_figure_newest(input);
    bool any = false;
    for (unsigned i = 0; i < NS_FIGURE_PINNED; i++) {
        NsHistory *history = i < input->n_pinned ? input->pinned[i].history : NULL;
        bool shown = history && !early && step >= 0;
        profile->figure.changed |=
            ns_layer_values_read(&profile->pinned[i], history, profile->quantity,
                                 shown ? ns_figure_record_at(history, step) : -1);
        const NsLayerValues *pinned = &profile->pinned[i];
        if (!pinned->n) continue;
        unsigned lane = input->pinned[i].lane;
        const NsLayerValues *now = lane < profile->n ? &profile->lanes[lane].columns[NOW] : NULL;
        any |= !now || now->n != pinned->n || memcmp(now->y, pinned->y, now->n * sizeof *now->y);
    }
    NS_FIGURE_SET(&profile->figure, profile->apart, any);
}

static void follow_all(Profile *profile, const NsFigureInput *input, bool early)
{
    unsigned n = ns_figure_runs(input);
    for (unsigned i = n; i < profile->n; i++) lane_clear(&profile->lanes[i]);
    NS_FIGURE_SET(&profile->figure, profile->n, n);
    NsQuantity quantity = profile->quantity;
    for (unsigned i = 0; i < n; i++) {
        NsHistory *history = ns_figure_run(input, i).history;
        int64_t record = early ? -1 : ns_figure_record_shown(history, input);
        profile->figure.changed |=
            ns_layer_values_read(&profile->lanes[i].columns[NOW], history, quantity, record);
    }
    follow_pinned(profile, input, early);
    /* Norms of hidden states have an additional value for the state after the final norm, a
     * separate point above the last layer: its quantity is of domain STEP. */
    NsQuantity end = quantity == NS_QUANTITY_HIDDEN_SQ     ? NS_QUANTITY_FINAL_SQ
                     : quantity == NS_QUANTITY_HIDDEN_NORM ? NS_QUANTITY_FINAL_NORM
                                                           : NS_QUANTITY_COUNT;
    bool late = false, faint = false, changed = false;
    unsigned ends = 0, last = 0; /* runs with a final norm, and the last of them */
    for (unsigned i = 0; i < n; i++) {
        NsFigureInput one = ns_figure_input_of(input, i);
        if (n > 1) one.previous = NULL;
        int64_t record = ns_figure_record_shown(one.history, input);
        Lane *lane = &profile->lanes[i];
        NsLayerValues *columns = lane->columns;
        int64_t previous = one.previous ? (int64_t)ns_history_steps(one.previous) - 1 : -1;
        NsHistory *history = one.history;
        /* The update ratios of step 0 are 0 by definition and not shown. */
        bool first = record > 0 && quantity != NS_QUANTITY_UPDATE_RATIO && !profile->apart;
        changed |= ns_layer_values_read(&columns[FIRST], history, quantity, first ? 0 : -1);
        changed |= ns_layer_values_read(&columns[PREVIOUS], one.previous, quantity, previous);
        bool has_end = record >= 0 && end != NS_QUANTITY_COUNT;
        changed |= ns_layer_values_read(&columns[END], history, end, has_end ? record : -1);
        changed |= ns_theory_follow(&lane->theory, quantity, &one,
                                    profile->figure.kind->theory || input->theory);
        late |= history && ns_history_first_step(history) > 0;
        faint |= n > 1 && columns[FIRST].n > 0;
        if (columns[END].n) last = i, ends++;
    }
    profile->figure.changed |= changed;
    NsPlot *plot = &profile->figure.plot;
    plot->keys = profile->keys;
    plot->n_keys = 0;
    if (faint) profile->keys[plot->n_keys++] = ns_figure_key(late ? _("first step") : _("step 0"));
    if (n < 2 || !ends) return;
    NsSeries *mark = &profile->keys[plot->n_keys++];
    *mark = ns_figure_key(_("after the final norm"));
    mark->kind = NS_SERIES_SCATTER;
    mark->hollow = true;
    mark->style = ends > 1 ? 0 : last;
    mark->previous = ends > 1;
}

static void update(NsFigure *figure, const NsFigureInput *input)
{
    Profile *profile = (Profile *)figure;
    NsQuantity quantity = ns_figure_quantity(figure->kind, input);
    const NsQuantityInfo *info = ns_quantity(quantity);
    NsScaleKind scale = ns_figure_scale(quantity, input);
    NS_FIGURE_SET(figure, profile->quantity, quantity);
    NS_FIGURE_SET(figure, figure->plot.left.scale, scale);
    bool early = precedes_updates(quantity, input);
    follow_all(profile, input, early);
    for (unsigned i = 0; i < profile->n; i++) {
        NsFigureRun run = ns_figure_run(input, i);
        const Lane *lane = &profile->lanes[i];
        /* The largest finite value that is drawn. */
        double most = 0;
        for (size_t k = 0; k < lane->theory.n_curves; k++)
            for (size_t j = 0; j < lane->theory.n; j++) most = MAX(most, lane->theory.y[k][j]);
        for (size_t k = 0; k < COLUMNS; k++)
            for (size_t j = 0; j < lane->columns[k].n; j++)
                if (isfinite(lane->columns[k].y[j])) most = MAX(most, lane->columns[k].y[j]);
        /* Up to the step at which it diverges, a run is what the chart is about, and a logarithmic
         * axis has space for it. */
        const NsEvent *end = ns_history_divergence(run.history);
        if (end && scale == NS_SCALE_LOG && shown_step(profile, input) <= end->step) most = 0;
        profile->wild[i] = (NsWildRun){.history = run.history, .name = run.name, .most = most};
    }
    double upper_end = ns_wild_find(profile->wild, profile->n, scale);

    bool over_layers = info->domain != NS_DOMAIN_STEP, missing = ns_figure_newest(input) >= 0;
    for (unsigned i = 0; i < profile->n; i++) missing &= !profile->lanes[i].columns[NOW].count;
    g_autofree char *empty =
        !over_layers ? g_strdup_printf(_("%s has one value per step, not one per layer."),
                                       _(info->choice.label))
        : early      ? g_strdup(_("First measured at step 1, after the first update."))
        : missing    ? ns_figure_absent(quantity, input)
                     : NULL;
    int64_t step = early ? 0 : shown_step(profile, input);
    make_labels(profile, input, step);
    NS_FIGURE_SET(figure, figure->plot.left.label, info->symbol);
    mark_decoder(figure, input);
    ns_figure_mark_layer(figure, input->marked_layer);
    /* The values of the heads of a layer are combined, so the axis is that of layers. */
    bool heads = info->domain == NS_DOMAIN_HEAD;
    NS_FIGURE_SET(figure, figure->plot.x.label,
                  ns_figure_axis(heads ? NS_QUANTITY_GRAD_LAYER : quantity, input->history));
    ns_figure_words(figure, input,
                    (NsFigureWords){
                        .title = _(info->choice.label),
                        .empty = empty,
                        .step = step,
                        .note = note(profile, input),
                    });
    if (!figure->changed) return;

    figure->plot.left.hi = upper_end;
    ns_figure_forget(figure);
    if (over_layers) {
        const NsLayerValues *values[NS_LANES_MAX];
        show_pinned(profile, input);
        for (unsigned i = 0; i < profile->n; i++) {
            values[i] = &profile->lanes[i].columns[NOW];
            show_lane(profile, i);
        }
        ns_layer_axis_fit(&figure->plot.x, values, profile->n);
        /* Ratios of fractions and cosines are not informative. */
        if (profile->n > 1 && !info->unit)
            figure->plot.lower =
                ns_ratio_panel_new(figure, values, profile->wild, profile->n, 0, scale);
    }
}

static void clear(NsFigure *figure)
{
    Profile *profile = (Profile *)figure;
    for (size_t i = 0; i < NS_LANES_MAX; i++) lane_clear(&profile->lanes[i]);
    for (size_t i = 0; i < NS_FIGURE_PINNED; i++) ns_layer_values_clear(&profile->pinned[i]);
}

const NsFigureClass ns_profile_class = {sizeof(Profile), NULL, update, clear,
                                        NS_SEEDS_MEAN_BY_LAYER};
