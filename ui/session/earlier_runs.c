/* Earlier runs: a tree, stored within a budget, whose runs can be opened and continued.
 * SPDX-License-Identifier: MIT
 *
 * An opened run has no trainer.  Its records are shown as they were.  A command that needs a
 * trainer makes one that continues from the newest checkpoint or, if there is none, restarts the
 * run. */
#include "core/base/words.h"
#include "ui/figures/settings_caption.h"
#include "ui/session/session-private.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#define RUNS_MOST 12
#define LANES_PINNED 3 /* without being asked for; eight curves could not be followed */
#define BYTES_MOST ((size_t)1 << 30) /* of histories, all earlier runs together */

/* ---- One run ---- */

NsPastRun *ns_past_run_new(NsRecordedRun *recorded, const NsExperiment *settings)
{
    NsPastRun *run = g_new0(NsPastRun, 1);
    run->recorded = recorded;
    run->listed.lanes = recorded->lanes = settings->n;
    ns_experiment_copy(&run->settings, settings);
    if (!recorded->title) recorded->title = ns_experiment_title(&recorded->experiment);
    return run;
}

void ns_past_run_free(NsPastRun *run)
{
    if (!run) return;
    ns_experiment_clear(&run->settings);
    ns_outside_watch_free(run->watch);
    ns_recorded_run_free(run->recorded);
    g_strfreev(run->sources);
    g_free(run->saved);
    g_clear_pointer(&run->messages, g_ptr_array_unref);
    g_free(run);
}

const char *ns_past_run_path(const NsPastRun *run)
{
    if (!run->sources) return run->recorded->path;
    return run->sources[1] ? NULL : run->sources[0];
}

static bool all_diverged(const NsPastRun *run)
{
    for (size_t lane = 0; lane < run->listed.lanes; lane++)
        if (!ns_history_divergence(run->recorded->histories[lane])) return false;
    return true;
}

/* The newest step at or before `step` at which every lane has a checkpoint; negative if there is
 * none. */
static int64_t find_checkpoints(const NsPastRun *run, int64_t step,
                                NsCheckpoint *checkpoints[NS_LANES_MAX])
{
    int64_t at;
    while (run->recorded->checkpoints &&
           ns_checkpoints_find(run->recorded->checkpoints, step, checkpoints, &at)) {
        size_t lane = 0;
        while (lane < run->listed.lanes && checkpoints[lane]) lane++;
        if (lane == run->listed.lanes) return at;
        ns_session_drop_checkpoints(checkpoints);
        step = at - 1;
    }
    return -1;
}

int64_t ns_past_run_continues_from(const NsPastRun *run)
{
    int64_t steps = run->settings.lane[0].steps;
    bool ended = steps > 0 && run->listed.last_step >= steps;
    if (ended || all_diverged(run)) return -1;
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    int64_t at = run->in_file ? run->stored : find_checkpoints(run, INT64_MAX, checkpoints);
    ns_session_drop_checkpoints(checkpoints);
    return at > run->listed.fork_step ? at : -1;
}

/* ---- Lookup ---- */

