/* The state machine of the trainer, its histories, and its ends.  SPDX-License-Identifier: MIT */
#include "tests/unit/trainers.h"

#include "core/base/error.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void set_rate(NsTrainer *trainer, double lr, int64_t warmup)
{
    NsSettings settings;
    ns_test_tiny_settings(&settings, NULL);
    settings.lr = lr;
    settings.warmup = warmup;
    ns_trainer_set_live(trainer, &(NsExperiment){.n = 1, .lane = {settings}});
    ns_settings_clear(&settings);
}

static size_t evaluations(NsTrainer *trainer)
{
    g_autoptr(NsHistory) history = ns_trainer_history(trainer, 0);
    return ns_history_evaluations(history);
}

static void test_words(void)
{
    g_assert_cmpstr(ns_trainer_state_word(NS_TRAINER_PREPARING), ==, "preparing");
    g_assert_cmpstr(ns_trainer_state_word(NS_TRAINER_FAILED), ==, "failed");
}

static void test_ready(void)
{
    g_autoptr(NsTrainer) trainer = ns_test_tiny_trainer(NULL);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    NsPlan plan;
    g_assert_true(ns_trainer_plan(trainer, 0, &plan));
    g_assert_cmpuint(plan.parameters, >, 0);
    g_assert_null(ns_trainer_message(trainer, 0));
    /* Nothing to pause. */
    ns_trainer_pause(trainer);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
}

/* The niceness of a thread of this process, as the kernel tells it. */
static int niceness_of(const char *task)
{
    g_autofree char *path = g_strdup_printf("/proc/self/task/%s/stat", task), *stat = NULL;
    if (!g_file_get_contents(path, &stat, NULL, NULL)) return G_MININT; /* it has ended */
    int niceness = G_MININT;
    sscanf(strrchr(stat, ')') + 1,
           " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d", &niceness);
    return niceness;
}

/* A run gives way to the desktop, and beside busy programs it goes on: ten units would leave it a
 * tenth of what each of them has. */
static void test_niceness(void)
{
    g_autoptr(NsTrainer) trainer = ns_test_tiny_trainer(NULL);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    g_autoptr(GDir) tasks = g_dir_open("/proc/self/task", 0, NULL);
    if (!tasks) {
        g_test_skip("the kernel does not tell the niceness of threads");
        return;
    }
    g_autofree char *own = g_strdup_printf("%d", (int)getpid());
    int nicest = G_MININT;
    const char *task;
    while ((task = g_dir_read_name(tasks))) nicest = MAX(nicest, niceness_of(task));
    if (niceness_of(own) < 17) g_assert_cmpint(nicest, >, niceness_of(own));
    g_assert_cmpint(nicest, <=, niceness_of(own) + 2);
}

typedef struct {
    atomic_int began, stepped, rested, resets, ended;
    atomic_int step; /* of the clock at the newest moment */
} Told;

static void count_moment(void *data, NsTrainerMoment moment, NsLockstep *lockstep)
{
    Told *told = data;
    atomic_int *const counts[] = {&told->began, &told->stepped, &told->rested, &told->resets,
                                  &told->ended};
    atomic_fetch_add(counts[moment], 1);
    atomic_store(&told->step, (int)ns_lockstep_steps(lockstep));
}

static void test_observer(void)
{
    Told told = {0};
    NsSettings settings;
    ns_test_tiny_settings(&settings, NULL);
    const NsExperiment experiment = {.n = 1, .lane = {settings}};
    const NsTrainerStart start = {.observer = {count_moment, &told}};
    NsTrainer *trainer = ns_trainer_start(&experiment, &start, NULL);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    ns_trainer_step(trainer, 3);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 3);
    g_assert_cmpint(told.began, ==, 1);
    g_assert_cmpint(told.stepped, ==, 3);
    g_assert_cmpint(told.rested, ==, 1);
    g_assert_cmpint(told.step, ==, 3);
    ns_trainer_reset(trainer);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    g_assert_cmpint(told.began, ==, 2);
    g_assert_cmpint(told.ended, ==, 0);
    ns_trainer_free(trainer);
    g_assert_cmpint(told.ended, ==, 1);
    ns_settings_clear(&settings);
}

