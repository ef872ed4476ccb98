/* Earlier runs: storing, showing and continuing them.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "tests/session/driver.h"

#include "core/experiment/param.h"
#include "core/model/placement.h"

#include <glib/gstdio.h>

static void count_notice(NsSession *session, const char *sentence, int *notices)
{
    (void)session;
    g_assert_nonnull(strstr(sentence, "which was not saved, was removed: the 12 newest"));
    ++*notices;
}

static void reset_and_step(NsSession *session)
{
    const NsHistory *old = session->view->history;
    ns_session_reset(session);
    SESSION_UNTIL(session, session->view->history != old && session->state == NS_TRAINER_READY);
    ns_session_step(session, 1);
    wait_at_rest(session, 1);
}

static void test_runs(void)
{
    g_autoptr(NsSession) session = open_at("", NULL, 1);
    int notices = 0;
    size_t n;
    g_signal_connect(session, "housekeeping", G_CALLBACK(count_notice), &notices);
    for (int i = 0; i < 14; i++) {
        reset_and_step(session);
        if (i == 0) ns_session_pin_run(session, 1, true);
    }
    const NsSessionRun *runs = ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, 13);
    g_assert_cmpint(notices, ==, 2);
    /* The pinned run remains; the oldest of the others have been removed. */
    g_assert_cmpuint(runs[0].id, ==, 1);
    g_assert_true(runs[0].pinned);
    g_assert_cmpuint(runs[1].id, ==, 4);
    g_assert_true(runs[12].present);
    g_assert_cmpuint(runs[12].id, ==, 15);
    g_assert_cmpuint(session->view->n_pinned, ==, 1);
    g_assert_cmpstr(session->view->pinned[0].name, ==, "run 1");
    ns_session_pin_run(session, 1, false);
    g_assert_cmpuint(session->view->n_pinned, ==, 0);
}

/* Runs that were recorded are removed without a word: their files stay. */
static void test_recorded_runs(void)
{
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autoptr(NsSession) session = open_at("", NULL, 1);
    int notices = 0;
    size_t n;
    ns_session_set_recording(session, folder, 0);
    ns_session_restart(session);
    g_signal_connect(session, "housekeeping", G_CALLBACK(count_notice), &notices);
    for (int i = 0; i < 14; i++) reset_and_step(session);
    ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, 13);
    g_assert_cmpint(notices, ==, 1); /* of the first, which was not recorded */
    remove_all(folder);
}

/* Shows a prepared run of this seed, or an earlier one, and returns the one that was shown. */
static NsPreparedRun *show_prepared(NsSession *session, NsPreparedRun *run, int seed)
{
    g_auto(NsExperiment) experiment = {0};
    ns_experiment_copy(&experiment, &session->experiment);
    experiment.lane[0].seed = seed;
    if (!run) run = ns_session_prepare(session, &experiment, 5, NULL);
    NsPreparedRun *before = ns_session_show_prepared(session, run);
    SESSION_UNTIL(session, session->experiment.lane[0].seed == seed);
    return before;
}

/* A prepared run that was shown is given back as it is, finished or on its way, but not one that
 * was trained further or otherwise. */
static void test_prepared(void)
{
    g_autoptr(NsSession) session = open_at("", NULL, 1);
    size_t n;
    g_assert_null(show_prepared(session, NULL, 2));
    wait_at_rest(session, 5);
    NsHistory *second = session->view->history;
    NsPreparedRun *before = show_prepared(session, NULL, 3);
    g_assert_nonnull(before);
    NsPreparedRun *early = show_prepared(session, before, 2);
    g_assert_nonnull(early);
    SESSION_UNTIL(session, session->view->history == second);
    g_assert_cmpint(ns_session_steps(session), ==, 5);
    before = show_prepared(session, early, 3);
    g_assert_nonnull(before);
    ns_prepared_run_free(before);
    wait_at_rest(session, 5);
    g_assert_cmpint(ns_session_steps(session), ==, 5);
    ns_session_set(session, "lr", "0.002");
    SESSION_UNTIL(session, !session->live_source);
    g_assert_null(show_prepared(session, NULL, 4));
    wait_at_rest(session, 5);
    ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, 2); /* of those, none */
    ns_session_step(session, 1);
    wait_at_rest(session, 6);
    g_assert_null(show_prepared(session, NULL, 5));
    wait_at_rest(session, 5);
    ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, 3);
}

