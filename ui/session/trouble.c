/* Spikes and divergences, and applying a remedy.  SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

#include <float.h>
#include <math.h>

/* The number of records before a spike whose mean it is compared with. */
#define BEFORE 10

static double jumping(const NsStep *step, const NsEvent *event)
{
    return g_str_equal(event->what, "loss") ? step->loss : step->grad_norm;
}

/* Whether the first update was impossible because the squares of the gradients at step 0 overflow
 * single precision. */
static bool is_huge(const NsHistory *history, const NsEvent *event)
{
    int64_t first = ns_history_record(history, 0);
    return event->kind == NS_EVENT_DIVERGED && event->step == 1 && first >= 0 &&
           ns_history_step(history, (size_t)first)->grad_norm > sqrt((double)FLT_MAX);
}

/* The size of a spike, as a multiple of the mean before it. */
static double size_of(const NsHistory *history, const NsEvent *event)
{
    size_t at = (size_t)MAX(ns_history_record(history, event->step), 0);
    size_t first = at > BEFORE ? at - BEFORE : 0;
    double sum = 0.0;
    for (size_t i = first; i < at; i++) sum += jumping(ns_history_step(history, i), event);
    return at ? jumping(ns_history_step(history, at), event) * (double)(at - first) / sum : 0.0;
}

static const NsHistory *history_of(NsSession *session, const NsTrouble *trouble)
{
    return ns_history_seed(session->view->histories[trouble->lane], (size_t)trouble->seed);
}

/* The later trouble matters more; in one step a divergence, then the larger spike, then the first
 * lane. */
static bool matters_more(NsSession *session, const NsTrouble *news, const NsTrouble *known)
{
    if (!known->event || news->step != known->step)
        return !known->event || news->step > known->step;
    if (news->spike != known->spike) return known->spike;
    if (!news->spike) return news->lane < known->lane;
    double left = size_of(history_of(session, news), news->event);
    double right = size_of(history_of(session, known), known->event);
    return left != right ? left > right : news->lane < known->lane;
}

/* Reads the events of a seed since the last poll; true if one matters more than the known
 * trouble. */
static bool poll_seed(NsSession *session, size_t lane, size_t seed)
{
    NsHistory *history = ns_history_seed(session->view->histories[lane], seed);
    size_t n = ns_history_events(history);
    bool news = false;
    for (size_t i = session->events_seen[lane][seed]; i < n; i++) {
        const NsEvent *event = ns_history_event(history, i);
        if (event->kind == NS_EVENT_SETTING || event->kind == NS_EVENT_STUCK) continue;
        NsTrouble trouble = {.lane = (int)lane,
                             .seed = (int)seed,
                             .step = event->step,
                             .spike = event->kind != NS_EVENT_DIVERGED,
                             .first = event->step == 0,
                             .huge = is_huge(history, event),
                             .event = event};
        if (!matters_more(session, &trouble, &session->trouble)) continue;
        session->trouble = trouble;
        news = true;
    }
    session->events_seen[lane][seed] = n;
    return news;
}

void ns_session_poll_trouble(NsSession *session)
{
    bool news = false;
    for (size_t lane = 0; lane < session->view->started.n; lane++) {
        NsHistory *history = session->view->histories[lane];
        size_t seeds = history ? ns_history_seeds(history) : 0;
        for (size_t seed = 0; seed < seeds; seed++) news |= poll_seed(session, lane, seed);
    }
    if (news) g_signal_emit_by_name(session, "status-changed");
}

bool ns_session_trouble(NsSession *session, NsTrouble *trouble)
{
    *trouble = session->trouble;
    return session->trouble.event != NULL;
}

void ns_session_dismiss_trouble(NsSession *session)
{
    session->trouble = (NsTrouble){0};
    g_signal_emit_by_name(session, "status-changed");
}

bool ns_session_can_remedy(NsSession *session)
{
    return session->trouble.first || ns_session_can_fork(session);
}

bool ns_session_remedy(NsSession *session, size_t lane, const char *key, const char *value)
{
    NsTrouble trouble = session->trouble;
    int64_t before = trouble.event ? trouble.step - 1 : ns_session_shown_step(session);
    if (!ns_session_can_remedy(session) || !ns_session_set_lane(session, lane, key, value))
        return false;
    session->wants_run = ns_session_can_restart(session);
    if (trouble.first) ns_session_restart(session);
    if (trouble.first) return session->wants_run;
    if (session->wants_run && ns_session_start_at(session, before)) return true;
    session->wants_run = false;
    return false;
}
