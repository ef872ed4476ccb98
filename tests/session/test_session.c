/* The session of a window, tested without the window.  SPDX-License-Identifier: MIT */
#include "tests/session/driver.h"

#include "core/data/task.h"
#include "core/experiment/param.h"
#include "core/model/placement.h"
#include "ui/figures/figure.h"
#include "ui/session/session-private.h"

static const char *placement(NsSession *session, unsigned lane)
{
    return ns_placement_choice(session->experiment.lane[lane].placement)->key;
}

/* The status shows the progress of a long preparation. */
static void test_preparing(void)
{
    NsExperiment experiment;
    g_autoptr(GError) error = NULL;
    ns_experiment_init(&experiment);
    static const char *const lanes[] = {"placement=post", "placement=pre"};
    g_assert_true(ns_settings_set(&experiment.lane[0], "layers", "3000", &error));
    g_assert_true(ns_experiment_read_lanes(&experiment, lanes, 2, &(NsNamed){0}, &error));
    g_autoptr(NsSession) session = ns_session_new(&experiment);
    ns_experiment_clear(&experiment);
    g_autofree char *status = NULL;
    SESSION_UNTIL(session, (g_free(status), status = ns_session_status(session, NS_STATUS_WHOLE),
                            session->state != NS_TRAINER_PREPARING || strstr(status, " of 4: ")));
    g_test_message("%s", status);
    g_assert_true(g_str_has_prefix(status, "preparing "));
    g_assert_true(g_str_has_suffix(status, " s"));
}

/* ---- Lanes and links ---- */

static void test_two_lanes(void)
{
    g_autoptr(NsSession) session = open_at("placement=post", "placement=pre", 5);
    const NsView *view = session->view;
    g_assert_cmpuint(view->started.n, ==, 2);
    g_assert_cmpuint(ns_history_steps(view->histories[0]), ==, 6);
    g_assert_cmpuint(ns_history_steps(view->histories[1]), ==, 6);
    g_assert_true(view->history == view->histories[0]);
    g_assert_null(view->previous.history);
    ns_session_set_active(session, 1);
    g_assert_true(view->history == view->histories[1]);
    g_assert_cmpstr(ns_placement_choice(view->now.lane[view->active].placement)->key, ==, "pre");
    g_autofree char *title = ns_session_title(session);
    g_assert_cmpstr(title, ==, "Post-LN vs Pre-LN, 2 layers");
    g_autofree char *little = ns_session_brief_title(session);
    g_assert_cmpstr(little, ==, "Post-LN vs Pre-LN");
    /* Of more lanes than it names, how many are alike. */
    g_auto(NsExperiment) four;
    ns_experiment_copy(&four, &session->experiment);
    ns_experiment_resize(&four, 4, 0);
    g_autofree char *counted = ns_experiment_title(&four);
    g_assert_cmpstr(counted, ==, "3 × Post-LN vs Pre-LN, 2 layers");
    g_autofree char *words = ns_session_differences(session);
    g_assert_cmpstr(words, ==, "A Post-LN, B Pre-LN; all else equal.");
    /* The placement may bring another kind of norm. */
    ns_session_set_lane(session, 1, "placement", "peri");
    g_autofree char *norms = ns_session_differences(session);
    g_assert_cmpstr(norms, ==, "Pending: A Post-LN; B Peri-LN, RMSNorm; all else equal.");
    ns_session_set_lane(session, 1, "placement", "pre");
    ns_session_set_lane(session, 1, "layers", "3");
    g_autofree char *more = ns_session_differences(session);
    g_assert_cmpstr(more, ==, "Pending: A Post-LN, 2 layers; B Pre-LN, 3 layers; all else equal.");
    /* A count has grouped digits, as in charts; a seed has not. */
    const NsParam *counted_by[] = {ns_param_find("warmup"), ns_param_find("seed")};
    for (size_t i = 0; i < G_N_ELEMENTS(counted_by); i++) {
        g_assert_true(ns_settings_set(&four.lane[0], counted_by[i]->key, "10000", NULL));
        g_autofree char *value = ns_settings_value_words(&four.lane[0], counted_by[i]);
        g_assert_cmpstr(value, ==, i == 0 ? "10,000" : "10000");
    }
    g_autofree char *status = ns_session_status(session, NS_STATUS_WHOLE);
    g_assert_true(g_str_has_prefix(status, "paused at step 5, loss A "));
    g_assert_nonnull(strstr(status, ", B "));
    /* The speed, and what measuring takes of it, are beside the timeline. */
    g_assert_null(strstr(status, " steps/s"));
    g_autofree char *shorter = ns_session_status(session, NS_STATUS_SHORT);
    g_assert_cmpstr(status, ==, shorter);
    g_autofree char *brief = ns_session_status(session, NS_STATUS_BRIEF);
    g_assert_true(g_str_has_prefix(brief, "step 5, loss A "));
    g_assert_cmpstr(strstr(brief, ", B "), ==, strstr(shorter, ", B "));
    g_autofree char *step = ns_session_status(session, NS_STATUS_STEP);
    g_assert_cmpstr(step, ==, "step 5");
}