static NsSessionRun present(NsSession *session)
{
    if (ns_session_is_watching(session)) return session->opened->listed;
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

static NsPastRun *find_run(NsSession *session, unsigned id)
{
    for (guint i = 0; i < session->runs->len; i++)
        if (ns_session_past_run(session, i)->listed.id == id)
            return ns_session_past_run(session, i);
    return NULL;
}

/* "run 2 A warm-up 100": with the settings that differ from those of the run on view. */
static char *pinned_name(NsSession *session, const NsPastRun *run, size_t lane)
{
    const NsExperiment *now = &session->view->started;
    const NsExperiment *own =
        run->watch ? ns_outside_watch_experiment(run->watch) : &run->recorded->experiment;
    const char *lane_name = run->recorded->names[lane];
    if (run->watch && !run->recorded->path) /* another run has its file and so the same name */
        return g_strdup_printf(_("run %u, %s"), run->listed.id, lane_name);
    if (!own || lane >= own->n) return g_strdup(lane_name);
    const NsSettings *settings[] = {&own->lane[lane], &now->lane[MIN(lane, now->n - 1)]};
    g_autofree char *differs = ns_settings_special_words(settings, 2, 0);
    bool changed = ns_figure_first_change(run->recorded->histories[lane]) > 0;
    GString *name = g_string_new(NULL);
    g_string_printf(name, _("run %u"), run->listed.id);
    if (run->listed.lanes > 1) g_string_append_printf(name, " %s", ns_lane_letter(lane));
    if (*differs && !ns_session_is_watching(session)) g_string_append_printf(name, " %s", differs);
    if (changed) g_string_append(name, _(" (changed)")); /* a legend has no space for the steps */
    return g_string_free(name, FALSE);
}

void ns_session_show_pinned(NsSession *session)
{
    ns_view_clear_pinned(session->view);
    for (guint i = 0; i < session->runs->len; i++) {
        const NsPastRun *run = ns_session_past_run(session, i);
        const char *path = ns_past_run_path(run);
        const NsRunMark *mark =
            session->run_marks && path ? g_hash_table_lookup(session->run_marks, path) : NULL;
        for (size_t lane = 0; run->listed.pinned && lane < run->listed.lanes; lane++) {
            g_autofree char *name = mark ? g_strdup(mark->words) : pinned_name(session, run, lane);
            if (run->recorded->histories[lane])
                ns_view_pin(session->view, mark ? mark->lane : (unsigned)lane,
                            mark ? mark->shade : 0, run->recorded->histories[lane],
                            run->watch ? NULL : &run->recorded->experiment.lane[lane], name);
        }
    }
}

void ns_session_mark_runs(NsSession *session, GHashTable *marks)
{
    g_clear_pointer(&session->run_marks, g_hash_table_unref);
    session->run_marks = marks;
    ns_session_show_pinned(session);
    g_signal_emit_by_name(session, "view-changed");
}

/* ---- The budget ---- */

size_t ns_session_history_bytes(const NsHistory *history)
{
    size_t records = ns_history_seeds(history) * ns_history_steps(history);
    if (records == 0) return 0;
    return MIN(records * ns_history_layout(history)->width * sizeof(float), NS_HISTORY_BUDGET);
}

static size_t bytes_of_all(NsSession *session)
{
    size_t bytes = 0;
    for (guint i = 0; i < session->runs->len; i++) {
        const NsPastRun *run = ns_session_past_run(session, i);
        for (size_t lane = 0; lane < run->listed.lanes; lane++)
            if (run->recorded->histories[lane])
                bytes += ns_session_history_bytes(run->recorded->histories[lane]);
    }
    return bytes;
}

/* Removes the oldest run that is not pinned, but never the newest run.  One that was recorded can
 * be opened from its file, so that nothing has to be said. */
static bool drop_oldest_run(NsSession *session)
{
    bool many = session->runs->len > RUNS_MOST;
    for (guint i = 0; i + 1 < session->runs->len; i++) {
        const NsPastRun *run = ns_session_past_run(session, i);
        if (run->listed.pinned) continue;
        g_autofree char *words =
            many ? g_strdup_printf(_("Run %u, which was not saved, was removed: the %d newest "
                                     "earlier runs are kept, and pinned ones."),
                                   run->listed.id, RUNS_MOST)
                 : g_strdup_printf(_("Run %u, which was not saved, was removed to free memory. "
                                     "Pinned runs are kept."),
                                   run->listed.id);
        bool saved = run->recorded->path != NULL;
        g_ptr_array_remove_index(session->runs, i);
        if (!saved) g_signal_emit_by_name(session, "housekeeping", words);
        return true;
    }
    return false;
}

/* ---- Filing ---- */

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
    run->listed = present(session);
    run->in_file = recorded->path && !recorded->checkpoints;
    run->stored = run->listed.last_step;
    return run;
}

void ns_session_pin_before(NsSession *session, NsPastRun *before, size_t n)
{
    size_t pinned = 0;
    for (guint i = 0; i < session->runs->len; i++) {
        NsPastRun *run = ns_session_past_run(session, i);
        run->listed.pinned &= !run->auto_pinned;
        run->auto_pinned = false;
        if (run->listed.pinned) pinned += run->listed.lanes;
    }
    /* Up to the fork point both runs are the same. */
    bool differs = before->listed.last_step > session->origin_step;
    bool fits = pinned + before->listed.lanes <= NS_FIGURE_PINNED;
    bool same = !session->left_experiment && before->listed.lanes == n;
    bool few = n > 1 && n <= LANES_PINNED;
    if (before->listed.pinned || !few || !same || !fits || !differs) return;
    before->auto_pinned = before->listed.pinned = true;
}

