/* The first lane steps on the caller's thread, every other lane on a thread of its own, which waits
 * for the next tick of the clock.  The results of a lane do not depend on the other lanes.
 *
 * SPDX-License-Identifier: MIT */
#include "core/train/lockstep.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/processors.h"
#include "core/base/thread.h"
#include "core/base/words.h"
#include "core/train/run.h"

#include <inttypes.h>

typedef struct {
    NsLockstep *lockstep;
    NsRun *runs[NS_SEEDS_MAX]; /* [lockstep->seeds] */
    pthread_t thread;
    bool threaded; /* the lane has a thread; all but the first do */
} Lane;

struct NsLockstep {
    Lane lanes[NS_LANES_MAX];
    size_t n, seeds;

    pthread_mutex_t mutex;
    pthread_cond_t tick, tock;
    /* Guarded by the mutex. */
    uint64_t ticks;
    size_t busy; /* lanes that have not finished the step */
    bool quit;
};

/* Steps one seed after another, each with all the threads of the lane. */
static void step_lane(Lane *lane)
{
    for (size_t k = 0; k < lane->lockstep->seeds; k++) ns_run_step(lane->runs[k]);
}

static void *lane_main(void *data)
{
    Lane *lane = data;
    NsLockstep *lockstep = lane->lockstep;
    uint64_t seen = 0;
    pthread_mutex_lock(&lockstep->mutex);
    for (;;) {
        while (!lockstep->quit && lockstep->ticks == seen)
            pthread_cond_wait(&lockstep->tick, &lockstep->mutex);
        if (lockstep->quit) break;
        seen = lockstep->ticks;
        pthread_mutex_unlock(&lockstep->mutex);
        step_lane(lane);
        pthread_mutex_lock(&lockstep->mutex);
        if (--lockstep->busy == 0) pthread_cond_signal(&lockstep->tock);
    }
    pthread_mutex_unlock(&lockstep->mutex);
    return NULL;
}

/* ---- Life ---- */

static int64_t first_step(NsCheckpoint *const *origins, size_t lane)
{
    int64_t step = 0; /* the largest, because a seed that has diverged stops */
    for (size_t k = 0; origins && origins[lane] && k < ns_checkpoint_seeds(origins[lane]); k++)
        step = MAX(step, ns_checkpoint_seed(origins[lane], k)->step);
    return step;
}

/* Whether all seeds of a lane have diverged, so that it makes no steps. */
static bool has_diverged(NsCheckpoint *const *origins, size_t lane)
{
    NsCheckpoint *origin = origins ? origins[lane] : NULL;
    for (size_t k = 0; origin && k < ns_checkpoint_seeds(origin); k++)
        if (!ns_checkpoint_seed(origin, k)->diverged) return false;
    return origin != NULL;
}

bool ns_lockstep_check(const NsExperiment *experiment, NsCheckpoint *const *origins, GError **error)
{
    if (experiment->n < 1 || experiment->n > NS_LANES_MAX)
        return ns_refuse(error, NS_ERROR_SETTING,
                         "%zu lanes cannot run side by side; choose one to %d.", experiment->n,
                         NS_LANES_MAX);
    const NsParam *param;
    const NsSettings *lane = experiment->lane;
    for (size_t k = 0; (param = ns_param(k)); k++) {
        for (size_t i = 1; param->shared && i < experiment->n; i++) {
            if (ns_settings_same(&lane[0], &lane[i], param)) continue;
            g_autofree char *first = ns_settings_get(&lane[0], param);
            g_autofree char *other = ns_settings_get(&lane[i], param);
            return ns_refuse(
                error, NS_ERROR_SETTING,
                N_("Lanes share every batch and one clock, but %s is %s in lane A and %s in "
                   "lane %s; give them the same."),
                param->key, *first ? first : "empty", *other ? other : "empty", ns_lane_letter(i));
        }
    }
    for (size_t i = 0; origins && i < experiment->n; i++) {
        size_t wanted = (size_t)experiment->lane[i].seeds;
        if (!origins[i] || ns_checkpoint_seeds(origins[i]) == wanted) continue;
        return ns_refuse(error, NS_ERROR_SETTING,
                         "The state from which lane %s continues does not have %zu seeds; restart "
                         "the lane from step 0.",
                         ns_lane_letter(i), wanted);
    }

    size_t first = experiment->n; /* the first lane that has not diverged */
    for (size_t i = 0; i < experiment->n; i++) {
        if (has_diverged(origins, i)) continue;
        if (first == experiment->n) first = i;
        if (first_step(origins, i) == first_step(origins, first)) continue;
        return ns_refuse(error, NS_ERROR_SETTING,
                         "Lanes run on one clock, but lane %s begins at step %" PRId64
                         " and lane %s at step %" PRId64 "; fork them from the same step.",
                         ns_lane_letter(first), first_step(origins, first), ns_lane_letter(i),
                         first_step(origins, i));
    }
    return true;
}

