/* Earlier runs: a tree, stored within a budget.  SPDX-License-Identifier: MIT */
#include "ui/session/session-private.h"

#include "core/base/words.h"

#include <math.h>

#define RUNS_MOST 12
#define BYTES_MOST ((size_t)1 << 30) /* of histories, all earlier runs together */

static void free_run(gpointer run)
{
    ns_past_run_free(run);
}

void ns_session_init_runs(NsSession *session)
{
    session->runs = g_ptr_array_new_with_free_func(free_run);
    session->run_list = g_array_new(FALSE, TRUE, sizeof(NsSessionRun));
    session->most_checkpoint_bytes = NS_SESSION_CHECKPOINT_BYTES;
    session->id = session->last_id = 1;
}

void ns_session_free_runs(NsSession *session)
{
    g_ptr_array_unref(session->runs);
    ns_past_run_free(session->opened);
    ns_checkpoints_free(session->left);
    g_array_unref(session->run_list);
    g_free(session->title);
    g_free(session->differs);
}

/* ---- Lookup ---- */

/* An upper bound of the bytes of a history with all seeds; it thins its profiles above its
 * budget. */
static size_t bytes_of(const NsHistory *history)
{
    size_t records = history ? ns_history_seeds(history) * ns_history_steps(history) : 0;
    return records == 0 ? 0
                        : MIN(records * ns_history_layout(history)->width * sizeof(float),
                              NS_HISTORY_BUDGET);
}

static NsSessionRun present(NsSession *session)
{
    if (ns_session_is_watching(session)) return session->opened->told;
    NsSessionRun run = {.id = session->id,
                        .parent = session->forked_from,
                        .checkpoint = -1,
                        .lanes = session->view->started.n};
    run.fork_step = session->fork_step;
    run.last_step = ns_session_steps(session);
    run.measured = true;
    for (size_t lane = 0; lane < run.lanes; lane++) {
        run.loss[lane] = ns_session_newest_loss(session, lane);
        run.measured &= ns_session_records(session, lane) > 0;
    }
    return run;
}

static NsPastRun *run_at(const NsSession *session, guint i)
{
    return g_ptr_array_index(session->runs, i);
}

NsPastRun *ns_session_find_run(NsSession *session, unsigned id)
{
    for (guint i = 0; i < session->runs->len; i++)
        if (run_at(session, i)->told.id == id) return run_at(session, i);
    return NULL;
}

NsPastRun *ns_session_take_run(NsSession *session, unsigned id)
{
    guint i;
    NsPastRun *run = ns_session_find_run(session, id);
    if (!run || !g_ptr_array_find(session->runs, run, &i)) return NULL;
    return g_ptr_array_steal_index(session->runs, i);
}

void ns_session_show_pinned(NsSession *session)
{
    ns_view_clear_pinned(session->view);
    for (guint i = 0; i < session->runs->len; i++) {
        const NsPastRun *run = run_at(session, i);
        for (size_t lane = 0; run->told.pinned && lane < run->told.lanes; lane++) {
            g_autofree char *name =
                run->watch ? g_strdup(run->recorded->names[lane])
                : run->told.lanes > 1
                    ? g_strdup_printf(_("run %u %s"), run->told.id, ns_lane_letter(lane))
                    : g_strdup_printf(_("run %u"), run->told.id);
            if (run->recorded->histories[lane])
                ns_view_pin(session->view, (unsigned)lane, run->recorded->histories[lane],
                            run->watch ? NULL : &run->recorded->experiment.lane[lane], name);
        }
    }
}

/* ---- The budget ---- */

static size_t bytes_of_run(const NsPastRun *run)
{
    size_t bytes = 0;
    for (size_t lane = 0; lane < run->told.lanes; lane++)
        bytes += bytes_of(run->recorded->histories[lane]);
    return bytes;
}

static size_t bytes_of_all(NsSession *session)
{
    size_t bytes = 0;
    for (guint i = 0; i < session->runs->len; i++) bytes += bytes_of_run(run_at(session, i));
    return bytes;
}

/* Removes the oldest run that is not pinned, but never the newest run. */
static bool let_one_go(NsSession *session)
{
    for (guint i = 0; i + 1 < session->runs->len; i++) {
        const NsPastRun *run = run_at(session, i);
        if (run->told.pinned) continue;
        g_autofree char *words =
            g_strdup_printf(_("Run %u was removed to free memory: %s.  Pinned runs are kept."),
                            run->told.id, run->recorded->title);
        g_ptr_array_remove_index(session->runs, i);
        ns_session_tell(session, words);
        return true;
    }
    return false;
}

/* ---- Filing ---- */

void ns_session_keep_left(NsSession *session)
{
    if (!session->trainer || !session->view->history) return;
    g_autoptr(NsHistory) history = ns_trainer_history(session->trainer, 0);
    if (history != session->view->histories[0]) return;
    g_clear_pointer(&session->left, ns_checkpoints_free);
    g_clear_pointer(&session->path, g_free);
    if (!ns_session_has_moved(session)) return;
    session->left = ns_session_copy_checkpoints(session);
    session->path = ns_session_path_on_view(session);
}

