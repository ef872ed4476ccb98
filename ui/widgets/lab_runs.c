/* Earlier runs: a tree, kept within a budget.  SPDX-License-Identifier: MIT */
#include "ui/widgets/lab-private.h"

#include "core/base/words.h"

#include <math.h>

#define RUNS_MOST 12
#define BYTES_MOST ((size_t)1 << 30) /* of histories and checkpoints, all runs together */
#define CHECKPOINT_BYTES_MOST ((size_t)256 << 20) /* of the checkpoints of one */

void ns_past_run_free(NsPastRun *run)
{
    if (!run) return;
    for (size_t lane = 0; lane < run->told.lanes; lane++) {
        ns_history_unref(run->histories[lane]);
        ns_settings_clear(&run->started[lane]);
        ns_settings_clear(&run->settings[lane]);
    }
    ns_checkpoints_free(run->checkpoints);
    g_free(run->title);
    g_free(run->file);
    g_free(run);
}

static void free_run(gpointer run)
{
    ns_past_run_free(run);
}

void ns_lab_init_runs(NsLab *lab)
{
    lab->runs = g_ptr_array_new_with_free_func(free_run);
    lab->run_list = g_array_new(FALSE, TRUE, sizeof(NsLabRun));
    lab->id = lab->last_id = 1;
}

void ns_lab_free_runs(NsLab *lab)
{
    g_ptr_array_unref(lab->runs);
    ns_past_run_free(lab->opened);
    ns_checkpoints_free(lab->left);
    g_array_unref(lab->run_list);
    g_free(lab->title);
}

/* At most: profiles are thinned above the budget of a history. */
static size_t bytes_of(const NsHistory *history)
{
    size_t whole = ns_history_steps(history) * ns_history_layout(history)->width * sizeof(float);
    return MIN(whole, NS_HISTORY_BUDGET);
}

static NsLabRun present(NsLab *lab)
{
    NsLabRun run = {
        .id = lab->id, .parent = lab->forked_from, .checkpoint = -1, .lanes = lab->view->n_lanes};
    run.fork_step = ns_lab_first_step(lab);
    run.last_step = ns_lab_steps(lab);
    run.measured = true;
    for (size_t lane = 0; lane < run.lanes; lane++) {
        const NsStep *step = ns_lab_newest(lab, lane);
        run.loss[lane] = step ? step->loss : (double)NAN;
        run.measured &= step != NULL;
    }
    return run;
}

static char *title_of(const NsView *view)
{
    const NsSettings *settings[NS_LANES_MAX];
    for (size_t lane = 0; lane < view->n_lanes; lane++) settings[lane] = &view->lanes[lane].started;
    g_auto(NsLanes) lanes;
    ns_lanes_init(&lanes, settings, view->n_lanes);
    return ns_lanes_title(&lanes);
}

static NsPastRun *run_at(const NsLab *lab, guint i)
{
    return g_ptr_array_index(lab->runs, i);
}

static NsPastRun *find(NsLab *lab, unsigned id)
{
    for (guint i = 0; i < lab->runs->len; i++)
        if (run_at(lab, i)->told.id == id) return run_at(lab, i);
    return NULL;
}

NsPastRun *ns_lab_take_run(NsLab *lab, unsigned id)
{
    guint i;
    NsPastRun *run = find(lab, id);
    if (!run || !g_ptr_array_find(lab->runs, run, &i)) return NULL;
    return g_ptr_array_steal_index(lab->runs, i);
}

/* They stay in the order of their numbers. */
static void put_back(NsLab *lab, NsPastRun *run)
{
    guint at = 0;
    while (at < lab->runs->len && run_at(lab, at)->told.id < run->told.id) at++;
    g_ptr_array_insert(lab->runs, (gint)at, run);
}

void ns_lab_show_pinned(NsLab *lab)
{
    ns_view_clear_pinned(lab->view);
    for (guint i = 0; i < lab->runs->len; i++) {
        const NsPastRun *run = run_at(lab, i);
        for (size_t lane = 0; run->told.pinned && lane < run->told.lanes; lane++) {
            g_autofree char *name =
                run->told.lanes > 1
                    ? g_strdup_printf(_("run %u %s"), run->told.id, ns_lane_letter(lane))
                    : g_strdup_printf(_("run %u"), run->told.id);
            ns_view_pin(lab->view, run->histories[lane], &run->started[lane], name);
        }
    }
}

/* ---- The budget ---- */

static size_t bytes_of_run(const NsPastRun *run)
{
    size_t bytes = run->checkpoints ? ns_checkpoints_bytes(run->checkpoints) : 0;
    for (size_t lane = 0; lane < run->told.lanes; lane++) bytes += bytes_of(run->histories[lane]);
    return bytes;
}

static size_t bytes_of_all(NsLab *lab)
{
    size_t bytes = 0;
    for (guint i = 0; i < lab->runs->len; i++) bytes += bytes_of_run(run_at(lab, i));
    return bytes;
}

/* Where the oldest could be gone on from goes first, but never that of the newest. */
static bool drop_oldest_checkpoints(NsLab *lab)
{
    for (guint i = 0; i + 1 < lab->runs->len; i++) {
        if (!run_at(lab, i)->checkpoints) continue;
        g_clear_pointer(&run_at(lab, i)->checkpoints, ns_checkpoints_free);
        return true;
    }
    return false;
}

