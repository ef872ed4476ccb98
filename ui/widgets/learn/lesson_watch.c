/* SPDX-License-Identifier: MIT */
#include "ui/widgets/learn/lesson_watch.h"

#include "core/probe/seeds.h"

static const NsSessionRun *present(NsSession *session)
{
    size_t n;
    const NsSessionRun *runs = ns_session_runs(session, &n);
    for (size_t i = 0; i < n; i++)
        if (runs[i].present) return &runs[i];
    return NULL;
}

unsigned ns_lesson_present_run(NsSession *session)
{
    const NsSessionRun *run = present(session);
    return run ? run->id : 0;
}

static bool is_prepared(NsSession *session)
{
    return ns_session_state(session) != NS_TRAINER_PREPARING;
}

int64_t ns_lesson_steps(NsSession *session)
{
    return is_prepared(session) ? ns_session_steps(session) : 0;
}

static bool is_setting(const NsLessonCondition *wait, NsSession *session)
{
    return wait->lane < ns_session_lanes(session) &&
           ns_lesson_condition_setting(wait, ns_session_lane_settings(session, wait->lane));
}

static bool is_loss(const NsLessonCondition *wait, NsSession *session)
{
    const NsView *view = ns_session_view(session);
    NsHistory *history = wait->lane < view->started.n ? view->histories[wait->lane] : NULL;
    size_t records = history ? ns_seeds_records(history) : 0;
    return is_prepared(session) && records > 0 &&
           ns_lesson_condition_compare(wait, ns_seeds_step(history, records - 1).loss);
}

static bool has_diverged(const NsLessonCondition *wait, NsSession *session)
{
    return wait->lane < ns_session_view(session)->started.n &&
           ns_session_lane_state(session, wait->lane) == NS_TRAINER_DIVERGED;
}

static bool is_settled(NsSession *session)
{
    return !ns_session_differs(session) && is_prepared(session);
}

static bool is_other_run(NsSession *session, const NsLessonSituation *situation, bool fork)
{
    const NsSessionRun *run = present(session);
    return run && run->id != situation->run && (!fork || run->parent != 0);
}

static bool holds(const NsLessonCondition *wait, NsSession *session,
                  const NsLessonSituation *situation)
{
    switch (wait->kind) {
    case NS_CONDITION_STEP:
        return ns_lesson_condition_compare(wait, (double)ns_lesson_steps(session));
    case NS_CONDITION_SHOWN:
        return is_prepared(session) &&
               ns_lesson_condition_compare(wait, (double)ns_session_shown_step(session));
    case NS_CONDITION_LANES:
        return ns_lesson_condition_compare(wait, (double)ns_session_lanes(session));
    case NS_CONDITION_PAGE:
        return g_strcmp0(situation->page, wait->word) == 0;
    case NS_CONDITION_LAYER:
        return ns_session_layer(session) > 0;
    case NS_CONDITION_SETTING:
        return is_setting(wait, session);
    case NS_CONDITION_LOSS:
        return is_loss(wait, session);
    case NS_CONDITION_DIVERGED:
        return has_diverged(wait, session);
    case NS_CONDITION_APPLIED:
        return is_settled(session);
    case NS_CONDITION_NEW_RUN:
        return is_other_run(session, situation, false);
    case NS_CONDITION_FORK:
        return is_other_run(session, situation, true);
    case NS_CONDITION_ANSWERED:
        return situation->answered;
    case NS_CONDITION_DRAWN:
        return situation->drawn;
    case NS_CONDITION_RUNNING:
        return ns_session_is_running(session);
    case NS_CONDITION_PAUSED:
        return !ns_session_is_running(session);
    }
    return false;
}

bool ns_lesson_is_done(const NsLessonConditions *conditions, NsSession *session,
                       const NsLessonSituation *situation)
{
    for (size_t i = 0; i < conditions->n; i++)
        if (!holds(&conditions->term[i], session, situation)) return false;
    return true;
}
