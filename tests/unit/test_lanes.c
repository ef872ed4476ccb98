/* Trainers of several lanes, and what they run until.  SPDX-License-Identifier: MIT */
#include "tests/unit/trainers.h"

#include "core/base/error.h"

#include <string.h>

#define DIVERGES "placement=none layers=30 lr=100"

static void expect_lane(NsTrainer *trainer, size_t lane, NsTrainerState state, int64_t steps)
{
    g_assert_cmpstr(ns_trainer_state_word(ns_trainer_lane_state(trainer, lane)), ==,
                    ns_trainer_state_word(state));
    g_autoptr(NsHistory) history = ns_trainer_history(trainer, lane);
    if (steps >= 0) g_assert_cmpuint(ns_history_steps(history), ==, (size_t)steps + 1);
}

/* Every lane gives the bits that it gives alone. */
static void test_alone(void)
{
    static const char *const lanes[] = {"placement=post", "placement=pre layers=3",
                                        "optimizer=sgd lr=0.1", "dropout=0.2"};
    for (size_t n = 1; n <= G_N_ELEMENTS(lanes); n++) {
        g_autoptr(NsTrainer) together = ns_test_tiny_lanes("steps=9", lanes, n, NULL);
        g_assert_cmpuint(ns_trainer_lanes(together), ==, n);
        ns_trainer_run(together);
        ns_test_expect(together, NS_TRAINER_FINISHED, 9);
        for (size_t i = 0; i < n; i++) {
            expect_lane(together, i, NS_TRAINER_FINISHED, 9);
            g_autoptr(NsTrainer) alone = ns_test_tiny_lanes("steps=9", &lanes[i], 1, NULL);
            ns_trainer_run(alone);
            ns_test_expect(alone, NS_TRAINER_FINISHED, 9);
            g_autoptr(NsHistory) a = ns_trainer_history(alone, 0);
            g_autoptr(NsHistory) b = ns_trainer_history(together, i);
            ns_test_same_records(a, 0, b);
            g_assert_cmpfloat(ns_history_evaluation(a, 0)->loss, ==,
                              ns_history_evaluation(b, 0)->loss);
            NsPlan plan_a, plan_b;
            g_assert_true(ns_trainer_plan(alone, 0, &plan_a) &&
                          ns_trainer_plan(together, i, &plan_b));
            g_assert_cmpuint(plan_a.parameters, ==, plan_b.parameters);
        }
    }
}

