/* The contents of the charts of a session.  SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

void ns_session_show_gradient(NsSession *session, NsQuantity quantity)
{
    if (session->view->gradient == quantity) return;
    session->view->gradient = quantity;
    g_signal_emit_by_name(session, "view-changed");
}

void ns_session_show_hidden(NsSession *session, NsQuantity quantity)
{
    if (session->view->hidden == quantity) return;
    session->view->hidden = quantity;
    g_signal_emit_by_name(session, "view-changed");
}

void ns_session_show_log(NsSession *session, bool log)
{
    if (session->view->log == log) return;
    session->view->log = log;
    g_signal_emit_by_name(session, "view-changed");
}

void ns_session_show_log_loss(NsSession *session, bool log)
{
    if (session->view->log_loss == log) return;
    session->view->log_loss = log;
    g_signal_emit_by_name(session, "view-changed");
}

void ns_session_show_smoothing(NsSession *session, NsSmoothing smoothing)
{
    if (ns_smoothing_equal(session->view->smoothing, smoothing)) return;
    session->view->smoothing = smoothing;
    if (smoothing.kind != NS_SMOOTH_NONE) session->usual_smoothing = smoothing;
    g_signal_emit_by_name(session, "view-changed");
}

void ns_session_toggle_smoothing(NsSession *session)
{
    bool smooth = session->view->smoothing.kind != NS_SMOOTH_NONE;
    ns_session_show_smoothing(session, smooth ? (NsSmoothing){0} : session->usual_smoothing);
}

void ns_session_show_theory(NsSession *session, bool theory)
{
    if (session->view->theory == theory) return;
    session->view->theory = theory;
    g_signal_emit_by_name(session, "view-changed");
}

void ns_session_show_heat(NsSession *session, NsHeatMode heat)
{
    if (session->view->heat == heat) return;
    session->view->heat = heat;
    g_signal_emit_by_name(session, "view-changed");
}

void ns_session_select_layer(NsSession *session, int layer)
{
    ns_session_show_place(session, session->view->step, layer);
}