static int by_id(gconstpointer a, gconstpointer b)
{
    const NsPastRun *one = *(NsPastRun *const *)a, *other = *(NsPastRun *const *)b;
    return one->listed.id < other->listed.id ? -1 : 1;
}

void ns_session_add_earlier(NsSession *session, NsPastRun *run)
{
    g_ptr_array_add(session->runs, run);
    g_ptr_array_sort(session->runs, by_id);
    ns_session_bound_checkpoints(session);
    while ((session->runs->len > RUNS_MOST || bytes_of_all(session) > BYTES_MOST) &&
           drop_oldest_run(session))
        continue;
}

static void file_run(NsSession *session, size_t n)
{
    bool was_opened = session->opened != NULL;
    if (!was_opened && ns_session_steps(session) <= session->prepared_to)
        g_clear_pointer(&session->left, ns_checkpoints_free);
    if (!was_opened && ns_session_steps(session) <= MAX(session->fork_step, session->prepared_to))
        return;
    NsPastRun *before = was_opened ? g_steal_pointer(&session->opened) : run_on_view(session);
    /* A run that was only opened is not pinned, because it was not trained just before. */
    if (!was_opened || session->trainer) ns_session_pin_before(session, before, n);
    session->id = ++session->last_id;
    ns_session_add_earlier(session, before);
}

/* ---- The list of runs ---- */

static const NsExperiment *started_of(NsSession *session, unsigned id)
{
    const NsPastRun *run = find_run(session, id);
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
    run->listed.title = run->recorded->title;
    run->listed.differs = run->recorded->differs = differs_from(session, &run->listed);
    run->listed.checkpoint = ns_past_run_continues_from(run);
    g_array_append_val(session->run_list, run->listed);
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
    for (; i < session->runs->len && ns_session_past_run(session, i)->listed.id < now.id; i++)
        append_run(session, ns_session_past_run(session, i));
    g_array_append_val(session->run_list, now);
    for (; i < session->runs->len; i++) append_run(session, ns_session_past_run(session, i));
    *n = session->run_list->len;
    return (const NsSessionRun *)session->run_list->data;
}

void ns_session_leave_experiment(NsSession *session)
{
    for (guint i = 0; i < session->runs->len; i++)
        ns_session_past_run(session, i)->listed.pinned = false;
    ns_view_clear_previous(session->view);
    ns_session_show_pinned(session);
    session->left_experiment = true;
    ns_session_forget_undo(session);
    g_signal_emit_by_name(session, "left");
    g_signal_emit_by_name(session, "runs-changed");
    g_signal_emit_by_name(session, "view-changed");
}

void ns_session_pin_run(NsSession *session, unsigned id, bool pinned)
{
    NsPastRun *run = find_run(session, id);
    if (!run || run->listed.pinned == pinned) return;
    if (pinned && session->view->n_pinned + run->listed.lanes > NS_FIGURE_PINNED) {
        g_autofree char *words = g_strdup_printf(
            _("At most %d curves of earlier runs can be shown; unpin another run first."),
            NS_FIGURE_PINNED);
        ns_session_report(session, words);
    } else {
        run->listed.pinned = pinned;
        run->auto_pinned = false;
        ns_session_show_pinned(session);
    }
    g_signal_emit_by_name(session, "runs-changed");
    g_signal_emit_by_name(session, "view-changed");
}

/* ---- Replacing the run on view ---- */