static void test_refused(void)
{
    NsSettings a, b;
    GError *error = NULL;
    ns_test_tiny_settings(&a, NULL);
    ns_test_tiny_settings(&b, (const char *const[]){"seq=9", NULL});
    g_auto(NsExperiment) unlike = {0}, apart = {0};
    ns_experiment_set_lanes(&unlike, (const NsSettings *[]){&a, &b}, 2);
    ns_experiment_set_lanes(&apart, (const NsSettings *[]){&a, &a}, 2);
    g_assert_null(ns_trainer_start(&unlike, &(NsTrainerStart){0}, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_assert_nonnull(strstr(error->message, "seq"));
    g_clear_error(&error);
    g_assert_null(ns_trainer_start(&(NsExperiment){0}, &(NsTrainerStart){0}, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_clear_error(&error);

    /* Lanes that begin at other steps have no common clock. */
    g_autoptr(NsTrainer) trainer = ns_test_tiny_trainer(NULL);
    ns_trainer_step(trainer, 4);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 4);
    NsCheckpoint *kept[NS_LANES_MAX] = {NULL};
    g_assert_true(ns_trainer_checkpoints_at(trainer, 4, kept, NULL));
    g_assert_null(ns_trainer_start(
        &apart, &(NsTrainerStart){.origins = (NsCheckpoint *[]){kept[0], NULL}}, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_assert_nonnull(strstr(error->message, "lane A begins at step 4 and lane B at step 0"));
    g_clear_error(&error);
    ns_checkpoint_unref(kept[0]);
    ns_settings_clear(&a);
    ns_settings_clear(&b);
}

/* Two lanes from one checkpoint, the second with another placement. */
static void test_fork(void)
{
    static const char *const lanes[] = {"placement=post", "placement=pre"};
    g_autoptr(NsTrainer) one = ns_test_tiny_lanes("steps=12", lanes, 1, NULL);
    ns_trainer_step(one, 5);
    ns_test_expect(one, NS_TRAINER_PAUSED, 5);
    NsCheckpoint *kept[NS_LANES_MAX] = {NULL};
    g_assert_true(ns_trainer_checkpoints_at(one, 5, kept, NULL));
    ns_trainer_run(one);
    ns_test_expect(one, NS_TRAINER_FINISHED, 12);

    NsCheckpoint *const origins[] = {kept[0], kept[0]};
    g_autoptr(NsTrainer) two = ns_test_tiny_lanes("steps=12", lanes, 2, origins);
    ns_trainer_run(two);
    ns_test_expect(two, NS_TRAINER_FINISHED, 7);
    g_autoptr(NsHistory) whole = ns_trainer_history(one, 0);
    g_autoptr(NsHistory) same = ns_trainer_history(two, 0);
    g_autoptr(NsHistory) other = ns_trainer_history(two, 1);
    ns_test_same_records(whole, 5, same);
    g_assert_cmpint(ns_history_first_step(other), ==, 5);
    g_assert_cmpuint(ns_history_steps(other), ==, 8);
    g_assert_cmpstr(ns_history_event(other, 0)->what, ==, "placement");

    /* And a fork of both lanes at a later step goes on like them. */
    NsCheckpoint *later[NS_LANES_MAX];
    ns_trainer_reset(two);
    ns_trainer_step(two, 3);
    ns_test_expect(two, NS_TRAINER_PAUSED, 3);
    g_assert_true(ns_trainer_checkpoints_at(two, 100, later, NULL));
    g_autoptr(NsTrainer) again = ns_test_tiny_lanes("steps=12", lanes, 2, later);
    ns_trainer_run(again);
    ns_test_expect(again, NS_TRAINER_FINISHED, 4);
    g_autoptr(NsHistory) last = ns_trainer_history(again, 1);
    ns_test_same_records(other, 3, last);
    for (size_t i = 0; i < 2; i++) ns_checkpoint_unref(later[i]);
    ns_checkpoint_unref(kept[0]);
}

static void test_live(void)
{
    static const char *const lanes[] = {"", ""};
    g_autoptr(NsTrainer) trainer = ns_test_tiny_lanes("", lanes, 2, NULL);
    NsSettings settings[2];
    ns_trainer_step(trainer, 1);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 1);
    ns_test_tiny_settings(&settings[0], NULL);
    ns_test_tiny_settings(&settings[1], (const char *const[]){"lr=0.05", NULL});
    ns_trainer_set_live(trainer, &(NsExperiment){.n = 2, .lane = {settings[0], settings[1]}});
    for (size_t i = 0; i < 2; i++) ns_settings_clear(&settings[i]);
    ns_trainer_step(trainer, 1);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 2);
    g_autoptr(NsHistory) first = ns_trainer_history(trainer, 0);
    g_autoptr(NsHistory) second = ns_trainer_history(trainer, 1);
    g_assert_cmpfloat(ns_history_step(first, 2)->lr, ==, 3e-3);
    g_assert_cmpfloat(ns_history_step(second, 2)->lr, ==, 0.05);
    g_assert_cmpuint(ns_history_events(first), ==, 0);
    g_assert_cmpuint(ns_history_events(second), ==, 1);
}

/* ---- Divergence ---- */

static void test_diverged_lane(void)
{
    static const char *const lanes[] = {DIVERGES, "placement=pre"};
    g_autoptr(NsTrainer) trainer = ns_test_tiny_lanes("steps=60", lanes, 2, NULL);
    ns_trainer_run(trainer);
    ns_test_expect(trainer, NS_TRAINER_FINISHED, -1);
    expect_lane(trainer, 0, NS_TRAINER_DIVERGED, -1);
    expect_lane(trainer, 1, NS_TRAINER_FINISHED, 60);
    g_autofree char *message = ns_trainer_message(trainer, 0);
    g_assert_true(g_str_has_prefix(message, "Diverged at step "));
    g_assert_null(ns_trainer_message(trainer, 1));
    g_autoptr(NsHistory) diverged = ns_trainer_history(trainer, 0);
    g_autoptr(NsHistory) whole = ns_trainer_history(trainer, 1);
    g_assert_cmpuint(ns_history_evaluations(diverged), ==, 0);
    g_assert_cmpuint(ns_history_evaluations(whole), ==, 1);

    /* A lane has nothing to fork from at the steps that it did not make. */
    NsCheckpoint *kept[NS_LANES_MAX] = {NULL};
    g_assert_true(ns_trainer_checkpoints_at(trainer, 60, kept, NULL));
    g_assert_null(kept[0]);
    g_assert_cmpint(kept[1]->step, ==, 60);
    ns_checkpoint_unref(kept[1]);
    g_assert_true(ns_trainer_checkpoints_at(trainer, 0, kept, NULL));
    g_assert_nonnull(kept[0]);
    for (size_t i = 0; i < 2; i++) ns_checkpoint_unref(kept[i]);

    ns_trainer_reset(trainer);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    expect_lane(trainer, 0, NS_TRAINER_READY, 0);
    g_assert_null(ns_trainer_message(trainer, 0));
}

static void test_all_diverged(void)
{
    static const char *const lanes[] = {DIVERGES, "placement=none layers=31 lr=100"};
    g_autoptr(NsTrainer) trainer = ns_test_tiny_lanes("", lanes, 2, NULL);
    ns_trainer_run(trainer);
    ns_test_expect(trainer, NS_TRAINER_DIVERGED, -1);
    for (size_t i = 0; i < 2; i++) {
        expect_lane(trainer, i, NS_TRAINER_DIVERGED, -1);
        g_autofree char *message = ns_trainer_message(trainer, i);
        g_assert_nonnull(message);
    }
}

static void test_pause_on_divergence(void)
{
    static const char *const lanes[] = {"placement=pre", DIVERGES};
    g_autoptr(NsTrainer) trainer = ns_test_tiny_lanes("steps=60", lanes, 2, NULL);
    ns_trainer_set_pause_on_trouble(trainer, true);
    ns_trainer_run(trainer);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, -1);
    expect_lane(trainer, 0, NS_TRAINER_PAUSED, -1);
    expect_lane(trainer, 1, NS_TRAINER_DIVERGED, -1);
    g_autofree char *message = ns_trainer_message(trainer, 1);
    g_assert_true(g_str_has_prefix(message, "Diverged at step "));
    g_autoptr(NsHistory) whole = ns_trainer_history(trainer, 0);
    g_autoptr(NsHistory) broken = ns_trainer_history(trainer, 1);
    g_assert_cmpuint(ns_history_steps(whole), ==, ns_history_steps(broken));
    /* The lane that can goes on. */
    ns_trainer_run(trainer);
    ns_test_expect(trainer, NS_TRAINER_FINISHED, 60);
}

/* ---- Jumps ---- */

#define JUMPS "layers=3 d-model=32 batch=16 seq=32 lr=0.3"

/* The first jump of a lane; NULL where there is none. */
static const NsEvent *first_jump(NsTrainer *trainer, size_t lane)
{
    g_autoptr(NsHistory) history = ns_trainer_history(trainer, lane);
    for (size_t i = 0; i < ns_history_events(history); i++)
        if (ns_history_event(history, i)->kind == NS_EVENT_SPIKE)
            return ns_history_event(history, i); /* stays in the trainer's own history */
    return NULL;
}

static void test_pause_on_jump(void)
{
    static const char *const lanes[] = {"lr=1e-3", ""};
    g_autoptr(NsTrainer) trainer = ns_test_tiny_lanes(JUMPS " steps=40", lanes, 2, NULL);
    ns_trainer_set_pause_on_trouble(trainer, true);
    ns_trainer_run(trainer);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, -1);
    const NsEvent *jump = first_jump(trainer, 1);
    g_assert_nonnull(jump);
    g_assert_null(first_jump(trainer, 0));
    g_autoptr(NsHistory) history = ns_trainer_history(trainer, 0);
    g_assert_cmpint(jump->step, ==, (int64_t)ns_history_steps(history) - 1);
    g_autofree char *message = ns_trainer_message(trainer, 1);
    g_assert_cmpstr(message, ==, jump->text);
    g_assert_null(ns_trainer_message(trainer, 0));
    expect_lane(trainer, 1, NS_TRAINER_PAUSED, -1);

    /* Run goes on, and what it said is over. */
    ns_trainer_set_pause_on_trouble(trainer, false);
    ns_trainer_run(trainer);
    ns_test_expect(trainer, NS_TRAINER_FINISHED, 40);
    g_assert_null(ns_trainer_message(trainer, 1));

    /* A fork from just before it remembers enough to see the same jump, however long it is. */
    const NsEvent first = *jump;
    NsCheckpoint *kept[NS_LANES_MAX] = {NULL};
    int64_t at;
    ns_trainer_reset(trainer);
    ns_trainer_run_until(trainer, (NsTrainerUntil){.step = first.step - 1});
    ns_test_expect(trainer, NS_TRAINER_PAUSED, first.step - 1);
    g_assert_true(ns_trainer_checkpoints_at(trainer, first.step, kept, &at));
    g_assert_cmpint(at, ==, first.step - 1);
    g_autoptr(NsTrainer) fork = ns_test_tiny_lanes(JUMPS " steps=41", lanes, 2, kept);
    ns_trainer_run(fork);
    ns_test_expect(fork, NS_TRAINER_FINISHED, 41 - at);
    const NsEvent *again = first_jump(fork, 1);
    g_assert_nonnull(again);
    g_assert_cmpint(again->step, ==, first.step);
    g_assert_cmpstr(again->text, ==, first.text);
    for (size_t i = 0; i < 2; i++) ns_checkpoint_unref(kept[i]);
}

#define JUMP_SEEDS 6

/* The step of a seed's first jump; INT64_MAX where there is none. */
static int64_t first_jump_of(NsHistory *history, size_t seed)
{
    const NsHistory *of = ns_history_seed(history, seed);
    for (size_t i = 0; i < ns_history_events(of); i++)
        if (ns_history_event(of, i)->kind == NS_EVENT_SPIKE) return ns_history_event(of, i)->step;
    return INT64_MAX;
}

/* A jump of a seed that is not the first pauses the run as well, and says whose it is. */
static void test_pause_on_jump_of_seed(void)
{
    static const char *const lanes[] = {""};
    g_autofree char *common = g_strdup_printf(JUMPS " steps=40 seeds=%d", JUMP_SEEDS);
    g_autoptr(NsTrainer) all = ns_test_tiny_lanes(common, lanes, 1, NULL);
    ns_trainer_run(all);
    ns_test_expect(all, NS_TRAINER_FINISHED, 40);
    g_autoptr(NsHistory) whole = ns_trainer_history(all, 0);
    /* Two neighbors of which the second jumps first. */
    size_t first = 0;
    while (first + 2 < JUMP_SEEDS && first_jump_of(whole, first) <= first_jump_of(whole, first + 1))
        first++;
    int64_t at = first_jump_of(whole, first + 1);
    g_assert_cmpint(at, <, first_jump_of(whole, first));
    NsSettings tiny;
    ns_test_tiny_settings(&tiny, NULL);
    g_autofree char *two =
        g_strdup_printf(JUMPS " steps=40 seeds=2 seed=%zu", (size_t)tiny.seed + first);
    ns_settings_clear(&tiny);
    g_autoptr(NsTrainer) trainer = ns_test_tiny_lanes(two, lanes, 1, NULL);
    ns_trainer_set_pause_on_trouble(trainer, true);
    ns_trainer_run(trainer);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, at);
    g_autofree char *message = ns_trainer_message(trainer, 0);
    g_test_message("%s", message);
    g_assert_true(g_str_has_prefix(message, "Seed 2 of 2: The "));
}

