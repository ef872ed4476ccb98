/* Going forward, standing still and looking back.  SPDX-License-Identifier: MIT */
#include "ui/widgets/lab-private.h"

#include "core/base/words.h"

/* Of a step in slow motion, in microseconds. */
static const gint64 STAGES[] = {
    [NS_STAGE_FORWARD] = 1300000,
    [NS_STAGE_LOSS] = 500000,
    [NS_STAGE_BACKWARD] = 1500000,
    [NS_STAGE_UPDATE] = 700000,
};

/* ---- Commands ---- */

/* A trainer that can go on, and no trouble any more. */
static bool prepare(NsLab *lab)
{
    if (!ns_lab_can_run(lab)) return false;
    if (ns_lab_is_past(lab)) ns_lab_revive(lab);
    lab->trouble = (NsTrouble){0};
    return lab->trainer != NULL;
}

void ns_lab_run(NsLab *lab)
{
    if (!prepare(lab)) return;
    lab->wants_run = true;
    if (!lab->slow) ns_trainer_run(lab->trainer);
    ns_lab_emit(lab, NS_LAB_STATUS_CHANGED);
}

void ns_lab_pause(NsLab *lab)
{
    lab->wants_run = false;
    lab->stage_since = 0;
    if (lab->trainer) ns_trainer_pause(lab->trainer);
    ns_lab_emit(lab, NS_LAB_STATUS_CHANGED);
}

void ns_lab_step(NsLab *lab, int64_t n)
{
    if (!prepare(lab)) return;
    lab->wants_run = false;
    lab->stage_since = 0;
    ns_trainer_step(lab->trainer, n);
    ns_lab_emit(lab, NS_LAB_STATUS_CHANGED);
}

static void run_until(NsLab *lab, NsTrainerUntil until)
{
    if (!prepare(lab)) return;
    lab->wants_run = true;
    lab->slow = false;
    ns_trainer_run_until(lab->trainer, until);
    ns_lab_emit(lab, NS_LAB_STATUS_CHANGED);
}

void ns_lab_run_to(NsLab *lab, int64_t step)
{
    if (step > ns_lab_steps(lab)) run_until(lab, (NsTrainerUntil){.step = step});
}

void ns_lab_run_until_loss(NsLab *lab, double loss)
{
    if (loss > 0.0) run_until(lab, (NsTrainerUntil){.loss = loss});
}

void ns_lab_reset(NsLab *lab)
{
    if (!ns_lab_can_reset(lab)) return;
    lab->wants_run = false;
    lab->stage_since = 0;
    if (ns_lab_differs(lab) && ns_lab_can_restart(lab)) {
        ns_lab_start(lab, lab->origins[0] ? lab->origins : NULL);
        return;
    }
    if (ns_lab_is_past(lab)) {
        ns_lab_begin_anew(lab);
        return;
    }
    if (lab->problem_is_run) ns_lab_set_problem(lab, NULL, NULL, false);
    ns_lab_keep_left(lab);
    ns_trainer_reset(lab->trainer);
    ns_lab_emit(lab, NS_LAB_STATUS_CHANGED);
}

bool ns_lab_is_running(NsLab *lab)
{
    return lab->wants_run;
}

bool ns_lab_can_run(NsLab *lab)
{
    if (ns_lab_is_past(lab)) return true;
    return lab->trainer && lab->state != NS_TRAINER_FAILED && lab->state != NS_TRAINER_DIVERGED &&
           lab->state != NS_TRAINER_FINISHED;
}

bool ns_lab_can_reset(NsLab *lab)
{
    if (ns_lab_is_past(lab)) return true;
    return lab->trainer && lab->state != NS_TRAINER_FAILED && lab->state != NS_TRAINER_PREPARING;
}

void ns_lab_set_speed(NsLab *lab, double steps_per_second)
{
    if (lab->speed == steps_per_second) return;
    lab->speed = steps_per_second;
    if (lab->trainer) ns_trainer_set_speed(lab->trainer, steps_per_second);
    ns_lab_emit(lab, NS_LAB_STATUS_CHANGED);
}

double ns_lab_speed(NsLab *lab)
{
    return lab->speed;
}

void ns_lab_set_pause_on_trouble(NsLab *lab, bool pause)
{
    if (lab->pause_on_trouble == pause) return;
    lab->pause_on_trouble = pause;
    if (lab->trainer) ns_trainer_set_pause_on_trouble(lab->trainer, pause);
    ns_lab_emit(lab, NS_LAB_STATUS_CHANGED);
}

bool ns_lab_pause_on_trouble(NsLab *lab)
{
    return lab->pause_on_trouble;
}

/* ---- Slow motion ---- */

void ns_lab_set_slow_motion(NsLab *lab, bool slow)
{
    if (lab->slow == slow) return;
    lab->slow = slow;
    lab->stage_since = 0;
    lab->stepping = false;
    if (lab->trainer && lab->wants_run) {
        if (slow)
            ns_trainer_pause(lab->trainer);
        else
            ns_trainer_run(lab->trainer);
    }
    ns_lab_emit(lab, NS_LAB_STATUS_CHANGED);
}

bool ns_lab_slow_motion(NsLab *lab)
{
    return lab->slow;
}

