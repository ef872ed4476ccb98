/* Opening an earlier run, which can then be continued.  SPDX-License-Identifier: MIT
 *
 * An opened run has no trainer.  Its records are shown as they were.  A command that needs a
 * trainer makes one that continues from the newest checkpoint or, if there is none, restarts the
 * run. */
#include "ui/session/session-private.h"

#include "core/base/words.h"
#include "core/train/live.h"

#include <gio/gio.h>

/* ---- On view ---- */

static NsTrainerState past_lane_state(const NsSession *session, size_t lane)
{
    const NsPastRun *run = session->opened;
    bool diverged = lane < run->told.lanes && ns_past_run_has_event(run, lane, NS_EVENT_DIVERGED);
    return diverged ? NS_TRAINER_DIVERGED : session->state;
}

NsTrainerState ns_session_lane_state(NsSession *session, size_t lane)
{
    if (ns_session_is_past(session)) return past_lane_state(session, lane);
    if (!session->trainer || lane >= session->run->n) return session->state;
    return ns_trainer_lane_state(session->trainer, lane);
}

/* A new one has no id yet.  The controls show the settings with which it would continue or, if it
 * can only restart, those with which it began. */
void ns_session_open_saved(NsSession *session, NsPastRun *run)
{
    bool goes_on = ns_past_run_goes_on(run) >= 0;
    const NsExperiment *experiment = goes_on ? &run->settings : &run->recorded->experiment;
    ns_session_leave_trainer(session);
    session->wants_run = false;
    NsExperiment *shown = ns_experiment_new_shared(experiment);
    ns_experiment_share(shown);
    ns_session_set_run(session, shown);
    session->forking_from = run->told.parent;
    session->origin_step = run->told.fork_step;
    session->left_experiment = true;
    ns_session_adopt(session, run->recorded->histories, &run->recorded->experiment);
    ns_session_put_past(session, run,
                        ns_past_run_all_diverged(run) ? NS_TRAINER_DIVERGED
                        : goes_on                     ? NS_TRAINER_PAUSED
                                                      : NS_TRAINER_FINISHED);
    ns_session_open(session, experiment);
    ns_session_forget_undo(session);
    ns_session_estimate(session);
    ns_session_bound_checkpoints(session);
    ns_session_show_pinned(session);
    g_signal_emit_by_name(session, "runs-changed");
}

/* ---- Reading checkpoints from its file ---- */

typedef struct {
    unsigned id;
    char *path;
    int64_t last;
    size_t most;
} Reading;

static void reading_free(gpointer data)
{
    g_free(((Reading *)data)->path);
    g_free(data);
}

static void read_back(GTask *task, gpointer session, gpointer data, GCancellable *cancellable)
{
    (void)session;
    const Reading *reading = data;
    GError *error = NULL;
    g_autoptr(NsRecordedRun) run = ns_recorded_run_open(reading->path, cancellable, &error);
    if (run &&
        ns_recorded_run_read_checkpoints(run, reading->last, reading->most, cancellable, &error))
        g_task_return_pointer(task, g_steal_pointer(&run->checkpoints),
                              (GDestroyNotify)ns_checkpoints_free);
    else
        g_task_return_error(task, error);
}

static void on_read_back(GObject *object, GAsyncResult *result, gpointer data)
{
    (void)object;
    NsSession *session = data;
    const Reading *reading = g_task_get_task_data(G_TASK(result));
    g_autoptr(GError) error = NULL;
    g_autoptr(NsCheckpoints) read = g_task_propagate_pointer(G_TASK(result), &error);
    if (session->opening != reading->id) return;
    session->opening = 0;
    NsPastRun *run = ns_session_find_run(session, reading->id);
    if (!run) return;
    run->in_file = false;
    run->recorded->checkpoints = g_steal_pointer(&read);
    if (error) ns_session_tell(session, error->message);
    ns_session_open_run(session, reading->id);
}