/* The oldest that is not pinned goes, but never the newest. */
static bool let_one_go(NsLab *lab)
{
    for (guint i = 0; i + 1 < lab->runs->len; i++) {
        const NsPastRun *run = run_at(lab, i);
        if (run->told.pinned) continue;
        g_autofree char *words = g_strdup_printf(
            _("Run %u was let go to make room: %s.  Pinned runs stay."), run->told.id, run->title);
        g_ptr_array_remove_index(lab->runs, i);
        ns_lab_tell(lab, words);
        return true;
    }
    return false;
}

static void keep_budget(NsLab *lab)
{
    while (bytes_of_all(lab) > BYTES_MOST && drop_oldest_checkpoints(lab)) continue;
    while ((lab->runs->len > RUNS_MOST || bytes_of_all(lab) > BYTES_MOST) && let_one_go(lab))
        continue;
}

/* ---- Filing ---- */

static size_t bytes_at(const NsLab *lab, int64_t step)
{
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    size_t bytes = 0;
    ns_trainer_checkpoints_at(lab->trainer, step, checkpoints, NULL);
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++)
        if (checkpoints[lane]) bytes += ns_checkpoint_bytes(checkpoints[lane]);
    ns_lab_drop_checkpoints(checkpoints);
    return bytes;
}

/* As many as the budget has room for: it always keeps two, so that of steps that are larger than
 * half of it the newest alone is offered. */
static NsCheckpoints *copy_checkpoints(NsLab *lab)
{
    size_t all = ns_trainer_checkpoints(lab->trainer, NULL, 0);
    g_autofree int64_t *steps = g_new(int64_t, all + 1);
    size_t n = MIN(all, ns_trainer_checkpoints(lab->trainer, steps, all));
    size_t largest = n ? bytes_at(lab, steps[n - 1]) : 0;
    if (n == 0 || largest > CHECKPOINT_BYTES_MOST) return NULL;
    NsCheckpoints *copy = ns_checkpoints_new(lab->run.n, CHECKPOINT_BYTES_MOST);
    for (size_t i = 2 * largest > CHECKPOINT_BYTES_MOST ? n - 1 : 0; i < n; i++) {
        NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
        int64_t at = -1;
        bool found = ns_trainer_checkpoints_at(lab->trainer, steps[i], checkpoints, &at);
        if (found && at == steps[i]) ns_checkpoints_add(copy, at, checkpoints);
        ns_lab_drop_checkpoints(checkpoints);
    }
    return copy;
}

void ns_lab_keep_left(NsLab *lab)
{
    if (!lab->trainer || !lab->view->history) return;
    g_autoptr(NsHistory) history = ns_trainer_history(lab->trainer, 0);
    if (history != lab->view->lanes[0].history) return;
    g_clear_pointer(&lab->left, ns_checkpoints_free);
    if (ns_lab_records(lab, 0) > 1) lab->left = copy_checkpoints(lab);
}

static NsPastRun *run_on_view(NsLab *lab)
{
    const NsView *view = lab->view;
    NsPastRun *run = g_new0(NsPastRun, 1);
    run->told = present(lab);
    run->title = title_of(view);
    run->checkpoints = g_steal_pointer(&lab->left);
    for (size_t lane = 0; lane < run->told.lanes; lane++) {
        run->histories[lane] = ns_history_ref(view->lanes[lane].history);
        ns_settings_copy(&run->started[lane], &view->lanes[lane].started);
        ns_settings_copy(&run->settings[lane], &view->lanes[lane].settings);
    }
    return run;
}

void ns_lab_file_run(NsLab *lab)
{
    if (lab->opened)
        put_back(lab, g_steal_pointer(&lab->opened));
    else if (ns_lab_records(lab, 0) > 1)
        put_back(lab, run_on_view(lab));
    else
        return;
    lab->id = ++lab->last_id;
    keep_budget(lab);
    ns_lab_show_pinned(lab);
}

/* ---- What others may ask ---- */

static void append_run(NsLab *lab, NsPastRun *run)
{
    run->told.title = run->title;
    run->told.checkpoint = ns_past_run_goes_on(run);
    g_array_append_val(lab->run_list, run->told);
}

const NsLabRun *ns_lab_runs(NsLab *lab, size_t *n)
{
    g_array_set_size(lab->run_list, 0);
    g_free(lab->title);
    lab->title = title_of(lab->view);
    NsLabRun now = present(lab);
    now.present = true;
    now.title = lab->title;
    guint i = 0;
    for (; i < lab->runs->len && run_at(lab, i)->told.id < now.id; i++)
        append_run(lab, run_at(lab, i));
    g_array_append_val(lab->run_list, now);
    for (; i < lab->runs->len; i++) append_run(lab, run_at(lab, i));
    *n = lab->run_list->len;
    return (const NsLabRun *)lab->run_list->data;
}

void ns_lab_pin_run(NsLab *lab, unsigned id, bool pinned)
{
    NsPastRun *run = find(lab, id);
    if (!run || run->told.pinned == pinned) return;
    if (pinned && lab->view->n_pinned + run->told.lanes > NS_FIGURE_PINNED) {
        g_autofree char *words = g_strdup_printf(
            _("No more than %d curves of earlier runs can be shown; unpin another run first."),
            NS_FIGURE_PINNED);
        ns_lab_tell(lab, words);
    } else {
        run->told.pinned = pinned;
        ns_lab_show_pinned(lab);
    }
    ns_lab_emit(lab, NS_LAB_RUNS_CHANGED);
    ns_lab_emit(lab, NS_LAB_VIEW_CHANGED);
}