/* ---- Until ---- */

static void test_until_step(void)
{
    g_autoptr(NsTrainer) trainer = ns_test_tiny_trainer((const char *const[]){"steps=50", NULL});
    ns_trainer_run_until(trainer, (NsTrainerUntil){.step = 0});
    ns_trainer_run_until(trainer, (NsTrainerUntil){.step = 17});
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 17);
    ns_trainer_run_until(trainer, (NsTrainerUntil){.step = 17});
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 17);
    ns_trainer_run_until(trainer, (NsTrainerUntil){.step = 20});
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 20);
    /* Another command takes its place, wherever the run stands by then: two steps from there. */
    ns_trainer_run_until(trainer, (NsTrainerUntil){.step = 30});
    ns_trainer_step(trainer, 2);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, -1);
    g_autoptr(NsHistory) history = ns_trainer_history(trainer, 0);
    size_t records = ns_history_steps(history);
    g_assert_cmpuint(records, >=, 23);
    g_assert_cmpuint(records, <=, 33);
    ns_trainer_run_until(trainer, (NsTrainerUntil){.step = 40});
    ns_trainer_run(trainer);
    ns_test_expect(trainer, NS_TRAINER_FINISHED, 50);
}

static double mean_loss(const NsHistory *history, size_t end)
{
    double sum = 0;
    for (size_t i = end - NS_UNTIL_RECORDS; i < end; i++) sum += ns_history_step(history, i)->loss;
    return sum / NS_UNTIL_RECORDS;
}