/* Each lane computes the same bits as it does alone with its share of the threads. */
static void test_lane_alone(void)
{
    g_autoptr(NsSession) both = open_at("placement=post", "placement=pre", 6);
    g_autoptr(NsSession) alone = open_at("placement=pre threads=1", NULL, 6);
    assert_same_losses(history_of(both, 1), history_of(alone, 0), 0, 6);
}

static void test_links(void)
{
    g_autoptr(NsSession) session = open_at("placement=post", "placement=pre", 0);
    const NsParam *layers = ns_param_find("layers"), *where = ns_param_find("placement");
    g_assert_true(ns_experiment_is_linked(&session->experiment, layers));
    g_assert_false(ns_experiment_is_linked(&session->experiment, where));
    ns_session_set_active(session, 1);
    ns_session_set(session, "layers", "3");
    g_assert_cmpint(session->experiment.lane[0].layers, ==, 3);
    ns_session_set(session, "placement", "deepnorm");
    g_assert_cmpstr(placement(session, 0), ==, "post");
    g_assert_cmpstr(placement(session, 1), ==, "deepnorm");
    /* Changing one lane unlinks the setting; linking it again copies the value of the active
     * lane. */
    g_assert_true(ns_session_set_lane(session, 0, "layers", "4"));
    g_assert_false(ns_experiment_is_linked(&session->experiment, layers));
    g_assert_cmpint(session->experiment.lane[1].layers, ==, 3);
    ns_session_set_linked(session, layers, true);
    g_assert_cmpint(session->experiment.lane[0].layers, ==, 3);
}

/* Settings that determine the batches are the same in all lanes and cannot be unlinked. */
static void test_shared_settings(void)
{
    static const char *const shared[] = {
        "arch",        "task",      "text",  "vocab",        "batch",          "seq",
        "source-seq",  "data-seed", "steps", "eval-batches", "bleu-sentences", "batch-tokens",
        "vocabularies"};
    g_autoptr(NsSession) session = open_session("batch=4", "batch=8 placement=pre");
    g_assert_cmpint(session->experiment.lane[1].batch, ==, 4);
    for (size_t i = 0; i < G_N_ELEMENTS(shared); i++) {
        const NsParam *param = ns_param_find(shared[i]);
        g_assert_true(param->shared);
        ns_session_set_linked(session, param, false);
        g_assert_true(ns_experiment_is_linked(&session->experiment, param));
    }
    ns_session_set_lane(session, 1, "seq", "20");
    g_assert_cmpint(session->experiment.lane[0].seq, ==, 20);
}

/* Numbers with a special meaning are described by it, and others by their digits. */
static void test_value_words(void)
{
    static const char *const rows[][3] = {
        {"steps", "0", "no limit"}, {"steps", "60", "60"},         {"clip", "0", "off"},
        {"clip", "0.5", "0.5"},     {"probe-every", "0", "never"}, {"eval-every", "0", "end only"},
        {"dropout", "0", "off"},    {"threads", "0", "all"},       {"decay-steps", "0", "run end"},
    };
    g_autoptr(NsSession) session = open_at("placement=post", NULL, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        ns_session_set(session, rows[i][0], rows[i][1]);
        g_autofree char *words =
            ns_settings_value_words(ns_session_settings(session), ns_param_find(rows[i][0]));
        g_assert_cmpstr(words, ==, rows[i][2]);
    }
}

/* The last setting takes precedence, and settings that it makes ineffective are cleared. */
static void test_last_word(void)
{
    g_autoptr(NsSession) session = open_at("placement=post", NULL, 0);
    ns_session_set(session, "text", "book.txt");
    g_assert_cmpstr(ns_task_choice(ns_session_settings(session)->task)->key, ==, "text");
    ns_session_set(session, "task", "copy");
    g_assert_cmpstr(ns_session_settings(session)->text, ==, "");
    g_assert_null(session->problem);
    ns_session_set(session, "mixture", "post*3,pre*9");
    g_autofree char *mixture =
        ns_settings_value_words(ns_session_settings(session), ns_param_find("placement"));
    g_assert_cmpstr(mixture, ==, "mixture post*3,pre*9");
    ns_session_set(session, "placement", "pre");
    g_assert_cmpstr(ns_session_settings(session)->mixture, ==, "");
    g_assert_cmpstr(placement(session, 0), ==, "pre");
    /* The placement of another lane does not change a lane that has its own mixture. */
    ns_session_set_lanes(session, 2);
    ns_session_set_lane(session, 1, "mixture", "post*3,pre*9");
    ns_session_set_linked(session, ns_param_find("placement"), false);
    ns_session_set_active(session, 0);
    ns_session_set(session, "placement", "deepnorm");
    g_assert_cmpstr(session->experiment.lane[1].mixture, ==, "post*3,pre*9");
}

