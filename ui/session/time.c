/* Running, pausing, and showing earlier steps.  SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

/* How long each stage of a step takes in slow motion, in microseconds. */
static const gint64 STAGES[] = {
    [NS_STAGE_FORWARD] = 1300000,
    [NS_STAGE_LOSS] = 500000,
    [NS_STAGE_BACKWARD] = 1500000,
    [NS_STAGE_UPDATE] = 700000,
};

/* ---- Commands ---- */

/* Prepares for a command: applies changed settings at once, makes a trainer if an earlier run is on
 * view, and dismisses the trouble.  FALSE if the session cannot run. */
static bool prepare(NsSession *session)
{
    ns_session_apply_now(session);
    if (!ns_session_can_run(session)) return false;
    if (ns_session_is_past(session)) ns_session_revive(session);
    ns_session_clear_trouble(session);
    return session->trainer != NULL;
}

void ns_session_run(NsSession *session)
{
    if (!prepare(session)) return;
    session->wants_run = true;
    if (!session->slow) ns_trainer_run(session->trainer);
    g_signal_emit_by_name(session, "status-changed");
}

void ns_session_pause(NsSession *session)
{
    session->wants_run = false;
    session->stage_since = 0;
    if (session->trainer) ns_trainer_pause(session->trainer);
    g_signal_emit_by_name(session, "status-changed");
}

void ns_session_step(NsSession *session, int64_t n)
{
    if (!prepare(session)) return;
    session->wants_run = false;
    session->stage_since = 0;
    ns_trainer_step(session->trainer, n);
    g_signal_emit_by_name(session, "status-changed");
}

static void run_until(NsSession *session, NsTrainerUntil until)
{
    if (!prepare(session)) return;
    session->wants_run = true;
    session->slow = false;
    ns_trainer_run_until(session->trainer, until);
    g_signal_emit_by_name(session, "status-changed");
}

void ns_session_run_to(NsSession *session, int64_t step)
{
    if (step > ns_session_steps(session)) run_until(session, (NsTrainerUntil){.step = step});
}

void ns_session_run_anew_to(NsSession *session, int64_t step)
{
    bool anew = ns_session_differs(session) || step <= ns_session_steps(session);
    if (anew) ns_session_restart(session);
    run_until(session, (NsTrainerUntil){.step = step});
}

void ns_session_run_until_loss(NsSession *session, double loss)
{
    if (loss > 0.0) run_until(session, (NsTrainerUntil){.loss = loss});
}

void ns_session_reset(NsSession *session)
{
    if (!ns_session_can_reset(session)) return;
    session->wants_run = false;
    session->stage_since = 0;
    if (ns_session_differs(session) && ns_session_can_restart(session)) {
        ns_session_start(session, session->origins[0] ? session->origins : NULL, session->pasts);
        return;
    }
    if (ns_session_is_past(session)) {
        ns_session_begin_anew(session);
        return;
    }
    if (session->problem_is_run) ns_session_set_problem(session, NULL, NULL, false);
    ns_session_keep_left(session);
    session->preparing_to = 0;
    ns_trainer_reset(session->trainer);
    g_signal_emit_by_name(session, "status-changed");
}

void ns_session_reset_to_start(NsSession *session)
{
    if (!ns_session_can_reset(session) || !ns_session_can_restart(session)) return;
    session->wants_run = false;
    ns_session_restart(session);
}

int64_t ns_session_end_step(NsSession *session)
{
    int64_t steps = session->view->now.n ? session->view->now.lane[0].steps : 0;
    int64_t newest = ns_session_steps(session);
    if (ns_session_is_watching(session)) return 0;
    if (steps > 0 && newest <= steps) return steps;
    return session->state == NS_TRAINER_FINISHED ? newest : 0;
}

bool ns_session_can_run(NsSession *session)
{
    if (ns_session_is_past(session)) return !ns_session_is_watching(session);
    return session->trainer && session->state != NS_TRAINER_FAILED &&
           session->state != NS_TRAINER_DIVERGED && session->state != NS_TRAINER_FINISHED;
}

bool ns_session_can_reset(NsSession *session)
{
    if (ns_session_is_past(session)) return !ns_session_is_watching(session);
    return session->trainer && session->state != NS_TRAINER_FAILED &&
           session->state != NS_TRAINER_PREPARING;
}

void ns_session_set_speed(NsSession *session, double steps_per_second)
{
    if (session->speed == steps_per_second) return;
    session->speed = steps_per_second;
    if (session->trainer) ns_trainer_set_speed(session->trainer, steps_per_second);
    g_signal_emit_by_name(session, "status-changed");
}

void ns_session_set_pause_on_trouble(NsSession *session, bool pause)
{
    if (session->pause_on_trouble == pause) return;
    session->pause_on_trouble = pause;
    if (session->trainer) ns_trainer_set_pause_on_trouble(session->trainer, pause);
    g_signal_emit_by_name(session, "status-changed");
}

void ns_session_show_place(NsSession *session, int64_t step, int layer)
{
    NsView *view = session->view;
    step = step < 0 || step > ns_session_steps(session) ? -1
                                                        : MAX(step, ns_session_first_step(session));
    layer = MAX(layer, 0);
    if (view->step == step && view->layer == layer) return;
    view->step = step;
    view->layer = layer;
    g_signal_emit_by_name(session, "view-changed");
}

void ns_session_show_step(NsSession *session, int64_t step)
{
    ns_session_show_place(session, step, session->view->layer);
}

/* ---- Slow motion ---- */

void ns_session_set_slow_motion(NsSession *session, bool slow)
{
    if (session->slow == slow) return;
    session->slow = slow;
    session->stage_since = 0;
    session->stepping = false;
    if (session->trainer && session->wants_run) {
        if (slow)
            ns_trainer_pause(session->trainer);
        else
            ns_trainer_run(session->trainer);
    }
    g_signal_emit_by_name(session, "status-changed");
}

static gint64 whole_step(void)
{
    gint64 whole = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(STAGES); i++) whole += STAGES[i];
    return whole;
}

bool ns_session_poll_stage(NsSession *session)
{
    if (!session->slow || !session->wants_run) return false;
    bool rests = session->state == NS_TRAINER_READY || session->state == NS_TRAINER_PAUSED;
    if (!rests || !ns_trainer_wait(session->trainer, 0)) return true;
    gint64 now = g_get_monotonic_time();
    if (session->stage_since == 0) {
        session->stage_since = now;
        session->stepping = false;
    } else if (now - session->stage_since >= whole_step()) {
        session->stage_since = 0;
        session->stepping = true;
        ns_trainer_step(session->trainer, 1);
    }
    return true;
}

bool ns_session_stage(NsSession *session, NsStage *stage, double *progress)
{
    if (!session->slow || !session->wants_run || (session->stage_since == 0 && !session->stepping))
        return false;
    gint64 passed =
        session->stage_since ? g_get_monotonic_time() - session->stage_since : whole_step();
    for (size_t i = 0; i < G_N_ELEMENTS(STAGES); i++) {
        *stage = (NsStage)i;
        *progress = CLAMP((double)passed / (double)STAGES[i], 0.0, 1.0);
        if (passed < STAGES[i]) break;
        passed -= STAGES[i];
    }
    return true;
}
