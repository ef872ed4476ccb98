/* The state of a session, and its signals.  SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

#include "core/experiment/param.h"
#include "core/probe/seeds.h"

#include <math.h>

void ns_session_tell(NsSession *session, const char *sentence)
{
    g_signal_emit_by_name(session, "notice", sentence);
}

/* Whether the row of a setting has changed: value, link, other lanes, or whether it causes the
 * problem. */
static bool row_differs(const NsSession *session, const NsParam *param, const char *tried)
{
    const NsExperiment *now = &session->experiment, *told = &session->told;
    if (now->n != told->n || g_strcmp0(tried, param->key) == 0) return true;
    bool blamed = g_strcmp0(session->problem_key, param->key) == 0;
    if (blamed != (g_strcmp0(session->told_key, param->key) == 0)) return true;
    if (ns_experiment_is_linked(now, param) != ns_experiment_is_linked(told, param)) return true;
    if (session->active != session->told_active && ns_experiment_differs(now, param)) return true;
    for (size_t lane = 0; lane < now->n; lane++)
        if (!ns_settings_same(&now->lane[lane], &told->lane[lane], param)) return true;
    return false;
}

static char *signal_of(const NsParam *param)
{
    return g_strconcat("setting-changed::", param->key, NULL);
}

void ns_session_tell_settings(NsSession *session, const char *tried)
{
    const NsParam *param;
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; (param = ns_param(i)); i++)
        if (row_differs(session, param, tried)) g_ptr_array_add(rows, signal_of(param));
    ns_experiment_assign(&session->told, &session->experiment);
    session->told_active = session->active;
    g_free(session->told_key);
    session->told_key = g_strdup(session->problem_key);
    for (guint i = 0; i < rows->len; i++) g_signal_emit_by_name(session, rows->pdata[i]);
    g_signal_emit_by_name(session, "settings-changed");
}

void ns_session_listen(NsSession *session, const char *signal, GCallback callback, gpointer object)
{
    g_signal_connect_object(session, signal, callback, object, G_CONNECT_SWAPPED);
}

void ns_session_follow(NsSession *session, const NsParam *param, GCallback callback,
                       gpointer object)
{
    g_autofree char *name = signal_of(param);
    ns_session_listen(session, name, callback, object);
}

/* ---- Problems ---- */

void ns_session_set_problem(NsSession *session, const char *sentence, const char *key, bool of_run)
{
    g_autofree char *new_key = g_strdup(key);
    g_free(session->problem);
    g_free(session->problem_key);
    session->problem = g_strdup(sentence);
    session->problem_key = g_steal_pointer(&new_key);
    session->problem_is_run = of_run;
}

/* The message of the first lane that has one. */
static char *message_of(NsSession *session)
{
    char *message = NULL;
    for (size_t i = 0; !message && i < ns_trainer_lanes(session->trainer); i++)
        message = ns_trainer_message(session->trainer, i);
    return message;
}

void ns_session_clear_problem(NsSession *session)
{
    bool over = session->trainer &&
                (session->state == NS_TRAINER_DIVERGED || session->state == NS_TRAINER_FAILED);
    g_autofree char *message = over ? message_of(session) : NULL;
    ns_session_set_problem(session, message, NULL, over);
}

/* ---- Lanes as the controls show them ---- */

const NsSettings *ns_session_settings(NsSession *session)
{
    return &session->experiment.lane[session->active];
}

/* ---- The run ---- */

bool ns_session_is_past(const NsSession *session)
{
    return session->opened && !session->trainer;
}

bool ns_session_is_watching(NsSession *session)
{
    return ns_session_is_past(session) && session->opened->watch;
}

size_t ns_session_records(NsSession *session, size_t lane)
{
    NsHistory *history = lane < session->view->started.n ? session->view->histories[lane] : NULL;
    return history ? ns_history_steps(history) : 0;
}

double ns_session_newest_loss(NsSession *session, size_t lane)
{
    NsHistory *history = lane < session->view->started.n ? session->view->histories[lane] : NULL;
    size_t records = history ? ns_seeds_records(history) : 0;
    return records ? ns_seeds_step(history, records - 1).loss : (double)NAN;
}

bool ns_session_has_begun(NsSession *session)
{
    NsTrainerState state = session->state;
    if (ns_session_is_watching(session)) return false;
    if (session->wants_run || state == NS_TRAINER_RUNNING || state == NS_TRAINER_PAUSED)
        return true;
    if (state == NS_TRAINER_DIVERGED) return ns_session_has_moved(session);
    return state == NS_TRAINER_FINISHED;
}

bool ns_session_has_moved(NsSession *session)
{
    return ns_session_steps(session) > session->fork_step;
}

int64_t ns_session_first_step(NsSession *session)
{
    return session->view->history ? ns_history_first_step(session->view->history) : 0;
}

int64_t ns_session_steps(NsSession *session)
{
    return MAX(ns_view_newest_step(session->view), 0);
}

int64_t ns_session_shown_step(NsSession *session)
{
    return session->view->step >= 0 ? session->view->step : ns_session_steps(session);
}

/* ---- Checkpoints of the run on view ---- */

size_t ns_session_checkpoints(NsSession *session, int64_t *steps, size_t most)
{
    if (session->trainer) return ns_trainer_checkpoints(session->trainer, steps, most);
    return session->opened && session->opened->recorded->checkpoints
               ? ns_checkpoints_steps(session->opened->recorded->checkpoints, steps, most)
               : 0;
}

bool ns_session_checkpoints_at(NsSession *session, int64_t step,
                               NsCheckpoint *checkpoints[NS_LANES_MAX], int64_t *at)
{
    if (session->trainer) return ns_trainer_checkpoints_at(session->trainer, step, checkpoints, at);
    return session->opened && session->opened->recorded->checkpoints &&
           ns_checkpoints_find(session->opened->recorded->checkpoints, step, checkpoints, at);
}

void ns_session_drop_checkpoints(NsCheckpoint *checkpoints[NS_LANES_MAX])
{
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++)
        g_clear_pointer(&checkpoints[lane], ns_checkpoint_unref);
}
