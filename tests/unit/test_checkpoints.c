/* Kept steps: which are thinned, and forks from them.  SPDX-License-Identifier: MIT */
#include "tests/unit/trainers.h"

#include "core/base/memory.h"
#include "core/experiment/assignment.h"
#include "core/train/checkpoints.h"

#include <sys/resource.h>

/* The newest kept step at or before this one; NULL where there is none. */
static NsCheckpoint *checkpoint_at(NsTrainer *trainer, int64_t step)
{
    NsCheckpoint *kept[NS_LANES_MAX];
    int64_t at;
    if (!ns_trainer_checkpoints_at(trainer, step, kept, &at)) return NULL;
    g_assert_cmpint(kept[0]->step, ==, at);
    g_assert_cmpint(at, <=, step);
    return kept[0];
}

static NsCheckpoint *checkpoint_of(NsTrainer *trainer)
{
    g_assert_true(ns_trainer_wait(trainer, NS_TEST_PATIENCE_MS));
    return checkpoint_at(trainer, INT64_MAX);
}

static NsTrainer *fork_of(NsCheckpoint *checkpoint, const char *change)
{
    NsSettings settings;
    GError *error = NULL;
    ns_settings_copy(&settings, &checkpoint->settings);
    if (change) ns_settings_assign(&settings, change, &error);
    g_assert_no_error(error);
    g_auto(NsExperiment) experiment = {0};
    ns_experiment_set_lanes(&experiment, (const NsSettings *[]){&settings}, 1);
    NsTrainer *trainer =
        ns_trainer_start(&experiment, &(NsTrainerStart){.origins = &checkpoint}, &error);
    g_assert_no_error(error);
    ns_settings_clear(&settings);
    return trainer;
}

static void test_snapshot(void)
{
    g_autoptr(NsTrainer) trainer = ns_test_tiny_trainer((const char *const[]){"steps=12", NULL});
    ns_trainer_step(trainer, 5);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 5);
    g_autoptr(NsCheckpoint) checkpoint = checkpoint_of(trainer);
    g_assert_nonnull(checkpoint);
    g_assert_cmpint(checkpoint->step, ==, 5);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 5);
    ns_trainer_run(trainer);
    ns_test_expect(trainer, NS_TRAINER_FINISHED, 12);

    g_autoptr(NsTrainer) fork = fork_of(checkpoint, NULL);
    ns_test_expect(fork, NS_TRAINER_READY, 0);
    ns_trainer_run(fork);
    ns_test_expect(fork, NS_TRAINER_FINISHED, 7);
    g_autoptr(NsHistory) whole = ns_trainer_history(trainer, 0);
    g_autoptr(NsHistory) rest = ns_trainer_history(fork, 0);
    g_assert_cmpint(ns_history_first_step(rest), ==, 5);
    ns_test_same_records(whole, 5, rest);

    /* Back to where the fork began. */
    ns_trainer_reset(fork);
    ns_test_expect(fork, NS_TRAINER_READY, 0);
    ns_trainer_run(fork);
    ns_test_expect(fork, NS_TRAINER_FINISHED, 7);
    g_autoptr(NsHistory) again = ns_trainer_history(fork, 0);
    g_assert_true(again != rest);
    ns_test_same_records(rest, 0, again);

    /* A fork that stands at its end already makes no step. */
    g_autoptr(NsTrainer) short_fork = fork_of(checkpoint, "steps=5");
    ns_trainer_run(short_fork);
    ns_test_expect(short_fork, NS_TRAINER_FINISHED, 0);
}

/* The steps of checkpoints ascend from the beginning to where the run rests. */
static void assert_checkpoints(NsTrainer *trainer, int64_t first, int64_t newest)
{
    int64_t steps[NS_CHECKPOINTS_MOST];
    size_t n = ns_trainer_checkpoints(trainer, steps, NS_CHECKPOINTS_MOST);
    g_assert_cmpuint(n, >=, 1);
    g_assert_cmpuint(n, <=, NS_CHECKPOINTS_MOST);
    g_assert_cmpint(steps[0], ==, first);
    g_assert_cmpint(steps[n - 1], ==, newest);
    for (size_t i = 1; i < n; i++) g_assert_cmpint(steps[i], >, steps[i - 1]);
}

