/* Spikes and divergences, and what may help.  SPDX-License-Identifier: MIT */
#include "ui/widgets/lab-private.h"

void ns_lab_poll_trouble(NsLab *lab)
{
    bool news = false;
    for (size_t lane = 0; lane < lab->view->n_lanes; lane++) {
        NsHistory *history = lab->view->lanes[lane].history;
        size_t n = history ? ns_history_events(history) : 0;
        for (size_t i = lab->events_seen[lane]; i < n; i++) {
            const NsEvent *event = ns_history_event(history, i);
            if (event->kind == NS_EVENT_SETTING) continue;
            lab->trouble =
                (NsTrouble){(int)lane, event->step, event->kind != NS_EVENT_DIVERGED, event};
            news = true;
        }
        lab->events_seen[lane] = n;
    }
    if (news) ns_lab_emit(lab, NS_LAB_STATUS_CHANGED);
}

bool ns_lab_trouble(NsLab *lab, NsTrouble *trouble)
{
    *trouble = lab->trouble;
    return lab->trouble.event != NULL;
}

void ns_lab_dismiss_trouble(NsLab *lab)
{
    lab->trouble = (NsTrouble){0};
    ns_lab_emit(lab, NS_LAB_STATUS_CHANGED);
}

bool ns_lab_cure(NsLab *lab, size_t lane, const char *key, const char *value)
{
    NsTrouble trouble = lab->trouble;
    int64_t before = trouble.event ? trouble.step - 1 : ns_lab_shown_step(lab);
    if (!ns_lab_can_fork(lab) || !ns_lab_set_lane(lab, lane, key, value)) return false;
    lab->wants_run = true;
    if (ns_lab_can_restart(lab) && ns_lab_start_at(lab, before)) return true;
    lab->wants_run = false;
    return false;
}