static void test_lanes_come_and_go(void)
{
    g_autoptr(NsSession) session = open_at("placement=post", NULL, 0);
    ns_session_set_lanes(session, 2);
    g_assert_cmpstr(placement(session, 1), ==, "post");
    g_assert_false(ns_experiment_is_linked(&session->experiment, ns_param_find("placement")));
    ns_session_set_lane(session, 1, "placement", "pre");
    SESSION_UNTIL(session, session->view->started.n == 2);
    /* A lane that is removed and added again keeps its own settings; linked settings follow the
     * others. */
    ns_session_set_lanes(session, 1);
    SESSION_UNTIL(session, session->view->started.n == 1);
    ns_session_set(session, "layers", "3");
    ns_session_set_lanes(session, 2);
    g_assert_cmpstr(placement(session, 1), ==, "pre");
    g_assert_cmpint(session->experiment.lane[1].layers, ==, 3);
    /* Removing A leaves B as the only lane. */
    ns_session_set_active(session, 1);
    ns_session_remove_lane(session, 0);
    g_assert_cmpuint(session->experiment.n, ==, 1);
    g_assert_cmpuint(session->active, ==, 0);
    g_assert_cmpstr(placement(session, 0), ==, "pre");
    ns_session_remove_lane(session, 0);
    g_assert_cmpuint(session->experiment.n, ==, 1);
    ns_session_set_lanes(session, 9);
    g_assert_cmpuint(session->experiment.n, ==, NS_LANES_MAX);
}

/* A session must be polled as long as its trainer is busy, even if the trainer is slow to react to
 * a command, and no longer. */
static void test_poll(void)
{
    g_autoptr(NsSession) session = open_at("", NULL, 0);
    for (int64_t step = 1; step <= 3; step++) {
        bool busy = true;
        ns_session_step(session, 1);
        while (busy) {
            busy = !ns_trainer_wait(session->trainer, 0);
            bool alive = ns_session_poll(session);
            if (!busy) g_assert_false(alive);
            if (!ns_trainer_wait(session->trainer, 0)) g_assert_true(alive);
        }
        g_assert_cmpint(ns_session_steps(session), ==, step);
        g_assert_cmpint(session->state, ==, NS_TRAINER_PAUSED);
    }
}

static void count(gpointer times)
{
    ++*(guint *)times;
}

/* A change emits a signal for its own setting, and for all settings only if all may show a
 * different value. */
static void test_rows(void)
{
    g_autoptr(NsSession) session = open_at("placement=post", "placement=pre", 0);
    guint layers = 0, heads = 0, placement = 0, any = 0;
    g_signal_connect_swapped(session, "setting-changed::layers", G_CALLBACK(count), &layers);
    g_signal_connect_swapped(session, "setting-changed::heads", G_CALLBACK(count), &heads);
    g_signal_connect_swapped(session, "setting-changed::placement", G_CALLBACK(count), &placement);
    g_signal_connect_swapped(session, "setting-changed", G_CALLBACK(count), &any);
    ns_session_set(session, "layers", "3");
    g_assert_cmpuint(layers, ==, 1);
    g_assert_cmpuint(any, ==, 1);
    /* A refused setting emits its signal, and again once another setting has been set. */
    g_assert_false(ns_session_set(session, "heads", "many"));
    g_assert_cmpuint(heads, ==, 1);
    g_assert_false(ns_session_set(session, "heads", "many"));
    g_assert_cmpuint(heads, ==, 2);
    ns_session_set(session, "layers", "4");
    g_assert_cmpuint(heads, ==, 3);
    /* Selecting another lane only changes settings that differ between lanes. */
    ns_session_set_active(session, 1);
    g_assert_cmpuint(placement, ==, 1);
    g_assert_cmpuint(layers, ==, 2);
    ns_session_set_lanes(session, 3);
    g_assert_cmpuint(placement, ==, 2);
    g_assert_cmpuint(layers, ==, 3);
    g_assert_cmpuint(heads, ==, 4);
}

/* ---- Pending changes ---- */

