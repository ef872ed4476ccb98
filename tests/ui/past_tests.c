/* Earlier runs: kept, looked at again, gone on with.  SPDX-License-Identifier: MIT */
#include "tests/ui/lab_driver.h"

#include "core/experiment/param.h"
#include "core/model/placement.h"

static void count_notice(NsLab *lab, const char *sentence, int *notices)
{
    (void)lab;
    g_assert_true(g_str_has_suffix(sentence, "."));
    ++*notices;
}

static void test_runs(void)
{
    g_autoptr(NsLab) lab = open_at("", NULL, 1);
    int notices = 0;
    size_t n;
    g_signal_connect(lab, "notice", G_CALLBACK(count_notice), &notices);
    for (int i = 0; i < 14; i++) {
        const NsHistory *old = ns_lab_view(lab)->history;
        ns_lab_reset(lab);
        LAB_UNTIL(lab, ns_lab_view(lab)->history != old && ns_lab_state(lab) == NS_TRAINER_READY);
        ns_lab_step(lab, 1);
        wait_at_rest(lab, 1);
        if (i == 0) ns_lab_pin_run(lab, 1, true);
    }
    const NsLabRun *runs = ns_lab_runs(lab, &n);
    g_assert_cmpuint(n, ==, 13);
    g_assert_cmpint(notices, ==, 2);
    /* The pinned one stayed, the oldest of the others went. */
    g_assert_cmpuint(runs[0].id, ==, 1);
    g_assert_true(runs[0].pinned);
    g_assert_cmpuint(runs[1].id, ==, 4);
    g_assert_true(runs[12].present);
    g_assert_cmpuint(runs[12].id, ==, 15);
    g_assert_cmpuint(ns_lab_view(lab)->n_pinned, ==, 1);
    g_assert_cmpstr(ns_lab_view(lab)->pinned[0].name, ==, "run 1");
    ns_lab_pin_run(lab, 1, false);
    g_assert_cmpuint(ns_lab_view(lab)->n_pinned, ==, 0);
}

static void take_notice(NsLab *lab, const char *sentence, char **last)
{
    (void)lab;
    g_free(*last);
    *last = g_strdup(sentence);
}

/* A run of five steps is on view; the one before, of these settings, made `steps`. */
static NsLab *open_after(const char *words, int64_t steps, const char *key, const char *value)
{
    NsLab *lab = open_at(words, NULL, steps);
    const NsHistory *old = ns_lab_view(lab)->history;
    ns_lab_set(lab, key, value);
    ns_lab_restart(lab);
    LAB_UNTIL(lab, ns_lab_view(lab)->history != old && ns_lab_state(lab) == NS_TRAINER_READY);
    ns_lab_step(lab, 5);
    wait_at_rest(lab, 5);
    return lab;
}

/* Its number is 0 where there is none. */
static NsLabRun run_of(NsLab *lab, unsigned id)
{
    size_t n;
    const NsLabRun *runs = ns_lab_runs(lab, &n);
    for (size_t i = 0; i < n; i++)
        if (runs[i].id == id) return runs[i];
    return (NsLabRun){0};
}

static void test_open_run(void)
{
    g_autoptr(NsLab) lab = open_at("placement=post", "placement=pre", 2);
    size_t n;
    ns_lab_set_lanes(lab, 1);
    ns_lab_set(lab, "layers", "3");
    ns_lab_restart(lab);
    LAB_UNTIL(lab, ns_lab_view(lab)->n_lanes == 1);
    const NsLabRun *runs = ns_lab_runs(lab, &n);
    g_assert_cmpuint(n, ==, 2);
    g_assert_cmpstr(runs[0].title, ==, "Post-LN vs Pre-LN, 2 layers");
    g_assert_cmpstr(runs[1].title, ==, "Post-LN, 3 layers");
    g_assert_cmpuint(runs[1].parent, ==, 0);
    ns_lab_open_run(lab, runs[0].id);
    g_assert_cmpuint(ns_lab_lanes(lab), ==, 2);
    g_assert_cmpstr(ns_placement_choice(ns_lab_lane_settings(lab, 1)->placement)->key, ==, "pre");
    g_assert_false(ns_lab_is_linked(lab, ns_param_find("placement")));
    ns_lab_undo(lab);
    g_assert_cmpuint(ns_lab_lanes(lab), ==, 1);
    g_assert_cmpint(ns_lab_settings(lab)->layers, ==, 3);
}