/* A fork that is given the past of its run has all of it, and goes on with the same bits; a reset
 * leads back to the fork. */
#define LAYERS 64 /* of tiny models, with room */

static void test_past(void)
{
    g_autoptr(NsTrainer) whole = ns_test_tiny_trainer((const char *const[]){"seeds=2", NULL});
    ns_trainer_step(whole, 4);
    ns_test_expect(whole, NS_TRAINER_PAUSED, 4);
    NsCheckpoint *origins[NS_LANES_MAX];
    g_assert_true(ns_trainer_checkpoints_at(whole, 4, origins, NULL));
    ns_trainer_step(whole, 3);
    ns_test_expect(whole, NS_TRAINER_PAUSED, 7);
    g_autoptr(NsHistory) past = ns_trainer_history(whole, 0);

    NsExperiment experiment = {.n = 1, .lane = {origins[0]->settings}};
    const NsTrainerStart start = {.origins = origins, .pasts = &past};
    g_autoptr(NsTrainer) fork = ns_trainer_start(&experiment, &start, NULL);
    ns_test_expect(fork, NS_TRAINER_READY, 4);
    ns_trainer_step(fork, 3);
    ns_test_expect(fork, NS_TRAINER_PAUSED, 7);
    g_autoptr(NsHistory) history = ns_trainer_history(fork, 0);
    g_assert_cmpint(ns_history_first_step(history), ==, 0);
    for (size_t seed = 0; seed < 2; seed++) {
        NsHistory *was = ns_history_seed(past, seed), *is = ns_history_seed(history, seed);
        float before[LAYERS], after[LAYERS];
        ns_test_same_records(was, 0, is);
        for (size_t i = 0; i < 8; i++) {
            ns_history_read(was, NS_QUANTITY_HIDDEN_NORM, i, before, NULL, NULL);
            ns_history_read(is, NS_QUANTITY_HIDDEN_NORM, i, after, NULL, NULL);
            size_t n = ns_history_layout(is)->hidden;
            g_assert_cmpuint(n, ==, ns_history_layout(was)->hidden);
            g_assert_true(memcmp(before, after, n * sizeof *before) == 0);
        }
    }
    ns_trainer_reset(fork);
    ns_test_expect(fork, NS_TRAINER_READY, 4);
    g_autoptr(NsHistory) again = ns_trainer_history(fork, 0);
    g_assert_cmpuint(ns_history_steps(again), ==, 5);
    ns_checkpoint_unref(origins[0]);
}

static void test_failed(void)
{
    g_autoptr(NsTrainer) trainer =
        ns_test_tiny_trainer((const char *const[]){"text=/there/is/no/such.txt", NULL});
    /* Also commands that were given before it was known. */
    ns_trainer_run(trainer);
    ns_test_expect(trainer, NS_TRAINER_FAILED, -1);
    g_autofree char *message = ns_trainer_message(trainer, 0);
    g_assert_nonnull(strstr(message, "such.txt"));
    g_assert_null(ns_trainer_history(trainer, 0));
    NsPlan plan;
    g_assert_false(ns_trainer_plan(trainer, 0, &plan));
    ns_trainer_reset(trainer);
    ns_trainer_step(trainer, 1);
    ns_test_expect(trainer, NS_TRAINER_FAILED, -1);

    NsSettings settings;
    ns_test_tiny_settings(&settings, (const char *const[]){"d-model=15", NULL});
    GError *error = NULL;
    g_auto(NsExperiment) experiment = {0};
    ns_experiment_set_lanes(&experiment, (const NsSettings *[]){&settings}, 1);
    g_assert_null(ns_trainer_start(&experiment, &(NsTrainerStart){0}, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_clear_error(&error);
    ns_settings_clear(&settings);
}

static void test_steps(void)
{
    g_autoptr(NsTrainer) trainer = ns_test_tiny_trainer(NULL);
    ns_trainer_step(trainer, 1);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 1);
    ns_trainer_step(trainer, 4);
    ns_trainer_step(trainer, 3);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 8);
    ns_trainer_step(trainer, 0);
    ns_trainer_step(trainer, -3);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 8);
    /* A pause takes back what was not begun. */
    ns_trainer_step(trainer, 1000000);
    ns_trainer_pause(trainer);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, -1);
    /* From a run, so many more and then a pause. */
    ns_trainer_run(trainer);
    ns_trainer_step(trainer, 2);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, -1);
}

