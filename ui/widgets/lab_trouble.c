/* Spikes and divergences, and what may help.  SPDX-License-Identifier: MIT */
#include "ui/widgets/lab-private.h"

/* Records before a jump that it is measured against. */
#define BEFORE 10

static double jumping(const NsStep *step, const NsEvent *event)
{
    return g_str_equal(event->what, "loss") ? step->loss : step->grad_norm;
}

/* What jumped, as a multiple of its mean before. */
static double size_of(const NsHistory *history, const NsEvent *event)
{
    size_t at = (size_t)(event->step - ns_history_first_step(history));
    size_t first = at > BEFORE ? at - BEFORE : 0;
    double sum = 0.0;
    for (size_t i = first; i < at; i++) sum += jumping(ns_history_step(history, i), event);
    return at ? jumping(ns_history_step(history, at), event) * (double)(at - first) / sum : 0.0;
}

/* The later one tells more; of one step a divergence does, then the larger jump, then the earlier
 * lane. */
static bool matters_more(NsLab *lab, const NsTrouble *news, const NsTrouble *known)
{
    if (!known->event || news->step != known->step)
        return !known->event || news->step > known->step;
    if (news->spike != known->spike) return known->spike;
    if (!news->spike) return news->lane < known->lane;
    double left = size_of(lab->view->lanes[news->lane].history, news->event);
    double right = size_of(lab->view->lanes[known->lane].history, known->event);
    return left != right ? left > right : news->lane < known->lane;
}

void ns_lab_poll_trouble(NsLab *lab)
{
    bool news = false;
    for (size_t lane = 0; lane < lab->view->n_lanes; lane++) {
        NsHistory *history = lab->view->lanes[lane].history;
        size_t n = history ? ns_history_events(history) : 0;
        for (size_t i = lab->events_seen[lane]; i < n; i++) {
            const NsEvent *event = ns_history_event(history, i);
            if (event->kind == NS_EVENT_SETTING) continue;
            NsTrouble trouble = {(int)lane, event->step, event->kind != NS_EVENT_DIVERGED, event};
            if (!matters_more(lab, &trouble, &lab->trouble)) continue;
            lab->trouble = trouble;
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

bool ns_lab_remedy(NsLab *lab, size_t lane, const char *key, const char *value)
{
    NsTrouble trouble = lab->trouble;
    int64_t before = trouble.event ? trouble.step - 1 : ns_lab_shown_step(lab);
    if (!ns_lab_can_fork(lab) || !ns_lab_set_lane(lab, lane, key, value)) return false;
    lab->wants_run = true;
    if (ns_lab_can_restart(lab) && ns_lab_start_at(lab, before)) return true;
    lab->wants_run = false;
    return false;
}
