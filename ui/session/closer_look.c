/* Measures the expensive quantities of the shown step.  SPDX-License-Identifier: MIT
 *
 * The model of the run does not store enough of a pass for that.  So a thread makes another model
 * from the checkpoint of the step, measures it on the same batch and frees it, and the run is not
 * affected. */
#include "ui/session/session-private.h"

#include "core/experiment/param.h"
#include "core/train/run.h"

#include <gio/gio.h>

typedef struct {
    NsHistory *of; /* identifies the run: the history of its first lane */
    int64_t step;
    size_t lanes;
    NsCheckpoint *checkpoints[NS_LANES_MAX]; /* NULL for a lane without one at this step */
    NsSettings settings[NS_LANES_MAX];
    NsHistory *histories[NS_LANES_MAX];
} Look;

static void look_free(gpointer data)
{
    Look *look = data;
    ns_history_unref(look->of);
    ns_session_drop_checkpoints(look->checkpoints);
    for (size_t lane = 0; lane < look->lanes; lane++) {
        ns_settings_clear(&look->settings[lane]);
        ns_history_unref(look->histories[lane]);
    }
    g_free(look);
}

static void measure(GTask *task, gpointer session, gpointer data, GCancellable *cancellable)
{
    (void)session, (void)cancellable;
    Look *look = data;
    for (size_t lane = 0; lane < look->lanes; lane++) {
        if (!look->checkpoints[lane]) continue;
        GError *error = NULL;
        NsRun *run = ns_run_fork(look->checkpoints[lane], &look->settings[lane], &error);
        if (!run) {
            g_task_return_error(task, error);
            return;
        }
        look->histories[lane] = ns_history_ref(ns_run_history(run));
        ns_run_free(run);
    }
    g_task_return_boolean(task, TRUE);
}

static void on_measured(GObject *object, GAsyncResult *result, gpointer data)
{
    (void)object;
    NsSession *session = data;
    const Look *look = g_task_get_task_data(G_TASK(result));
    g_autoptr(GError) error = NULL;
    session->looking = false;
    bool good = g_task_propagate_boolean(G_TASK(result), &error);
    if (look->of != session->view->histories[0]) return;
    ns_view_set_closer(session->view, look->histories, look->step);
    if (!good) ns_session_tell(session, error->message);
    g_signal_emit_by_name(session, "view-changed");
}

void ns_session_look_closer(NsSession *session)
{
    int64_t step = ns_session_shown_step(session), at;
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    /* Only while the run is paused, and once per step. */
    const NsHistory *history = session->view->histories[0];
    bool rests = !session->wants_run && session->state != NS_TRAINER_RUNNING &&
                 session->state != NS_TRAINER_PREPARING && session->state != NS_TRAINER_FAILED;
    bool looked = session->looking || session->view->closer_step == step;
    if (!rests || looked || !history || session->run->n != session->view->started.n) return;
    if (!ns_session_checkpoints_at(session, step, checkpoints, &at)) return;
    if (at != step) {
        ns_session_drop_checkpoints(checkpoints);
        return;
    }
    Look *look = g_new0(Look, 1);
    look->of = ns_history_ref(session->view->histories[0]);
    look->step = step;
    look->lanes = session->run->n;
    for (size_t lane = 0; lane < look->lanes; lane++) {
        look->checkpoints[lane] = checkpoints[lane];
        ns_settings_copy(&look->settings[lane], &session->run->lane[lane]);
        look->settings[lane].probe_every = 1;
    }
    session->looking = true;
    g_autoptr(GTask) task = g_task_new(session, NULL, on_measured, session);
    g_task_set_task_data(task, look, look_free);
    g_task_run_in_thread(task, measure);
}
