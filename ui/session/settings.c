/* Lanes, settings and links of a session.  SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

#include "core/base/words.h"

/* A problem of one of several lanes says whose. */
static void set_lane_problem(NsSession *session, size_t lane, const char *sentence, const char *key)
{
    g_autofree char *words = session->experiment.n > 1
                                 ? g_strdup_printf(_("Lane %s: %s"), ns_lane_letter(lane), sentence)
                                 : NULL;
    ns_session_set_problem(session, words ? words : sentence, key, false);
}

/* Lets the settings act, or says why they cannot. */
static void settings_differ(NsSession *session, const char *key)
{
    g_autoptr(GError) error = NULL;
    size_t lane;
    session->serial++;
    if (!ns_experiment_check(&session->experiment, &lane, &error)) {
        g_clear_handle_id(&session->restart_source, g_source_remove);
        set_lane_problem(session, lane, error->message, key);
    } else {
        ns_session_clear_problem(session);
        ns_session_apply(session);
        if (ns_session_differs(session)) ns_session_estimate(session);
    }
    session->active = MIN(session->active, session->experiment.n - 1);
    ns_view_set_active(session->view, (unsigned)session->experiment.from[session->active]);
    ns_session_tell_settings(session, key);
    ns_session_emit(session, NS_SESSION_VIEW_CHANGED);
    ns_session_emit(session, NS_SESSION_STATUS_CHANGED);
}

static void refuse(NsSession *session, const GError *error, const char *key)
{
    ns_session_set_problem(session, error->message, key, false);
    ns_session_tell_settings(session, key);
    ns_session_emit(session, NS_SESSION_STATUS_CHANGED);
}

typedef struct {
    size_t lane;
    bool own; /* of this lane alone */
    const char *key, *value;
    bool slides;
} Change;

static bool change(NsSession *session, Change wanted)
{
    g_autoptr(GError) error = NULL;
    const NsParam *param = ns_param_find(wanted.key);
    NsExperiment before;
    ns_experiment_copy(&before, &session->experiment);
    if (wanted.own && param)
        ns_experiment_set_linked(&session->experiment, wanted.lane, param, false);
    if (!ns_experiment_set(&session->experiment, wanted.lane, wanted.key, wanted.value, &error)) {
        ns_experiment_assign(&session->experiment, &before);
        ns_experiment_clear(&before);
        refuse(session, error, wanted.key);
        return false;
    }
    ns_session_remember(session, &before, wanted.slides ? param : NULL);
    settings_differ(session, wanted.key);
    return true;
}

bool ns_session_set(NsSession *session, const char *key, const char *value)
{
    return change(session, (Change){.lane = session->active, .key = key, .value = value});
}

bool ns_session_slide(NsSession *session, const char *key, const char *value)
{
    return change(session, (Change){session->active, false, key, value, true});
}

bool ns_session_set_lane(NsSession *session, size_t lane, const char *key, const char *value)
{
    if (lane >= session->experiment.n) return false;
    return change(session, (Change){.lane = lane, .own = true, .key = key, .value = value});
}

void ns_session_set_default(NsSession *session, const NsParam *param)
{
    NsExperiment before;
    ns_experiment_copy(&before, &session->experiment);
    ns_experiment_set(&session->experiment, session->active, param->key, param->default_text, NULL);
    ns_session_remember(session, &before, NULL);
    settings_differ(session, param->key);
}

void ns_session_set_defaults(NsSession *session)
{
    NsExperiment before;
    ns_experiment_copy(&before, &session->experiment);
    for (size_t i = 0; ns_param(i); i++)
        ns_experiment_set(&session->experiment, session->active, ns_param(i)->key,
                          ns_param(i)->default_text, NULL);
    ns_session_remember(session, &before, NULL);
    settings_differ(session, NULL);
}

void ns_session_open(NsSession *session, const NsExperiment *experiment)
{
    NsExperiment before = session->experiment;
    ns_experiment_copy(&session->experiment, experiment);
    ns_experiment_share(&session->experiment);
    for (size_t lane = 0; lane < experiment->n; lane++)
        session->experiment.from[lane] = MIN(lane, session->run.n - 1);
    ns_session_remember(session, &before, NULL);
    settings_differ(session, NULL);
}

void ns_session_drop_pending(NsSession *session)
{
    NsExperiment before;
    ns_experiment_copy(&before, &session->experiment);
    ns_experiment_take_back(&session->experiment, &session->run);
    ns_session_remember(session, &before, NULL);
    settings_differ(session, NULL);
}

void ns_session_undo(NsSession *session)
{
    if (ns_session_exchange(session, true)) settings_differ(session, NULL);
}

void ns_session_redo(NsSession *session)
{
    if (ns_session_exchange(session, false)) settings_differ(session, NULL);
}

/* ---- Lanes and links ---- */

void ns_session_set_active(NsSession *session, size_t lane)
{
    lane = MIN(lane, session->experiment.n - 1);
    if (lane == session->active) return;
    session->active = lane;
    ns_view_set_active(session->view, (unsigned)session->experiment.from[lane]);
    ns_session_tell_settings(session, NULL);
    ns_session_emit(session, NS_SESSION_VIEW_CHANGED);
}

void ns_session_set_lanes(NsSession *session, size_t n)
{
    NsExperiment before;
    ns_experiment_copy(&before, &session->experiment);
    ns_experiment_resize(&session->experiment, n, session->active);
    ns_session_remember(session, &before, NULL);
    settings_differ(session, NULL);
}

void ns_session_remove_lane(NsSession *session, size_t lane)
{
    NsExperiment before;
    ns_experiment_copy(&before, &session->experiment);
    ns_experiment_remove(&session->experiment, lane);
    if (session->active > lane) session->active--;
    ns_session_remember(session, &before, NULL);
    settings_differ(session, NULL);
}

bool ns_session_is_linked(NsSession *session, const NsParam *param)
{
    return ns_experiment_is_linked(&session->experiment, param);
}

void ns_session_set_linked(NsSession *session, const NsParam *param, bool linked)
{
    NsExperiment before;
    ns_experiment_copy(&before, &session->experiment);
    ns_experiment_set_linked(&session->experiment, session->active, param, linked);
    ns_session_remember(session, &before, NULL);
    settings_differ(session, param->key);
}