static gint64 whole_step(void)
{
    gint64 whole = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(STAGES); i++) whole += STAGES[i];
    return whole;
}

bool ns_lab_poll_stage(NsLab *lab)
{
    if (!lab->slow || !lab->wants_run) return false;
    bool rests = lab->state == NS_TRAINER_READY || lab->state == NS_TRAINER_PAUSED;
    if (!rests || !ns_trainer_wait(lab->trainer, 0)) return true;
    gint64 now = g_get_monotonic_time();
    if (lab->stage_since == 0) {
        lab->stage_since = now;
        lab->stepping = false;
    } else if (now - lab->stage_since >= whole_step()) {
        lab->stage_since = 0;
        lab->stepping = true;
        ns_trainer_step(lab->trainer, 1);
    }
    return true;
}

bool ns_lab_stage(NsLab *lab, NsStage *stage, double *progress)
{
    if (!lab->slow || !lab->wants_run || (lab->stage_since == 0 && !lab->stepping)) return false;
    gint64 passed = lab->stage_since ? g_get_monotonic_time() - lab->stage_since : whole_step();
    for (size_t i = 0; i < G_N_ELEMENTS(STAGES); i++) {
        *stage = (NsStage)i;
        *progress = CLAMP((double)passed / (double)STAGES[i], 0.0, 1.0);
        if (passed < STAGES[i]) break;
        passed -= STAGES[i];
    }
    return true;
}

/* ---- Steps ---- */

int64_t ns_lab_first_step(NsLab *lab)
{
    return lab->view->history ? ns_history_first_step(lab->view->history) : 0;
}

int64_t ns_lab_steps(NsLab *lab)
{
    int64_t newest = 0;
    for (size_t lane = 0; lane < lab->view->n_lanes; lane++) {
        const NsStep *step = ns_lab_newest(lab, lane);
        if (step) newest = MAX(newest, step->step);
    }
    return newest;
}

int64_t ns_lab_shown_step(NsLab *lab)
{
    return lab->view->step >= 0 ? lab->view->step : ns_lab_steps(lab);
}

void ns_lab_show_step(NsLab *lab, int64_t step)
{
    step = step < 0 || step > ns_lab_steps(lab) ? -1 : MAX(step, ns_lab_first_step(lab));
    if (lab->view->step == step) return;
    lab->view->step = step;
    ns_lab_emit(lab, NS_LAB_VIEW_CHANGED);
}

/* ---- Marks ---- */

static void add_events(NsLab *lab, size_t lane)
{
    NsHistory *history = lab->view->lanes[lane].history;
    size_t n = history ? ns_history_events(history) : 0;
    for (size_t i = 0; i < n; i++) {
        const NsEvent *event = ns_history_event(history, i);
        NsLabMarkKind kind = event->kind == NS_EVENT_DIVERGED  ? NS_LAB_MARK_DIVERGED
                             : event->kind == NS_EVENT_SETTING ? NS_LAB_MARK_SETTING
                                                               : NS_LAB_MARK_SPIKE;
        NsLabMark mark = {event->step, kind, (int)lane, event->text};
        g_array_append_val(lab->marks, mark);
    }
}

static void add_kept(NsLab *lab)
{
    size_t room = ns_lab_checkpoints(lab, NULL, 0);
    g_autofree int64_t *steps = g_new(int64_t, room + 1);
    size_t n = MIN(room, ns_lab_checkpoints(lab, steps, room));
    for (size_t i = 0; i < n; i++) {
        NsLabMark mark = {steps[i], NS_LAB_MARK_KEPT, -1, _("A fork can begin here.")};
        g_array_append_val(lab->marks, mark);
    }
}

static gint compare(gconstpointer a, gconstpointer b)
{
    const NsLabMark *left = a, *right = b;
    if (left->step != right->step) return left->step < right->step ? -1 : 1;
    if (left->kind != right->kind) return left->kind < right->kind ? -1 : 1;
    gint words = strcmp(left->text, right->text);
    return words ? words : left->lane - right->lane;
}

/* What happened to several lanes at once is one mark of all. */
static void join_lanes(GArray *marks)
{
    guint n = 0;
    for (guint i = 0; i < marks->len; i++) {
        NsLabMark *last = n ? &g_array_index(marks, NsLabMark, n - 1) : NULL;
        NsLabMark *mark = &g_array_index(marks, NsLabMark, i);
        bool same = last && last->step == mark->step && last->kind == mark->kind &&
                    g_str_equal(last->text, mark->text);
        if (same)
            last->lane = -1;
        else
            g_array_index(marks, NsLabMark, n++) = *mark;
    }
    g_array_set_size(marks, n);
}

const NsLabMark *ns_lab_marks(NsLab *lab, size_t *n)
{
    g_array_set_size(lab->marks, 0);
    if (lab->forked_from) {
        NsLabMark fork = {ns_lab_first_step(lab), NS_LAB_MARK_FORK, -1,
                          _("The run was forked here.")};
        g_array_append_val(lab->marks, fork);
    }
    for (size_t lane = 0; lane < lab->view->n_lanes; lane++) add_events(lab, lane);
    add_kept(lab);
    g_array_sort(lab->marks, compare);
    join_lanes(lab->marks);
    *n = lab->marks->len;
    return (const NsLabMark *)lab->marks->data;
}
