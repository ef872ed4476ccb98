/* The run on view: its replacement, and the marks of its events.  SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

#include "core/base/words.h"

#include <string.h>

/* ---- Replacing the run on view ---- */

/* Marks events from before a fork as seen. */
static void look_at_past_events(NsSession *session, size_t lane, NsHistory *history)
{
    memset(session->events_seen[lane], 0, sizeof session->events_seen[lane]);
    for (size_t k = 0; history && k < ns_history_seeds(history); k++) {
        const NsHistory *seed = ns_history_seed(history, k);
        size_t n = ns_history_events(seed), *seen = &session->events_seen[lane][k];
        while (*seen < n && ns_history_event(seed, *seen)->step < session->fork_step) ++*seen;
    }
}

void ns_session_adopt(NsSession *session, NsHistory *const *histories, const NsExperiment *started)
{
    NsView *view = session->view;
    unsigned n = (unsigned)started->n;
    /* A run that is still being prepared has no history. */
    bool had = view->history || session->opened;
    if (had && histories[0] != view->histories[0]) ns_session_file_run(session, n);
    session->forked_from = session->forking_from;
    session->prepared_to = session->preparing_to;
    bool same = !session->left_experiment;
    if (n == 1 && same && ns_session_has_moved(session)) ns_view_leave_previous(view);
    session->left_experiment = false;
    session->fork_step = session->origin_step;
    ns_view_set_source(view, NULL);
    ns_view_set_lanes(view, n);
    for (unsigned lane = 0; lane < n; lane++) {
        ns_view_set_history(view, lane, histories[lane], &started->lane[lane]);
        ns_view_set_name(view, lane, NULL);
        session->records_seen[lane] = 0;
        look_at_past_events(session, lane, histories[lane]);
    }
    ns_view_set_active(view, (unsigned)session->experiment.from[session->active]);
    view->step = -1;
    ns_session_clear_trouble(session);
    g_signal_emit_by_name(session, "view-changed");
    g_signal_emit_by_name(session, "runs-changed");
}

void ns_session_put_past(NsSession *session, NsPastRun *run, NsTrainerState state)
{
    session->opened = run;
    if (run->told.id)
        session->last_id--; /* an opened run keeps its number, so the new one is given
                               back */
    session->id = run->told.id ? run->told.id : session->id;
    run->told.id = session->id;
    session->state = state;
    for (unsigned lane = 0; lane < run->told.lanes; lane++) {
        NsHistory *history = run->recorded->histories[lane];
        ns_view_set_live(session->view, lane, &run->settings.lane[lane]);
        session->records_seen[lane] = history ? ns_history_steps(history) : 0;
        for (size_t k = 0; history && k < ns_history_seeds(history); k++)
            session->events_seen[lane][k] = ns_history_events(ns_history_seed(history, k));
    }
}

/* ---- Marks ---- */

static void add_events(NsSession *session, size_t lane, size_t seed)
{
    size_t seeds = ns_history_seeds(session->view->histories[lane]);
    NsHistory *history = ns_history_seed(session->view->histories[lane], seed);
    size_t n = ns_history_events(history);
    for (size_t i = 0; i < n; i++) {
        const NsEvent *event = ns_history_event(history, i);
        bool setting = event->kind == NS_EVENT_SETTING; /* is the same for all seeds */
        if (setting && seed > 0) continue;
        NsSessionMarkKind kind = event->kind == NS_EVENT_DIVERGED ? NS_SESSION_MARK_DIVERGED
                                 : setting                        ? NS_SESSION_MARK_SETTING
                                 : event->kind == NS_EVENT_SPIKE  ? NS_SESSION_MARK_SPIKE
                                                                  : NS_SESSION_MARK_STUCK;
        int of = seeds > 1 && !setting ? (int)seed + 1 : 0;
        NsSessionMark mark = {event->step, kind, (int)lane, of, event->text};
        g_array_append_val(session->marks, mark);
    }
}

static void add_checkpoints(NsSession *session)
{
    size_t room = ns_session_checkpoints(session, NULL, 0);
    g_autofree int64_t *steps = g_new(int64_t, room + 1);
    size_t n = MIN(room, ns_session_checkpoints(session, steps, room));
    for (size_t i = 0; i < n; i++) {
        NsSessionMark mark = {steps[i], NS_SESSION_MARK_CHECKPOINT, -1, 0,
                              _("A fork can begin here.")};
        g_array_append_val(session->marks, mark);
    }
}

static gint compare(gconstpointer a, gconstpointer b)
{
    const NsSessionMark *left = a, *right = b;
    if (left->step != right->step) return left->step < right->step ? -1 : 1;
    if (left->kind != right->kind) return left->kind < right->kind ? -1 : 1;
    gint words = strcmp(left->text, right->text);
    if (words) return words;
    return left->seed != right->seed ? left->seed - right->seed : left->lane - right->lane;
}

static bool is_same(const NsSessionMark *a, const NsSessionMark *b)
{
    return a->step == b->step && a->kind == b->kind && a->seed == b->seed &&
           g_str_equal(a->text, b->text);
}

/* Joins equal marks of all lanes into one. */
static void join_lanes(GArray *marks, guint lanes)
{
    NsSessionMark *mark = (NsSessionMark *)(void *)marks->data;
    guint n = 0;
    for (guint i = 0, end; i < marks->len; i = end) {
        for (end = i + 1; end < marks->len && is_same(&mark[i], &mark[end]);) end++;
        if (end - i == lanes) mark[i].lane = -1;
        for (guint k = i; k < (end - i == lanes ? i + 1 : end); k++) mark[n++] = mark[k];
    }
    g_array_set_size(marks, n);
}

const NsSessionMark *ns_session_marks(NsSession *session, size_t *n)
{
    g_array_set_size(session->marks, 0);
    if (session->forked_from) {
        NsSessionMark fork = {session->fork_step, NS_SESSION_MARK_FORK, -1, 0,
                              _("The run was forked here.")};
        g_array_append_val(session->marks, fork);
    }
    for (size_t lane = 0; lane < session->view->started.n; lane++) {
        NsHistory *history = session->view->histories[lane];
        for (size_t k = 0; history && k < ns_history_seeds(history); k++)
            add_events(session, lane, k);
    }
    add_checkpoints(session);
    g_array_sort(session->marks, compare);
    if (session->view->started.n > 1) join_lanes(session->marks, (guint)session->view->started.n);
    *n = session->marks->len;
    return (const NsSessionMark *)session->marks->data;
}
