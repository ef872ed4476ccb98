/* SPDX-License-Identifier: MIT */
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

static const char *event_word(const NsEvent *event)
{
    if (event->kind == NS_EVENT_DIVERGED) return "diverged";
    return event->what;
}

bool ns_figure_mark_events(NsFigure *figure, NsHistory *history)
{
    NsSource *source = &figure->events;
    bool changed = ns_source_follow(source, history);
    size_t events = history ? ns_history_events(history) : 0;
    size_t steps = history ? ns_history_steps(history) : 0;
    if (!changed && events == source->events && steps == source->steps) return false;

    /* What is close depends on how long the run is, so the few markers are made afresh. */
    g_autoptr(GArray) old = g_array_copy(figure->markers);
    g_array_set_size(figure->markers, 0);
    for (size_t i = 0; i < events; i++) {
        const NsEvent *event = ns_history_event(history, i);
        NsMarker marker = {.x = (double)event->step,
                           .text = event_word(event),
                           .alarm = event->kind == NS_EVENT_DIVERGED};
        guint n = figure->markers->len;
        NsMarker *last = n ? &g_array_index(figure->markers, NsMarker, n - 1) : NULL;
        if (last && g_str_equal(last->text, marker.text) &&
            marker.x - last->x <= (double)(steps / CLOSE))
            *last = marker;
        else
            g_array_append_val(figure->markers, marker);
    }
    source->events = events;
    source->steps = steps;
    if (changed || old->len != figure->markers->len) return true;
    for (guint i = 0; i < old->len; i++)
        if (g_array_index(old, NsMarker, i).x != g_array_index(figure->markers, NsMarker, i).x)
            return true;
    return false;
}
