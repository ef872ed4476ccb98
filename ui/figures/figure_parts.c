/* Functions shared by all figures: runs, text and markers.  SPDX-License-Identifier: MIT */
#include "core/base/digits.h"
#include "core/base/words.h"
#include "core/experiment/param.h"
#include "ui/figures/figure.h"
#include "ui/figures/settings_caption.h"
#include "ui/plot/text.h"

#include <math.h>

/* Changes of one setting share a marker if they are closer than 1/CLOSE of the run, since dragging
 * a slider makes a change at every step. */
#define CLOSE 25

void ns_figure_text(NsFigure *figure, const char **slot, char *text)
{
    if (g_strcmp0(*slot, text) == 0) {
        g_free(text);
        return;
    }
    g_free((gpointer)(guintptr)*slot);
    *slot = text;
    figure->changed = true;
}

void ns_figure_add_sentence(GString *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (text->len) g_string_append_c(text, ' ');
    g_string_append_vprintf(text, format, arguments);
    va_end(arguments);
}

bool ns_source_follow(NsSource *source, NsHistory *history)
{
    if (source->history == history) return false;
    NsHistory *old = source->history;
    *source = (NsSource){.history = history ? ns_history_ref(history) : NULL};
    if (old) ns_history_unref(old);
    return true;
}

NsHeatmap ns_figure_cells(const float *z, size_t rows, size_t columns, double first)
{
    double edge = first - 0.5;
    return (NsHeatmap){.z = z,
                       .rows = rows,
                       .columns = columns,
                       .x0 = edge,
                       .x1 = edge + (double)columns,
                       .y0 = edge,
                       .y1 = edge + (double)rows};
}

/* ---- Runs ---- */

unsigned ns_figure_runs(const NsFigureInput *input)
{
    return MAX(MIN(input->n_lanes, NS_LANES_MAX), 1);
}

NsFigureRun ns_figure_run(const NsFigureInput *input, unsigned i)
{
    if (input->n_lanes > 1) return input->lanes[i];
    return (NsFigureRun){
        .history = input->history, .settings = input->settings, .started = input->started};
}

NsFigureInput ns_figure_input_of(const NsFigureInput *input, unsigned i)
{
    NsFigureInput one = *input;
    NsFigureRun run = ns_figure_run(input, i);
    one.history = run.history;
    one.settings = run.settings;
    one.started = run.started;
    one.name = input->n_lanes > 1 ? run.name : input->name;
    if (input->n_lanes > 1) one.lane = i;
    one.n_beside = MAX(input->n_lanes, input->n_beside);
    one.n_lanes = 0;
    return one;
}

NsQuantity ns_figure_quantity(const NsFigureKind *kind, const NsFigureInput *input)
{
    if (kind->subject == NS_SUBJECT_GRADIENT) return input->gradient;
    return kind->subject == NS_SUBJECT_HIDDEN ? input->hidden : input->quantity;
}

size_t ns_figure_seeds(const NsFigureInput *input)
{
    size_t most = 1;
    for (unsigned i = 0; i < ns_figure_runs(input); i++) {
        const NsHistory *history = ns_figure_run(input, i).history;
        if (history) most = MAX(most, ns_history_seeds(history));
    }
    return most;
}

unsigned ns_figure_active(const NsFigureInput *input)
{
    for (unsigned i = 0; input->n_lanes > 1 && i < ns_figure_runs(input); i++)
        if (input->lanes[i].history == input->history) return i;
    return 0;
}

/* Collects the settings with which all runs began; FALSE if a run has none. */
static bool find_settings(const NsFigureInput *input, const NsSettings *settings[NS_LANES_MAX])
{
    for (unsigned i = 0; i < ns_figure_runs(input); i++) {
        NsFigureRun run = ns_figure_run(input, i);
        if (!(settings[i] = run.started ? run.started : run.settings)) return false;
    }
    return true;
}

