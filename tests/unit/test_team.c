/* A team does all of its work, whatever its size.  SPDX-License-Identifier: MIT */
#include "core/base/team.h"
#include "core/base/thread.h"
#include "core/experiment/assignment.h"
#include "core/model/model.h"

#include <errno.h>
#include <glib.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

/* How many more threads can be started; the linker puts this in ns_thread_start's place. */
static unsigned startable = 1000;

int __real_ns_thread_start(pthread_t *thread, void *(*work)(void *), void *data);
int __wrap_ns_thread_start(pthread_t *thread, void *(*work)(void *), void *data);

int __wrap_ns_thread_start(pthread_t *thread, void *(*work)(void *), void *data)
{
    if (startable == 0) return EAGAIN;
    startable--;
    return __real_ns_thread_start(thread, work, data);
}

enum { ITEMS = 1000, ROUNDS = 300 };

static void count_item(void *data, size_t i, unsigned member)
{
    (void)member;
    _Atomic unsigned *counts = data;
    atomic_fetch_add(&counts[i], 1);
}

/* Every item once, with any number of threads, again and again. */
static void test_each(void)
{
    for (unsigned threads = 0; threads <= 5; threads++) {
        NsTeam *team = threads ? ns_team_new(threads) : NULL;
        g_assert_cmpuint(ns_team_threads(team), ==, MAX(threads, 1));
        g_autofree _Atomic unsigned *counts = g_new0(_Atomic unsigned, ITEMS);
        for (unsigned round = 1; round <= ROUNDS; round++) {
            ns_team_each(team, round % ITEMS, count_item, counts);
            for (size_t i = 0; i < round; i++)
                g_assert_cmpuint(atomic_load(&counts[i]), ==, round - i);
        }
        ns_team_free(team);
    }
}

typedef struct {
    unsigned values[8][ROUNDS];
    _Atomic unsigned wrong, parts;
} Relay;

/* Each writes what the next one reads behind the barrier. */
static void relay(void *data, const NsMember *member)
{
    Relay *r = data;
    g_assert_cmpuint(ns_team_members(), ==, member->size);
    atomic_fetch_add(&r->parts, 1);
    unsigned before = (member->index + member->size - 1) % member->size;
    for (unsigned i = 0; i < ROUNDS; i++) {
        r->values[member->index][i] = i + member->index;
        ns_team_barrier(member);
        if (r->values[before][i] != i + before) atomic_fetch_add(&r->wrong, 1);
    }
}

static void test_barrier(void)
{
    for (unsigned threads = 1; threads <= 8; threads++) {
        NsTeam *team = ns_team_new(threads);
        for (size_t most = 1; most <= 8; most++) {
            g_autofree Relay *r = g_new0(Relay, 1);
            ns_team_run(team, most, relay, r);
            g_assert_cmpuint(r->wrong, ==, 0);
            /* A busy machine may have made the team smaller. */
            g_assert_cmpuint(r->parts, >=, 1);
            g_assert_cmpuint(r->parts, <=, MIN(most, threads));
        }
        ns_team_free(team);
    }
    g_assert_cmpuint(ns_team_members(), ==, 1);
}

static double measure(GBytes **gradients)
{
    const NsVocab vocab = {.in = 20, .out = 20};
    NsSettings settings;
    ns_settings_init(&settings);
    static const char *const changes[] = {"layers=20", "d-model=16", "heads=2",
                                          "seq=7",     "batch=6",    "threads=4"};
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++)
        g_assert_true(ns_settings_assign(&settings, changes[i], NULL));
    NsBatch batch;
    ns_batch_init(&batch, 6, 7, 7);
    for (size_t i = 0; i < batch.B * batch.T; i++) {
        batch.tokens[i] = (int32_t)(i * i) % 20;
        batch.targets[i] = (int32_t)(i * i + 3 * i) % 20;
    }
    g_autoptr(GError) error = NULL;
    NsModel *model = ns_model_new(&settings, vocab, &error);
    g_assert_no_error(error);
    double loss = 0;
    for (int i = 0; i < 20; i++) loss = ns_model_measure(model, &batch, NULL).loss;
    *gradients =
        g_bytes_new(ns_model_gradients(model), ns_model_tensors(model)->size * sizeof(ns_real));
    ns_model_free(model);
    ns_batch_clear(&batch);
    ns_settings_clear(&settings);
    return loss;
}

/* The team that was got counts, and not the one that was asked for: with no other thread, with one
 * of three, and on one processor of which all take turns, the bits are the same. */
static void test_smaller(void)
{
    g_autoptr(GBytes) all = NULL;
    double loss = measure(&all);
    cpu_set_t before, one;
    g_assert_cmpint(sched_getaffinity(0, sizeof before, &before), ==, 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
    for (unsigned k = 0; k < 3; k++) {
        startable = k < 2 ? k : 1000;
        if (k == 2) sched_setaffinity(0, sizeof one, &one);
        g_autoptr(GBytes) few = NULL;
        g_assert_cmpfloat(measure(&few), ==, loss);
        g_assert_true(g_bytes_equal(all, few));
    }
    sched_setaffinity(0, sizeof before, &before);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/team/each", test_each);
    g_test_add_func("/team/barrier", test_barrier);
    g_test_add_func("/team/smaller", test_smaller);
    return g_test_run();
}