/* After a reset the lanes of the previous run are pinned until the next reset or until the user
 * unpins them; runs that the user pinned remain. */
static void test_before(void)
{
    g_autoptr(NsSession) session = open_at("", "placement=pre", 1);
    const NsView *view = session->view;
    g_assert_cmpuint(view->n_pinned, ==, 0);
    for (unsigned i = 1; i < 3; i++) {
        const NsHistory *lanes[] = {view->histories[0], view->histories[1]};
        reset_and_step(session);
        g_assert_cmpuint(view->n_pinned, ==, 2);
        for (unsigned lane = 0; lane < 2; lane++) {
            g_autofree char *name = g_strdup_printf("run %u %c", i, (int)('A' + lane));
            g_assert_true(view->pinned[lane].history == lanes[lane]);
            g_assert_cmpstr(view->pinned[lane].name, ==, name);
            g_assert_cmpuint(view->pinned[lane].lane, ==, lane);
        }
    }
    ns_session_pin_run(session, 2, false);
    g_assert_cmpuint(view->n_pinned, ==, 0);
    ns_session_pin_run(session, 2, true);
    reset_and_step(session);
    g_assert_cmpuint(view->n_pinned, ==, 4);
    ns_session_step(session, 2);
    SESSION_UNTIL(session, ns_session_steps(session) == 3);
    /* A name says what differs from the run on view, in the lane of the same letter. */
    const NsEvent change = {
        .step = 2, .kind = NS_EVENT_SETTING, .what = "clip", .text = "clip was changed."};
    ns_history_append_event(view->histories[0], &change);
    ns_session_set_active(session, 1);
    ns_session_set_linked(session, ns_param_find("lr"), false);
    ns_session_set(session, "lr", "0.01");
    ns_session_restart(session);
    SESSION_UNTIL(session, session->state == NS_TRAINER_READY && view->n_pinned == 4);
    g_assert_cmpstr(view->pinned[0].name, ==, "run 2 A");
    g_assert_cmpstr(view->pinned[1].name, ==, "run 2 B lr 0.003");
    g_assert_cmpstr(view->pinned[2].name, ==, "run 4 A (changed)");
}

/* A lesson, a preset or a file is another experiment: nothing of the one before is pinned, shown as
 * the previous run, or can be undone. */
static void test_leave(gconstpointer second_lane)
{
    g_autoptr(NsSession) session = open_at("", second_lane, 1);
    const NsView *view = session->view;
    reset_and_step(session);
    ns_session_pin_run(session, 1, true);
    ns_session_set(session, "lr", "0.01");
    g_assert_cmpuint(view->n_pinned, ==, second_lane ? 2 : 1);
    g_assert_true(session->undo->len > 0);
    ns_session_leave_experiment(session);
    g_assert_cmpuint(view->n_pinned, ==, 0);
    g_assert_null(view->previous.history);
    g_assert_false(session->undo->len > 0);
    reset_and_step(session);
    g_assert_cmpuint(view->n_pinned, ==, 0);
    g_assert_null(view->previous.history);
    reset_and_step(session);
    g_assert_cmpuint(view->n_pinned, ==, second_lane ? 2 : 0);
    g_assert_true((view->previous.history != NULL) == !second_lane);
    ns_session_open_run(session, 1);
    g_assert_cmpuint(view->n_pinned, ==, 0);
    g_assert_false(session->undo->len > 0);
}