/* The name of a run with the settings that distinguish it. */
static char *name_words(const NsFigureInput *input, const NsSettings *const *settings, unsigned i)
{
    g_autofree char *own = ns_settings_special_words(settings, ns_figure_runs(input), i);
    g_autofree char *special = ns_text_literal(own);
    return *special ? ns_figure_run_words(input, i, special)
                    : g_strdup(ns_figure_run(input, i).name);
}

char *ns_figure_run_label(const NsFigureInput *input, unsigned i)
{
    const NsSettings *settings[NS_LANES_MAX];
    bool named = ns_figure_runs(input) > 1 && input->named & 1u << i;
    if (named || !find_settings(input, settings)) return g_strdup(ns_figure_run(input, i).name);
    return name_words(input, settings, i);
}

char *ns_figure_run_words(const NsFigureInput *input, unsigned i, const char *words)
{
    if (ns_figure_runs(input) < 2) return g_strdup(words);
    const char *name = ns_figure_run(input, i).name;
    if (input->named & 1u << i)
        return g_str_equal(name, words) ? g_strdup(name) : g_strdup_printf("%s: %s", name, words);
    /* Translators: the name of a lane, such as A, and what is said of it. */
    return g_strdup_printf(C_("lane", "%s %s"), name, words);
}

/* ---- Text ---- */

int64_t ns_figure_first_change(const NsHistory *history)
{
    for (size_t i = 0; history && i < ns_history_events(history); i++) {
        const NsEvent *event = ns_history_event(history, i);
        /* A setting changed after the last step is for the next run. */
        bool effective = event->step > 1 && event->step <= ns_history_last_step(history);
        if (event->kind != NS_EVENT_SETTING || !effective) continue;
        const NsParam *param = ns_param_find(event->what);
        if (!param || !ns_param_is_of_run(param)) return event->step;
    }
    return 0;
}

char *ns_figure_previous_label(const NsFigureInput *input)
{
    const NsSettings *own = input->started ? input->started : input->settings;
    if (!input->previous_settings || !own) return g_strdup(_("previous run"));
    g_autofree char *difference = ns_settings_difference(input->previous_settings, own);
    bool changed = ns_figure_first_change(input->previous) > 0;
    return g_strdup_printf(changed ? _("previous run: %s (changed)") : _("previous run: %s"),
                           difference);
}

char *ns_figure_absent(NsQuantity quantity, const NsFigureInput *input)
{
    const NsQuantityInfo *info = ns_quantity(quantity);
    if (!input->settings) return g_strdup_printf(_("This run did not record %s."), info->symbol);
    if (info->every && input->pending) return g_strdup(input->pending);
    if (info->every && !info->validated &&
        ns_settings_get_number(input->settings, ns_param_find(info->every)) < 1)
        return g_strdup_printf(_("Not measured: “%s” is off."),
                               _(ns_param_find(info->every)->label));
    return g_strdup_printf(_("This model has no %s."), info->symbol);
}

const char *ns_figure_axis(NsQuantity quantity, const NsHistory *history)
{
    const NsRecordLayout *layout = history ? ns_history_layout(history) : NULL;
    bool two = layout && layout->hidden > layout->layers + 1;
    NsDomain domain = ns_quantity(quantity)->domain;
    if (domain == NS_DOMAIN_HEAD) return _("head (layer by layer)");
    if (domain == NS_DOMAIN_HIDDEN)
        return two ? _("state (encoder, decoder)") : _("layer (0: embedding)");
    return two ? _("layer (encoder, decoder)") : _("layer");
}

NsScaleKind ns_figure_scale(NsQuantity quantity, const NsFigureInput *input)
{
    return input->log && !ns_quantity(quantity)->unit ? NS_SCALE_LOG : NS_SCALE_LINEAR;
}

int64_t ns_figure_record_at(const NsHistory *history, int64_t step)
{
    int64_t newest = history ? (int64_t)ns_history_steps(history) - 1 : -1;
    if (newest < 0 || step < 0) return newest;
    return ns_history_record(history, step);
}

int64_t ns_figure_record(const NsHistory *history, int64_t step)
{
    int64_t record = ns_figure_record_at(history, step);
    return history && ns_history_steps(history) ? MAX(record, 0) : record;
}

