/* An earlier run.  SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

NsPastRun *ns_past_run_new(NsRecordedRun *recorded, const NsExperiment *settings)
{
    NsPastRun *run = g_new0(NsPastRun, 1);
    run->recorded = recorded;
    run->told.lanes = recorded->lanes = settings->n;
    ns_experiment_copy(&run->settings, settings);
    if (!recorded->title) recorded->title = ns_experiment_title(&recorded->experiment);
    return run;
}

void ns_past_run_free(NsPastRun *run)
{
    if (!run) return;
    ns_experiment_clear(&run->settings);
    ns_outside_watch_free(run->watch);
    ns_recorded_run_free(run->recorded);
    g_strfreev(run->sources);
    g_free(run->saved);
    g_clear_pointer(&run->messages, g_ptr_array_unref);
    g_free(run);
}

bool ns_past_run_has_event(const NsPastRun *run, size_t lane, NsEventKind kind)
{
    const NsHistory *history = run->recorded->histories[lane];
    for (size_t i = history ? ns_history_events(history) : 0; i-- > 0;)
        if (ns_history_event(history, i)->kind == kind) return true;
    return false;
}

bool ns_past_run_all_diverged(const NsPastRun *run)
{
    for (size_t lane = 0; lane < run->told.lanes; lane++)
        if (!ns_past_run_has_event(run, lane, NS_EVENT_DIVERGED)) return false;
    return true;
}

int64_t ns_past_run_find(const NsPastRun *run, int64_t step,
                         NsCheckpoint *checkpoints[NS_LANES_MAX])
{
    int64_t at;
    while (run->recorded->checkpoints &&
           ns_checkpoints_find(run->recorded->checkpoints, step, checkpoints, &at)) {
        size_t lane = 0;
        while (lane < run->told.lanes && checkpoints[lane]) lane++;
        if (lane == run->told.lanes) return at;
        ns_session_drop_checkpoints(checkpoints);
        step = at - 1;
    }
    return -1;
}

int64_t ns_past_run_goes_on(const NsPastRun *run)
{
    int64_t steps = run->settings.lane[0].steps;
    bool ended = steps > 0 && run->told.last_step >= steps;
    if (ended || ns_past_run_all_diverged(run)) return -1;
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    int64_t at = run->in_file ? run->kept : ns_past_run_find(run, INT64_MAX, checkpoints);
    ns_session_drop_checkpoints(checkpoints);
    return at > run->told.fork_step ? at : -1;
}
