/* SPDX-License-Identifier: MIT */
#include "core/base/words.h"
#include "ui/figures/figure.h"

/* Changes of one setting that are closer than this part of the run share a marker: a slider that is
 * dragged makes one at every step. */
#define CLOSE 25

bool ns_source_follow(NsSource *source, NsHistory *history)
{
    if (source->history == history) return false;
    NsHistory *old = source->history;
    *source = (NsSource){.history = history ? ns_history_ref(history) : NULL};
    if (old) ns_history_unref(old);
    return true;
}

/* Whether every run has this change at the same step: it was made to all of them. */
static bool is_common(const NsFigureInput *input, const NsEvent *event)
{
    for (unsigned i = 0; i < ns_figure_runs(input); i++) {
        const NsHistory *history = ns_figure_run(input, i).history;
        bool found = false;
        for (size_t k = history ? ns_history_events(history) : 0; k-- > 0 && !found;) {
            const NsEvent *other = ns_history_event(history, k);
            if (other->step < event->step) break;
            found = other->step == event->step && other->kind == event->kind &&
                    g_str_equal(other->what, event->what);
        }
        if (!found) return false;
    }
    return true;
}

static const char *event_word(const NsEvent *event)
{
    switch (event->kind) {
    case NS_EVENT_DIVERGED:
        return _("diverged");
    case NS_EVENT_SPIKE:
        return _("spike");
    case NS_EVENT_SETTING:
        break;
    }
    /* As it is called in captions, where others go by their keys. */
    return g_str_equal(event->what, "warmup") ? _("warm-up") : event->what;
}

static NsMarker marker_of(NsFigure *figure, const NsFigureInput *input, unsigned run,
                          const NsEvent *event, bool common)
{
    const char *what = event_word(event);
    g_autofree char *words = common ? g_strdup(what) : ns_figure_run_words(input, run, what);
    return (NsMarker){.x = (double)event->step,
                      .text = g_string_chunk_insert_const(figure->marker_texts, words),
                      .alarm = event->kind != NS_EVENT_SETTING,
                      .style = ns_figure_runs(input) > 1 && !common ? run + 1 : 0};
}

static void add_events(NsFigure *figure, const NsFigureInput *input, unsigned run)
{
    const NsHistory *history = ns_figure_run(input, run).history;
    size_t steps = ns_history_steps(history);
    guint first = figure->markers->len;
    for (size_t i = 0; i < ns_history_events(history); i++) {
        const NsEvent *event = ns_history_event(history, i);
        bool common = event->kind == NS_EVENT_SETTING && is_common(input, event);
        if (common && run > 0) continue; /* It stands with those of the first. */
        NsMarker marker = marker_of(figure, input, run, event, common);
        guint n = figure->markers->len;
        NsMarker *last = n > first ? &g_array_index(figure->markers, NsMarker, n - 1) : NULL;
        if (last && g_str_equal(last->text, marker.text) &&
            marker.x - last->x <= (double)(steps / CLOSE))
            *last = marker;
        else
            g_array_append_val(figure->markers, marker);
    }
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

bool ns_figure_mark_events(NsFigure *figure, const NsFigureInput *input)
{
    bool stale = false;
    for (unsigned i = 0; i < NS_FIGURE_LANES; i++) {
        NsHistory *history = i < ns_figure_runs(input) ? ns_figure_run(input, i).history : NULL;
        NsSource *source = &figure->events[i];
        size_t events = history ? ns_history_events(history) : 0;
        size_t steps = history ? ns_history_steps(history) : 0;
        stale |= ns_source_follow(source, history);
        stale |= events != source->events || (events && steps != source->steps);
        source->events = events;
        source->steps = steps;
    }
    if (!stale) return false;

    /* What is close depends on how long a run is, so the few markers are made afresh. */
    g_autoptr(GArray) old = g_array_copy(figure->markers);
    g_array_set_size(figure->markers, 0);
    for (unsigned i = 0; i < ns_figure_runs(input); i++)
        if (ns_figure_run(input, i).history) add_events(figure, input, i);
    return !same_markers(old, figure->markers);
}

static bool mark(NsFigure *figure, bool shown, NsSpan span)
{
    NsPlot *plot = &figure->plot;
    bool same =
        !shown || (figure->spans[0].from <= span.from && figure->spans[0].from >= span.from);
    if (shown == (plot->n_spans > 0) && same) return false;
    figure->spans[0] = span;
    plot->spans = figure->spans;
    plot->n_spans = shown;
    return true;
}

bool ns_figure_mark_layer(NsFigure *figure, int layer)
{
    return mark(figure, layer > 0, (NsSpan){.from = layer - 0.5, .to = layer + 0.5});
}

bool ns_figure_mark_step(NsFigure *figure, const NsFigureInput *input)
{
    double step = (double)ns_figure_viewed(input);
    return mark(figure, step >= 0, (NsSpan){.from = step, .to = step});
}
