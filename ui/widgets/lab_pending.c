/* Changes that wait for a restart or a fork.  SPDX-License-Identifier: MIT */
#include "ui/widgets/lab-private.h"

#include "core/base/words.h"
#include "core/experiment/param.h"

/* What a lane that is new has is not counted beside the lane itself. */
static bool lane_differs(const NsLab *lab, size_t lane, const NsParam *param)
{
    if (param->effect == NS_EFFECT_LIVE || ns_lanes_is_new(&lab->lanes, lane)) return false;
    const NsSettings *run = &lab->run.settings[lab->lanes.from[lane]];
    return !ns_settings_same(&lab->lanes.settings[lane], run, param);
}

static bool param_differs(const NsLab *lab, const NsParam *param)
{
    for (size_t lane = 0; lane < lab->lanes.n; lane++)
        if (lane_differs(lab, lane, param)) return true;
    return false;
}

/* Lanes that come, and lanes of the run that go. */
static size_t lanes_that_differ(const NsLab *lab)
{
    size_t n = 0;
    for (size_t lane = 0; lane < lab->lanes.n; lane++) n += ns_lanes_is_new(&lab->lanes, lane);
    for (size_t lane = 0; lane < lab->run.n; lane++) n += ns_lanes_is_gone(&lab->lanes, lane);
    return n;
}

static size_t count(const NsLab *lab)
{
    size_t n = lanes_that_differ(lab);
    for (size_t i = 0; ns_param(i); i++) n += param_differs(lab, ns_param(i));
    return n;
}

bool ns_lab_differs(NsLab *lab)
{
    return count(lab) > 0;
}

size_t ns_lab_pending(NsLab *lab)
{
    return ns_lab_has_begun(lab) ? count(lab) : 0;
}

bool ns_lab_is_pending(NsLab *lab, const NsParam *param)
{
    return ns_lab_has_begun(lab) && param_differs(lab, param);
}

/* "Norm placement of B" where the row is split, "Layers" where it is linked. */
static char *name_of(const NsLab *lab, const NsParam *param)
{
    if (ns_lanes_is_linked(&lab->lanes, param) || lab->lanes.n == 1)
        return g_strdup(_(param->label));
    g_autoptr(GString) lanes = g_string_new(NULL);
    for (size_t lane = 0; lane < lab->lanes.n; lane++)
        if (lane_differs(lab, lane, param))
            g_string_append_printf(lanes, "%s%s", lanes->len ? ", " : "", ns_lane_letter(lane));
    return g_strdup_printf(_("%s of %s"), _(param->label), lanes->str);
}

char *ns_lab_pending_words(NsLab *lab)
{
    size_t n = ns_lab_pending(lab);
    if (n == 0) return NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (size_t lane = 0; lane < lab->lanes.n; lane++)
        if (ns_lanes_is_new(&lab->lanes, lane))
            g_ptr_array_add(names, g_strdup_printf(_("Lane %s (new)"), ns_lane_letter(lane)));
    for (size_t lane = 0; lane < lab->run.n; lane++)
        if (ns_lanes_is_gone(&lab->lanes, lane))
            g_ptr_array_add(names, g_strdup_printf(_("Lane %s (left out)"), ns_lane_letter(lane)));
    for (size_t i = 0; ns_param(i); i++)
        if (param_differs(lab, ns_param(i))) g_ptr_array_add(names, name_of(lab, ns_param(i)));
    g_ptr_array_add(names, NULL);
    g_autofree char *list = g_strjoinv(", ", (char **)names->pdata);
    return g_strdup_printf(ns_plural("%zu change waits: %s", "%zu changes wait: %s", n), n, list);
}

/* ---- The three answers ---- */

bool ns_lab_can_restart(NsLab *lab)
{
    return !lab->problem || lab->problem_is_run;
}

void ns_lab_restart(NsLab *lab)
{
    if (!ns_lab_can_restart(lab)) return;
    lab->forking_from = 0;
    ns_lab_start(lab, NULL);
}

void ns_lab_drop_checkpoints(NsCheckpoint *checkpoints[NS_LANES_MAX])
{
    for (size_t lane = 0; lane < NS_LANES_MAX; lane++)
        g_clear_pointer(&checkpoints[lane], ns_checkpoint_unref);
}

static bool has_all(const NsLab *lab, NsCheckpoint *const checkpoints[NS_LANES_MAX])
{
    for (size_t lane = 0; lane < lab->lanes.n; lane++)
        if (!checkpoints[lab->lanes.from[lane]]) return false;
    return true;
}

/* A lane has none after it diverged. */
int64_t ns_lab_find_checkpoints(NsLab *lab, int64_t step, NsCheckpoint *checkpoints[NS_LANES_MAX])
{
    int64_t at;
    while (ns_lab_checkpoints_at(lab, step, checkpoints, &at)) {
        if (has_all(lab, checkpoints)) return at;
        ns_lab_drop_checkpoints(checkpoints);
        step = at - 1;
    }
    return -1;
}

bool ns_lab_start_at(NsLab *lab, int64_t step)
{
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    int64_t at = ns_lab_find_checkpoints(lab, step, checkpoints);
    if (at < 0) return false;
    /* A run that has made no step is not kept: its fork stands where it would. */
    if (ns_lab_records(lab, 0) > 1) lab->forking_from = lab->id;
    ns_lab_start(lab, checkpoints);
    ns_lab_drop_checkpoints(checkpoints);
    g_autofree char *digits = ns_group_digits(at);
    g_autofree char *words = g_strdup_printf(_("Forked at step %s."), digits);
    ns_lab_tell(lab, words);
    return true;
}

static int64_t wanted_step(const NsLab *lab)
{
    return lab->view->step >= 0 ? lab->view->step : INT64_MAX;
}

int64_t ns_lab_fork_step(NsLab *lab)
{
    NsCheckpoint *checkpoints[NS_LANES_MAX] = {NULL};
    if (!ns_lab_can_restart(lab) || !ns_lab_has_begun(lab)) return -1;
    int64_t step = ns_lab_find_checkpoints(lab, wanted_step(lab), checkpoints);
    ns_lab_drop_checkpoints(checkpoints);
    return step;
}

bool ns_lab_can_fork(NsLab *lab)
{
    return ns_lab_fork_step(lab) >= 0;
}

void ns_lab_fork(NsLab *lab)
{
    if (!ns_lab_can_fork(lab)) return;
    int64_t step = wanted_step(lab);
    if (lab->lanes.n == 1 && ns_lab_pending(lab) == 0) ns_lab_set_lanes(lab, 2);
    ns_lab_start_at(lab, step);
}
