/* SPDX-License-Identifier: MIT */
#include "ui/widgets/lesson_watch.h"

static const NsLabRun *present(NsLab *lab)
{
    size_t n;
    const NsLabRun *runs = ns_lab_runs(lab, &n);
    for (size_t i = 0; i < n; i++)
        if (runs[i].present) return &runs[i];
    return NULL;
}

unsigned ns_lesson_present_run(NsLab *lab)
{
    const NsLabRun *run = present(lab);
    return run ? run->id : 0;
}

static bool is_prepared(NsLab *lab)
{
    return ns_lab_state(lab) != NS_TRAINER_PREPARING;
}

int64_t ns_lesson_steps(NsLab *lab)
{
    return is_prepared(lab) ? ns_lab_steps(lab) : 0;
}

static bool is_setting(const NsLessonCondition *wait, NsLab *lab)
{
    return wait->lane < ns_lab_lanes(lab) &&
           ns_lesson_condition_setting(wait, ns_lab_lane_settings(lab, wait->lane));
}

static bool is_loss(const NsLessonCondition *wait, NsLab *lab)
{
    const NsView *view = ns_lab_view(lab);
    NsHistory *history = wait->lane < view->n_lanes ? view->lanes[wait->lane].history : NULL;
    size_t records = history ? ns_history_steps(history) : 0;
    return is_prepared(lab) && records > 0 &&
           ns_lesson_condition_compare(wait, ns_history_step(history, records - 1)->loss);
}

static bool has_diverged(const NsLessonCondition *wait, NsLab *lab)
{
    return wait->lane < ns_lab_view(lab)->n_lanes &&
           ns_lab_lane_state(lab, wait->lane) == NS_TRAINER_DIVERGED;
}

static bool is_settled(NsLab *lab)
{
    return !ns_lab_differs(lab) && is_prepared(lab);
}

static bool is_other_run(NsLab *lab, const NsLessonSituation *situation, bool fork)
{
    const NsLabRun *run = present(lab);
    return run && run->id != situation->run && (!fork || run->parent != 0);
}

static bool holds(const NsLessonCondition *wait, NsLab *lab, const NsLessonSituation *situation)
{
    switch (wait->kind) {
    case NS_CONDITION_STEP:
        return ns_lesson_condition_compare(wait, (double)ns_lesson_steps(lab));
    case NS_CONDITION_SHOWN:
        return is_prepared(lab) &&
               ns_lesson_condition_compare(wait, (double)ns_lab_shown_step(lab));
    case NS_CONDITION_LANES:
        return ns_lesson_condition_compare(wait, (double)ns_lab_lanes(lab));
    case NS_CONDITION_PAGE:
        return g_strcmp0(situation->page, wait->word) == 0;
    case NS_CONDITION_LAYER:
        return ns_lab_layer(lab) > 0;
    case NS_CONDITION_SETTING:
        return is_setting(wait, lab);
    case NS_CONDITION_LOSS:
        return is_loss(wait, lab);
    case NS_CONDITION_DIVERGED:
        return has_diverged(wait, lab);
    case NS_CONDITION_APPLIED:
        return is_settled(lab);
    case NS_CONDITION_NEW_RUN:
        return is_other_run(lab, situation, false);
    case NS_CONDITION_FORK:
        return is_other_run(lab, situation, true);
    case NS_CONDITION_ANSWERED:
        return situation->answered;
    case NS_CONDITION_DRAWN:
        return situation->drawn;
    case NS_CONDITION_RUNNING:
        return ns_lab_is_running(lab);
    case NS_CONDITION_PAUSED:
        return !ns_lab_is_running(lab);
    }
    return false;
}

bool ns_lesson_is_done(const NsLessonConditions *conditions, NsLab *lab,
                       const NsLessonSituation *situation)
{
    for (size_t i = 0; i < conditions->n; i++)
        if (!holds(&conditions->term[i], lab, situation)) return false;
    return true;
}