void ns_session_adopt(NsSession *session, NsHistory *const *histories, const NsExperiment *started)
{
    NsView *view = session->view;
    unsigned n = (unsigned)started->n;
    /* A run that is still being prepared has no history. */
    bool had = view->history || session->opened;
    if (had && histories[0] != view->histories[0]) file_run(session, n);
    session->forked_from = session->forking_from;
    session->prepared_to = session->preparing_to;
    bool same = !session->left_experiment;
    if (n == 1 && same && ns_session_has_moved(session)) ns_view_leave_previous(view);
    session->left_experiment = false;
    session->fork_step = session->origin_step;
    ns_view_set_source(view, NULL);
    ns_view_set_lanes(view, n);
    for (unsigned lane = 0; lane < n; lane++) {
        ns_view_set_history(view, lane, histories[lane], &started->lane[lane]);
        ns_view_set_name(view, lane, NULL);
        session->records_seen[lane] = 0;
        /* Events from before a fork were seen. */
        memset(session->events_seen[lane], 0, sizeof session->events_seen[lane]);
        for (size_t k = 0; histories[lane] && k < ns_history_seeds(histories[lane]); k++) {
            const NsHistory *seed = ns_history_seed(histories[lane], k);
            size_t events = ns_history_events(seed), *seen = &session->events_seen[lane][k];
            while (*seen < events && ns_history_event(seed, *seen)->step < session->fork_step)
                ++*seen;
        }
    }
    ns_view_set_active(view, (unsigned)session->experiment.from[session->active]);
    ns_view_show_recorded(view);
    ns_session_show_pinned(session);
    view->step = -1;
    ns_session_clear_trouble(session);
    g_signal_emit_by_name(session, "view-changed");
    g_signal_emit_by_name(session, "runs-changed");
}

void ns_session_put_past(NsSession *session, NsPastRun *run, NsTrainerState state)
{
    session->opened = run;
    if (run->listed.id)
        session->last_id--; /* an opened run keeps its number, so the new one is given
                               back */
    session->id = run->listed.id ? run->listed.id : session->id;
    run->listed.id = session->id;
    session->state = state;
    for (unsigned lane = 0; lane < run->listed.lanes; lane++) {
        NsHistory *history = run->recorded->histories[lane];
        ns_live_copy(&session->view->now.lane[lane], &run->settings.lane[lane]);
        session->records_seen[lane] = history ? ns_history_steps(history) : 0;
        for (size_t k = 0; history && k < ns_history_seeds(history); k++)
            session->events_seen[lane][k] = ns_history_events(ns_history_seed(history, k));
    }
}

/* ---- Opening ---- */

NsTrainerState ns_session_lane_state(NsSession *session, size_t lane)
{
    if (ns_session_is_past(session)) {
        const NsPastRun *run = session->opened;
        bool diverged =
            lane < run->listed.lanes && ns_history_divergence(run->recorded->histories[lane]);
        return diverged ? NS_TRAINER_DIVERGED : session->state;
    }
    if (!session->trainer || lane >= session->run->n) return session->state;
    return ns_trainer_lane_state(session->trainer, lane);
}

/* A new one has no id yet.  The controls show the settings with which it would continue or, if it
 * can only restart, those with which it began. */
void ns_session_open_saved(NsSession *session, NsPastRun *run)
{
    bool continues = ns_past_run_continues_from(run) >= 0;
    const NsExperiment *experiment = continues ? &run->settings : &run->recorded->experiment;
    ns_session_leave_trainer(session);
    session->wants_run = false;
    NsExperiment *shown = ns_experiment_new_shared(experiment);
    ns_experiment_share(shown);
    ns_session_set_run(session, shown);
    session->forking_from = run->listed.parent;
    session->origin_step = run->listed.fork_step;
    session->left_experiment = true;
    ns_session_adopt(session, run->recorded->histories, &run->recorded->experiment);
    ns_session_put_past(session, run,
                        all_diverged(run) ? NS_TRAINER_DIVERGED
                        : continues       ? NS_TRAINER_PAUSED
                                          : NS_TRAINER_FINISHED);
    ns_session_open(session, experiment);
    ns_session_forget_undo(session);
    ns_session_estimate(session);
    ns_session_bound_checkpoints(session);
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
    NsPastRun *run = find_run(session, reading->id);
    if (!run) return;
    run->in_file = false;
    run->recorded->checkpoints = g_steal_pointer(&read);
    if (error) ns_session_report(session, error->message);
    ns_session_open_run(session, reading->id);
}

