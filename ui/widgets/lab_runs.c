/* Earlier runs: a tree, kept within a budget.  SPDX-License-Identifier: MIT */
#include "ui/widgets/lab-private.h"

#include "core/base/words.h"

#include <math.h>

#define RUNS_MOST 12
#define BYTES_MOST ((size_t)1 << 30)

typedef struct {
    NsLabRun told;
    char *title;
    NsHistory *histories[NS_LANES_MAX];
    NsSettings started[NS_LANES_MAX];
    size_t bytes;
} Run;

static void run_free(gpointer data)
{
    Run *run = data;
    for (size_t lane = 0; lane < run->told.lanes; lane++) {
        ns_history_unref(run->histories[lane]);
        ns_settings_clear(&run->started[lane]);
    }
    g_free(run->title);
    g_free(run);
}

void ns_lab_init_runs(NsLab *lab)
{
    lab->runs = g_ptr_array_new_with_free_func(run_free);
    lab->run_list = g_array_new(FALSE, TRUE, sizeof(NsLabRun));
    lab->id = lab->last_id = 1;
}

void ns_lab_free_runs(NsLab *lab)
{
    g_ptr_array_unref(lab->runs);
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
    NsLabRun run = {.id = lab->id, .parent = lab->forked_from, .lanes = lab->view->n_lanes};
    run.fork_step = ns_lab_first_step(lab);
    run.last_step = ns_lab_steps(lab);
    for (size_t lane = 0; lane < run.lanes; lane++) {
        const NsStep *step = ns_lab_newest(lab, lane);
        run.loss[lane] = step ? step->loss : (double)NAN;
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

static Run *find(NsLab *lab, unsigned id)
{
    for (guint i = 0; i < lab->runs->len; i++) {
        Run *run = g_ptr_array_index(lab->runs, i);
        if (run->told.id == id) return run;
    }
    return NULL;
}

static void show_pinned(NsLab *lab)
{
    ns_view_clear_pinned(lab->view);
    for (guint i = 0; i < lab->runs->len; i++) {
        const Run *run = g_ptr_array_index(lab->runs, i);
        for (size_t lane = 0; run->told.pinned && lane < run->told.lanes; lane++) {
            g_autofree char *name =
                run->told.lanes > 1
                    ? g_strdup_printf(_("run %u %s"), run->told.id, ns_lane_name(lane))
                    : g_strdup_printf(_("run %u"), run->told.id);
            ns_view_pin(lab->view, run->histories[lane], &run->started[lane], name);
        }
    }
}

/* ---- The budget ---- */

static bool too_many(NsLab *lab)
{
    size_t bytes = 0;
    for (guint i = 0; i < lab->runs->len; i++)
        bytes += ((Run *)g_ptr_array_index(lab->runs, i))->bytes;
    return lab->runs->len > RUNS_MOST || bytes > BYTES_MOST;
}

/* The oldest that is not pinned goes, but never the newest. */
static bool let_one_go(NsLab *lab)
{
    for (guint i = 0; i + 1 < lab->runs->len; i++) {
        const Run *run = g_ptr_array_index(lab->runs, i);
        if (run->told.pinned) continue;
        g_autofree char *words = g_strdup_printf(
            _("Run %u was let go to make room: %s.  Pinned runs stay."), run->told.id, run->title);
        g_ptr_array_remove_index(lab->runs, i);
        ns_lab_tell(lab, words);
        return true;
    }
    return false;
}

void ns_lab_file_run(NsLab *lab)
{
    NsView *view = lab->view;
    if (ns_lab_records(lab, 0) <= 1) return;
    Run *run = g_new0(Run, 1);
    run->told = present(lab);
    run->title = title_of(view);
    for (size_t lane = 0; lane < run->told.lanes; lane++) {
        run->histories[lane] = ns_history_ref(view->lanes[lane].history);
        ns_settings_copy(&run->started[lane], &view->lanes[lane].started);
        run->bytes += bytes_of(run->histories[lane]);
    }
    g_ptr_array_add(lab->runs, run);
    lab->id = ++lab->last_id;
    while (too_many(lab) && let_one_go(lab)) continue;
}

/* ---- What others may ask ---- */

const NsLabRun *ns_lab_runs(NsLab *lab, size_t *n)
{
    g_array_set_size(lab->run_list, 0);
    for (guint i = 0; i < lab->runs->len; i++) {
        Run *run = g_ptr_array_index(lab->runs, i);
        run->told.title = run->title;
        g_array_append_val(lab->run_list, run->told);
    }
    g_free(lab->title);
    lab->title = title_of(lab->view);
    NsLabRun last = present(lab);
    last.present = true;
    last.title = lab->title;
    g_array_append_val(lab->run_list, last);
    *n = lab->run_list->len;
    return (const NsLabRun *)lab->run_list->data;
}

void ns_lab_pin_run(NsLab *lab, unsigned id, bool pinned)
{
    Run *run = find(lab, id);
    if (!run || run->told.pinned == pinned) return;
    if (pinned && lab->view->n_pinned + run->told.lanes > NS_FIGURE_PINNED) {
        g_autofree char *words = g_strdup_printf(
            _("No more than %d curves of earlier runs can be shown; unpin another run first."),
            NS_FIGURE_PINNED);
        ns_lab_tell(lab, words);
    } else {
        run->told.pinned = pinned;
        show_pinned(lab);
    }
    ns_lab_emit(lab, NS_LAB_RUNS_CHANGED);
    ns_lab_emit(lab, NS_LAB_VIEW_CHANGED);
}

void ns_lab_open_run(NsLab *lab, unsigned id)
{
    const Run *run = find(lab, id);
    const NsSettings *settings[NS_LANES_MAX];
    size_t n = run ? run->told.lanes : lab->view->n_lanes;
    if (!run && id != lab->id) return;
    for (size_t lane = 0; lane < n; lane++)
        settings[lane] = run ? &run->started[lane] : &lab->view->lanes[lane].started;
    ns_lab_open(lab, settings, n);
}
