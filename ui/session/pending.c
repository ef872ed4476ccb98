/* Changes that wait for a restart or a fork.  SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

#include "core/base/words.h"
#include "core/experiment/param.h"

/* What a lane that is new has is not counted beside the lane itself. */
static bool lane_differs(const NsSession *session, size_t lane, const NsParam *param)
{
    if (param->effect == NS_EFFECT_LIVE || ns_lanes_is_new(&session->lanes, lane)) return false;
    const NsSettings *run = &session->run.settings[session->lanes.from[lane]];
    return !ns_settings_same(&session->lanes.settings[lane], run, param);
}

static bool param_differs(const NsSession *session, const NsParam *param)
{
    for (size_t lane = 0; lane < session->lanes.n; lane++)
        if (lane_differs(session, lane, param)) return true;
    return false;
}

/* Lanes that come, and lanes of the run that go. */
static size_t lanes_that_differ(const NsSession *session)
{
    size_t n = 0;
    for (size_t lane = 0; lane < session->lanes.n; lane++)
        n += ns_lanes_is_new(&session->lanes, lane);
    for (size_t lane = 0; lane < session->run.n; lane++)
        n += ns_lanes_is_gone(&session->lanes, lane);
    return n;
}

static size_t count(const NsSession *session)
{
    size_t n = lanes_that_differ(session);
    for (size_t i = 0; ns_param(i); i++) n += param_differs(session, ns_param(i));
    return n;
}

bool ns_session_differs(NsSession *session)
{
    return count(session) > 0;
}

size_t ns_session_pending(NsSession *session)
{
    return ns_session_has_begun(session) ? count(session) : 0;
}

bool ns_session_is_pending(NsSession *session, const NsParam *param)
{
    return ns_session_has_begun(session) && param_differs(session, param);
}

/* "Norm placement of B" where the row is split, "Layers" where it is linked. */
static char *name_of(const NsSession *session, const NsParam *param)
{
    if (ns_lanes_is_linked(&session->lanes, param) || session->lanes.n == 1)
        return g_strdup(_(param->label));
    g_autoptr(GString) lanes = g_string_new(NULL);
    for (size_t lane = 0; lane < session->lanes.n; lane++)
        if (lane_differs(session, lane, param))
            g_string_append_printf(lanes, "%s%s", lanes->len ? ", " : "", ns_lane_letter(lane));
    return g_strdup_printf(_("%s of %s"), _(param->label), lanes->str);
}

char *ns_session_pending_words(NsSession *session)
{
    size_t n = ns_session_pending(session);
    if (n == 0) return NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (size_t lane = 0; lane < session->lanes.n; lane++)
        if (ns_lanes_is_new(&session->lanes, lane))
            g_ptr_array_add(names, g_strdup_printf(_("Lane %s (new)"), ns_lane_letter(lane)));
    for (size_t lane = 0; lane < session->run.n; lane++)
        if (ns_lanes_is_gone(&session->lanes, lane))
            g_ptr_array_add(names, g_strdup_printf(_("Lane %s (left out)"), ns_lane_letter(lane)));
    for (size_t i = 0; ns_param(i); i++)
        if (param_differs(session, ns_param(i)))
            g_ptr_array_add(names, name_of(session, ns_param(i)));
    g_ptr_array_add(names, NULL);
    g_autofree char *list = g_strjoinv(", ", (char **)names->pdata);
    return g_strdup_printf(ns_plural("%zu change waits: %s", "%zu changes wait: %s", n), n, list);
}

/* ---- The three answers ---- */

bool ns_session_can_restart(NsSession *session)
{
    return !session->problem || session->problem_is_run;
}

void ns_session_restart(NsSession *session)
{
    if (!ns_session_can_restart(session)) return;
    session->forking_from = 0;
    ns_session_start(session, NULL);
}

void ns_session_drop_checkpoints(NsCheckpoint *checkpoints[NS_LANES_MAX])
{
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++)
        g_clear_pointer(&checkpoints[lane], ns_checkpoint_unref);
}

static bool has_all(const NsSession *session, NsCheckpoint *const checkpoints[NS_LANES_MAX])
{
    for (size_t lane = 0; lane < session->lanes.n; lane++)
        if (!checkpoints[session->lanes.from[lane]]) return false;
    return true;
}

/* A lane has none after it diverged. */
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
    /* A run that has made no step is not kept: its fork stands where it would. */
    if (ns_session_records(session, 0) > 1) session->forking_from = session->id;
    ns_session_start(session, checkpoints);
    ns_session_drop_checkpoints(checkpoints);
    g_autofree char *digits = ns_group_digits(at);
    g_autofree char *words = g_strdup_printf(_("Forked at step %s."), digits);
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
    if (session->lanes.n == 1 && ns_session_pending(session) == 0) ns_session_set_lanes(session, 2);
    ns_session_start_at(session, step);
}