static void test_until_loss(void)
{
    static const char *const lanes[] = {"lr=0", "lr=0.01"};
    g_autoptr(NsTrainer) trainer = ns_test_tiny_lanes("steps=5000", lanes, 2, NULL);
    ns_trainer_run_until(trainer, (NsTrainerUntil){.loss = 2.5});
    ns_test_expect(trainer, NS_TRAINER_PAUSED, -1);
    g_autoptr(NsHistory) history = ns_trainer_history(trainer, 1);
    size_t n = ns_history_steps(history);
    g_assert_cmpuint(n, >, NS_UNTIL_RECORDS);
    g_assert_cmpfloat(mean_loss(history, n), <, 2.5);
    for (size_t end = NS_UNTIL_RECORDS; end < n; end++)
        g_assert_cmpfloat(mean_loss(history, end), >=, 2.5);
    /* Not before so many records are there. */
    ns_trainer_reset(trainer);
    ns_trainer_run_until(trainer, (NsTrainerUntil){.loss = 1000});
    ns_test_expect(trainer, NS_TRAINER_PAUSED, NS_UNTIL_RECORDS - 1);
}

/* Of several seeds the mean is meant. */
static void test_until_mean_loss(void)
{
    static const char *const lanes[] = {"lr=0.01"};
    g_autoptr(NsTrainer) trainer = ns_test_tiny_lanes("steps=5000 seeds=3", lanes, 1, NULL);
    ns_trainer_run_until(trainer, (NsTrainerUntil){.loss = 2.5});
    ns_test_expect(trainer, NS_TRAINER_PAUSED, -1);
    g_autoptr(NsHistory) history = ns_trainer_history(trainer, 0);
    size_t n = ns_history_steps(history);
    g_assert_cmpuint(n, >, NS_UNTIL_RECORDS);
    for (size_t end = n - 1; end <= n; end++) {
        double sum = 0;
        for (size_t k = 0; k < 3; k++) sum += mean_loss(ns_history_seed(history, k), end);
        g_test_message("%zu records: %g, the first seed %g", end, sum / 3, mean_loss(history, end));
        g_assert_true(end < n ? sum / 3 >= 2.5 : sum / 3 < 2.5);
    }
}