void ns_session_open_run(NsSession *session, unsigned id)
{
    const NsPastRun *there = ns_session_find_run(session, id);
    if (there && there->in_file) {
        Reading *reading = g_new0(Reading, 1);
        reading->id = session->opening = there->told.id;
        reading->path = g_strdup(there->recorded->path);
        reading->last = there->shared_from > 0 ? there->shared_from : there->told.last_step;
        reading->most = session->most_checkpoint_bytes;
        g_autofree char *words = g_strdup_printf(_("Reading %s…"), there->recorded->name);
        ns_session_tell(session, words);
        g_autoptr(GTask) task = g_task_new(session, NULL, on_read_back, session);
        g_task_set_task_data(task, reading, reading_free);
        g_task_run_in_thread(task, read_back);
        return;
    }
    NsPastRun *run = ns_session_take_run(session, id);
    if (!run) return;
    if (run->watch) {
        ns_session_show_watched(session, run);
        return;
    }
    ns_session_open_saved(session, run);
    int64_t at = ns_past_run_goes_on(run);
    g_autofree char *step = ns_group_digits(at);
    g_autofree char *words =
        at >= 0 ? g_strdup_printf(
                      _("Run %u is shown again; press Run to continue it from step %s."), id, step)
                : g_strdup_printf(_("Run %u is shown again; press Run to restart it."), id);
    ns_session_tell(session, words);
}

int64_t ns_session_goes_on_from(NsSession *session)
{
    return ns_session_is_past(session) ? ns_past_run_goes_on(session->opened) : -1;
}

char *ns_session_past_words(NsSession *session)
{
    if (!ns_session_is_past(session) || session->opened->watch) return NULL;
    const NsRecordedRun *recorded = session->opened->recorded;
    if (recorded->kind) return g_strdup_printf(_("read from %s"), recorded->name);
    return g_strdup_printf(_("run %u again"), session->opened->told.id);
}

/* ---- Continuing and restarting ---- */

/* Whether it restarts with the settings of its first step, none of which was changed later. */
static bool is_as_begun(const NsSession *session)
{
    const NsPastRun *run = session->opened;
    for (size_t lane = 0; lane < run->told.lanes; lane++)
        if (ns_past_run_has_event(run, lane, NS_EVENT_SETTING) ||
            ns_live_differs(&run->recorded->experiment.lane[lane], &session->run->lane[lane]))
            return false;
    return true;
}

static char *anew_words(const NsSession *session)
{
    const NsPastRun *run = session->opened;
    if (run->recorded->kind)
        return g_strdup_printf(_("The run of %s restarts here."), run->recorded->name);
    if (run->told.parent)
        return g_strdup_printf(_("Run %u was a fork whose checkpoint is gone; a run with its "
                                 "settings starts at step 0."),
                               run->told.id);
    if (is_as_begun(session))
        return g_strdup_printf(_("Run %u restarts; the same seed gives the same numbers."),
                               run->told.id);
    return g_strdup_printf(_("Run %u restarts with the settings that are shown."), run->told.id);
}

void ns_session_begin_anew(NsSession *session)
{
    const NsPastRun *run = session->opened;
    NsCheckpoint *first[NS_LANES_MAX] = {NULL};
    g_autofree char *words = NULL;
    if (run->told.parent && ns_past_run_find(run, run->told.fork_step, first) >= 0) {
        g_autofree char *step = ns_group_digits(run->told.fork_step);
        words = g_strdup_printf(_("Run %u restarts at step %s, where it was forked."), run->told.id,
                                step);
    } else {
        words = anew_words(session);
        session->forking_from = 0;
    }
    ns_session_launch(session, first, run->recorded->histories);
    ns_session_drop_checkpoints(first);
    ns_session_tell(session, words);
}

void ns_session_revive(NsSession *session)
{
    NsPastRun *run = session->opened;
    if (ns_past_run_goes_on(run) < 0) {
        ns_session_begin_anew(session);
        return;
    }
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    int64_t at = ns_past_run_find(run, INT64_MAX, checkpoints);
    g_autofree char *step = ns_group_digits(at);
    g_autofree char *words =
        g_strdup_printf(_("Run %u continues from step %s."), run->told.id, step);
    session->forking_from = run->told.id;
    g_free(session->goes_on_with);
    session->goes_on_with = g_strdup(run->recorded->path);
    if (session->folder) run->shared_from = at;
    ns_session_launch(session, checkpoints, run->recorded->histories);
    ns_session_drop_checkpoints(checkpoints);
    ns_session_tell(session, words);
}