/* All of it is there at once, and can be scrubbed; what was on view is an earlier run now. */
static void test_on_view(void)
{
    g_autofree char *last = NULL;
    g_autoptr(NsLab) lab = open_at("", NULL, 8);
    g_signal_connect(lab, "notice", G_CALLBACK(take_notice), &last);
    g_autoptr(NsHistory) first = ns_history_ref(ns_lab_view(lab)->history);
    ns_lab_set(lab, "layers", "3");
    ns_lab_restart(lab);
    LAB_UNTIL(lab, ns_lab_view(lab)->history != first);
    ns_lab_step(lab, 5);
    wait_at_rest(lab, 5);
    g_assert_cmpint(run_of(lab, 1).checkpoint, ==, 8);
    ns_lab_open_run(lab, 1);
    g_assert_true(ns_lab_view(lab)->history == first);
    g_assert_cmpstr(last, ==, "Run 1 is on view again; Run goes on from step 8.");
    g_assert_cmpint(ns_lab_steps(lab), ==, 8);
    g_assert_cmpint(ns_lab_settings(lab)->layers, ==, 2);
    g_assert_cmpuint(ns_lab_pending(lab), ==, 0);
    g_assert_cmpint(ns_lab_state(lab), ==, NS_TRAINER_PAUSED);
    g_autofree char *status = ns_lab_status(lab, NS_STATUS_WHOLE);
    g_assert_true(g_str_has_suffix(status, "; run 1 again"));
    ns_lab_show_step(lab, 3);
    g_assert_cmpint(ns_lab_shown_step(lab), ==, 3);
    g_assert_true(run_of(lab, 1).present && !run_of(lab, 2).present);
    g_assert_cmpint(run_of(lab, 2).last_step, ==, 5);
    /* Back again, and the first is as it was. */
    ns_lab_open_run(lab, 2);
    g_assert_cmpint(ns_lab_steps(lab), ==, 5);
    g_assert_cmpint(ns_lab_settings(lab)->layers, ==, 3);
    g_assert_cmpint(run_of(lab, 1).checkpoint, ==, 8);
    g_assert_cmpuint(run_of(lab, 3).id, ==, 0);
}

/* The bits are those of a run that never stopped. */
static void test_goes_on(void)
{
    g_autofree char *last = NULL;
    g_autoptr(NsLab) lab = open_after("", 8, "layers", "3");
    g_autoptr(NsLab) whole = open_at("", NULL, 12);
    g_signal_connect(lab, "notice", G_CALLBACK(take_notice), &last);
    ns_lab_open_run(lab, 1);
    g_assert_true(ns_lab_can_run(lab));
    ns_lab_step(lab, 4);
    g_assert_cmpstr(last, ==, "Run 1 goes on from step 8.");
    wait_at_rest(lab, 12);
    g_assert_cmpint(ns_lab_first_step(lab), ==, 8);
    assert_same_losses(history_of(lab, 0), history_of(whole, 0), 8, 12);
    g_assert_cmpuint(run_of(lab, 3).parent, ==, 1);
    g_assert_cmpuint(run_of(lab, 1).parent, ==, 0);
    g_assert_true(run_of(lab, 3).present);
}

/* A run that came to its end begins anew, with the same bits. */
static void test_anew(void)
{
    g_autofree char *last = NULL;
    g_autoptr(NsLab) lab = open_lab("steps=4", NULL);
    g_signal_connect(lab, "notice", G_CALLBACK(take_notice), &last);
    ns_lab_run(lab);
    LAB_UNTIL(lab, ns_lab_state(lab) == NS_TRAINER_FINISHED);
    g_autoptr(NsHistory) first = ns_history_ref(ns_lab_view(lab)->history);
    ns_lab_set(lab, "layers", "3");
    ns_lab_restart(lab);
    LAB_UNTIL(lab, ns_lab_view(lab)->history != first);
    ns_lab_open_run(lab, 1);
    g_assert_cmpint(ns_lab_state(lab), ==, NS_TRAINER_FINISHED);
    g_assert_cmpstr(last, ==, "Run 1 is on view again; Run begins it anew.");
    ns_lab_run(lab);
    g_assert_cmpstr(last, ==, "Run 1 begins anew; the same seed leads to the same numbers.");
    LAB_UNTIL(lab, ns_lab_view(lab)->history != first && ns_lab_state(lab) == NS_TRAINER_FINISHED);
    assert_same_losses(history_of(lab, 0), first, 0, 4);
    g_assert_cmpuint(run_of(lab, 2).parent, ==, 0);
    /* The second made no step before it was left, and its number was free again. */
    g_assert_true(run_of(lab, 2).present);
}