static void test_run_pause(void)
{
    g_autoptr(NsTrainer) trainer = ns_test_tiny_trainer(NULL);
    ns_trainer_run(trainer);
    ns_test_until_steps(trainer, 5);
    g_assert_cmpint(ns_trainer_state(trainer), ==, NS_TRAINER_RUNNING);
    g_assert_false(ns_trainer_wait(trainer, 30));
    ns_trainer_pause(trainer);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, -1);
    g_autoptr(NsHistory) history = ns_trainer_history(trainer, 0);
    size_t steps = ns_history_steps(history);
    /* A command that its thread has done since is a turn in which a step could have been made. */
    ns_trainer_pause(trainer);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, (int64_t)steps - 1);
    ns_trainer_run(trainer);
    ns_test_until_steps(trainer, steps + 5);
    ns_trainer_pause(trainer);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, -1);
}

static void test_finished(void)
{
    g_autoptr(NsTrainer) trainer = ns_test_tiny_trainer((const char *const[]){"steps=7", NULL});
    ns_trainer_run(trainer);
    ns_test_expect(trainer, NS_TRAINER_FINISHED, 7);
    g_assert_cmpuint(evaluations(trainer), ==, 1);
    /* No arrow leads on but reset. */
    ns_trainer_run(trainer);
    ns_trainer_step(trainer, 2);
    ns_trainer_pause(trainer);
    ns_test_expect(trainer, NS_TRAINER_FINISHED, 7);
    g_assert_cmpuint(evaluations(trainer), ==, 1);
    ns_trainer_reset(trainer);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    ns_trainer_step(trainer, 20);
    ns_test_expect(trainer, NS_TRAINER_FINISHED, 7);
}

static void test_diverged(void)
{
    g_autoptr(NsTrainer) trainer =
        ns_test_tiny_trainer((const char *const[]){"placement=none", "layers=30", "lr=100", NULL});
    ns_trainer_run(trainer);
    ns_test_expect(trainer, NS_TRAINER_DIVERGED, -1);
    g_autofree char *message = ns_trainer_message(trainer, 0);
    g_assert_true(g_str_has_prefix(message, "Diverged at step "));
    ns_trainer_run(trainer);
    ns_trainer_step(trainer, 1);
    ns_trainer_pause(trainer);
    ns_test_expect(trainer, NS_TRAINER_DIVERGED, -1);
    ns_trainer_reset(trainer);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    g_assert_null(ns_trainer_message(trainer, 0));
}

/* So deep, and without a norm, that single precision cannot hold even the first hidden states. */
static void test_diverged_at_once(void)
{
    g_autoptr(NsTrainer) trainer =
        ns_test_tiny_trainer((const char *const[]){"placement=none", "layers=400", NULL});
    ns_test_expect(trainer, NS_TRAINER_DIVERGED, 0);
    g_autofree char *message = ns_trainer_message(trainer, 0);
    g_assert_true(g_str_has_prefix(message, "Diverged at step 0: "));
    ns_trainer_reset(trainer);
    ns_test_expect(trainer, NS_TRAINER_DIVERGED, 0);
}