/* The lanes of a run with fewer lanes are not those of the next one. */
static void test_other_lanes(void)
{
    g_autoptr(NsSession) session = open_at("", "placement=pre", 1);
    const NsView *view = session->view;
    ns_session_set_lanes(session, 3);
    ns_session_restart(session);
    SESSION_UNTIL(session, view->started.n == 3 && session->state == NS_TRAINER_READY);
    g_assert_cmpuint(view->n_pinned, ==, 0);
    /* Four lanes and those before them could not be followed. */
    for (size_t n = 3; n <= 4; n++) {
        ns_session_set_lanes(session, n);
        ns_session_restart(session);
        SESSION_UNTIL(session, view->started.n == n && session->state == NS_TRAINER_READY);
        ns_session_run_to(session, 2);
        wait_at_rest(session, 2); /* a restart before that would run on */
        ns_session_restart(session);
        SESSION_UNTIL(session, ns_session_steps(session) < 2 && session->state == NS_TRAINER_READY);
        g_assert_cmpuint(view->n_pinned, ==, n == 3 ? 3 : 0);
    }
}

static void take_notice(NsSession *session, const char *sentence, char **last)
{
    (void)session;
    g_free(*last);
    *last = g_strdup(sentence);
}

/* Opens a session with a run of five steps on view, after a run with the given settings and number
 * of steps. */
static NsSession *open_after(const char *words, int64_t steps, const char *key, const char *value)
{
    NsSession *session = open_at(words, NULL, steps);
    const NsHistory *old = session->view->history;
    ns_session_set(session, key, value);
    ns_session_restart(session);
    SESSION_UNTIL(session, session->view->history != old && session->state == NS_TRAINER_READY);
    ns_session_step(session, 5);
    wait_at_rest(session, 5);
    return session;
}

/* Returns a run with id 0 if there is none. */
static NsSessionRun run_of(NsSession *session, unsigned id)
{
    size_t n;
    const NsSessionRun *runs = ns_session_runs(session, &n);
    for (size_t i = 0; i < n; i++)
        if (runs[i].id == id) return runs[i];
    return (NsSessionRun){0};
}

static void test_open_run(void)
{
    g_autoptr(NsSession) session = open_at("placement=post", "placement=pre", 2);
    size_t n;
    ns_session_set_lanes(session, 1);
    ns_session_set(session, "layers", "3");
    ns_session_restart(session);
    SESSION_UNTIL(session, session->view->started.n == 1);
    const NsSessionRun *runs = ns_session_runs(session, &n);
    g_assert_cmpuint(n, ==, 2);
    g_assert_cmpstr(runs[0].title, ==, "Post-LN vs Pre-LN, 2 layers");
    g_assert_cmpstr(runs[1].title, ==, "Post-LN, 3 layers");
    g_assert_cmpuint(runs[1].parent, ==, 0);
    ns_session_open_run(session, runs[0].id);
    g_assert_cmpuint(session->experiment.n, ==, 2);
    g_assert_cmpstr(ns_placement_choice(session->experiment.lane[1].placement)->key, ==, "pre");
    g_assert_false(ns_experiment_is_linked(&session->experiment, ns_param_find("placement")));
    g_assert_false(session->undo->len > 0);
}

/* An earlier run is shown immediately and completely; the run that was on view becomes an earlier
 * run. */