static void test_pending_restart(void)
{
    g_autoptr(NsSession) session = open_at("placement=post", "placement=pre", 4);
    g_autoptr(NsHistory) old = ns_history_ref(session->view->history);
    ns_session_set(session, "placement", "deepnorm");
    ns_session_set(session, "layers", "3");
    SESSION_UNTIL(session, !ns_session_poll(session));
    g_assert_true(session->view->history == old);
    g_assert_cmpuint(ns_session_pending(session), ==, 2);
    g_assert_true(ns_session_is_pending(session, ns_param_find("layers")));
    g_assert_false(ns_session_is_pending(session, ns_param_find("heads")));
    g_autofree char *words = ns_session_pending_words(session);
    g_assert_cmpstr(words, ==, "2 pending changes: Norm placement of A, Layers");
    /* After restoring the values manually, nothing is pending. */
    ns_session_set(session, "layers", "2");
    ns_session_set(session, "placement", "post");
    g_assert_cmpuint(ns_session_pending(session), ==, 0);
    g_assert_null(ns_session_pending_words(session));

    ns_session_set(session, "layers", "3");
    ns_session_restart(session);
    SESSION_UNTIL(session, session->view->history != old && session->state == NS_TRAINER_READY);
    g_assert_cmpuint(ns_session_pending(session), ==, 0);
    g_assert_cmpint(ns_session_first_step(session), ==, 0);
    g_assert_cmpuint(ns_history_layout(history_of(session, 1))->layers, ==, 3);
    ns_session_step(session, 4);
    wait_at_rest(session, 4);
    g_autoptr(NsSession) fresh = open_at("placement=post layers=3", "placement=pre layers=3", 4);
    for (size_t lane = 0; lane < 2; lane++)
        assert_same_losses(history_of(session, lane), history_of(fresh, lane), 0, 4);
}

static void test_pending_drop(void)
{
    g_autoptr(NsSession) session = open_at("placement=post", "placement=pre", 2);
    const NsHistory *old = session->view->history;
    ns_session_set(session, "heads", "4");
    ns_session_set_lanes(session, 3);
    g_assert_cmpuint(ns_session_pending(session), ==, 2);
    g_autofree char *words = ns_session_pending_words(session);
    g_assert_cmpstr(words, ==, "2 pending changes: Lane C (new), Heads");
    ns_session_drop_pending(session);
    g_assert_cmpuint(ns_session_pending(session), ==, 0);
    g_assert_cmpuint(session->experiment.n, ==, 2);
    g_assert_cmpint(ns_session_settings(session)->heads, ==, 2);
    g_assert_true(session->view->history == old);
    ns_session_undo(session);
    g_assert_cmpuint(ns_session_pending(session), ==, 2);
}

static void test_fork_goes_on(void)
{
    g_autoptr(NsSession) session = open_at("placement=post", "placement=pre", 4);
    g_autoptr(NsSession) whole = open_at("placement=post", "placement=pre", 9);
    const NsHistory *old = session->view->history;
    g_assert_true(ns_session_can_fork(session));
    ns_session_fork(session);
    SESSION_UNTIL(session, session->view->history != old && session->state == NS_TRAINER_READY);
    g_assert_cmpuint(session->experiment.n, ==, 2);
    g_assert_cmpint(session->fork_step, ==, 4);
    g_assert_cmpint(ns_session_steps(session), ==, 4);
    ns_session_step(session, 5);
    wait_at_rest(session, 9);
    for (size_t lane = 0; lane < 2; lane++)
        assert_same_losses(history_of(session, lane), history_of(whole, lane), 0, 9);
    size_t n;
    const NsSessionMark *marks = ns_session_marks(session, &n);
    g_assert_cmpuint(n, >=, 2);
    g_assert_cmpint(marks[0].step, ==, 4);
    g_assert_cmpint(marks[0].kind, ==, NS_SESSION_MARK_FORK);
}

static void test_fork_opens_a_lane(void)
{
    g_autoptr(NsSession) session = open_at("threads=1", NULL, 3);
    g_autoptr(NsSession) whole = open_at("threads=1", NULL, 6);
    ns_session_fork(session);
    SESSION_UNTIL(session, session->view->started.n == 2 && session->state == NS_TRAINER_READY);
    ns_session_set(session, "lr", "1e-4");
    ns_session_step(session, 3);
    wait_at_rest(session, 6);
    g_assert_cmpint(session->fork_step, ==, 3);
    assert_same_losses(history_of(session, 0), history_of(session, 1), 0, 6);
    g_assert_cmpfloat(ns_history_step(history_of(session, 0), 6)->loss, !=,
                      ns_history_step(history_of(whole, 0), 6)->loss);
}