static void test_reset(void)
{
    g_autoptr(NsTrainer) trainer = ns_test_tiny_trainer(NULL);
    /* While it prepares there is nothing to reset. */
    ns_trainer_reset(trainer);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    g_autoptr(NsHistory) ready = ns_trainer_history(trainer, 0);
    ns_trainer_reset(trainer);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    g_autoptr(NsHistory) second = ns_trainer_history(trainer, 0);
    g_assert_true(second != ready);

    ns_trainer_step(trainer, 6);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 6);
    ns_trainer_reset(trainer);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    g_autoptr(NsHistory) third = ns_trainer_history(trainer, 0);

    ns_trainer_run(trainer);
    ns_test_until_steps(trainer, 6);
    ns_trainer_reset(trainer);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    g_assert_cmpuint(ns_history_steps(second), ==, 7);
    for (size_t step = 0; step < 7; step++)
        g_assert_true(memcmp(ns_history_step(second, step), ns_history_step(third, step),
                             offsetof(NsStep, seconds)) == 0);

    /* What was asked for before a reset is gone, what is asked for after it is done. */
    ns_trainer_step(trainer, 50);
    ns_trainer_reset(trainer);
    ns_trainer_step(trainer, 2);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 2);
}

static void test_live(void)
{
    g_autoptr(NsTrainer) trainer = ns_test_tiny_trainer(NULL);
    ns_trainer_step(trainer, 2);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 2);
    for (int i = 1; i <= 9; i++) set_rate(trainer, 0.01 * i, 1);
    ns_trainer_step(trainer, 2);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 4);
    g_autoptr(NsHistory) history = ns_trainer_history(trainer, 0);
    g_assert_cmpuint(ns_history_events(history), ==, 1);
    g_assert_cmpint(ns_history_event(history, 0)->step, ==, 3);
    g_assert_cmpfloat(ns_history_step(history, 2)->lr, ==, 0.003);
    g_assert_cmpfloat(ns_history_step(history, 3)->lr, ==, 0.09);
    /* A reset keeps the weights' seed and the new rate. */
    ns_trainer_reset(trainer);
    ns_trainer_step(trainer, 1);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 1);
    g_autoptr(NsHistory) again = ns_trainer_history(trainer, 0);
    g_assert_cmpfloat(ns_history_step(again, 1)->lr, ==, 0.09);
    g_assert_cmpuint(ns_history_events(again), ==, 0);
}

/* A history is read on while its trainer goes on to another and ends. */
static void test_previous(void)
{
    NsTrainer *trainer = ns_test_tiny_trainer(NULL);
    ns_trainer_step(trainer, 5);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 5);
    g_autoptr(NsHistory) previous = ns_trainer_history(trainer, 0);
    ns_trainer_reset(trainer);
    ns_trainer_run(trainer);
    ns_trainer_free(trainer);
    float norms[3];
    for (size_t step = 0; step < ns_history_steps(previous); step++) {
        ns_history_read(previous, NS_QUANTITY_HIDDEN_NORM, step, norms, NULL, NULL);
        g_assert_true(norms[0] > 0 && isfinite(norms[2]));
    }
}

/* Given up in every state; the memory checker sees that nothing is left. */
static void test_release(void)
{
    ns_trainer_release(ns_test_tiny_trainer(NULL));
    ns_trainer_free(ns_test_tiny_trainer(NULL));
    ns_trainer_release(NULL);
    ns_trainer_free(NULL);

    NsTrainer *running = ns_test_tiny_trainer(NULL);
    ns_trainer_run(running);
    ns_test_until_steps(running, 2);
    g_autoptr(NsHistory) history = ns_trainer_history(running, 0);
    ns_trainer_release(running);
    /* The thread ends by itself: the history stops growing. */
    size_t steps;
    do {
        steps = ns_history_steps(history);
        g_usleep(100000);
    } while (ns_history_steps(history) > steps);

    NsTrainer *paused = ns_test_tiny_trainer(NULL);
    ns_trainer_step(paused, 1);
    ns_test_expect(paused, NS_TRAINER_PAUSED, 1);
    ns_trainer_release(paused);
    NsTrainer *failed =
        ns_test_tiny_trainer((const char *const[]){"text=/there/is/no/such.txt", NULL});
    ns_test_expect(failed, NS_TRAINER_FAILED, -1);
    ns_trainer_release(failed);
}