void ns_session_open_run(NsSession *session, unsigned id)
{
    NsPastRun *run = find_run(session, id);
    guint i;
    if (!run || !g_ptr_array_find(session->runs, run, &i)) return;
    if (run->in_file) {
        Reading *reading = g_new0(Reading, 1);
        reading->id = session->opening = run->listed.id;
        reading->path = g_strdup(run->recorded->path);
        reading->last = run->shared_from > 0 ? run->shared_from : run->listed.last_step;
        reading->most = session->most_checkpoint_bytes;
        g_autofree char *words = g_strdup_printf(_("Reading run %u…"), id);
        ns_session_report(session, words);
        g_autoptr(GTask) task = g_task_new(session, NULL, on_read_back, session);
        g_task_set_task_data(task, reading, reading_free);
        g_task_run_in_thread(task, read_back);
        return;
    }
    g_ptr_array_steal_index(session->runs, i);
    if (run->watch) {
        ns_session_show_watched(session, run);
        return;
    }
    ns_session_open_saved(session, run);
    int64_t at = ns_past_run_continues_from(run);
    g_autofree char *step = ns_group_digits(at);
    g_autofree char *words =
        at >= 0 ? g_strdup_printf(
                      _("Run %u is shown again; press Run to continue it from step %s."), id, step)
                : g_strdup_printf(_("Run %u is shown again; press Run to restart it."), id);
    g_signal_emit_by_name(session, "housekeeping", words);
}

int64_t ns_session_continues_from(NsSession *session)
{
    return ns_session_is_past(session) ? ns_past_run_continues_from(session->opened) : -1;
}

char *ns_session_past_words(NsSession *session)
{
    if (!ns_session_is_past(session) || session->opened->watch) return NULL;
    const NsRecordedRun *recorded = session->opened->recorded;
    if (recorded->kind) return g_strdup_printf(_("read from %s"), recorded->name);
    return g_strdup_printf(_("run %u again"), session->opened->listed.id);
}

/* ---- Continuing and restarting ---- */

/* Whether it restarts with the settings of its first step, none of which was changed later. */
static bool is_as_begun(const NsSession *session)
{
    const NsPastRun *run = session->opened;
    for (size_t lane = 0; lane < run->listed.lanes; lane++)
        if (ns_history_last_event(run->recorded->histories[lane], NS_EVENT_SETTING) ||
            ns_live_differs(&run->recorded->experiment.lane[lane], &session->run->lane[lane]))
            return false;
    return true;
}

static char *restart_words(const NsSession *session)
{
    const NsPastRun *run = session->opened;
    if (run->recorded->kind)
        return g_strdup_printf(_("The run of %s restarts here."), run->recorded->name);
    if (run->listed.parent)
        return g_strdup_printf(_("Run %u was a fork whose checkpoint is gone; a run with its "
                                 "settings starts at step 0."),
                               run->listed.id);
    if (is_as_begun(session))
        return g_strdup_printf(_("Run %u restarts; the same seed gives the same numbers."),
                               run->listed.id);
    return g_strdup_printf(_("Run %u restarts with the settings that are shown."), run->listed.id);
}

void ns_session_begin_again(NsSession *session)
{
    const NsPastRun *run = session->opened;
    NsCheckpoint *first[NS_LANES_MAX] = {NULL};
    g_autofree char *words = NULL;
    if (run->listed.parent && find_checkpoints(run, run->listed.fork_step, first) >= 0) {
        g_autofree char *step = ns_group_digits(run->listed.fork_step);
        words = g_strdup_printf(_("Run %u restarts at step %s, where it was forked."),
                                run->listed.id, step);
    } else {
        words = restart_words(session);
        session->forking_from = 0;
    }
    ns_session_launch(session, first, run->recorded->histories);
    ns_session_drop_checkpoints(first);
    ns_session_report(session, words);
}

void ns_session_revive(NsSession *session)
{
    NsPastRun *run = session->opened;
    if (ns_past_run_continues_from(run) < 0) {
        ns_session_begin_again(session);
        return;
    }
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    int64_t at = find_checkpoints(run, INT64_MAX, checkpoints);
    g_autofree char *step = ns_group_digits(at);
    g_autofree char *words =
        g_strdup_printf(_("Run %u continues from step %s."), run->listed.id, step);
    session->forking_from = run->listed.id;
    g_free(session->continued_file);
    session->continued_file = g_strdup(run->recorded->path);
    if (session->folder) run->shared_from = at;
    ns_session_launch(session, checkpoints, run->recorded->histories);
    ns_session_drop_checkpoints(checkpoints);
    g_signal_emit_by_name(session, "housekeeping", words);
}