int64_t ns_figure_newest(const NsFigureInput *input)
{
    int64_t going = -1, ended = -1;
    for (unsigned i = 0; i < ns_figure_runs(input); i++) {
        const NsHistory *history = ns_figure_run(input, i).history;
        int64_t newest = history ? ns_history_last_step(history) : -1;
        if (newest < 0) continue;
        if (ns_history_divergence(history))
            ended = MAX(ended, newest);
        else
            going = going < 0 ? newest : MIN(going, newest);
    }
    return going >= 0 ? going : ended;
}

int64_t ns_figure_record_shown(const NsHistory *history, const NsFigureInput *input)
{
    if (ns_figure_runs(input) < 2) return ns_figure_record(history, input->step);
    return ns_figure_record_at(history, input->step < 0 ? ns_figure_newest(input) : input->step);
}

int64_t ns_figure_viewed(const NsFigureInput *input)
{
    int64_t newest = -1;
    for (unsigned i = 0; i < ns_figure_runs(input); i++) {
        const NsHistory *history = ns_figure_run(input, i).history;
        if (history) newest = MAX(newest, ns_history_last_step(history));
    }
    return input->step < newest ? input->step : -1;
}

unsigned ns_figure_first_layer(NsQuantity quantity)
{
    return ns_quantity(quantity)->domain == NS_DOMAIN_HIDDEN ? 0 : 1;
}

/* Converts a sentence of core to a string of NsPlot: "W_tok" becomes "W_{tok}". */
static char *with_subscripts(const char *sentence)
{
    GString *words = g_string_new(NULL);
    for (; *sentence; sentence++) {
        size_t length = *sentence == '_' ? strspn(sentence + 1, G_CSET_A_2_Z G_CSET_a_2_z) : 0;
        g_string_append_c(words, *sentence);
        if (length < 2) continue;
        g_string_append_printf(words, "{%.*s}", (int)length, sentence + 1);
        sentence += length;
    }
    return g_string_free(words, FALSE);
}

/* The divergences of all runs, whose length in bytes is *of_runs, followed by `note`, of which it
 * takes ownership. */
static char *joined_note(const NsFigureInput *input, char *note, size_t *of_runs)
{
    g_autofree char *taken = note;
    GString *words = g_string_new(NULL);
    for (unsigned i = 0; i < ns_figure_runs(input); i++) {
        NsFigureRun run = ns_figure_run(input, i);
        const NsEvent *event = ns_history_last_event(run.history, NS_EVENT_DIVERGED);
        if (!event || (input->cut && event->step > input->step)) continue;
        bool several = ns_figure_runs(input) > 1;
        g_autofree char *marked_up = with_subscripts(event->text);
        ns_figure_add_sentence(words, "%s%s%s", several ? run.name : "", several ? ": " : "",
                               marked_up);
    }
    *of_runs = words->len;
    if (note) ns_figure_add_sentence(words, "%s", taken);
    return g_string_free(words, words->len == 0);
}

/* "A Post-LN; B Pre-LN; 6 layers, lr 0.003, no warm-up (changed at step 236)"; *differ is the
 * length in bytes of the part in which the runs differ. */
static char *settings_words(const NsFigureInput *input, size_t *differ)
{
    unsigned n = ns_figure_runs(input);
    const NsSettings *settings[NS_LANES_MAX];
    *differ = 0;
    if (!find_settings(input, settings)) return g_strdup("");
    GString *words = g_string_new(NULL);
    for (unsigned i = 0; i < n && n > 1; i++) {
        g_autofree char *run = name_words(input, settings, i);
        g_string_append_printf(words, "%s%s", i ? "; " : "", run);
    }
    *differ = words->len;
    if (n == 1 && input->name) g_string_append(words, input->name);
    g_autofree char *alike = ns_settings_common_words(settings, n);
    g_autofree char *common = ns_text_literal(alike);
    const char *between = n > 1 ? "; " : " ";
    if (*common) g_string_append_printf(words, "%s%s", words->len ? between : "", common);
    int64_t changed = 0;
    for (unsigned i = 0; i < n; i++) {
        int64_t at = ns_figure_first_change(ns_figure_run(input, i).history);
        if (at && (!changed || at < changed)) changed = at;
    }
    g_autofree char *step = ns_group_digits(changed);
    if (changed) g_string_append_printf(words, _(" (changed at step %s)"), step);
    return g_string_free(words, FALSE);
}