static void test_of_run(void)
{
    g_autoptr(NsTrainer) trainer = ns_test_tiny_trainer((const char *const[]){"steps=4000", NULL});
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    assert_checkpoints(trainer, 0, 0);
    ns_trainer_step(trainer, 3);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 3);
    assert_checkpoints(trainer, 0, 3);
    ns_trainer_run(trainer);
    ns_test_expect(trainer, NS_TRAINER_FINISHED, 4000);
    assert_checkpoints(trainer, 0, 4000);
    int64_t steps[NS_CHECKPOINTS_MOST];
    g_assert_cmpuint(ns_trainer_checkpoints(trainer, steps, 2), ==,
                     ns_trainer_checkpoints(trainer, steps, 0));
    /* It is so small a model that some steps are kept on the way, unless other programs held up one
     * of the first. */
    size_t n = ns_trainer_checkpoints(trainer, steps, NS_CHECKPOINTS_MOST);
    for (int again = 0; n <= 3 && again < 50; again++) {
        ns_trainer_reset(trainer);
        ns_test_expect(trainer, NS_TRAINER_READY, 0);
        ns_trainer_run(trainer);
        ns_test_expect(trainer, NS_TRAINER_FINISHED, 4000);
        n = ns_trainer_checkpoints(trainer, steps, NS_CHECKPOINTS_MOST);
    }
    g_assert_cmpuint(n, >, 3);

    /* Each continues as the run went on. */
    g_autoptr(NsHistory) whole = ns_trainer_history(trainer, 0);
    for (size_t i = 0; i < n; i += MAX(n / 5, 1)) {
        g_autoptr(NsCheckpoint) checkpoint = checkpoint_at(trainer, steps[i]);
        g_assert_cmpint(checkpoint->step, ==, steps[i]);
        g_autoptr(NsTrainer) fork = fork_of(checkpoint, NULL);
        ns_test_expect(fork, NS_TRAINER_READY, 0);
        assert_checkpoints(fork, steps[i], steps[i]);
        /* It is there already, and takes no more room. */
        g_autoptr(NsCheckpoint) origin = checkpoint_at(fork, steps[i]);
        g_assert_true(origin == checkpoint);
        ns_trainer_run(fork);
        ns_test_expect(fork, NS_TRAINER_FINISHED, 4000 - steps[i]);
        g_autoptr(NsHistory) rest = ns_trainer_history(fork, 0);
        ns_test_same_records(whole, (size_t)steps[i], rest);
        ns_trainer_reset(fork);
        ns_test_expect(fork, NS_TRAINER_READY, 0);
        assert_checkpoints(fork, steps[i], steps[i]);
        g_assert_null(checkpoint_at(fork, steps[i] - 1));
    }
    ns_trainer_reset(trainer);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    assert_checkpoints(trainer, 0, 0);
}

/* While a run goes on newer ones come; a run that could not be made has none; one may end while it
 * takes some. */
static void test_keep(void)
{
    g_autoptr(NsTrainer) running = ns_test_tiny_trainer(NULL);
    ns_trainer_run(running);
    ns_test_until_steps(running, 2);
    int64_t newest = 0;
    for (int newer = 0, ms = 0; newer < 5; ms++) {
        g_autoptr(NsCheckpoint) checkpoint = checkpoint_at(running, INT64_MAX);
        int64_t step = checkpoint->step;
        g_assert_cmpint(step, >=, newest);
        newer += step > newest;
        newest = step;
        g_assert_cmpint(ms, <, NS_TEST_PATIENCE_MS);
        g_usleep(1000);
    }
    ns_trainer_pause(running);
    ns_test_expect(running, NS_TRAINER_PAUSED, -1);

    g_autoptr(NsTrainer) failed =
        ns_test_tiny_trainer((const char *const[]){"text=/there/is/no/such.txt", NULL});
    g_assert_null(checkpoint_of(failed));
    g_assert_cmpuint(ns_trainer_checkpoints(failed, NULL, 0), ==, 0);
    ns_test_expect(failed, NS_TRAINER_FAILED, -1);

    g_autoptr(NsCheckpoint) last = checkpoint_at(running, INT64_MAX);
    g_autoptr(NsTrainer) fork = fork_of(last, "placement=pre");
    ns_trainer_step(fork, 2);
    ns_test_expect(fork, NS_TRAINER_PAUSED, 2);
    NsTrainer *given_up = fork_of(last, NULL);
    ns_trainer_step(given_up, 1);
    ns_trainer_free(given_up);
}

/* ---- The rule ---- */

/* One checkpoint stands for all of them: only what it takes matters. */
static NsCheckpoint *some_checkpoint(void)
{
    g_autoptr(NsTrainer) trainer = ns_test_tiny_trainer(NULL);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    return checkpoint_at(trainer, 0);
}