/* ---- Speed ---- */

static void test_speed(void)
{
    g_autoptr(NsTrainer) trainer = ns_test_tiny_trainer(NULL);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    /* The first step comes at once and no other for an hour, but a command does not wait. */
    ns_trainer_set_speed(trainer, 1.0 / 3600);
    ns_trainer_run(trainer);
    ns_test_until_steps(trainer, 1);
    ns_trainer_pause(trainer);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 1);
    ns_trainer_run(trainer);
    ns_test_until_steps(trainer, 2);
    ns_trainer_check(trainer, 0, 1);
    ns_trainer_step(trainer, 1);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 3);
    /* Another speed ends the wait. */
    ns_trainer_step(trainer, 20);
    ns_test_until_steps(trainer, 4);
    g_assert_false(ns_trainer_wait(trainer, 20));
    ns_trainer_set_speed(trainer, 0);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 23);
    /* Never more than asked for; how many fewer depends on the machine. */
    ns_trainer_set_speed(trainer, 50);
    gint64 started = g_get_monotonic_time();
    ns_trainer_step(trainer, 6);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 29);
    g_assert_cmpint(g_get_monotonic_time() - started, >=, 5 * G_USEC_PER_SEC / 50);
    /* Nor does the end wait. */
    ns_trainer_set_speed(trainer, 1e-9);
    ns_trainer_run(trainer);
    ns_test_until_steps(trainer, 30);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/lanes/alone", test_alone);
    g_test_add_func("/lanes/refused", test_refused);
    g_test_add_func("/lanes/fork", test_fork);
    g_test_add_func("/lanes/live", test_live);
    g_test_add_func("/lanes/diverged", test_diverged_lane);
    g_test_add_func("/lanes/all-diverged", test_all_diverged);
    g_test_add_func("/lanes/pause-on-divergence", test_pause_on_divergence);
    g_test_add_func("/lanes/pause-on-jump", test_pause_on_jump);
    g_test_add_func("/lanes/pause-on-jump-of-seed", test_pause_on_jump_of_seed);
    g_test_add_func("/until/step", test_until_step);
    g_test_add_func("/until/loss", test_until_loss);
    g_test_add_func("/until/mean-loss", test_until_mean_loss);
    g_test_add_func("/speed", test_speed);
    return g_test_run();
}