/* A fork at the shown step applies pending changes to the lane that they belong to. */
static void test_fork_with_changes(void)
{
    g_autoptr(NsSession) session = open_at("placement=post", "placement=post", 3);
    g_autoptr(NsSession) whole = open_at("placement=post", "placement=post", 6);
    const NsHistory *old = session->view->history;
    ns_session_step(session, 3);
    wait_at_rest(session, 6);
    ns_session_show_step(session, 3);
    g_assert_true(ns_session_set_lane(session, 1, "beta1", "0.5"));
    g_assert_cmpuint(ns_session_pending(session), ==, 1);
    ns_session_fork(session);
    SESSION_UNTIL(session, session->view->history != old && session->state == NS_TRAINER_READY);
    g_assert_cmpint(session->fork_step, ==, 3);
    ns_session_step(session, 3);
    wait_at_rest(session, 6);
    assert_same_losses(history_of(session, 0), history_of(whole, 0), 0, 6);
    g_assert_cmpfloat(ns_history_step(history_of(session, 1), 3)->loss, !=,
                      ns_history_step(history_of(whole, 1), 6)->loss);
}

/* A fork of a run that has been started but has not made a step leaves no earlier run behind. */
static void test_fork_at_once(void)
{
    g_autoptr(NsSession) session = open_at("", NULL, 0);
    const NsHistory *old = session->view->history;
    ns_session_set_speed(session, 0.01);
    ns_session_set_slow_motion(session, true); /* started, but still in its first step */
    ns_session_run(session);
    g_assert_true(ns_session_can_fork(session));
    ns_session_fork(session);
    SESSION_UNTIL(session, session->view->history != old);
    size_t n;
    const NsSessionRun *runs = ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, 1);
    g_assert_cmpuint(runs[0].id, ==, 1);
    g_assert_cmpuint(runs[0].parent, ==, 0);
}

/* While a model is being prepared, its run has no loss. */
static void test_unmeasured(void)
{
    g_auto(NsExperiment) experiment;
    ns_experiment_init(&experiment);
    g_autoptr(NsSession) session = ns_session_new(&experiment);
    size_t n;
    const NsSessionRun *runs = ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, 1);
    g_assert_false(runs[0].measured);
    SESSION_UNTIL(session, ns_session_runs(session, &n)[0].measured);
    g_assert_cmpint(ns_session_runs(session, &n)[0].last_step, ==, 0);
    g_assert_cmpfloat(ns_session_runs(session, &n)[0].loss[0], >, 0);
}

/* Removing a lane at a fork does not change the other one. */
static void test_fork_without_a_lane(void)
{
    g_autoptr(NsSession) session = open_at("threads=1", "threads=1 placement=pre", 3);
    g_autoptr(NsSession) whole = open_at("threads=1 placement=pre", NULL, 6);
    ns_session_remove_lane(session, 0);
    g_autofree char *words = ns_session_pending_words(session);
    g_assert_cmpstr(words, ==, "1 pending change: Lane A (removed)");
    const NsView *view = session->view;
    g_assert_cmpstr(ns_placement_choice(view->now.lane[view->active].placement)->key, ==, "pre");
    ns_session_fork(session);
    SESSION_UNTIL(session, session->view->started.n == 1 && session->state == NS_TRAINER_READY);
    ns_session_step(session, 3);
    wait_at_rest(session, 6);
    assert_same_losses(history_of(session, 0), history_of(whole, 0), 0, 6);
}

static void test_live_of_one_lane(void)
{
    g_autoptr(NsSession) session = open_at("threads=1", "placement=pre threads=1", 3);
    ns_session_set_lane(session, 1, "lr", "1e-5");
    g_assert_cmpuint(ns_session_pending(session), ==, 0);
    ns_session_step(session, 1);
    wait_at_rest(session, 4);
    g_assert_cmpuint(ns_history_events(history_of(session, 0)), ==, 0);
    g_assert_cmpuint(ns_history_events(history_of(session, 1)), ==, 1);
    size_t n, settings = 0;
    const NsSessionMark *marks = ns_session_marks(session, &n);
    for (size_t i = 0; i < n; i++) {
        if (marks[i].kind != NS_SESSION_MARK_SETTING) continue;
        g_assert_cmpint(marks[i].lane, ==, 1);
        settings++;
    }
    g_assert_cmpuint(settings, ==, 1);
    /* Charts name a run by the settings with which it began, and draw it with those of now. */
    NsFigureInput input = ns_view_input(session->view);
    g_assert_cmpfloat(input.lanes[1].settings->lr, ==, 1e-5);
    g_autofree char *began = ns_figure_run_label(&input, 1);
    g_assert_null(strstr(began, "lr"));
}

/* ---- Time ---- */