/* The number of threads of a lane.  The largest number that any lane requests (0: all processors
 * that the program may use) is divided among the lanes. */
static int64_t threads_of(const NsExperiment *experiment, size_t lane)
{
    if (experiment->n == 1) return experiment->lane[0].threads;
    int64_t total = 0, n = (int64_t)experiment->n;
    for (size_t i = 0; i < experiment->n; i++) {
        int64_t wanted = experiment->lane[i].threads;
        total = MAX(total, wanted > 0 ? wanted : (int64_t)ns_processors());
    }
    return MAX(1, total / n + ((int64_t)lane < total % n ? 1 : 0));
}

/* Links the histories of the other seeds to that of the first. */
static void join_histories(Lane *lane)
{
    for (size_t k = 1; k < lane->lockstep->seeds; k++)
        ns_history_add_seed(lane->runs[0]->history, lane->runs[k]->history);
}

static bool add_lane(NsLockstep *lockstep, const NsExperiment *experiment, NsBeginning beginning,
                     atomic_uint *done, GError **error)
{
    Lane *first = &lockstep->lanes[0], *lane = &lockstep->lanes[lockstep->n++];
    lane->lockstep = lockstep;
    /* Make the runs of the lane, each with its own seed. */
    size_t number = lockstep->n - 1;
    NsSettings own = experiment->lane[number]; /* borrows the texts */
    own.threads = threads_of(experiment, number);
    const NsRun *other = first->runs[0];
    for (size_t k = 0; k < lockstep->seeds; k++, own.seed++) {
        NsBeginning from = {
            .origin = beginning.origin ? ns_checkpoint_seed(beginning.origin, k) : NULL,
            .past = beginning.past ? ns_history_seed(beginning.past, k) : NULL,
        };
        NsCorpus *corpus = from.origin ? ns_checkpoint_corpus(from.origin, &own) : NULL;
        if (other && ns_settings_same_data(&other->settings, &own)) corpus = other->corpus;
        lane->runs[k] = ns_run_new_from(experiment, &own, corpus, from, done, error);
        if (!lane->runs[k]) return false;
        if (!other) other = lane->runs[0];
        /* The first seed is allocated; the others must fit into memory. */
        NsPlan others = {0};
        ns_plan_add(&others, &lane->runs[0]->plan, lane->lockstep->seeds - 1);
        if (k == 0 && !ns_plan_check(&others, error)) return false;
    }
    join_histories(lane);
    if (lane == first) return true;

    int failure = ns_thread_start(&lane->thread, lane_main, lane);
    lane->threaded = !failure;
    if (!failure) return true;
    return ns_refuse(
        error, NS_ERROR_MEMORY,
        "No thread could be started for lane %s: %s; close other programs and try again.",
        ns_lane_letter(lockstep->n - 1), g_strerror(failure));
}

NsLockstep *ns_lockstep_new(const NsExperiment *experiment, NsCheckpoint *const *origins,
                            NsHistory *const *pasts, atomic_uint *done, GError **error)
{
    if (!ns_lockstep_check(experiment, origins, error)) return NULL;
    g_autoptr(NsLockstep) lockstep = g_new0(NsLockstep, 1);
    lockstep->seeds = (size_t)experiment->lane[0].seeds;
    pthread_mutex_init(&lockstep->mutex, NULL);
    pthread_cond_init(&lockstep->tick, NULL);
    pthread_cond_init(&lockstep->tock, NULL);
    const NsExperiment *shared = ns_experiment_ref(experiment);
    bool good = true;
    for (size_t i = 0; good && i < experiment->n; i++) {
        NsBeginning beginning = {origins ? origins[i] : NULL, pasts ? pasts[i] : NULL};
        good = add_lane(lockstep, shared, beginning, done, error);
    }
    ns_experiment_unref(shared);
    return good ? g_steal_pointer(&lockstep) : NULL;
}