static NsPastRun *run_on_view(NsSession *session)
{
    const NsView *view = session->view;
    NsRecordedRun *recorded = ns_recorded_run_new(session->path);
    g_clear_pointer(&session->path, g_free);
    ns_experiment_copy(&recorded->experiment, &view->started);
    recorded->checkpoints = g_steal_pointer(&session->left);
    for (size_t lane = 0; lane < view->started.n; lane++)
        recorded->histories[lane] = ns_history_ref(view->histories[lane]);
    NsPastRun *run = ns_past_run_new(recorded, &view->now);
    run->told = present(session);
    run->in_file = recorded->path && !recorded->checkpoints;
    run->kept = run->told.last_step;
    return run;
}

/* Pins the lanes of the run that was on view until the next run replaces it, if both have the same
 * lanes.  A single lane is shown as the previous run anyway. */
static void pin_before(NsSession *session, NsPastRun *before, size_t n)
{
    size_t pinned = 0;
    for (guint i = 0; i < session->runs->len; i++) {
        NsPastRun *run = run_at(session, i);
        run->told.pinned &= !run->by_itself;
        run->by_itself = false;
        if (run->told.pinned) pinned += run->told.lanes;
    }
    /* Up to the fork point both runs are the same. */
    bool differs = before->told.last_step > session->origin_step;
    bool room = pinned + before->told.lanes <= NS_FIGURE_PINNED;
    bool same = !session->left_experiment && before->told.lanes == n;
    if (before->told.pinned || n == 1 || !same || !room || !differs) return;
    before->by_itself = before->told.pinned = true;
}

void ns_session_file_run(NsSession *session, size_t n)
{
    bool was_opened = session->opened != NULL;
    if (!was_opened && ns_session_steps(session) <= session->prepared_to)
        g_clear_pointer(&session->left, ns_checkpoints_free);
    if (!was_opened && ns_session_steps(session) <= MAX(session->fork_step, session->prepared_to))
        return;
    NsPastRun *before = was_opened ? g_steal_pointer(&session->opened) : run_on_view(session);
    /* A run that was only opened is not pinned, because it was not trained just before. */
    if (!was_opened || session->trainer) pin_before(session, before, n);
    /* The list of runs is sorted by number. */
    guint at = 0;
    while (at < session->runs->len && run_at(session, at)->told.id < before->told.id) at++;
    g_ptr_array_insert(session->runs, (gint)at, before);
    session->id = ++session->last_id;
    ns_session_bound_checkpoints(session);
    while ((session->runs->len > RUNS_MOST || bytes_of_all(session) > BYTES_MOST) &&
           let_one_go(session))
        continue;
    ns_session_show_pinned(session);
}

/* ---- The list of runs ---- */

static const NsExperiment *started_of(NsSession *session, unsigned id)
{
    const NsPastRun *run = ns_session_find_run(session, id);
    if (run) return run->watch ? NULL : &run->recorded->experiment;
    if (id == session->id && ns_session_is_watching(session)) return NULL;
    return id == session->id ? &session->view->started : NULL;
}

/* The differences from the parent, or from the run before if it is no fork. */
static char *differs_from(NsSession *session, const NsSessionRun *run)
{
    const NsExperiment *own = started_of(session, run->id), *before = NULL;
    if (run->parent) before = started_of(session, run->parent);
    for (unsigned id = run->id; !before && !run->parent && id-- > 1;)
        before = started_of(session, id);
    return own && before ? ns_experiment_difference_words(before, own) : NULL;
}

static void append_run(NsSession *session, NsPastRun *run)
{
    g_free(run->recorded->differs);
    run->told.title = run->recorded->title;
    run->told.differs = run->recorded->differs = differs_from(session, &run->told);
    run->told.checkpoint = ns_past_run_goes_on(run);
    g_array_append_val(session->run_list, run->told);
}

const NsSessionRun *ns_session_runs(NsSession *session, size_t *n)
{
    g_array_set_size(session->run_list, 0);
    g_free(session->title);
    session->title = ns_session_is_watching(session) ? g_strdup(session->opened->recorded->title)
                                                     : ns_experiment_title(&session->view->started);
    NsSessionRun now = present(session);
    now.present = true;
    now.title = session->title;
    g_free(session->differs);
    now.differs = session->differs = differs_from(session, &now);
    guint i = 0;
    for (; i < session->runs->len && run_at(session, i)->told.id < now.id; i++)
        append_run(session, run_at(session, i));
    g_array_append_val(session->run_list, now);
    for (; i < session->runs->len; i++) append_run(session, run_at(session, i));
    *n = session->run_list->len;
    return (const NsSessionRun *)session->run_list->data;
}

void ns_session_leave_experiment(NsSession *session)
{
    for (guint i = 0; i < session->runs->len; i++) run_at(session, i)->told.pinned = false;
    ns_view_clear_previous(session->view);
    ns_session_show_pinned(session);
    session->left_experiment = true;
    ns_session_forget_undo(session);
    g_signal_emit_by_name(session, "runs-changed");
    g_signal_emit_by_name(session, "view-changed");
}

void ns_session_pin_run(NsSession *session, unsigned id, bool pinned)
{
    NsPastRun *run = ns_session_find_run(session, id);
    if (!run || run->told.pinned == pinned) return;
    if (pinned && session->view->n_pinned + run->told.lanes > NS_FIGURE_PINNED) {
        g_autofree char *words = g_strdup_printf(
            _("At most %d curves of earlier runs can be shown; unpin another run first."),
            NS_FIGURE_PINNED);
        ns_session_tell(session, words);
    } else {
        run->told.pinned = pinned;
        run->by_itself = false;
        ns_session_show_pinned(session);
    }
    g_signal_emit_by_name(session, "runs-changed");
    g_signal_emit_by_name(session, "view-changed");
}