/* What waits is not lost, and the steps that were kept can be forked. */
static void test_changed(void)
{
    g_autoptr(NsLab) lab = open_after("", 8, "layers", "3");
    ns_lab_open_run(lab, 1);
    ns_lab_set(lab, "beta1", "0.5");
    g_assert_cmpuint(ns_lab_pending(lab), ==, 1);
    ns_lab_step(lab, 1);
    wait_at_rest(lab, 9);
    g_assert_cmpuint(ns_lab_pending(lab), ==, 1);
    ns_lab_drop_pending(lab);
    ns_lab_open_run(lab, 2);
    ns_lab_set(lab, "beta1", "0.5");
    ns_lab_show_step(lab, 3);
    g_assert_cmpint(ns_lab_fork_step(lab), >=, 0);
    g_assert_cmpint(ns_lab_fork_step(lab), <=, 3);
    ns_lab_show_step(lab, -1);
    g_assert_cmpint(ns_lab_fork_step(lab), ==, 5);
    ns_lab_fork(lab);
    LAB_UNTIL(lab, ns_lab_first_step(lab) == 5 && ns_lab_state(lab) == NS_TRAINER_READY);
    g_assert_cmpuint(ns_lab_pending(lab), ==, 0);
    g_assert_cmpfloat(ns_lab_settings(lab)->beta1, ==, 0.5);
}

/* A fork is begun anew where it was forked, not at step 0. */
static void test_reset_of_fork(void)
{
    g_autofree char *last = NULL;
    g_autoptr(NsLab) lab = open_at("", NULL, 5);
    g_signal_connect(lab, "notice", G_CALLBACK(take_notice), &last);
    ns_lab_set(lab, "beta1", "0.5");
    ns_lab_fork(lab);
    LAB_UNTIL(lab, ns_lab_first_step(lab) == 5 && ns_lab_state(lab) == NS_TRAINER_READY);
    g_assert_cmpuint(run_of(lab, 1).parent, ==, 0);
    ns_lab_step(lab, 2);
    wait_at_rest(lab, 7);
    g_autoptr(NsHistory) fork = ns_history_ref(ns_lab_view(lab)->history);
    ns_lab_restart(lab);
    LAB_UNTIL(lab, ns_lab_view(lab)->history != fork && ns_lab_state(lab) == NS_TRAINER_READY);
    g_assert_cmpuint(run_of(lab, 2).parent, ==, 1);
    ns_lab_open_run(lab, 2);
    ns_lab_reset(lab);
    g_assert_cmpstr(last, ==, "Run 2 begins anew at step 5, where it was forked.");
    LAB_UNTIL(lab, ns_lab_view(lab)->history != fork && ns_lab_state(lab) == NS_TRAINER_READY);
    g_assert_cmpint(ns_lab_first_step(lab), ==, 5);
    ns_lab_step(lab, 2);
    wait_at_rest(lab, 7);
    assert_same_losses(history_of(lab, 0), fork, 5, 7);
}

/* Nobody has its model, so its gradients cannot be checked; that is said. */
static void test_no_check(void)
{
    g_autofree char *last = NULL;
    g_autoptr(NsLab) lab = open_after("", 3, "layers", "3");
    ns_lab_open_run(lab, 1);
    g_signal_connect(lab, "notice", G_CALLBACK(take_notice), &last);
    ns_lab_check(lab, 0, 1);
    g_assert_false(ns_lab_is_checking(lab));
    g_assert_true(last && strstr(last, "gradients"));
}

/* What had diverged is shown as that, and nothing asks for a remedy. */
static void test_diverged(void)
{
    NsTrouble trouble;
    g_autoptr(NsLab) lab = open_lab("placement=none lr=100 layers=12", NULL);
    ns_lab_run(lab);
    LAB_UNTIL(lab, ns_lab_steps(lab) > 0 && !ns_lab_is_running(lab));
    while (ns_lab_state(lab) != NS_TRAINER_DIVERGED) {
        ns_lab_run(lab);
        LAB_UNTIL(lab, !ns_lab_is_running(lab));
    }
    g_autoptr(NsHistory) first = ns_history_ref(ns_lab_view(lab)->history);
    ns_lab_restart(lab);
    LAB_UNTIL(lab, ns_lab_view(lab)->history != first);
    ns_lab_open_run(lab, 1);
    g_assert_cmpint(ns_lab_state(lab), ==, NS_TRAINER_DIVERGED);
    g_assert_cmpint(ns_lab_lane_state(lab, 0), ==, NS_TRAINER_DIVERGED);
    g_assert_false(ns_lab_trouble(lab, &trouble));
    g_assert_true(ns_lab_can_run(lab));
}

void ui_add_past_tests(void)
{
    g_test_add_func("/ui/past/list", test_runs);
    g_test_add_func("/ui/past/settings", test_open_run);
    g_test_add_func("/ui/past/on-view", test_on_view);
    g_test_add_func("/ui/past/goes-on", test_goes_on);
    g_test_add_func("/ui/past/anew", test_anew);
    g_test_add_func("/ui/past/changed", test_changed);
    g_test_add_func("/ui/past/reset-of-fork", test_reset_of_fork);
    g_test_add_func("/ui/past/no-check", test_no_check);
    g_test_add_func("/ui/past/diverged", test_diverged);
}
