/* Starts the run again with the settings of the controls, from step 0 or from a checkpoint.
 * SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

#include "core/base/words.h"

void ns_session_restart(NsSession *session)
{
    if (!ns_session_can_restart(session)) return;
    session->forking_from = 0;
    ns_session_start(session, NULL, NULL);
}

static bool has_all(const NsSession *session, NsCheckpoint *const checkpoints[NS_LANES_MAX])
{
    for (size_t lane = 0; lane < session->experiment.n; lane++)
        if (!checkpoints[session->experiment.from[lane]]) return false;
    return true;
}

int64_t ns_session_find_checkpoints(NsSession *session, int64_t step,
                                    NsCheckpoint *checkpoints[NS_LANES_MAX])
{
    int64_t at;
    while (ns_session_checkpoints_at(session, step, checkpoints, &at)) {
        if (has_all(session, checkpoints)) return at;
        ns_session_drop_checkpoints(checkpoints);
        step = at - 1;
    }
    return -1;
}

bool ns_session_start_at(NsSession *session, int64_t step)
{
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    int64_t at = ns_session_find_checkpoints(session, step, checkpoints);
    if (at < 0) return false;
    /* A run that has made no step is not stored: its fork replaces it. */
    if (ns_session_has_moved(session)) session->forking_from = session->id;
    ns_session_start(session, checkpoints, session->view->histories);
    ns_session_drop_checkpoints(checkpoints);
    g_autofree char *digits = ns_group_digits(at), *shown = ns_group_digits(step);
    bool earlier = at < step && step != INT64_MAX;
    g_autofree char *words =
        earlier ? g_strdup_printf(_("Forked at step %s: the newest checkpoint up to step %s."),
                                  digits, shown)
                : g_strdup_printf(_("Forked at step %s."), digits);
    ns_session_tell(session, words);
    return true;
}

static int64_t wanted_step(const NsSession *session)
{
    return session->view->step >= 0 ? session->view->step : INT64_MAX;
}

int64_t ns_session_fork_step(NsSession *session)
{
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    if (!ns_session_can_restart(session) || !ns_session_has_begun(session)) return -1;
    int64_t step = ns_session_find_checkpoints(session, wanted_step(session), checkpoints);
    ns_session_drop_checkpoints(checkpoints);
    return step;
}

bool ns_session_can_fork(NsSession *session)
{
    return ns_session_fork_step(session) >= 0;
}

void ns_session_fork(NsSession *session)
{
    if (!ns_session_can_fork(session)) return;
    int64_t step = wanted_step(session);
    if (session->experiment.n == 1 && ns_session_pending(session) == 0)
        ns_session_set_lanes(session, 2);
    ns_session_start_at(session, step);
}