static void test_thinned(void)
{
    enum { ROOM = 40, STEPS = 20000 };
    g_autoptr(NsCheckpoint) checkpoint = some_checkpoint();
    size_t bytes = ns_checkpoint_bytes(checkpoint);
    g_autoptr(NsCheckpoints) kept = ns_checkpoints_new(2, ROOM * bytes + bytes / 2);
    g_assert_cmpint(ns_checkpoints_newest(kept), ==, -1);
    for (int64_t step = 7; step <= STEPS; step += 3) {
        ns_checkpoints_add(kept, step, (NsCheckpoint *[]){NULL, checkpoint});
        g_assert_cmpint(ns_checkpoints_newest(kept), ==, step);
        g_assert_cmpuint(ns_checkpoints_steps(kept, NULL, 0), <=, ROOM);
    }
    int64_t steps[ROOM];
    g_assert_cmpuint(ns_checkpoints_steps(kept, steps, ROOM), ==, ROOM);
    g_assert_cmpint(steps[0], ==, 7);
    /* The distance from one to the next is within so large a share of the age. */
    for (size_t i = 0; i + 1 < ROOM; i++) {
        double age = (double)(steps[ROOM - 1] - steps[i]);
        g_assert_cmpfloat((double)(steps[i + 1] - steps[i]), <=, MAX(0.4 * age, 3));
    }
    g_assert_cmpint(steps[ROOM - 1] - steps[ROOM - 2], ==, 3);

    NsCheckpoint *found[NS_LANES_MAX];
    int64_t at;
    g_assert_false(ns_checkpoints_find(kept, 6, found, &at));
    g_assert_true(ns_checkpoints_find(kept, steps[20] - 1, found, &at));
    g_assert_cmpint(at, ==, steps[19]);
    g_assert_true(found[1] == checkpoint && !found[0] && !found[2] && !found[3]);
    ns_checkpoint_unref(found[1]);

    ns_checkpoints_trim(kept);
    g_assert_cmpuint(ns_checkpoints_steps(kept, steps, ROOM), ==, 2);
    g_assert_true(steps[0] == 7 && steps[1] > STEPS - 3);
    ns_checkpoints_clear(kept);
    g_assert_cmpuint(ns_checkpoints_steps(kept, NULL, 0), ==, 0);
}

/* However little there is room for, the beginning and the newest stay; however much, not more than
 * the limit. */
static void test_extremes(void)
{
    g_autoptr(NsCheckpoint) checkpoint = some_checkpoint();
    g_autoptr(NsCheckpoints) poor = ns_checkpoints_new(1, 1),
                             rich = ns_checkpoints_new(1, SIZE_MAX);
    for (int64_t step = 0; step < NS_CHECKPOINTS_MOST + 100; step++) {
        ns_checkpoints_add(poor, step, &checkpoint);
        ns_checkpoints_add(rich, step, &checkpoint);
    }
    int64_t steps[2];
    g_assert_cmpuint(ns_checkpoints_steps(poor, steps, 2), ==, 2);
    g_assert_cmpint(steps[0], ==, 0);
    g_assert_cmpint(steps[1], ==, NS_CHECKPOINTS_MOST + 99);
    g_assert_cmpuint(ns_checkpoints_steps(rich, steps, 2), ==, NS_CHECKPOINTS_MOST);
}

/* Whatever budget is asked for, checkpoints use at most a quarter of the memory. */
static void test_memory(void)
{
    enum { STEPS = 24, AVAILABLE = 160 << 20 };
#ifdef __SANITIZE_THREAD__
    g_test_skip("ThreadSanitizer itself needs more memory than the limit of this test");
    return;
#endif
    if (!g_test_subprocess()) {
        g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
        g_test_trap_assert_passed();
        return;
    }
    const char *const model[] = {"d-model=192", "heads=2", "steps=100", NULL};
    struct rlimit data = {(rlim_t)1 << 40, RLIM_INFINITY};
    g_assert_cmpint(setrlimit(RLIMIT_DATA, &data), ==, 0);
    data.rlim_cur += AVAILABLE - ns_memory_left(NS_MEMORY_DATA);
    g_assert_cmpint(setrlimit(RLIMIT_DATA, &data), ==, 0);
    g_autoptr(NsTrainer) trainer = ns_test_tiny_trainer(model);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    ns_trainer_set_checkpoint_bytes(trainer, SIZE_MAX);
    g_autoptr(NsCheckpoint) first = checkpoint_at(trainer, 0);
    g_assert_cmpuint(STEPS * ns_checkpoint_bytes(first), >, AVAILABLE / 2);
    for (int step = 1; step <= STEPS; step++) {
        ns_trainer_step(trainer, 1);
        ns_test_expect(trainer, NS_TRAINER_PAUSED, step);
    }
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    g_assert_cmpuint(ns_trainer_count_checkpoints(trainer, seen), <=, AVAILABLE / 4);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/checkpoints/fork", test_snapshot);
    g_test_add_func("/checkpoints/run", test_of_run);
    g_test_add_func("/checkpoints/while-running", test_keep);
    g_test_add_func("/checkpoints/thinned", test_thinned);
    g_test_add_func("/checkpoints/extremes", test_extremes);
    g_test_add_func("/checkpoints/memory", test_memory);
    return g_test_run();
}