char *ns_figure_step_words(int64_t step)
{
    g_autofree char *digits = ns_group_digits(step);
    return g_strdup_printf(_("step %s"), digits);
}

/* The number of seeds of which the figure shows the first; 1 if it shows all. */
static size_t first_of_seeds(const NsFigure *figure, const NsFigureInput *input)
{
    NsSeedsShown shown = figure->kind->class->seeds;
    size_t seeds = ns_figure_seeds(input);
    if (shown != NS_SEEDS_ALIKE && input->of_seeds > seeds) return input->of_seeds;
    return shown == NS_SEEDS_FIRST ? seeds : 1;
}

char *ns_figure_moment(const NsFigure *figure, const NsFigureInput *input, int64_t step)
{
    g_autofree char *words = ns_figure_step_words(step);
    size_t seeds = first_of_seeds(figure, input);
    if (seeds < 2) return g_steal_pointer(&words);
    return g_strdup_printf(_("%s, seed 1 of %zu"), words, seeds);
}

void ns_figure_words(NsFigure *figure, const NsFigureInput *input, NsFigureWords words)
{
    g_autofree char *settings = settings_words(input, &figure->plot.special);
    char *moment = words.step < 0 ? NULL : ns_figure_moment(figure, input, words.step);
    size_t seeds = first_of_seeds(figure, input);
    char *subtitle = g_strconcat(settings, *settings && moment ? ", " : "", moment, NULL);
    ns_figure_text(figure, &figure->plot.title, g_strdup(words.title));
    ns_figure_text(figure, &figure->plot.subtitle, subtitle);
    ns_figure_text(figure, &figure->plot.moment, moment);
    ns_figure_text(figure, &figure->plot.seed,
                   seeds > 1 ? g_strdup_printf(_("seed 1 of %zu"), seeds) : NULL);
    /* "A Post-LN" for a lane that is shown alone. */
    bool placed = input->name && input->settings;
    g_autofree char *placement = placed ? ns_settings_placement_words(input->settings) : NULL;
    ns_figure_text(figure, &figure->plot.run,
                   placed ? g_strdup_printf("%s %s", input->name, placement)
                          : g_strdup(input->name));
    ns_figure_text(figure, &figure->plot.note,
                   joined_note(input, words.note, &figure->plot.of_runs));
    ns_figure_text(figure, &figure->plot.empty,
                   g_strdup(words.empty ? words.empty : _("No step has been measured yet.")));
}

/* ---- Markers and spans ---- */

/* A lane is stuck until the mean of this many losses is clearly lower than that of the frequencies
 * of the tokens; it does not become stuck again, since a word that comes and goes moves the chart.
 * Of a very long run about STUCK_LOOKS such means are looked at. */
#define STUCK_RECORDS ((size_t)25)
#define STUCK_NEAR 0.05
#define STUCK_LOOKS 500

NsPlateau ns_figure_plateau(const NsFigureInput *input, const NsHistory *history)
{
    const NsEvent *event = ns_history_last_event(history, NS_EVENT_STUCK);
    double level = history ? ns_history_baselines(history).frequencies : (double)NAN;
    if (!event || isnan(level) || (input->cut && event->step > input->step))
        return NS_PLATEAU_ELSEWHERE;
    size_t n = ns_history_steps(history);
    size_t from = (size_t)MAX(ns_history_record(history, event->step), 0);
    if (input->cut) n = (size_t)(ns_history_record(history, input->step) + 1);
    size_t means = n > from ? (n - from) / STUCK_RECORDS : 0, apart = 1;
    while (means / apart > STUCK_LOOKS) apart *= 2; /* the places stay as the run goes on */
    double mean = level;
    for (size_t k = 0; k < means; k += apart) {
        mean = 0;
        for (size_t i = 0; i < STUCK_RECORDS; i++)
            mean += ns_history_step(history, from + k * STUCK_RECORDS + i)->loss / STUCK_RECORDS;
        if (mean < (1 - STUCK_NEAR) * level) return NS_PLATEAU_LEARNED;
    }
    return mean <= (1 + STUCK_NEAR) * level ? NS_PLATEAU_STUCK : NS_PLATEAU_ELSEWHERE;
}

