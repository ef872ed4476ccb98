/* SPDX-License-Identifier: MIT */
#include "core/probe/past.h"

static void take_record(NsHistory *history, const NsHistory *past, size_t record, NsValues values)
{
    const NsRecordLayout *to = ns_history_layout(history), *from = ns_history_layout(past);
    ns_values_reset(values, to->width);
    for (unsigned q = 0; q < G_N_ELEMENTS(to->count); q++) {
        if (to->count[q] == 0 || to->count[q] != from->count[q]) continue;
        bool *has = values.has + to->offset[q];
        NsBucket bucket =
            ns_history_read(past, (NsQuantity)q, record, values.value + to->offset[q], NULL, has);
        for (size_t i = 0; bucket.first < bucket.last && i < to->count[q]; i++) has[i] = false;
    }
    ns_history_append(history, ns_history_step(past, record), values);
}

void ns_history_take_past(NsHistory *history, const NsHistory *past, int64_t end)
{
    size_t records = ns_history_steps(past), evaluations = ns_history_evaluations(past);
    g_auto(NsValues) values = ns_values_new(ns_history_layout(history)->width);
    for (size_t i = 0; i < records && ns_history_step(past, i)->step < end; i++)
        take_record(history, past, i, values);
    for (size_t i = 0; i < evaluations; i++)
        if (ns_history_evaluation(past, i)->step < end)
            ns_history_append_evaluation(history, ns_history_evaluation(past, i));
    for (size_t i = 0; i < ns_history_continuations(past); i++)
        if (ns_history_continuation(past, i)->step < end)
            ns_history_append_continuation(history, ns_history_continuation(past, i));
    for (size_t i = 0; i < ns_history_events(past); i++) {
        const NsEvent *event = ns_history_event(past, i);
        bool before = event->kind == NS_EVENT_SETTING ? event->step <= end : event->step < end;
        if (before) ns_history_append_event(history, event);
    }
}