static void test_on_view(void)
{
    g_autofree char *last = NULL;
    g_autoptr(NsSession) session = open_at("", NULL, 8);
    g_signal_connect(session, "notice", G_CALLBACK(take_notice), &last);
    g_signal_connect(session, "housekeeping", G_CALLBACK(take_notice), &last);
    g_autoptr(NsHistory) first = ns_history_ref(session->view->history);
    ns_session_set(session, "layers", "3");
    ns_session_restart(session);
    SESSION_UNTIL(session, session->view->history != first);
    ns_session_step(session, 5);
    wait_at_rest(session, 5);
    g_assert_cmpint(run_of(session, 1).checkpoint, ==, 8);
    ns_session_open_run(session, 1);
    g_assert_true(session->view->history == first);
    g_assert_cmpstr(last, ==, "Run 1 is shown again; press Run to continue it from step 8.");
    g_assert_cmpint(ns_session_steps(session), ==, 8);
    g_assert_cmpint(ns_session_settings(session)->layers, ==, 2);
    g_assert_cmpuint(ns_session_pending(session), ==, 0);
    g_assert_cmpint(session->state, ==, NS_TRAINER_PAUSED);
    g_autofree char *status = ns_session_status(session, NS_STATUS_WHOLE);
    g_assert_true(g_str_has_suffix(status, "; run 1 again"));
    ns_session_show_step(session, 3);
    g_assert_cmpint(ns_session_shown_step(session), ==, 3);
    g_assert_true(run_of(session, 1).present && !run_of(session, 2).present);
    g_assert_cmpint(run_of(session, 2).last_step, ==, 5);
    /* After switching back, the first run is unchanged. */
    ns_session_open_run(session, 2);
    g_assert_cmpint(ns_session_steps(session), ==, 5);
    g_assert_cmpint(ns_session_settings(session)->layers, ==, 3);
    g_assert_cmpint(run_of(session, 1).checkpoint, ==, 8);
    g_assert_cmpuint(run_of(session, 3).id, ==, 0);
}

/* The active lane is saved at the step of the pause, also of an earlier run; what PyTorch cannot
 * repeat is refused. */