/* The event of the same kind at the same step in a run, and for a change also of the same
 * setting; NULL if there is none, or if the run got stuck then and has learned since, or is one of
 * several seeds, whose number the legend has. */
static const NsEvent *find_event(const NsFigureInput *input, unsigned run, const NsEvent *event)
{
    const NsHistory *history = ns_figure_run(input, run).history;
    if (input->cut && event->step > input->step) return NULL;
    for (size_t k = history ? ns_history_events(history) : 0; k-- > 0;) {
        const NsEvent *other = ns_history_event(history, k);
        if (other->step < event->step) break;
        if (other->step == event->step && other->kind == event->kind &&
            (event->kind != NS_EVENT_SETTING || g_str_equal(other->what, event->what)))
            return event->kind == NS_EVENT_STUCK &&
                           (ns_history_seeds(history) > 1 ||
                            ns_figure_plateau(input, history) != NS_PLATEAU_STUCK)
                       ? NULL
                       : other;
    }
    return NULL;
}

/* The sentences of an event, one line for each run. */
static char *sentences_of(const NsFigureInput *input, unsigned runs, const NsEvent *event)
{
    GString *all = g_string_new(NULL);
    for (unsigned i = 0; i < ns_figure_runs(input); i++) {
        if (!(runs & 1u << i)) continue;
        const NsEvent *own = find_event(input, i, event);
        g_string_append_printf(all, "%s%s: %s", all->len ? "\n" : "", ns_figure_run(input, i).name,
                               own->text);
    }
    return g_string_free(all, FALSE);
}

static NsMarker marker_of(NsFigure *figure, const NsFigureInput *input, unsigned runs,
                          const NsEvent *event)
{
    static const char *const kinds[] = {
        [NS_EVENT_DIVERGED] = N_("diverged"),
        [NS_EVENT_SPIKE] = N_("spike"),
        [NS_EVENT_STUCK] = N_("stuck"),
        [NS_EVENT_FIRST_LOSS] = N_("high first loss"),
        [NS_EVENT_SETTING] = NULL,
    };
    /* The same text as in captions, where other settings have their keys. */
    const char *what = kinds[event->kind]                   ? _(kinds[event->kind])
                       : g_str_equal(event->what, "warmup") ? _("warm-up")
                                                            : event->what;
    unsigned run = (unsigned)g_bit_nth_lsf(runs, -1);
    const NsEvent *end = ns_history_divergence(ns_figure_run(input, run).history);
    bool diverged = event->kind == NS_EVENT_DIVERGED && end && end->step == event->step;
    if (event->kind == NS_EVENT_DIVERGED && !diverged) what = _("not finite");
    bool setting = event->kind == NS_EVENT_SETTING, shared = (runs & (runs - 1)) != 0;
    bool common = setting && runs == (1u << ns_figure_runs(input)) - 1;
    unsigned lane = MAX(ns_figure_run(input, run).lane, run);
    g_autofree char *sentence =
        shared && !common ? sentences_of(input, runs, event) : g_strdup(event->text);
    bool named = ns_figure_runs(input) > 1 && !common;
    g_autofree char *rest = g_strconcat(!named ? "" : input->named & runs ? ": " : " ", what, NULL);
    NsMarker marker = {.x = (double)event->step,
                       .sentence = g_string_chunk_insert_const(figure->marker_texts, sentence),
                       .lanes = named ? runs : 0,
                       .names = figure->lane_names,
                       .what = g_string_chunk_insert_const(figure->marker_texts, rest),
                       .alarm = event->kind == NS_EVENT_SPIKE || event->kind == NS_EVENT_DIVERGED,
                       .last = diverged,
                       .style = ns_figure_runs(input) > 1 && !shared ? lane + 1 : 0};
    g_autofree char *words = ns_marker_words(&marker);
    marker.text = g_string_chunk_insert_const(figure->marker_texts, words);
    return marker;
}