static NsHistory *history_at_exit;

/* Fails the program if a step ends after this began. */
static void no_step_may_end(void)
{
    size_t steps = ns_history_steps(history_at_exit);
    g_usleep(500000);
    if (ns_history_steps(history_at_exit) != steps) _exit(EXIT_FAILURE);
}

/* The end of a program waits for the step of a released trainer: libraries end after it. */
static void test_release_and_exit(void)
{
    if (g_test_subprocess()) {
        atexit(no_step_may_end); /* handlers run last in, first out: after the trainer's */
        NsTrainer *trainer = ns_test_tiny_trainer(
            (const char *const[]){"layers=4", "d-model=128", "seq=64", "batch=8", NULL});
        ns_trainer_run(trainer);
        ns_test_until_steps(trainer, 1);
        history_at_exit = ns_trainer_history(trainer, 0);
        ns_trainer_release(trainer);
        exit(EXIT_SUCCESS);
    }
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
    g_test_trap_assert_passed();
}

static void test_random_commands(void)
{
    g_autoptr(NsTrainer) trainer = ns_test_tiny_trainer(NULL);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    g_autoptr(NsHistory) first = ns_trainer_history(trainer, 0);
    GRand *rand = g_rand_new_with_seed(20200212);
    for (int i = 0; i < 200; i++) {
        switch (g_rand_int_range(rand, 0, 8)) {
        case 0:
        case 1:
            ns_trainer_run(trainer);
            break;
        case 2:
            ns_trainer_pause(trainer);
            break;
        case 3:
            ns_trainer_step(trainer, g_rand_int_range(rand, 1, 5));
            break;
        case 4:
            ns_trainer_reset(trainer);
            break;
        case 5:
            ns_trainer_check(trainer, 0, 1);
            break;
        case 6:
            set_rate(trainer, g_rand_double(rand) * 1e-3, 1 + i % 5);
            break;
        default:
            g_usleep(2000);
            break;
        }
        NsTrainerState state = ns_trainer_state(trainer);
        g_assert_true(state == NS_TRAINER_READY || state == NS_TRAINER_RUNNING ||
                      state == NS_TRAINER_PAUSED || state == NS_TRAINER_FINISHED);
        g_autoptr(NsHistory) history = ns_trainer_history(trainer, 0);
        size_t steps = ns_history_steps(history);
        g_assert_cmpuint(steps, >, 0);
        g_assert_cmpint(ns_history_step(history, steps - 1)->step, ==, (int64_t)steps - 1);
    }
    g_rand_free(rand);

    ns_trainer_reset(trainer);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    g_autoptr(NsHistory) last = ns_trainer_history(trainer, 0);
    g_assert_true(memcmp(ns_history_step(first, 0), ns_history_step(last, 0),
                         offsetof(NsStep, seconds)) == 0);
    ns_trainer_step(trainer, 3);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 3);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/trainer/words", test_words);
    g_test_add_func("/trainer/ready", test_ready);
    g_test_add_func("/trainer/niceness", test_niceness);
    g_test_add_func("/trainer/failed", test_failed);
    g_test_add_func("/trainer/steps", test_steps);
    g_test_add_func("/trainer/run-pause", test_run_pause);
    g_test_add_func("/trainer/finished", test_finished);
    g_test_add_func("/trainer/diverged", test_diverged);
    g_test_add_func("/trainer/diverged-at-once", test_diverged_at_once);
    g_test_add_func("/trainer/reset", test_reset);
    g_test_add_func("/trainer/observer", test_observer);
    g_test_add_func("/trainer/past", test_past);
    g_test_add_func("/trainer/live", test_live);
    g_test_add_func("/trainer/previous", test_previous);
    g_test_add_func("/trainer/release", test_release);
    g_test_add_func("/trainer/release-and-exit", test_release_and_exit);
    g_test_add_func("/trainer/random-commands", test_random_commands);
    return g_test_run();
}