static void test_save_pytorch(void)
{
    g_autofree char *folder = g_dir_make_tmp("normscope-pytorch-XXXXXX", NULL), *text = NULL;
    g_autofree char *path = g_build_filename(folder, "model.py", NULL);
    g_autofree char *data = g_build_filename(folder, "model.safetensors", NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(NsSession) session = open_at("placement=post", "placement=pre", 3);
    int64_t step = -1;
    ns_session_set_active(session, 1);
    g_assert_true(ns_session_save_pytorch(session, path, &step, &error));
    g_assert_no_error(error);
    g_assert_cmpint(step, ==, 3);
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_assert_nonnull(strstr(text, "placement=pre"));
    g_assert_nonnull(strstr(text, "return x + F(N(\"\", x))"));
    g_assert_true(g_file_test(data, G_FILE_TEST_EXISTS));
    ns_session_set(session, "dropout", "0.1");
    ns_session_restart(session);
    SESSION_UNTIL(session, session->view->started.lane[1].dropout > 0);
    ns_session_step(session, 1);
    wait_at_rest(session, 1);
    g_assert_false(ns_session_save_pytorch(session, path, &step, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_assert_nonnull(strstr(error->message, "dropout"));
    g_clear_error(&error);
    ns_session_open_run(session, 1);
    g_assert_true(ns_session_save_pytorch(session, path, &step, &error));
    g_assert_cmpint(step, ==, 3);
    g_remove(path);
    g_remove(data);
    g_rmdir(folder);
}

/* A continued run has the same bits as one that was never interrupted. */
static void test_goes_on(void)
{
    g_autofree char *last = NULL;
    g_autoptr(NsSession) session = open_after("", 8, "layers", "3");
    g_autoptr(NsSession) whole = open_at("", NULL, 12);
    g_signal_connect(session, "notice", G_CALLBACK(take_notice), &last);
    g_signal_connect(session, "housekeeping", G_CALLBACK(take_notice), &last);
    ns_session_open_run(session, 1);
    g_assert_true(ns_session_can_run(session));
    ns_session_step(session, 4);
    g_assert_cmpstr(last, ==, "Run 1 continues from step 8.");
    wait_at_rest(session, 12);
    g_assert_cmpint(session->fork_step, ==, 8);
    assert_same_losses(history_of(session, 0), history_of(whole, 0), 0, 12);
    g_assert_cmpuint(run_of(session, 3).parent, ==, 1);
    g_assert_cmpuint(run_of(session, 1).parent, ==, 0);
    g_assert_true(run_of(session, 3).present);
}

/* A finished run is restarted, with the same bits. */
static void test_anew(void)
{
    g_autofree char *last = NULL;
    g_autoptr(NsSession) session = open_session("steps=4", NULL);
    g_signal_connect(session, "notice", G_CALLBACK(take_notice), &last);
    g_signal_connect(session, "housekeeping", G_CALLBACK(take_notice), &last);
    ns_session_run(session);
    SESSION_UNTIL(session, session->state == NS_TRAINER_FINISHED);
    g_autoptr(NsHistory) first = ns_history_ref(session->view->history);
    ns_session_set(session, "layers", "3");
    ns_session_restart(session);
    SESSION_UNTIL(session, session->view->history != first);
    ns_session_open_run(session, 1);
    g_assert_cmpint(session->state, ==, NS_TRAINER_FINISHED);
    g_assert_cmpstr(last, ==, "Run 1 is shown again; press Run to restart it.");
    ns_session_run(session);
    g_assert_cmpstr(last, ==, "Run 1 restarts; the same seed gives the same numbers.");
    SESSION_UNTIL(session,
                  session->view->history != first && session->state == NS_TRAINER_FINISHED);
    assert_same_losses(history_of(session, 0), first, 0, 4);
    g_assert_cmpuint(run_of(session, 2).parent, ==, 0);
    /* The second run made no step, so its number is used again. */
    g_assert_true(run_of(session, 2).present);
}

/* Pending changes are preserved, and a fork is possible at steps with a checkpoint. */
static void test_changed(void)
{
    g_autoptr(NsSession) session = open_after("", 8, "layers", "3");
    ns_session_open_run(session, 1);
    ns_session_set(session, "beta1", "0.5");
    g_assert_cmpuint(ns_session_pending(session), ==, 1);
    ns_session_step(session, 1);
    wait_at_rest(session, 9);
    g_assert_cmpuint(ns_session_pending(session), ==, 1);
    ns_session_drop_pending(session);
    ns_session_open_run(session, 2);
    ns_session_set(session, "beta1", "0.5");
    ns_session_show_step(session, 3);
    g_assert_cmpint(ns_session_fork_step(session), >=, 0);
    g_assert_cmpint(ns_session_fork_step(session), <=, 3);
    ns_session_show_step(session, -1);
    g_assert_cmpint(ns_session_fork_step(session), ==, 5);
    ns_session_fork(session);
    SESSION_UNTIL(session, session->fork_step == 5 && session->state == NS_TRAINER_READY);
    g_assert_cmpuint(ns_session_pending(session), ==, 0);
    g_assert_cmpfloat(ns_session_settings(session)->beta1, ==, 0.5);
}

/* A fork is restarted at its fork point, not at step 0. */
static void test_reset_of_fork(void)
{
    g_autofree char *last = NULL;
    g_autoptr(NsSession) session = open_at("", NULL, 5);
    g_signal_connect(session, "notice", G_CALLBACK(take_notice), &last);
    ns_session_set(session, "beta1", "0.5");
    ns_session_fork(session);
    SESSION_UNTIL(session, session->fork_step == 5 && session->state == NS_TRAINER_READY);
    g_assert_cmpuint(run_of(session, 1).parent, ==, 0);
    ns_session_step(session, 2);
    wait_at_rest(session, 7);
    g_autoptr(NsHistory) fork = ns_history_ref(session->view->history);
    ns_session_restart(session);
    SESSION_UNTIL(session, session->view->history != fork && session->state == NS_TRAINER_READY);
    g_assert_cmpuint(run_of(session, 2).parent, ==, 1);
    ns_session_open_run(session, 2);
    ns_session_reset(session);
    g_assert_cmpstr(last, ==, "Run 2 restarts at step 5, where it was forked.");
    SESSION_UNTIL(session, session->view->history != fork && session->state == NS_TRAINER_READY);
    g_assert_cmpint(session->fork_step, ==, 5);
    ns_session_step(session, 2);
    wait_at_rest(session, 7);
    assert_same_losses(history_of(session, 0), fork, 5, 7);
}

/* A fork of an earlier run at a step without a checkpoint reports the step that it uses, and the
 * earlier run is pinned. */
static void test_fork_of_opened(void)
{
    g_autofree char *last = NULL;
    g_autoptr(NsSession) session = open_at("", "placement=pre", 9);
    const NsView *view = session->view;
    const NsHistory *first = view->histories[1];
    reset_and_step(session);
    g_signal_connect(session, "notice", G_CALLBACK(take_notice), &last);
    ns_session_pin_run(session, 1, false);
    ns_session_open_run(session, 1);
    ns_session_pin_run(session, 2, false);
    int64_t step = 9;
    do ns_session_show_step(session, --step);
    while (ns_session_fork_step(session) == step && step > 0);
    g_assert_cmpint(step, >, 0);
    g_autofree char *words =
        g_strdup_printf("Forked at step %d, the newest checkpoint at or before step %d.",
                        (int)ns_session_fork_step(session), (int)step);
    ns_session_fork(session);
    g_assert_cmpstr(last, ==, words);
    SESSION_UNTIL(session, view->histories[1] != first && session->state == NS_TRAINER_READY);
    g_assert_cmpuint(view->n_pinned, ==, 2);
    g_assert_true(view->pinned[1].history == first);
}

/* The gradients of an earlier run cannot be checked because its model is not in memory; a notice
 * says so. */
static void test_no_check(void)
{
    g_autofree char *last = NULL;
    g_autoptr(NsSession) session = open_after("", 3, "layers", "3");
    ns_session_open_run(session, 1);
    g_signal_connect(session, "notice", G_CALLBACK(take_notice), &last);
    ns_session_check(session, 0, 1);
    g_assert_false(session->checking);
    g_assert_true(last && strstr(last, "gradients"));
}

/* An earlier run that diverged is shown as diverged, but no remedy is offered. */
static void test_diverged(void)
{
    NsTrouble trouble;
    g_autoptr(NsSession) session = open_session("placement=none lr=100 layers=12", NULL);
    ns_session_run(session);
    SESSION_UNTIL(session, ns_session_steps(session) > 0 && !session->wants_run);
    while (session->state != NS_TRAINER_DIVERGED) {
        ns_session_run(session);
        SESSION_UNTIL(session, !session->wants_run);
    }
    g_autoptr(NsHistory) first = ns_history_ref(session->view->history);
    ns_session_restart(session);
    SESSION_UNTIL(session, session->view->history != first);
    ns_session_open_run(session, 1);
    g_assert_cmpint(session->state, ==, NS_TRAINER_DIVERGED);
    g_assert_cmpint(ns_session_lane_state(session, 0), ==, NS_TRAINER_DIVERGED);
    g_assert_false(ns_session_trouble(session, &trouble));
    g_assert_true(ns_session_can_run(session));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/session/earlier-run/list", test_runs);
    g_test_add_func("/session/earlier-run/recorded", test_recorded_runs);
    g_test_add_func("/session/earlier-run/prepared", test_prepared);
    g_test_add_func("/session/earlier-run/before", test_before);
    g_test_add_data_func("/session/earlier-run/leave", NULL, test_leave);
    g_test_add_data_func("/session/earlier-run/leave-lanes", "placement=pre", test_leave);
    g_test_add_func("/session/earlier-run/other-lanes", test_other_lanes);
    g_test_add_func("/session/earlier-run/settings", test_open_run);
    g_test_add_func("/session/earlier-run/on-view", test_on_view);
    g_test_add_func("/session/earlier-run/save-pytorch", test_save_pytorch);
    g_test_add_func("/session/earlier-run/goes-on", test_goes_on);
    g_test_add_func("/session/earlier-run/anew", test_anew);
    g_test_add_func("/session/earlier-run/changed", test_changed);
    g_test_add_func("/session/earlier-run/reset-of-fork", test_reset_of_fork);
    g_test_add_func("/session/earlier-run/fork-of-opened", test_fork_of_opened);
    g_test_add_func("/session/earlier-run/no-check", test_no_check);
    g_test_add_func("/session/earlier-run/diverged", test_diverged);
    return g_test_run();
}