static void test_run_to(void)
{
    g_autoptr(NsSession) session = open_at("", NULL, 0);
    ns_session_run_to(session, 12);
    g_assert_true(session->wants_run);
    wait_at_rest(session, 12);
    g_assert_cmpint(ns_session_steps(session), ==, 12);
    ns_session_run_until_loss(session, 1e9); /* the loss is already below this */
    wait_at_rest(session, 12);
    g_assert_cmpint(ns_session_steps(session), ==, 12);
    ns_session_show_step(session, 4);
    g_assert_cmpint(ns_session_shown_step(session), ==, 4);
    ns_session_show_step(session, -1);
    g_assert_cmpint(ns_session_shown_step(session), ==, 12);

    /* A run follows its newest step again, until an earlier one is chosen. */
    ns_session_show_step(session, 4);
    ns_session_run_to(session, 14);
    g_assert_cmpint(session->view->step, ==, -1);
    wait_at_rest(session, 14);
    ns_session_show_step(session, 4);
    ns_session_run(session);
    g_assert_cmpint(session->view->step, ==, -1);
    ns_session_show_step(session, 4);
    ns_session_pause(session);
    g_assert_cmpint(ns_session_shown_step(session), ==, 4);
}

/* Selecting a cell of a heatmap sets step and layer in a single change of the view. */
static void test_place(void)
{
    g_autoptr(NsSession) session = open_at("", NULL, 6);
    int changes = 0;
    g_signal_connect_swapped(session, "view-changed", G_CALLBACK(count), &changes);
    ns_session_show_place(session, 4, 2);
    g_assert_cmpint(ns_session_shown_step(session), ==, 4);
    g_assert_cmpint(session->view->layer, ==, 2);
    g_assert_cmpint(changes, ==, 1);
    ns_session_show_place(session, 4, 2);
    g_assert_cmpint(changes, ==, 1);
    ns_session_select_layer(session, 0);
    g_assert_cmpint(ns_session_shown_step(session), ==, 4);
    g_assert_cmpint(changes, ==, 2);
}

static void test_slow_motion(void)
{
    g_autoptr(NsSession) session = open_at("", NULL, 2);
    NsStage stage, last = NS_STAGE_FORWARD;
    double progress;
    g_assert_false(ns_session_stage(session, &stage, &progress));
    ns_session_set_slow_motion(session, true);
    ns_session_run(session);
    SESSION_UNTIL(session, ns_session_stage(session, &stage, &progress));
    g_assert_cmpint(stage, ==, NS_STAGE_FORWARD);
    bool seen[4] = {false};
    while (ns_session_steps(session) == 2) {
        g_assert_true(ns_session_poll(session));
        if (ns_session_stage(session, &stage, &progress) && ns_session_steps(session) == 2) {
            seen[stage] = true;
            g_assert_cmpint(stage, >=, last);
            g_assert_cmpfloat(progress, >=, 0.0);
            g_assert_cmpfloat(progress, <=, 1.0);
            last = stage;
        }
        session_turn();
    }
    for (int i = 0; i < 4; i++) g_assert_true(seen[i]);
    /* The next step is in slow motion, too. */
    SESSION_UNTIL(session,
                  ns_session_stage(session, &stage, &progress) && stage == NS_STAGE_FORWARD);
    g_assert_cmpint(ns_session_steps(session), ==, 3);
    ns_session_pause(session);
    ns_session_poll(session);
    g_assert_false(ns_session_stage(session, &stage, &progress));
    g_assert_cmpint(ns_session_steps(session), ==, 3);
    /* So is a single step, after which it rests; it ends with slow motion. */
    ns_session_step(session, 1);
    SESSION_UNTIL(session, ns_session_stage(session, &stage, &progress) && progress > 0);
    g_assert_cmpint(ns_session_steps(session), ==, 3);
    SESSION_UNTIL(session, ns_session_steps(session) == 4 && !session->wants_run);
    g_assert_false(ns_session_stage(session, &stage, &progress));
    ns_session_step(session, 1);
    SESSION_UNTIL(session, ns_session_stage(session, &stage, &progress));
    ns_session_set_slow_motion(session, false);
    wait_at_rest(session, 4);
    g_assert_false(session->wants_run);
}

