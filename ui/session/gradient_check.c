/* Checks gradients of the run against finite differences.  SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

#include "core/base/words.h"

void ns_session_check(NsSession *session, size_t lane, unsigned layer)
{
    if (ns_session_is_watching(session))
        ns_session_tell(session, _("Another program trains this run; only gradients of a run that "
                                   "is trained here can be checked."));
    else if (ns_session_is_past(session))
        ns_session_tell(
            session,
            _("An earlier run is shown; press Run to continue it, then check its gradients."));
    if (!session->trainer || lane >= session->run->n || session->state == NS_TRAINER_FAILED) return;
    session->checking = true;
    ns_trainer_check(session->trainer, lane, layer);
    g_signal_emit_by_name(session, "status-changed");
}

void ns_session_drop_check(NsSession *session)
{
    bool had = session->checking || session->check;
    session->checking = false;
    g_clear_pointer(&session->check, g_free);
    if (had) g_signal_emit_by_name(session, "checked");
}

bool ns_session_poll_check(NsSession *session)
{
    if (!session->checking) return false;
    NsGradientCheck check;
    bool rests = ns_trainer_wait(session->trainer, 0); /* queried first, so that its result is
                                                          complete */
    if (ns_trainer_take_check(session->trainer, &check)) {
        g_free(session->check);
        session->check = g_memdup2(&check, sizeof check);
    } else if (!rests) {
        return true;
    }
    /* The trainer is idle without a result: the check was canceled. */
    session->checking = false;
    g_signal_emit_by_name(session, "checked");
    return false;
}
