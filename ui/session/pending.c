/* What differs between the settings of the controls and those of the run.
 * SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

#include "core/base/words.h"
#include "core/experiment/param.h"

/* The settings of a new lane are not counted beside the lane itself. */
static bool lane_differs(const NsSession *session, size_t lane, const NsParam *param)
{
    if (param->effect == NS_EFFECT_LIVE || ns_experiment_is_new(&session->experiment, lane))
        return false;
    const NsSettings *run = &session->run->lane[session->experiment.from[lane]];
    return !ns_settings_same(&session->experiment.lane[lane], run, param);
}

static bool param_differs(const NsSession *session, const NsParam *param)
{
    for (size_t lane = 0; lane < session->experiment.n; lane++)
        if (lane_differs(session, lane, param)) return true;
    return false;
}

/* How many lanes would be added, and how many lanes of the run removed. */
static size_t lanes_that_differ(const NsSession *session)
{
    size_t n = 0;
    for (size_t lane = 0; lane < session->experiment.n; lane++)
        n += ns_experiment_is_new(&session->experiment, lane);
    for (size_t lane = 0; lane < session->run->n; lane++)
        n += ns_experiment_is_gone(&session->experiment, lane);
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

/* "Norm placement of B" if the setting is split, "Layers" if it is linked. */
static char *name_of(const NsSession *session, const NsParam *param)
{
    if (ns_experiment_is_linked(&session->experiment, param) || session->experiment.n == 1)
        return g_strdup(_(param->label));
    g_autoptr(GString) lanes = g_string_new(NULL);
    for (size_t lane = 0; lane < session->experiment.n; lane++)
        if (lane_differs(session, lane, param))
            g_string_append_printf(lanes, "%s%s", lanes->len ? ", " : "", ns_lane_letter(lane));
    return g_strdup_printf(_("%s of %s"), _(param->label), lanes->str);
}

char *ns_session_pending_words(NsSession *session)
{
    size_t n = ns_session_pending(session);
    if (n == 0) return NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (size_t lane = 0; lane < session->experiment.n; lane++)
        if (ns_experiment_is_new(&session->experiment, lane))
            g_ptr_array_add(names, g_strdup_printf(_("Lane %s (new)"), ns_lane_letter(lane)));
    for (size_t lane = 0; lane < session->run->n; lane++)
        if (ns_experiment_is_gone(&session->experiment, lane))
            g_ptr_array_add(names, g_strdup_printf(_("Lane %s (removed)"), ns_lane_letter(lane)));
    for (size_t i = 0; ns_param(i); i++)
        if (param_differs(session, ns_param(i)))
            g_ptr_array_add(names, name_of(session, ns_param(i)));
    g_ptr_array_add(names, NULL);
    g_autofree char *list = g_strjoinv(", ", (char **)names->pdata);
    return g_strdup_printf(ns_plural("%zu pending change: %s", "%zu pending changes: %s", n), n,
                           list);
}

bool ns_session_can_restart(NsSession *session)
{
    return !session->problem || session->problem_is_run;
}

void ns_session_tell_placement(NsSession *session)
{
    const NsParam *placement = ns_param_find("placement");
    bool waits = ns_session_pending(session);
    const char *lane = ns_lane_letter(session->active);
    g_autofree char *name = ns_settings_value_words(ns_session_settings(session), placement);
    g_autofree char *words = NULL;
    if (session->experiment.n == 1)
        words = g_strdup_printf(waits ? _("The placement becomes %s with Restart or Fork.")
                                      : _("The placement is now %s."),
                                name);
    else if (ns_experiment_is_linked(&session->experiment, placement))
        words = g_strdup_printf(waits ? _("All lanes become %s with Restart or Fork.")
                                      : _("All lanes are now %s."),
                                name);
    else
        words = g_strdup_printf(
            waits ? _("%s becomes %s with Restart or Fork.") : _("%s is now %s."), lane, name);
    ns_session_tell(session, words);
}