void ns_lockstep_free(NsLockstep *lockstep)
{
    if (!lockstep) return;
    pthread_mutex_lock(&lockstep->mutex);
    lockstep->quit = true;
    pthread_cond_broadcast(&lockstep->tick);
    pthread_mutex_unlock(&lockstep->mutex);
    for (size_t i = 0; i < lockstep->n; i++) {
        if (lockstep->lanes[i].threaded) pthread_join(lockstep->lanes[i].thread, NULL);
        for (size_t k = 0; k < lockstep->seeds; k++) ns_run_free(lockstep->lanes[i].runs[k]);
    }
    pthread_cond_destroy(&lockstep->tick);
    pthread_cond_destroy(&lockstep->tock);
    pthread_mutex_destroy(&lockstep->mutex);
    g_free(lockstep);
}

/* ---- The clock ---- */

bool ns_lockstep_step(NsLockstep *lockstep)
{
    pthread_mutex_lock(&lockstep->mutex);
    lockstep->ticks++;
    lockstep->busy = lockstep->n - 1;
    pthread_cond_broadcast(&lockstep->tick);
    pthread_mutex_unlock(&lockstep->mutex);

    step_lane(&lockstep->lanes[0]);

    pthread_mutex_lock(&lockstep->mutex);
    while (lockstep->busy > 0) pthread_cond_wait(&lockstep->tock, &lockstep->mutex);
    pthread_mutex_unlock(&lockstep->mutex);

    bool on = false;
    for (size_t i = 0; i < lockstep->n; i++)
        on |= ns_lockstep_diverged(lockstep, i) < lockstep->seeds;
    return on;
}

void ns_lockstep_reset(NsLockstep *lockstep)
{
    for (size_t i = 0; i < lockstep->n; i++) {
        for (size_t k = 0; k < lockstep->seeds; k++) ns_run_reset(lockstep->lanes[i].runs[k]);
        join_histories(&lockstep->lanes[i]);
    }
}

void ns_lockstep_evaluate(NsLockstep *lockstep)
{
    for (size_t i = 0; i < lockstep->n * lockstep->seeds; i++) {
        NsRun *run = ns_lockstep_nth_run(lockstep, i);
        if (!run->diverged) ns_run_evaluate(run);
    }
}

/* ---- Properties ---- */

int64_t ns_lockstep_steps(NsLockstep *lockstep)
{
    int64_t steps = 0;
    for (size_t i = 0; i < lockstep->n * lockstep->seeds; i++)
        steps = MAX(steps, ns_lockstep_nth_run(lockstep, i)->steps);
    return steps;
}

size_t ns_lockstep_lanes(const NsLockstep *lockstep)
{
    return lockstep->n;
}

size_t ns_lockstep_seeds(const NsLockstep *lockstep)
{
    return lockstep->seeds;
}

NsRun *ns_lockstep_run(NsLockstep *lockstep, size_t lane, size_t seed)
{
    return lockstep->lanes[lane].runs[seed];
}

void ns_lockstep_set_live(NsLockstep *lockstep, const NsExperiment *experiment)
{
    for (size_t i = 0; i < MIN(lockstep->n, experiment->n); i++)
        for (size_t k = 0; k < lockstep->seeds; k++)
            ns_run_set_live(lockstep->lanes[i].runs[k], &experiment->lane[i]);
}

NsRun *ns_lockstep_nth_run(NsLockstep *lockstep, size_t i)
{
    return ns_lockstep_run(lockstep, i / lockstep->seeds, i % lockstep->seeds);
}

size_t ns_lockstep_diverged(const NsLockstep *lockstep, size_t lane)
{
    size_t n = 0;
    for (size_t k = 0; k < lockstep->seeds; k++) n += lockstep->lanes[lane].runs[k]->diverged;
    return n;
}

NsCheckpoint *ns_lockstep_checkpoint(NsLockstep *lockstep, size_t lane, GError **error)
{
    NsRun *const *runs = lockstep->lanes[lane].runs;
    g_autoptr(NsCheckpoint) first = ns_run_checkpoint(runs[0], error);
    for (size_t k = 1; first && k < lockstep->seeds; k++) {
        NsCheckpoint *next = ns_run_checkpoint(runs[k], error);
        if (!next) return NULL;
        ns_checkpoint_add_seed(first, next);
    }
    return g_steal_pointer(&first);
}

/* Half of the available memory is left to other programs. */
bool ns_lockstep_fits_memory(NsLockstep *lockstep)
{
    size_t available = ns_memory_available(), needed = 0;
    for (size_t i = 0; i < lockstep->n * lockstep->seeds; i++)
        needed += ns_run_checkpoint_size(ns_lockstep_nth_run(lockstep, i));
    return !available || needed <= available / 2;
}