static void test_trouble_and_remedy(void)
{
    g_autoptr(NsSession) session = open_at("placement=none lr=100 layers=12 threads=1",
                                           "placement=pre lr=1e-3 layers=12 threads=1", 0);
    NsTrouble trouble;
    g_assert_false(ns_session_trouble(session, &trouble));
    ns_session_run(session);
    SESSION_UNTIL(session, ns_session_lane_state(session, 0) == NS_TRAINER_DIVERGED);
    wait_at_rest(session, 1);
    g_assert_true(ns_session_trouble(session, &trouble));
    g_assert_cmpint(trouble.lane, ==, 0);
    g_assert_false(trouble.spike);
    g_assert_cmpint(ns_session_lane_state(session, 1), ==, NS_TRAINER_PAUSED);
    g_autofree char *status = ns_session_status(session, NS_STATUS_WHOLE);
    g_autofree char *words = g_strdup_printf("; A diverged at step %d", (int)trouble.step);
    g_assert_nonnull(strstr(status, words));

    int64_t at = trouble.step;
    ns_session_set_pause_on_trouble(session, false);
    g_assert_false(ns_session_set(session, "lr", "1e30"));
    g_assert_false(ns_session_can_restart(session));
    g_assert_true(ns_session_remedy(session, 0, "lr", "1e-4"));
    g_assert_true(ns_session_can_restart(session));
    g_assert_true(session->wants_run);
    SESSION_UNTIL(session, ns_session_steps(session) > at + 5);
    g_assert_cmpint(session->fork_step, <, at);
    g_assert_cmpfloat(session->experiment.lane[0].lr, ==, 1e-4);
    g_assert_cmpfloat(session->experiment.lane[1].lr, ==, 1e-3);
    ns_session_pause(session);
}

static const NsRemedy *tried(NsSession *session, size_t *n)
{
    int64_t from;
    const NsRemedy *remedies = ns_session_remedies(session, n, &from);
    g_assert_cmpuint(*n, >, 0);
    SESSION_UNTIL(session, !ns_session_poll_remedies(session));
    for (size_t i = 0; i < *n; i++)
        g_test_message("%s=%s: %s, loss %g", remedies[i].key, remedies[i].value,
                       remedies[i].state == NS_REMEDY_HELPS ? "helps" : "fails", remedies[i].loss);
    return remedies;
}

/* A forward pass that is at fault from the beginning is not blamed on the updates; that of a run
 * which had learned is none. */
static void test_forward_pass(void)
{
    g_autoptr(NsSession) session =
        open_at("placement=none layers=24 threads=1", "placement=pre layers=24 threads=1", 0);
    NsTrouble trouble;
    size_t n;
    ns_session_run(session);
    SESSION_UNTIL(session, ns_session_trouble(session, &trouble));
    g_assert_nonnull(trouble.forward);
    g_assert_nonnull(strstr(trouble.forward->text, "not the learning rate"));
    const NsRemedy *remedies = tried(session, &n);
    g_assert_cmpuint(n, ==, 1);
    g_assert_cmpstr(remedies[0].key, ==, "placement");
    g_assert_cmpint(remedies[0].state, ==, NS_REMEDY_HELPS);
    g_assert_cmpfloat(remedies[0].loss, <, 4.5);

    g_autoptr(NsSession) learned =
        open_at("placement=pre final-norm=off layers=24 threads=1", NULL, 40);
    g_assert_cmpfloat(ns_history_step(history_of(learned, 0), 0)->loss, >, 8.0);
    NsEvent spike = {.step = 40, .kind = NS_EVENT_SPIKE, .what = "loss", .text = "It jumped."};
    ns_history_append_event(learned->view->histories[0], &spike);
    SESSION_UNTIL(learned, ns_session_trouble(learned, &trouble));
    g_assert_null(trouble.forward);
}

/* A trial that ends far above a uniform guess has helped nobody, however far the loss fell. */
static void test_high_remedy(void)
{
    g_autoptr(NsSession) session =
        open_session("placement=none init-scale=1000 layers=24 lr=3e-5 threads=1", NULL);
    NsTrouble trouble;
    size_t n;
    SESSION_UNTIL(session, ns_session_trouble(session, &trouble));
    const NsRemedy *remedies = tried(session, &n);
    for (size_t i = 0; i < n; i++) {
        if (!g_str_equal(remedies[i].key, "init-scale")) continue;
        g_assert_cmpint(remedies[i].step, ==, NS_REMEDY_STEPS);
        g_assert_cmpfloat(remedies[i].loss, >, 100.0);
        g_assert_cmpint(remedies[i].state, ==, NS_REMEDY_FAILS);
        return;
    }
    g_assert_not_reached();
}

