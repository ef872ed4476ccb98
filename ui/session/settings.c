/* Lanes, settings and links of a session.  SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

#include "core/base/words.h"
#include "core/experiment/param.h"

/* A problem of one of several lanes says whose. */
static void set_lane_problem(NsSession *session, size_t lane, const char *sentence, const char *key)
{
    g_autofree char *words = session->lanes.n > 1
                                 ? g_strdup_printf(_("Lane %s: %s"), ns_lane_letter(lane), sentence)
                                 : NULL;
    ns_session_set_problem(session, words ? words : sentence, key, false);
}

/* Lets the settings act, or says why they cannot. */
static void settings_differ(NsSession *session, const char *key)
{
    g_autoptr(GError) error = NULL;
    size_t lane = 0;
    session->serial++;
    while (lane < session->lanes.n && ns_settings_check(&session->lanes.settings[lane], &error))
        lane++;
    if (lane < session->lanes.n) {
        g_clear_handle_id(&session->restart_source, g_source_remove);
        set_lane_problem(session, lane, error->message, key);
    } else {
        ns_session_clear_problem(session);
        ns_session_apply(session);
        if (ns_session_differs(session)) ns_session_estimate(session);
    }
    session->active = MIN(session->active, session->lanes.n - 1);
    ns_view_set_active(session->view, (unsigned)session->lanes.from[session->active]);
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
    NsLanes before;
    ns_lanes_copy(&before, &session->lanes);
    if (wanted.own && param) ns_lanes_set_linked(&session->lanes, wanted.lane, param, false);
    if (!ns_lanes_set(&session->lanes, wanted.lane, wanted.key, wanted.value, &error)) {
        ns_lanes_assign(&session->lanes, &before);
        ns_lanes_clear(&before);
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
    if (lane >= session->lanes.n) return false;
    return change(session, (Change){.lane = lane, .own = true, .key = key, .value = value});
}

void ns_session_set_default(NsSession *session, const NsParam *param)
{
    NsLanes before;
    ns_lanes_copy(&before, &session->lanes);
    ns_lanes_set(&session->lanes, session->active, param->key, param->default_text, NULL);
    ns_session_remember(session, &before, NULL);
    settings_differ(session, param->key);
}

void ns_session_set_defaults(NsSession *session)
{
    NsLanes before;
    ns_lanes_copy(&before, &session->lanes);
    for (size_t i = 0; ns_param(i); i++)
        ns_lanes_set(&session->lanes, session->active, ns_param(i)->key, ns_param(i)->default_text,
                     NULL);
    ns_session_remember(session, &before, NULL);
    settings_differ(session, NULL);
}

void ns_session_open(NsSession *session, const NsSettings *const *settings, size_t n)
{
    NsLanes before = session->lanes;
    ns_lanes_init(&session->lanes, settings, n);
    for (size_t lane = 0; lane < n; lane++)
        session->lanes.from[lane] = MIN(lane, session->run.n - 1);
    ns_session_remember(session, &before, NULL);
    settings_differ(session, NULL);
}

void ns_session_drop_pending(NsSession *session)
{
    NsLanes before;
    ns_lanes_copy(&before, &session->lanes);
    ns_lanes_take_back(&session->lanes, &session->run);
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
    lane = MIN(lane, session->lanes.n - 1);
    if (lane == session->active) return;
    session->active = lane;
    ns_view_set_active(session->view, (unsigned)session->lanes.from[lane]);
    ns_session_tell_settings(session, NULL);
    ns_session_emit(session, NS_SESSION_VIEW_CHANGED);
}

void ns_session_set_lanes(NsSession *session, size_t n)
{
    NsLanes before;
    ns_lanes_copy(&before, &session->lanes);
    ns_lanes_resize(&session->lanes, n, session->active);
    ns_session_remember(session, &before, NULL);
    settings_differ(session, NULL);
}

void ns_session_remove_lane(NsSession *session, size_t lane)
{
    NsLanes before;
    ns_lanes_copy(&before, &session->lanes);
    ns_lanes_remove(&session->lanes, lane);
    if (session->active > lane) session->active--;
    ns_session_remember(session, &before, NULL);
    settings_differ(session, NULL);
}

bool ns_session_can_split(const NsParam *param)
{
    return ns_lanes_can_split(param);
}

bool ns_session_is_linked(NsSession *session, const NsParam *param)
{
    return ns_lanes_is_linked(&session->lanes, param);
}

void ns_session_set_linked(NsSession *session, const NsParam *param, bool linked)
{
    NsLanes before;
    ns_lanes_copy(&before, &session->lanes);
    ns_lanes_set_linked(&session->lanes, session->active, param, linked);
    ns_session_remember(session, &before, NULL);
    settings_differ(session, param->key);
}