static bool same_markers(const GArray *a, const GArray *b)
{
    if (a->len != b->len) return false;
    for (guint i = 0; i < a->len; i++) {
        const NsMarker *p = &g_array_index(a, NsMarker, i), *q = &g_array_index(b, NsMarker, i);
        if (p->x != q->x || p->style != q->style || !g_str_equal(p->text, q->text)) return false;
    }
    return true;
}

void ns_figure_mark_events(NsFigure *figure, const NsFigureInput *input)
{
    bool stale = input->cut || figure->cut;
    figure->cut = input->cut;
    for (unsigned i = 0; i < NS_LANES_MAX; i++) {
        NsHistory *history = i < ns_figure_runs(input) ? ns_figure_run(input, i).history : NULL;
        NsSource *source = &figure->events[i];
        const char *name = history ? ns_figure_run(input, i).name : NULL;
        if (name) figure->lane_names[i] = g_string_chunk_insert_const(figure->marker_texts, name);
        size_t events = history ? ns_history_events(history) : 0;
        size_t steps = history ? ns_history_steps(history) : 0;
        stale |= ns_source_follow(source, history);
        stale |= events != source->events || (events && steps != source->steps);
        source->events = events;
        source->steps = steps;
    }
    if (!stale) return;

    /* Which markers are joined depends on the length of the run, so all markers are created again;
     * there are only a few. */
    g_autoptr(GArray) old = g_array_copy(figure->markers);
    g_array_set_size(figure->markers, 0);
    for (unsigned run = 0; run < ns_figure_runs(input); run++) {
        const NsHistory *history = ns_figure_run(input, run).history;
        guint first = figure->markers->len;
        for (size_t i = 0; history && i < ns_history_events(history); i++) {
            const NsEvent *event = ns_history_event(history, i);
            unsigned runs = 0; /* those that share the marker, as bits; the first of them has it */
            for (unsigned k = 0; k < ns_figure_runs(input); k++)
                if (find_event(input, k, event)) runs |= 1u << k;
            if (g_bit_nth_lsf(runs, -1) != (gint)run) continue; /* -1 if none has it */
            NsMarker marker = marker_of(figure, input, runs, event);
            guint n = figure->markers->len;
            NsMarker *last = n > first ? &g_array_index(figure->markers, NsMarker, n - 1) : NULL;
            if (last && g_str_equal(last->text, marker.text) &&
                marker.x - last->x <= (double)(ns_history_steps(history) / CLOSE))
                *last = marker;
            else
                g_array_append_val(figure->markers, marker);
        }
    }
    figure->changed |= !same_markers(old, figure->markers);
}

static void mark(NsFigure *figure, bool shown, NsSpan span)
{
    NsPlot *plot = &figure->plot;
    bool same =
        !shown || (figure->spans[0].from <= span.from && figure->spans[0].from >= span.from);
    if (shown == (plot->n_spans > 0) && same) return;
    figure->spans[0] = span;
    plot->spans = figure->spans;
    plot->n_spans = shown;
    figure->changed = true;
}

void ns_figure_mark_layer(NsFigure *figure, int layer)
{
    mark(figure, layer > 0, (NsSpan){.from = layer - 0.5, .to = layer + 0.5});
}

void ns_figure_mark_step(NsFigure *figure, const NsFigureInput *input)
{
    double step = (double)ns_figure_viewed(input);
    mark(figure, step >= 0, (NsSpan){.from = step, .to = step});
}

/* A run is wild if its values exceed those of the others by WILD_*; the axis ends at ABOVE_* times
 * the largest of the others.  The factors are larger for logarithmic axes, where equal factors have
 * equal lengths. */
#define WILD_LINEAR 3
#define WILD_LOG 100
#define ABOVE_LINEAR 1.2
#define ABOVE_LOG 2

