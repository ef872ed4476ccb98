/* A trainer that has no memory to keep steps in.  SPDX-License-Identifier: MIT
 *
 * The linker puts the function below in the place of the one that asks the system. */
#include "tests/unit/trainers.h"

#include <stdatomic.h>

static _Atomic size_t available = (size_t)1 << 40;

size_t __wrap_ns_memory_available(void);

size_t __wrap_ns_memory_available(void)
{
    return available;
}

static int64_t newest_checkpoint(NsTrainer *trainer)
{
    NsCheckpoint *kept[NS_LANES_MAX] = {NULL};
    int64_t at = -1;
    if (!ns_trainer_checkpoints_at(trainer, INT64_MAX, kept, &at)) return -1;
    for (size_t i = 0; i < NS_LANES_MAX; i++) ns_checkpoint_unref(kept[i]);
    return at;
}

/* What was kept stays, and the run goes on as if nothing had been. */
static void test_refused(void)
{
    g_autoptr(NsTrainer) trainer = ns_test_tiny_trainer(NULL);
    g_autoptr(NsTrainer) whole = ns_test_tiny_trainer(NULL);
    ns_test_expect(trainer, NS_TRAINER_READY, 0);
    ns_test_expect(whole, NS_TRAINER_READY, 0); /* while there is memory for it */
    ns_trainer_step(trainer, 2);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 2);
    g_assert_cmpint(newest_checkpoint(trainer), ==, 2);

    available = 1;
    ns_trainer_step(trainer, 2);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 4);
    g_assert_cmpint(newest_checkpoint(trainer), ==, 2);

    available = (size_t)1 << 40;
    ns_trainer_step(trainer, 1);
    ns_test_expect(trainer, NS_TRAINER_PAUSED, 5);
    g_assert_cmpint(newest_checkpoint(trainer), ==, 5);
    ns_trainer_step(whole, 5);
    ns_test_expect(whole, NS_TRAINER_PAUSED, 5);
    g_autoptr(NsHistory) a = ns_trainer_history(trainer, 0), b = ns_trainer_history(whole, 0);
    ns_test_same_records(a, 0, b);
}

/* Where the system does not say how much there is, steps are kept. */
static void test_unknown(void)
{
    available = 0;
    g_autoptr(NsTrainer) unknown = ns_test_tiny_trainer(NULL);
    ns_test_expect(unknown, NS_TRAINER_READY, 0);
    g_assert_cmpint(newest_checkpoint(unknown), ==, 0);
    available = (size_t)1 << 40;
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/refused/while-running", test_refused);
    g_test_add_func("/refused/unknown", test_unknown);
    return g_test_run();
}