/* Divergences of all seeds are reported, not only those of the first. */
static void test_trouble_of_seeds(void)
{
    g_autoptr(NsSession) session =
        open_at("placement=none layers=30 lr=100 seeds=3 threads=1", NULL, 0);
    NsTrouble trouble;
    ns_session_set_pause_on_trouble(session, false);
    ns_session_run(session);
    SESSION_UNTIL(session, session->state == NS_TRAINER_DIVERGED);
    SESSION_UNTIL(session, ns_session_trouble(session, &trouble));
    size_t n, diverged[4] = {0};
    const NsSessionMark *marks = ns_session_marks(session, &n);
    for (size_t i = 0; i < n; i++) {
        if (marks[i].kind != NS_SESSION_MARK_DIVERGED) continue;
        g_assert_cmpint(marks[i].seed, <=, 3);
        diverged[marks[i].seed]++;
    }
    /* Read from the end, as lists do, seeds of one step are in order. */
    for (size_t i = 1; i < n; i++)
        if (marks[i].step == marks[i - 1].step && marks[i].kind == marks[i - 1].kind)
            g_assert_cmpint(marks[i].seed, <=, marks[i - 1].seed);
    g_assert_cmpuint(diverged[0], ==, 0);
    for (size_t seed = 1; seed <= 3; seed++) g_assert_cmpuint(diverged[seed], ==, 1);
    NsHistory *of = ns_history_seed(session->view->histories[0], (size_t)trouble.seed);
    g_assert_true(trouble.event == ns_history_event(of, ns_history_events(of) - 1));
}

/* A single number for several seeds is their mean. */
static void test_loss_of_seeds(void)
{
    g_autoptr(NsSession) session = open_at("seeds=3 threads=1", NULL, 2);
    NsHistory *history = session->view->histories[0];
    double sum = 0;
    for (size_t k = 0; k < 3; k++) sum += ns_history_step(ns_history_seed(history, k), 2)->loss;
    g_autofree char *status = ns_session_status(session, NS_STATUS_SHORT);
    g_autofree char *words = g_strdup_printf("loss %.2f (mean of 3 seeds)", sum / 3);
    g_test_message("%s; the first seed %g", status, ns_history_step(history, 2)->loss);
    g_assert_true(g_str_has_suffix(status, words));
    g_autofree char *brief = ns_session_status(session, NS_STATUS_BRIEF);
    g_assert_true(g_str_has_prefix(brief, "step 2, loss "));
    size_t n;
    g_assert_cmpfloat_with_epsilon(ns_session_runs(session, &n)->loss[0], sum / 3, 1e-9);
}

static void count_checks(NsSession *session, int *checks)
{
    (void)session;
    ++*checks;
}

static void test_check(void)
{
    g_autoptr(NsSession) session = open_at("placement=post", "placement=pre", 2);
    int checks = 0;
    g_signal_connect(session, "checked", G_CALLBACK(count_checks), &checks);
    g_assert_null(session->check);
    ns_session_check(session, 1, 2);
    g_assert_true(session->checking);
    SESSION_UNTIL(session, !session->checking);
    const NsGradientCheck *check = session->check;
    g_assert_nonnull(check);
    g_assert_cmpuint(check->lane, ==, 1);
    g_assert_cmpuint(check->layer, ==, 2);
    g_assert_cmpint(check->step, ==, 2);
    g_assert_true(check->agrees);
    g_assert_cmpint(checks, ==, 1);
    ns_session_restart(session);
    g_assert_null(session->check);
    g_assert_cmpint(checks, ==, 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/session/two-lanes", test_two_lanes);
    g_test_add_func("/session/lane-alone", test_lane_alone);
    g_test_add_func("/session/links", test_links);
    g_test_add_func("/session/rows", test_rows);
    g_test_add_func("/session/poll", test_poll);
    g_test_add_func("/session/shared-settings", test_shared_settings);
    g_test_add_func("/session/last-word", test_last_word);
    g_test_add_func("/session/value-words", test_value_words);
    g_test_add_func("/session/lanes-come-and-go", test_lanes_come_and_go);
    g_test_add_func("/session/pending-restart", test_pending_restart);
    g_test_add_func("/session/pending-drop", test_pending_drop);
    g_test_add_func("/session/fork-goes-on", test_fork_goes_on);
    g_test_add_func("/session/fork-opens-a-lane", test_fork_opens_a_lane);
    g_test_add_func("/session/fork-with-changes", test_fork_with_changes);
    g_test_add_func("/session/fork-at-once", test_fork_at_once);
    g_test_add_func("/session/fork-without-a-lane", test_fork_without_a_lane);
    g_test_add_func("/session/live-of-one-lane", test_live_of_one_lane);
    g_test_add_func("/session/unmeasured", test_unmeasured);
    g_test_add_func("/session/run-to", test_run_to);
    g_test_add_func("/session/place", test_place);
    g_test_add_func("/session/slow-motion", test_slow_motion);
    g_test_add_func("/session/preparing", test_preparing);
    g_test_add_func("/session/trouble-and-remedy", test_trouble_and_remedy);
    g_test_add_func("/session/forward-pass", test_forward_pass);
    g_test_add_func("/session/high-remedy", test_high_remedy);
    g_test_add_func("/session/trouble-of-seeds", test_trouble_of_seeds);
    g_test_add_func("/session/loss-of-seeds", test_loss_of_seeds);
    g_test_add_func("/session/check", test_check);
    return g_test_run();
}