double ns_wild_find(NsWildRun *runs, size_t n, NsScaleKind scale)
{
    bool linear = scale == NS_SCALE_LINEAR, any = false;
    double most = 0;
    for (size_t i = 0; i < n; i++)
        if (!ns_history_divergence(runs[i].history)) most = MAX(most, runs[i].most);
    for (size_t i = 0; i < n; i++) {
        runs[i].wild = most > 0 && ns_history_divergence(runs[i].history) &&
                       runs[i].most > (linear ? WILD_LINEAR : WILD_LOG) * most;
        any |= runs[i].wild;
    }
    return any ? (linear ? ABOVE_LINEAR : ABOVE_LOG) * most : (double)NAN;
}

NsSeries ns_figure_key(const char *label)
{
    static const double nowhere[] = {(double)NAN};
    return (NsSeries){.label = label,
                      .kind = NS_SERIES_LINE,
                      .previous = true,
                      .n = 1,
                      .x = nowhere,
                      .y = nowhere};
}

void ns_wild_note(GString *words, const NsWildRun *runs, size_t n, bool colors)
{
    for (size_t i = 0; i < n; i++) {
        if (!runs[i].wild) continue;
        g_autofree char *most = ns_text_number(runs[i].most, 2);
        ns_figure_add_sentence(
            words,
            colors ? _("Values of %s above the color scale, up to %s, have its last color.")
                   : _("%s is off the scale: up to %s."),
            runs[i].name, most);
    }
}

NsRange ns_wild_colors(NsWildRun *runs, size_t n, NsScaleKind scale, NsRange all)
{
    NsRange range = {INFINITY, -INFINITY};
    if (isnan(ns_wild_find(runs, n, scale))) return all;
    for (size_t i = 0; i < n; i++) {
        if (runs[i].wild || !(runs[i].most > 0)) continue;
        range.lo = MIN(range.lo, runs[i].least);
        range.hi = MAX(range.hi, runs[i].most);
    }
    if (range.lo < range.hi) return range;
    for (size_t i = 0; i < n; i++) runs[i].wild = false;
    return all;
}

void ns_token_source_follow(NsTokenSource *tokens, NsFigure *figure, NsHistory *history)
{
    if (figure->others) tokens->there = false;
    size_t records = history ? ns_history_steps(history) : 0;
    if (!records) return;
    /* The snapshot has about a megabyte and is copied only if it is new. */
    size_t record = ns_history_measured(history, NS_QUANTITY_TOKEN_COSINE, records - 1);
    if (tokens->there && record == tokens->record) return;
    bool there = ns_history_token_snapshot(history, &tokens->snapshot);
    tokens->record = record;
    figure->changed |= there || tokens->there;
    tokens->there = there;
}

char *ns_figure_newest_note(const NsFigureInput *input, bool there, int64_t newest)
{
    if (!there || input->step < 0 || input->step == newest) return NULL;
    g_autofree char *step = ns_group_digits(newest);
    return g_strdup_printf(_("Only the newest measurement is kept; this one is from step %s."),
                           step);
}

/* Whether the expensive quantities were measured at any step. */
static bool was_measured(const NsHistory *history)
{
    const NsQuantity expensive = NS_QUANTITY_TOKEN_COSINE;
    size_t records = ns_history_steps(history), n = ns_history_layout(history)->count[expensive];
    if (!records || !n) return false;
    g_autofree bool *has = g_new(bool, n);
    ns_history_read(history, expensive, ns_history_measured(history, expensive, records - 1), NULL,
                    NULL, has);
    return has[n - 1];
}

char *ns_token_source_empty(const NsFigureInput *input)
{
    const NsHistory *history = input->history;
    if (input->pending) return g_strdup(input->pending);
    if (history && !input->settings) return g_strdup(_("This run did not record it."));
    if (history && ns_history_layout(history)->probe_every < 1)
        return g_strdup_printf(_("Not measured: “%s” is off."),
                               _(ns_param_find("probe-every")->label));
    /* It was measured but is not in memory: the history was read from a file, which does not
     * contain it. */
    if (history && was_measured(history))
        return g_strdup(_("A run file does not contain this; run the experiment again to see it."));
    return NULL;
}
